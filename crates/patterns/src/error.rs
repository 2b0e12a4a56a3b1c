use thiserror::Error;

use kibitz_ilp::{ProverError, ReadErrors, learn::pal::PalError};

/// Why a concept cannot be learned as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConceptError {
    /// A position that is no FEN.
    #[error("example {example}: `{fen}` is not the FEN of a position: {reason}")]
    Fen {
        /// Which example, from 1.
        example: usize,
        /// The text.
        fen: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A piece that is not described as it should be.
    #[error("example {example}: {reason}")]
    Contents {
        /// Which example, from 1.
        example: usize,
        /// What is wrong.
        reason: String,
    },
    /// A background predicate that does not exist.
    #[error("unknown background predicate `{name}`")]
    UnknownPredicate {
        /// The name asked for.
        name: String,
        /// The names that may be meant.
        help: String,
    },
    /// A concept that the text does not define.
    #[error("the targets do not define `{name}`")]
    UnknownConcept {
        /// The name asked for.
        name: String,
        /// The names that may be meant.
        help: String,
    },
    /// A concept whose text cannot be read.
    #[error("the targets cannot be read:\n{0}")]
    Targets(#[from] ReadErrors),
    /// A goal that the background knowledge cannot carry out.
    #[error("{0}")]
    Goal(String),
    /// Background and target do not fit the prover.
    #[error(transparent)]
    Prover(#[from] ProverError),
    /// The learner's own reason.
    #[error(transparent)]
    Pal(#[from] PalError),
    /// Positions of chess are meant, and the concept is of named pieces.
    #[error("the concept is not of positions of chess")]
    NotOfChess,
    /// A definition holds in none of the positions drawn.
    #[error("the definition holds in none of {0} random positions")]
    NoInstance(u32),
    /// Several mistakes at once.
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
