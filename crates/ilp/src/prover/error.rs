use std::fmt::Write as _;

use thiserror::Error;

use super::NativeError;
use crate::term::{Clause, Predicate, SymbolTable};

/// Why a query cannot be answered at all, as opposed to failing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProverError {
    /// A predicate that has neither clauses nor a native relation.
    #[error("predicate with symbol {} and arity {} is not defined", .0.name.index(), .0.arity)]
    UnknownPredicate(Predicate),
    /// Something must be bound and is not.
    #[error("an argument of {0} is not bound yet; reorder the literals or bind it first")]
    Unbound(&'static str),
    /// Something has the wrong type.
    #[error("{builtin} expects {expected}")]
    Type {
        /// The predicate or function.
        builtin: &'static str,
        /// The type it takes.
        expected: &'static str,
    },
    /// A result outside 64 bits, or a division by zero.
    #[error("arithmetic failure in {0}: division by zero or a result beyond 64 bits")]
    Arithmetic(&'static str),
    /// A variable or number called as a goal.
    #[error("a goal is expected, found a variable or a number")]
    NotCallable,
    /// A term that contains itself: unification makes no occurs check, and a walk over such a term
    /// does not end.
    #[error("a term that contains itself came up; a variable was unified with a term it occurs in")]
    Cyclic,
    /// A term too high to be copied out, called or calculated.
    #[error(
        "a term of more than {} levels or a list of more than {} items came up",
        crate::MAX_NESTING,
        crate::MAX_LIST_LENGTH
    )]
    TooDeep,
    /// An error in a clause of the database.
    #[error("{1}")]
    In(Box<Clause>, #[source] Box<ProverError>),
    /// A native relation was asked in a way it does not offer.
    #[error("the arguments bound in this call fit no mode of the native relation")]
    Mode(Predicate),
    /// A native relation was given a compound term.
    #[error("native relations take constants, not compound terms")]
    CompoundArgument(Predicate),
    /// A native relation reported an error of its own.
    #[error(transparent)]
    Native(#[from] NativeError),
    /// A definition of a control construct or of `=`.
    #[error("the predicate with symbol {} is built in and cannot be redefined", .0.name.index())]
    Reserved(Predicate),
}

impl ProverError {
    /// The clause of the database that is at fault.
    pub fn clause(&self) -> Option<&Clause> {
        match self {
            ProverError::In(clause, _) => Some(clause),
            _ => None,
        }
    }

    /// The message with the names of predicates, and the nearest known name for an unknown one.
    pub fn describe(&self, symbols: &SymbolTable, known: &[Predicate]) -> String {
        let show = |p: &Predicate| format!("{}/{}", symbols.name(p.name), p.arity);
        match self {
            ProverError::UnknownPredicate(predicate) => {
                let own = symbols.name(predicate.name);
                let mut message = format!("predicate {} is not defined", show(predicate));
                let other_arity = known
                    .iter()
                    .find(|p| p.name == predicate.name && p.arity != predicate.arity);
                if let Some(other) = other_arity {
                    let _ = write!(
                        message,
                        "; {} is, check the number of arguments",
                        show(other)
                    );
                } else if let Some(near) =
                    kibitz_text::nearest(own, known.iter().map(|p| symbols.name(p.name)))
                {
                    let _ = write!(message, "; did you mean `{near}`?");
                }
                message
            }
            ProverError::In(_, error) => error.describe(symbols, known),
            ProverError::Mode(predicate) => {
                format!("{}: {self}", show(predicate))
            }
            ProverError::CompoundArgument(predicate) => format!("{}: {self}", show(predicate)),
            ProverError::Reserved(predicate) => {
                format!("{} is built in and cannot be redefined", show(predicate))
            }
            other => other.to_string(),
        }
    }
}
