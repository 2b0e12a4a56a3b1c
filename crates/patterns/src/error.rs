//! Errors of learning concepts.

use thiserror::Error;

use kibitz_ilp::{ProverError, ReadErrors, learn::pal::PalError};

/// Why a concept cannot be learned.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConceptError {
    /// A text that is not the FEN of a position.
    #[error("example {example}: `{fen}` is not the FEN of a position: {reason}")]
    Fen {
        /// The example, counted from 1.
        example: usize,
        /// The text.
        fen: String,
        /// The mistake in it.
        reason: String,
    },
    /// A wrong description of a piece.
    #[error("example {example}: {reason}")]
    Contents {
        /// The example, counted from 1.
        example: usize,
        /// The mistake.
        reason: String,
    },
    /// A background predicate that does not exist.
    #[error("there is no background predicate `{name}`{}", suggest(.near.as_ref(), .known))]
    UnknownPredicate {
        /// The unknown name.
        name: String,
        /// The nearest known name.
        near: Option<String>,
        /// All known names.
        known: String,
    },
    /// A concept that the targets do not define.
    #[error("the targets do not define `{name}`; they define {known}")]
    UnknownConcept {
        /// The unknown name.
        name: String,
        /// All defined concepts.
        known: String,
    },
    /// Targets that cannot be read.
    #[error("the targets cannot be read:\n{0}")]
    Targets(#[from] ReadErrors),
    /// A goal that the prover cannot call.
    #[error("{0}")]
    Goal(String),
    /// Background or targets that the prover does not accept.
    #[error(transparent)]
    Prover(#[from] ProverError),
    /// The learner's own error.
    #[error(transparent)]
    Pal(#[from] PalError),
    /// No choice of examples leads to the target.
    #[error(
        "no {most} positive examples were found that lead to a clause of the target; larger or more \
         pools, a wider beam, or another initial example may help"
    )]
    NoChoice {
        /// Most examples for one clause that were tried.
        most: usize,
    },
    /// A chess position for a concept of named pieces.
    #[error("the concept is not of positions of chess")]
    NotOfChess,
    /// No random position is an instance of the definition.
    #[error("the definition holds in none of {0} random positions")]
    NoInstance(u32),
    /// A file that cannot be read.
    #[error("{0}")]
    File(String),
}

fn suggest(near: Option<&String>, known: &str) -> String {
    match near {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; there are {known}"),
    }
}
