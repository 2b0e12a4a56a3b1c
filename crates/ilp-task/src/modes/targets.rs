//! The targets of files with modes, each with a task of its own, and the weights of their examples.

use kibitz_prolog::{Atom, Clause, Predicate, SymbolTable};

use super::FileContents;
use crate::issue::{Issue, IssueKind, TaskError};
use crate::source::{Source, check_arity, show};
use crate::weights::{StatedWeights, WEIGHT, is_weight, weight};
use crate::{Task, share};

impl FileContents {
    /// The predicates to learn: those with modes for heads, or with determinations where there are none,
    /// of which there are examples. Without examples of several there is one.
    fn targets(&mut self, symbols: &SymbolTable) -> Vec<Predicate> {
        let mut declared: Vec<Predicate> = Vec::new();
        let heads = self.heads.iter().map(|mode| mode.predicate);
        let determined = self.determinations.iter().map(|(head, _)| *head);
        let determined = determined.filter(|_| self.heads.is_empty());
        for own in heads.chain(determined) {
            if !declared.contains(&own) {
                declared.push(own);
            }
        }
        if declared.len() > 1 {
            let examples = || self.positive.iter().chain(&self.negative);
            let has_examples =
                |own: &Predicate| examples().any(|(it, _)| it.head.predicate() == *own);
            let without = declared.extract_if(.., |own| !has_examples(own)).collect();
            if !declared.is_empty() {
                self.remark_without_examples(without, symbols);
            }
        }
        if declared.len() > 1 {
            return declared;
        }
        self.target().into_iter().collect()
    }

    /// A warning for each predicate with a mode for heads of which there are no examples.
    fn remark_without_examples(&mut self, without: Vec<Predicate>, symbols: &SymbolTable) {
        for predicate in without {
            let declared = self.declared.iter().find(|own| own.predicate == predicate);
            let kind = IssueKind::TargetWithoutExamples(show(predicate, symbols));
            self.remarks.push(Issue {
                location: declared.map(|own| own.place.clone()),
                kind,
                help: Some("it is not learned".to_owned()),
            });
        }
    }

    pub(super) fn into_tasks(
        mut self,
        symbols: SymbolTable,
        sources: [&Source<'_>; 3],
    ) -> Result<Vec<Task>, TaskError> {
        self.report_unknown(&sources, &symbols);
        let targets = self.targets(&symbols);
        self.tasks_of(&targets, symbols, sources)
    }

    /// A task for each target.
    pub(super) fn tasks_of(
        mut self,
        targets: &[Predicate],
        mut symbols: SymbolTable,
        sources: [&Source<'_>; 3],
    ) -> Result<Vec<Task>, TaskError> {
        let [main, pos, _] = sources;
        if targets.is_empty() && self.is_misspelled {
            // One that was misspelled may be meant to declare it.
            return Err(TaskError {
                issues: self.issues,
            });
        }
        if targets.is_empty() {
            self.issues.push(
                Issue::new(main.name, IssueKind::NoTarget).help(
                    "declare it with modeh(1,east(+train)) or determination(east/1,has_car/2)",
                ),
            );
            return Err(TaskError {
                issues: self.issues,
            });
        }
        if let Some(problem) = targets.iter().find_map(|own| check_arity(own.arity).err()) {
            let offset = self.positive.first().map_or(0, |(_, offset)| *offset);
            return Err(pos.unexpected(offset, problem).into());
        }
        let mut issues = std::mem::take(&mut self.issues);
        let stated = self.take_weights(targets, sources, &symbols, &mut issues);
        let mut tasks: Vec<Task> = Vec::with_capacity(targets.len());
        for (place, stated) in stated.into_iter().enumerate() {
            let own = if place + 1 == targets.len() {
                std::mem::take(&mut self)
            } else {
                self.clone()
            };
            let mut wrong = Vec::new();
            let table = std::mem::take(&mut symbols);
            let mut task = own.into_task(targets, place, table, sources, &mut wrong);
            // Each task meets the same examples that are of no target.
            if place == 0 {
                issues.extend(wrong);
            }
            let examples = [&task.positive[..], &task.negative[..]];
            task.weights = stated.resolve(&sources, examples, &task.symbols, &mut issues);
            if place + 1 < targets.len() {
                symbols.clone_from(&task.symbols);
            }
            tasks.push(task);
        }
        share(&mut tasks);
        TaskError::check(issues, tasks)
    }

    /// Takes the facts that give examples of the targets a weight.
    fn take_weights(
        &mut self,
        targets: &[Predicate],
        sources: [&Source<'_>; 3],
        symbols: &SymbolTable,
        issues: &mut Vec<Issue>,
    ) -> Vec<StatedWeights> {
        let mut stated = vec![StatedWeights::default(); targets.len()];
        // A predicate of bodies stays what it is.
        let in_bodies = self.bodies.iter().map(|mode| self.shown(mode.predicate));
        let determined = self.determinations.iter().map(|(_, body)| *body);
        let mut used = in_bodies.chain(determined).chain(targets.iter().copied());
        let is_weighing = |own: Predicate| own.arity == 2 && symbols.name(own.name) == WEIGHT;
        if used.any(is_weighing) {
            return stated;
        }
        let mut take = |clause: &Clause, file: usize, offset: usize| -> bool {
            let [example, term] = &clause.head.args[..] else {
                return false;
            };
            let example = Atom::from_term(example).filter(Atom::is_ground);
            let place = example.as_ref().and_then(|example| {
                let own = example.predicate();
                targets.iter().position(|target| *target == own)
            });
            let (Some(example), Some(place)) = (example, place) else {
                return false;
            };
            if let Some(weight) = weight(sources[file], offset, term, symbols, issues) {
                stated[place].add_fact(example, weight, (file, offset));
            }
            true
        };
        let candidates = std::mem::take(&mut self.weights).into_iter();
        let taken = candidates.filter(|(i, offset)| take(&self.background[*i], 0, *offset));
        let taken: Vec<usize> = taken.map(|(i, _)| i).collect();
        if !taken.is_empty() {
            let mut i = 0;
            self.background.retain(|_| {
                i += 1;
                taken.binary_search(&(i - 1)).is_err()
            });
        }
        for (side, file) in [(&mut self.positive, 1), (&mut self.negative, 2)] {
            side.retain(|(clause, offset)| {
                !(is_weight(clause, symbols) && take(clause, file, *offset))
            });
        }
        stated
    }
}
