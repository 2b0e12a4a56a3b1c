//! Closeness To Win: best-first search by optimistic and pessimistic values.
//!
//! A position has two values between -1 and 1, seen from the player who has just moved into it: how
//! good it may be ([`Bounds::high`]) and how bad ([`Bounds::low`]). 1/N is a win in N plies, the move
//! into the position being the first; -1/N a loss; 0 a draw. The search looks at the most uncertain
//! of the moves that may still be best, in its most hopeful line, until one move is at least as good
//! at its worst as every other at its best, or until it is stopped.
//!
//! | to do | use |
//! | --- | --- |
//! | choose a move | [`Ctw::choose`] |
//! | go on after moves were played, or think in the opponent's time | [`Ctw::advance`], then [`Ctw::choose`] again |
//! | give a game static values with uncertainty | [`Estimate`]; [`chute`](crate::chute) has one |
//!
//! # Source
//! J. J. Horning, 1972, as outlined in Sugar 1975, Appendix 1, pp. 116-121; numbers in the
//! documentation of this module are those of the outline's points. It was not implemented there.

mod bounds;
mod choose;
mod graph;
mod refine;
#[cfg(test)]
mod tests;

pub use bounds::{Bounds, back_up};
pub use choose::{Ctw, CtwCounts, Decision, RatedMove, Style};

use crate::game::Game;

/// A game whose positions can be given bounds without looking ahead.
pub trait Estimate: Game {
    /// Static bounds of a position that has not ended, seen from the player who moved into it.
    fn bounds(&self, position: &Self::Position) -> Bounds;

    /// An estimate from above of [`Bounds::high`] of the position that `m` leads to, cheaper than its
    /// evaluation: it may be far too high but should never be too low (point 8).
    fn plausibility(&self, position: &Self::Position, m: Self::Move) -> f64;
}
