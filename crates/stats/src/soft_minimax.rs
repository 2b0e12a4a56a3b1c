//! The soft-minimax model: choices of players who look ahead and do not choose for certain.
//!
//! A decision is a tree. Its root has one child per alternative; below, two sides take turns; a
//! leaf is worth `v = Σ weight_k · attribute_k` to the maximizer, and minus that to the minimizer.
//! An inner node is worth the mean of its children's values, each weighted with the probability
//! that the side to move chooses it: `exp(±v_i) / Σ_j exp(±v_j)`, plus for the maximizer and minus
//! for the minimizer. The alternative at the root is chosen with the same probabilities. A matter
//! may also end before the leaves: drawn, with value 0, or won.
//!
//! - [`Forest`] keeps trees in flat arrays, one byte a node and two bytes an attribute.
//! - [`Trees`] is a data set: as many trees as a budget of memory allows, the rest rebuilt
//!   whenever they are needed.
//! - [`Evaluator`] values the alternatives of a tree.
//! - [`SoftMinimax`] is the likelihood of a data set, with its exact gradient at one or several points
//!   at once, and its fits.
//!
//! The recursion needs no logarithms and never overflows: the largest exponent is taken off first.
//!
//! # Source
//! Jansen, Dowe and Farr 2000, section 3.1 and appendix. The crate knows no chess: what a position
//! is, and which positions belong into a tree, is the business of whoever plants it.

mod chunks;
mod evaluator;
mod fit;
mod forest;
mod kernel;
mod likelihood;
#[cfg(test)]
mod tests;
mod trees;

pub use evaluator::Evaluator;
pub use fit::{STAGED_FROM, SoftMinimaxFit, Task};
pub use forest::{Forest, Node, Seedling, Tree, TreeError};
pub use likelihood::SoftMinimax;
pub use trees::{TreeCounts, Trees};

/// One of the two sides that take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Wants large values.
    Maximizer,
    /// Wants small values.
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

    /// The side whose turn it is `n_turns` turns later.
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

/// Value to the winner of a matter won `depth` turns after the root: `600 - 10 depth`, so that
/// early wins are better than late ones.
///
/// # Source
/// Jansen, Dowe and Farr 2000, appendix, `k_h`.
#[inline]
pub fn won_value(depth: usize) -> f64 {
    600.0 - 10.0 * depth as f64
}
