//! Why a task has no theory, in the names of the task.

use std::fmt;

use kibitz_prolog::{Clause, Predicate, ProverError, print_clause};
use kibitz_text::{Diagnostic, Exit, Failure, Severity, counted};

use super::verify::VerifyError;
use crate::learn::{LearnError, Remark, RemarkKind};
use crate::problem::Problem;
use crate::task::Task;

/// Why a task has no theory, in the names of the task.
///
/// The message holds the clause of the background that is at fault and, if the task was read from
/// files, its place.
#[derive(Debug)]
pub struct TheoryError {
    cause: Cause,
    diagnostic: Box<Diagnostic>,
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

impl TheoryError {
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
        let diagnostic = in_clause(task, Diagnostic::new(message), clause);
        let diagnostic = Box::new(diagnostic);
        Self { cause, diagnostic }
    }

    /// What went wrong.
    pub fn cause(&self) -> &Cause {
        &self.cause
    }
}

/// As [`Study::diagnostic_of`](super::Study::diagnostic_of).
pub(super) fn diagnostic_of(task: &Task, remark: &Remark) -> Diagnostic {
    let Predicate { name, arity } = task.shown(remark.predicate);
    let name = format!("{}/{arity}", task.symbols.name(name));
    let fail = |n: usize| {
        if n == 1 {
            "counts as failed"
        } else {
            "count as failed"
        }
    };
    let message = match &remark.reason {
        RemarkKind::CutShort(n) => {
            let proofs = counted(*n, "proof", "proofs");
            format!("{proofs} met a bound in {name} and {}", fail(*n))
        }
        RemarkKind::Dropped(reason) => format!("{name} is not used: {reason}"),
        RemarkKind::OutOfSteps => {
            format!("the answers of {name} take more steps to list than --max-steps allows")
        }
        RemarkKind::Raised { n, of, error } => {
            let error = error.describe(&task.symbols, &[]);
            match of {
                // The question for all answers.
                1 => format!(
                    "the search for all answers of {name} raised an error, and answers may be missing: {error}"
                ),
                _ => format!(
                    "{n} of {of} goals of {name} raised an error and {}: {error}",
                    fail(*n)
                ),
            }
        }
    };
    let diagnostic = Diagnostic {
        severity: Severity::Warning,
        ..Diagnostic::new(message)
    };
    in_clause(task, diagnostic, remark.clause.as_deref())
}

fn in_clause(task: &Task, mut diagnostic: Diagnostic, clause: Option<&Clause>) -> Diagnostic {
    let Some(clause) = clause else {
        return diagnostic;
    };
    diagnostic.location = task.place_of(clause);
    let clause = print_clause(clause, &task.symbols).to_string();
    diagnostic.with_note(format!("in {clause}"))
}

impl From<TheoryError> for Failure {
    fn from(error: TheoryError) -> Self {
        let exit = match &error.cause {
            Cause::Learner(LearnError::Prover(error)) if error.is_reserved() => Exit::BadInput,
            Cause::Learner(LearnError::NoPositives | LearnError::NoNegatives) => Exit::BadInput,
            _ => Exit::Failed,
        };
        Failure::new(exit, *error.diagnostic)
    }
}

impl fmt::Display for TheoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Diagnostic {
            message,
            location,
            notes,
            ..
        } = &*self.diagnostic;
        if let Some(location) = location {
            write!(f, "{}:", location.file)?;
            if let Some(excerpt) = &location.excerpt {
                write!(f, "{}:{}:", excerpt.line, excerpt.column)?;
            }
            write!(f, " ")?;
        }
        write!(f, "{message}")?;
        for note in notes {
            write!(f, "\n  {note}")?;
        }
        Ok(())
    }
}

impl std::error::Error for TheoryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(match &self.cause {
            Cause::Learner(error) => error,
            Cause::Verification(error) => error,
        })
    }
}
