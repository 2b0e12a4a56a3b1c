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
    /// An arithmetic function that there is not.
    #[error("unknown function with symbol {} and arity {} in an arithmetic expression", .0.name.index(), .0.arity)]
    UnknownFunction(Predicate),
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
    /// A term thrown by `throw/1` that nothing caught.
    #[error("an error was thrown and not caught")]
    Thrown,
    /// A name that occurs nowhere in the program would have to be made.
    #[error("a name came up that the program does not have")]
    NewName,
    /// A definition of a control construct or of `=`.
    #[error("the predicate with symbol {} is built in and cannot be redefined", .0.name.index())]
    Reserved(Predicate),
}

/// Predicates that programs for a whole Prolog use.
const NOT_CARRIED_OUT: &[&str] = &[
    "assert",
    "asserta",
    "assertz",
    "retract",
    "retractall",
    "abolish",
    "nb_setval",
    "nb_getval",
    "b_setval",
    "b_getval",
    "format",
    "write",
    "writeln",
    "print",
    "writeq",
    "write_canonical",
    "nl",
    "tab",
    "read",
    "read_term",
    "consult",
    "open",
    "close",
    "see",
    "tell",
    "seen",
    "told",
    "string_concat",
    "string_chars",
    "string_codes",
    "string_length",
    "string_to_atom",
    "sub_atom",
    "sub_string",
    "split_string",
    "atomic_list_concat",
    "term_to_atom",
    "with_output_to",
    "number_vars",
    "numbervars",
    "random",
    "random_between",
    "random_member",
    "get_time",
    "statistics",
    "garbage_collect",
    "freeze",
    "dif",
    "when",
    "label",
    "labeling",
    "ins",
    "in",
    "all_different",
    "all_distinct",
    "sum",
    "tuples_in",
    "halt",
    "shell",
    "getenv",
    "tabling",
    "recorda",
    "recorded",
    "flag",
    "succ_throw",
    "clause",
    "current_op",
    "current_predicate",
    "setarg",
    "nb_setarg",
    "apply",
    "phrase",
    "yall",
    "assoc_to_list",
    "put_assoc",
    "get_assoc",
];

impl ProverError {
    /// Whether it is a definition of what cannot be defined again.
    pub fn is_reserved(&self) -> bool {
        match self {
            ProverError::In(_, error) => error.is_reserved(),
            ProverError::Reserved(_) => true,
            _ => false,
        }
    }

    /// The clause of the database that is at fault.
    pub fn clause(&self) -> Option<&Clause> {
        match self {
            ProverError::In(clause, _) => Some(clause),
            _ => None,
        }
    }

    /// Whether something was not bound yet.
    pub fn is_unbound(&self) -> bool {
        match self {
            ProverError::In(_, error) => error.is_unbound(),
            other => matches!(other, ProverError::Unbound(_) | ProverError::NotCallable),
        }
    }

    /// Whether it is the goal that went wrong, and not a relation in Rust or its use.
    pub(crate) fn is_of_goal(&self) -> bool {
        match self {
            ProverError::In(_, error) => error.is_of_goal(),
            ProverError::Native(_)
            | ProverError::Mode(_)
            | ProverError::CompoundArgument(_)
            | ProverError::Reserved(_) => false,
            _ => true,
        }
    }

    /// The message with the names of predicates, and the nearest known name for an unknown one.
    pub fn describe(&self, symbols: &SymbolTable, known: &[Predicate]) -> String {
        let show = |p: &Predicate| format!("{}/{}", symbols.name(p.name), p.arity);
        match self {
            ProverError::UnknownPredicate(predicate) => {
                let own = symbols.name(predicate.name);
                if NOT_CARRIED_OUT.contains(&own) {
                    return format!(
                        "{} is a predicate of Prolog's libraries that is not carried out here",
                        show(predicate)
                    );
                }
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
            ProverError::UnknownFunction(function) => {
                format!(
                    "unknown function {} in an arithmetic expression",
                    show(function)
                )
            }
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
