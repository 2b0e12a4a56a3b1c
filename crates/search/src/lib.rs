//! Players that look ahead: trees of positions and what is chosen from them.
//!
//! - [`one_ply`]: the simple player model of Jansen, Dowe and Farr 2000, section 2: the positions
//!   one ply away as rows of attributes.
//! - [`quiescent`]: the advanced player model, section 3: a quiescent search of four plies whose
//!   trees the soft-minimax likelihood of [`kibitz_stats`] is fitted to.
//! - [`player`]: choosing a move with probability proportional to the exponential of its value.
//! - [`self_play`]: games of such a player against itself, under a stated end-of-game policy.
//! - [`game`]: what a tree search needs to know of a game; [`chute`]: chess with the evaluation of
//!   CHUTE (Sugar 1975).
//! - [`fixed_depth`]: minimax, alpha-beta and forward pruning over any such game.
//! - [`ctw`]: Closeness To Win, best-first search by bounds on a graph of positions.
//! - [`mates`]: forced mates by exhaustive search.
//! - [`retrograde`]: the distance to mate of every position of small endgames.
//! - [`verification`]: whether a strategy wins every position of a small endgame.

pub mod chute;
pub mod ctw;
pub mod fixed_depth;
pub mod game;
pub mod mates;
pub mod one_ply;
pub mod player;
pub mod quiescent;
pub mod retrograde;
pub mod self_play;
pub mod verification;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
