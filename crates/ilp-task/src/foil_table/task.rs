//! From the tables of a file to a task.

use kibitz_prolog::{Argument, Atom, Clause, Direction, Mode, Term};

use super::{RelationTable, Table};
use crate::issue::{Issue, IssueKind, TaskError};
use crate::source::show;
use crate::{Bias, Task};

/// Negative tuples are only made up where there are at most this many.
const MAX_CLOSED_WORLD: usize = 1_000_000;

/// Predicates with more arguments are not called in their own definitions: there would be too many ways.
const MAX_RECURSIVE_ARITY: usize = 4;

impl Table<'_> {
    pub(super) fn into_task(mut self) -> Result<Task, TaskError> {
        let Some(index) = self
            .relations
            .iter()
            .position(|relation| !relation.background)
        else {
            return Err(Issue::new(self.source.name, IssueKind::NoTarget)
                .help("the relation to learn is the first one without an asterisk")
                .into());
        };
        let mut target = self.relations.remove(index);
        let negative = match target.negative.take() {
            Some(negative) => negative,
            None => self.closed_world(&target)?,
        };
        let mode = |relation: &RelationTable| -> Vec<Mode> {
            let free = vec![vec![Direction::Out; relation.predicate.arity]];
            let keys = if relation.keys.is_empty() {
                &free
            } else {
                &relation.keys
            };
            keys.iter()
                .map(|key| Mode {
                    predicate: relation.predicate,
                    arguments: key
                        .iter()
                        .zip(&relation.kinds)
                        .map(|(&direction, &kind)| Argument { direction, kind })
                        .collect(),
                    recall: None,
                })
                .collect()
        };
        let recursive = mode(&target);
        let mut head = recursive[0].clone();
        head.arguments
            .iter_mut()
            .for_each(|argument| argument.direction = Direction::In);
        let mut bias = Bias::new(head, self.relations.iter().flat_map(mode).collect());
        bias.constants = self.theory_constants;
        if may_recur(&bias) {
            bias.recursion = true;
            bias.body.extend(recursive);
        }
        let mut test = [Vec::new(), Vec::new()];
        for (predicate, positive, negative) in self.tests {
            if predicate == target.predicate {
                test[0].extend(positive);
                test[1].extend(negative);
            }
        }
        let background = self
            .relations
            .into_iter()
            .flat_map(|relation| relation.positive)
            .map(Clause::fact)
            .collect();
        Ok(Task {
            positive: target.positive,
            negative,
            background,
            test,
            remarks: self.remarks,
            ..Task::new(self.symbols, bias)
        })
    }

    /// All tuples of the right types that are not listed.
    fn closed_world(&self, target: &RelationTable) -> Result<Vec<Atom>, TaskError> {
        let domains: Vec<&[Term]> = target
            .kinds
            .iter()
            .map(|kind| self.kinds.get(kind).map_or(&[][..], Vec::as_slice))
            .collect();
        let size = domains
            .iter()
            .try_fold(1usize, |size, domain| size.checked_mul(domain.len()));
        if size.is_none_or(|size| size > MAX_CLOSED_WORLD) {
            return Err(self
                .source
                .unexpected(
                    target.offset,
                    format!(
                        "{} has no negative tuples, and too many tuples to make them up",
                        show(target.predicate, &self.symbols)
                    ),
                )
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
        Ok(atoms.filter(|atom| !listed.contains(atom)).collect())
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
