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
    #[error("there is no background predicate `{name}`{}", suggest(.near.as_ref(), .known))]
    UnknownPredicate {
        /// The name asked for.
        name: String,
        /// The name that comes nearest.
        near: Option<String>,
        /// All names there are.
        known: String,
    },
    /// A concept that the text does not define.
    #[error("the targets do not define `{name}`; they define {known}")]
    UnknownConcept {
        /// The name asked for.
        name: String,
        /// All concepts there are.
        known: String,
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
    /// No choice of examples leads to the target.
    #[error(
        "no {most} positive examples were found that lead to a clause of the target; larger or more \
         pools, a wider beam, or another initial example may help"
    )]
    NoChoice {
        /// Most examples for one clause that were tried.
        most: usize,
    },
    /// Positions of chess are meant, and the concept is of named pieces.
    #[error("the concept is not of positions of chess")]
    NotOfChess,
    /// A definition holds in none of the positions drawn.
    #[error("the definition holds in none of {0} random positions")]
    NoInstance(u32),
    /// A file that is not as expected.
    #[error("{0}")]
    File(String),
}

fn suggest(near: Option<&String>, known: &str) -> String {
    match near {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; there are {known}"),
    }
}
