//! Errors of learning concepts.

use kibitz_pal::PalError;
use kibitz_prolog::{ProverError, ReadErrors};
use thiserror::Error;

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
    #[error("unknown background predicate `{name}`")]
    UnknownPredicate {
        /// The unknown name.
        name: String,
        /// Suggested names.
        help: String,
    },
    /// A concept that the targets do not define.
    #[error("the targets do not define `{name}`")]
    UnknownConcept {
        /// The unknown name.
        name: String,
        /// Suggested names.
        help: String,
    },
    /// Targets that cannot be read.
    #[error("the targets cannot be read:\n{0}")]
    Targets(#[from] ReadErrors),
    /// A clause of the targets that cannot be used.
    #[error("clause {clause} of the targets, of {name}: {reason}")]
    Definition {
        /// The clause, counted from 1.
        clause: usize,
        /// The predicate that it defines.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A clause of the targets that cannot be decided for some position.
    #[error("clause {clause} of the targets, of {name}: {reason}")]
    Undecided {
        /// The clause, counted from 1.
        clause: usize,
        /// The predicate that it defines.
        name: String,
        /// What happened.
        reason: String,
    },
    /// A goal that the prover cannot call.
    #[error("{0}")]
    Goal(String),
    /// Background or targets that the prover does not accept.
    #[error(transparent)]
    Prover(#[from] ProverError),
    /// The learner's own error.
    #[error(transparent)]
    Pal(#[from] PalError),
    /// A chess position for a concept of named pieces.
    #[error("the concept is not of positions of chess")]
    NotOfChess,
    /// No random position is an instance of the definition.
    #[error("the definition holds in none of {0} random positions")]
    NoInstance(u32),
    /// Several errors.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<ConceptError>),
}

impl ConceptError {
    /// All these errors as one, if there are any.
    pub(crate) fn all(mut errors: Vec<ConceptError>) -> Result<(), ConceptError> {
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => Err(ConceptError::Several(errors)),
        }
    }
}
