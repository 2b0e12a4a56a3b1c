//! Classes of objects: which examples are learned from and tested on together, and what is decided.

use kibitz_ilp::learn::LearnError;
use kibitz_ilp::{Decision, DecisionTable, Problem, Ruling, Task, Theory, TheoryError};
use kibitz_prolog::{Atom, Clause, Coverage, Limits};
use kibitz_text::Failure;

use super::report::Output;

/// The parts of the examples of each task: drawn by object where classes are decided, and by example
/// elsewhere.
pub(super) fn parts<P>(
    tasks: &[Task],
    decisions: &[Decision],
    of_decision: impl Fn(&Decision, &[&Task]) -> Vec<P>,
    of_task: impl Fn(&Task) -> P,
) -> Vec<P> {
    let all: Vec<&Task> = tasks.iter().collect();
    let mut parts: Vec<Option<P>> = tasks.iter().map(|_| None).collect();
    for decision in decisions {
        let own = of_decision(decision, &all);
        for (place, part) in decision.tasks.iter().zip(own) {
            parts[*place] = Some(part);
        }
    }
    let parts = parts.into_iter().zip(tasks);
    parts
        .map(|(part, task)| part.unwrap_or_else(|| of_task(task)))
        .collect()
}

/// Clauses with what they cover of the training examples.
#[derive(Clone, Copy)]
pub(super) struct Covering<'t> {
    pub(super) clauses: &'t [Clause],
    pub(super) coverage: &'t [Coverage],
}

impl<'t> From<&'t Theory> for Covering<'t> {
    fn from(theory: &'t Theory) -> Self {
        Self {
            clauses: &theory.clauses,
            coverage: &theory.coverage,
        }
    }
}

/// Which objects get a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Training,
    Test,
}

/// The classes that objects get by theories of all tasks; nothing where the theory of a task is missing, or
/// where there are no such objects.
pub(super) fn decided(
    decision: &Decision,
    part: Part,
    (problems, theories): (&[Problem<'_>], &[Option<Covering<'_>>]),
    limits: Limits,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Option<DecisionTable>, Failure> {
    let rulings = decision.tasks.iter().map(|i| {
        let Covering { clauses, coverage } = theories[*i]?;
        Some(Ruling {
            problem: &problems[*i],
            clauses,
            coverage,
        })
    });
    let Some(rulings) = rulings.collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    let examples = decision.tasks.iter().map(|i| {
        let task = problems[*i].task();
        match part {
            Part::Training => [&task.positive[..], &task.negative[..]],
            Part::Test => task.test.each_ref().map(|side| &side[..]),
        }
    });
    let examples: Vec<[&[Atom]; 2]> = examples.collect();
    if examples.iter().flatten().all(|side| side.is_empty()) {
        return Ok(None);
    }
    let decided = decision.decide(&rulings, &examples, limits, keep_going);
    let decided = decided
        .map_err(|error| TheoryError::by(&problems[decision.tasks[0]], LearnError::from(error)))?;
    Ok(Some(decided))
}

/// Prints the classes that training and test objects get.
pub(super) fn decide_all(
    decisions: &[Decision],
    of_tasks: (&[Problem<'_>], &[Option<Covering<'_>>]),
    limits: Limits,
    keep_going: &mut dyn FnMut() -> bool,
    output: &mut Output,
) -> Result<(), Failure> {
    for decision in decisions {
        let mut decide = |part| decided(decision, part, of_tasks, limits, keep_going);
        let parts = [decide(Part::Training)?, decide(Part::Test)?];
        if parts.iter().any(Option::is_some) {
            output.decided(&parts)?;
        }
    }
    Ok(())
}
