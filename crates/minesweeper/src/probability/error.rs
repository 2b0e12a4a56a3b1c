//! Positions without probabilities.

use thiserror::Error;

/// Why a position has no probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum NoProbabilities {
    /// No arrangement agrees with the position.
    #[error("no arrangement of the mines agrees with the position")]
    Contradiction,
    /// A limit on states is reached.
    #[error("the numbers are linked in too many ways")]
    TooComplex,
}
