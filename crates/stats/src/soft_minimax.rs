//! The soft-minimax model: probabilistic choices of players who look ahead.
//!
//! A decision is a game tree. Its root has one child per alternative; below, two sides alternate. A
//! leaf has the value `v = Σ weight_k · attribute_k` to the maximizer. An inner node has the mean of
//! its children's values, weighted with the softmax probabilities by which the side to move chooses
//! them: `exp(±v_i) / Σ_j exp(±v_j)`, plus for the maximizer and minus for the minimizer. The
//! alternative at the root is chosen with the same probabilities. Terminal nodes above the leaves are
//! drawn, with value 0, or won.
//!
//! - [`Forest`]: trees packed into flat arrays, one byte a node and one or two bytes an attribute.
//! - [`Trees`]: a data set of trees within a memory budget; trees beyond it are rebuilt on demand.
//! - [`Evaluator`]: the values of a tree's alternatives.
//! - [`SoftMinimax`]: the likelihood of a data set, its exact gradient at one or several points, and
//!   its fits.
//!
//! The recursion needs no logarithms and never overflows: the largest exponent is subtracted first.
//!
//! # Source
//! Jansen, Dowe and Farr 2000, section 3.1 and appendix. The caller, who knows the game, builds the
//! trees.

mod evaluator;
mod fit;
mod forest;
mod kernel;
mod likelihood;
#[cfg(test)]
mod tests;
mod trees;
mod vectorized;

pub use evaluator::Evaluator;
pub use fit::{STAGED_FROM, SoftMinimaxFit, Task};
pub use forest::{Forest, Node, Tree, TreeBuilder, TreeError};
pub use likelihood::SoftMinimax;
pub use trees::{TreeCounts, Trees};

/// The side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Prefers large values.
    Maximizer,
    /// Prefers small values.
    Minimizer,
}

impl Side {
    /// 1 for the maximizer, -1 for the minimizer.
    #[inline]
    pub fn sign(self) -> f64 {
        match self {
            Self::Maximizer => 1.0,
            Self::Minimizer => -1.0,
        }
    }

    /// The side to move `n_turns` turns later.
    #[inline]
    #[must_use]
    pub fn after(self, n_turns: usize) -> Self {
        match (self, n_turns % 2) {
            (side, 0) => side,
            (Self::Maximizer, _) => Self::Minimizer,
            (Self::Minimizer, _) => Self::Maximizer,
        }
    }
}

/// Value of a win `depth` turns after the root, to the winner: `600 - 10 depth`, so that early wins
/// are better.
///
/// # Source
/// Jansen, Dowe and Farr 2000, appendix, `k_h`.
#[inline]
pub fn won_value(depth: usize) -> f64 {
    600.0 - 10.0 * depth as f64
}
