//! Why a task has no theory, in the names of the task.

use std::fmt;

use crate::learn::LearnError;
use crate::printer::print_clause;
use crate::problem::Problem;
use crate::prover::ProverError;
use crate::task::Task;
use crate::term::{Clause, Predicate};
use crate::verify::VerifyError;

/// Why a task has no theory, in the names of the task.
///
/// The message holds the clause of the background that is at fault and, if the task was read from
/// files, its place.
#[derive(Debug)]
pub struct Unsolved {
    cause: Cause,
    message: String,
}

/// What stands between a task and its theory.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The learner cannot work on the task.
    Learner(LearnError),
    /// The theory cannot be verified.
    Verification(VerifyError),
}

impl From<LearnError> for Cause {
    fn from(error: LearnError) -> Self {
        Cause::Learner(error)
    }
}

impl From<VerifyError> for Cause {
    fn from(error: VerifyError) -> Self {
        Cause::Verification(error)
    }
}

/// Characters of a clause that a message shows.
const MAX_SHOWN: usize = 200;

impl Unsolved {
    /// The error of a learner or of a verification.
    pub fn by(problem: &Problem<'_>, cause: impl Into<Cause>) -> Self {
        Self::new(
            problem.task(),
            &problem.database().predicates(),
            cause.into(),
        )
    }

    /// The error of a background that cannot be compiled.
    pub fn before(task: &Task, error: ProverError) -> Self {
        Self::new(task, &[], Cause::Learner(error.into()))
    }

    fn new(task: &Task, known: &[Predicate], cause: Cause) -> Self {
        let symbols = &task.symbols;
        let (message, clause) = match &cause {
            Cause::Learner(error) => (error.describe(symbols, known), error.clause()),
            Cause::Verification(VerifyError::Prover(error)) => {
                (error.describe(symbols, known), error.clause())
            }
            Cause::Verification(error) => (error.to_string(), None),
        };
        let message = match clause {
            Some(clause) => in_clause(&message, clause, task),
            None => message,
        };
        Self { cause, message }
    }

    /// What went wrong.
    pub fn cause(&self) -> &Cause {
        &self.cause
    }
}

/// A message with the place and the text of the clause at fault.
fn in_clause(message: &str, clause: &Clause, task: &Task) -> String {
    let place = task.place_of(clause);
    let place = place.map_or_else(String::new, |place| format!("{place}: "));
    let text = print_clause(clause, &task.symbols).to_string();
    let mut shown: String = text.chars().take(MAX_SHOWN).collect();
    if shown.len() < text.len() {
        shown.push_str(" ...");
    }
    format!("{place}{message}\n  in {shown}")
}

impl fmt::Display for Unsolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Unsolved {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match &self.cause {
            Cause::Learner(error) => error,
            Cause::Verification(error) => error,
        })
    }
}
