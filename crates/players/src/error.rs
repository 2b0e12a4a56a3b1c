//! Why a player cannot be modeled.

use kibitz_search::quiescent::DecisionError;
use kibitz_stats::{ChoiceError, FitError, NoMaximum, SampleError, optimize::ProfileError};
use kibitz_text::{Diagnostic, Exit, Failure};

/// Why a player cannot be modeled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A move is not legal where it is said to have been played.
    #[error("illegal move {played} in game {game}")]
    IllegalMove {
        /// The move, as the board library shows it.
        played: String,
        /// Number of the game, counting from 0.
        game: u32,
    },
    /// The choices cannot be a data set.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// No fit was tried.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// Games cannot be divided as asked.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// There are no trees.
    #[error(transparent)]
    Decision(#[from] DecisionError),
    /// An end of an interval is not found.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A fit has no maximum: the reason in a sentence, with the attributes concerned.
    #[error("{0}")]
    NoMaximum(String),
    /// What was asked for cannot be done with these games.
    #[error("{}", .0.diagnostics)]
    Failure(Box<Failure>),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if let Error::Failure(failure) = error {
            return *failure;
        }
        Self::new(Exit::Failed, Diagnostic::new(error.to_string()))
    }
}

/// Why the fit called `fit` has no maximum, in the names of the attributes of its weights.
pub fn no_maximum<N: AsRef<str>>(fit: &str, why: &NoMaximum, attributes: &[N]) -> String {
    let name = |attribute: usize| format!("`{}`", attributes[attribute].as_ref());
    format!("{fit}: {}", why.describe(name))
}
