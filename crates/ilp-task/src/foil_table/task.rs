//! From the tables of a file to a task.

use kibitz_prolog::{Argument, Atom, Clause, Direction, Mode, Predicate, Term};

use super::{Constants, RelationTable, Table};
use crate::issue::{Issue, IssueKind, TaskError};
use crate::source::show;
use crate::{Bias, Task, share};

/// Negative tuples are only made up where there are at most this many.
const MAX_CLOSED_WORLD: usize = 1_000_000;

/// Predicates with more arguments are not called in their own definitions: there would be too many ways.
const MAX_RECURSIVE_ARITY: usize = 4;

impl Table<'_> {
    pub(super) fn into_tasks(mut self) -> Result<Vec<Task>, TaskError> {
        let targets = self.targets()?;
        let predicates = targets.iter().map(|(i, _)| self.relations[*i].predicate);
        let predicates: Vec<Predicate> = predicates.collect();
        self.remark_tests(&predicates);
        let targets = targets.into_iter();
        let tasks = targets.map(|(i, negative)| self.task(i, negative, &predicates));
        let mut tasks: Vec<Task> = tasks.collect();
        share(&mut tasks);
        Ok(tasks)
    }

    /// The places of the relations to learn, and their negative tuples. After the first one, a relation that
    /// has none is background only.
    fn targets(&mut self) -> Result<Vec<(usize, Vec<Atom>)>, TaskError> {
        let mut targets: Vec<(usize, Vec<Atom>)> = Vec::new();
        for (i, relation) in self.relations.iter().enumerate() {
            let is_known = |(own, _): &(usize, _)| {
                let own: &RelationTable = &self.relations[*own];
                own.predicate == relation.predicate
            };
            if relation.background || targets.iter().any(is_known) {
                continue;
            }
            let negative = match &relation.negative {
                Some(negative) => Ok(negative.clone()),
                None => self.closed_world(relation, targets.is_empty()),
            };
            match negative {
                Ok(negative) => targets.push((i, negative)),
                Err(error) if targets.is_empty() => return Err(error),
                Err(error) => {
                    let help = "it is not learned; mark it with an asterisk if it is background, or list \
                                negative tuples after a line that holds a semicolon";
                    let issues = error.issues.into_iter();
                    self.remarks.extend(issues.map(|issue| issue.help(help)));
                }
            }
        }
        if targets.is_empty() {
            return Err(Issue::new(self.source.name, IssueKind::NoTarget)
                .help("the relations to learn are those without an asterisk")
                .into());
        }
        Ok(targets)
    }

    /// Says which tests are of relations that are not learned.
    fn remark_tests(&mut self, targets: &[Predicate]) {
        let tests = self.tests.iter();
        for test in tests.filter(|own| !targets.contains(&own.predicate)) {
            let name = show(test.predicate, &self.symbols);
            let message = format!("ignored the test of {name}, which is not learned");
            let issue = self.source.unexpected(test.offset, message);
            let help = "a test needs a relation without an asterisk";
            self.remarks.push(issue.help(help));
        }
    }

    /// The task of the relation at a place.
    fn task(&self, place: usize, negative: Vec<Atom>, targets: &[Predicate]) -> Task {
        let target = &self.relations[place];
        let relations = self.relations.iter().enumerate();
        let background = relations.filter(|(i, _)| *i != place).map(|(_, own)| own);
        let recursive = target.modes();
        let mut head = recursive[0].clone();
        head.arguments
            .iter_mut()
            .for_each(|argument| argument.direction = Direction::In);
        let body = background.clone().flat_map(RelationTable::modes);
        let mut bias = Bias::new(head, body.collect());
        bias.constants.clone_from(&self.theory_constants);
        if may_recur(&bias) {
            bias.recursion = true;
            bias.body.extend(recursive);
        }
        let mut test = [Vec::new(), Vec::new()];
        let tests = self.tests.iter();
        for own in tests.filter(|own| own.predicate == target.predicate) {
            for (all, own) in test.iter_mut().zip(&own.tuples) {
                all.extend_from_slice(own);
            }
        }
        let facts = background.flat_map(|relation| &relation.positive);
        let others = targets.iter().copied();
        Task {
            others: others.filter(|own| *own != target.predicate).collect(),
            positive: target.positive.clone(),
            negative,
            background: facts.cloned().map(Clause::fact).collect(),
            test,
            remarks: self.remarks.clone(),
            ..Task::new(self.symbols.clone(), bias)
        }
    }

    /// All tuples of the right types that are not listed, if there are some or need not be.
    fn closed_world(
        &self,
        target: &RelationTable,
        may_be_empty: bool,
    ) -> Result<Vec<Atom>, TaskError> {
        let name = show(target.predicate, &self.symbols);
        let kinds = target.kinds.iter();
        let domains: Vec<&Constants> = kinds.filter_map(|kind| self.kinds.get(kind)).collect();
        let size = domains
            .iter()
            .try_fold(1usize, |size, domain| size.checked_mul(domain.len()));
        if size.is_none_or(|size| size > MAX_CLOSED_WORLD) {
            let message =
                format!("{name} has no negative tuples, and too many tuples to make them up");
            let issue = self.source.unexpected(target.offset, message);
            return Err(issue
                .help("list negative tuples after a line that holds a semicolon")
                .into());
        }
        let listed: rustc_hash::FxHashSet<&Atom> = target.positive.iter().collect();
        let mut tuples: Vec<Vec<Term>> = vec![Vec::new()];
        for domain in domains {
            let longer = |tuple: &Vec<Term>| {
                let values = domain.iter().map(std::slice::from_ref);
                let longer = values.map(|value| [tuple, value].concat());
                longer.collect::<Vec<_>>()
            };
            tuples = tuples.iter().flat_map(longer).collect();
        }
        let atoms = tuples
            .into_iter()
            .map(|args| Atom::new(target.predicate.name, args));
        let negative: Vec<Atom> = atoms.filter(|atom| !listed.contains(atom)).collect();
        if negative.is_empty() && !may_be_empty {
            let message = format!("{name} has no negative tuples, and none can be made up");
            return Err(self.error(target.offset, message));
        }
        Ok(negative)
    }
}

impl RelationTable {
    /// A mode for each key; without keys all arguments are outputs.
    fn modes(&self) -> Vec<Mode> {
        let free = [vec![Direction::Out; self.predicate.arity]];
        let keys = if self.keys.is_empty() {
            &free[..]
        } else {
            &self.keys
        };
        let mode = |key: &Vec<Direction>| Mode {
            predicate: self.predicate,
            arguments: key
                .iter()
                .zip(&self.kinds)
                .map(|(&direction, &kind)| Argument { direction, kind })
                .collect(),
            recall: None,
        };
        keys.iter().map(mode).collect()
    }
}

/// Whether FOIL's recursive literals are worth looking at: some relation leads from a value of a type of the
/// target to another, and calls of the target are few.
fn may_recur(bias: &Bias) -> bool {
    let head = &bias.head.arguments;
    head.len() <= MAX_RECURSIVE_ARITY
        && head.iter().any(|argument| {
            bias.body.iter().any(|mode| {
                let own = mode
                    .arguments
                    .iter()
                    .filter(|own| own.kind == argument.kind);
                own.count() > 1
            })
        })
}
