//! Game-tree search and retrograde analysis, for any game and for chess.
//!
//! - [`game`]: the trait of games for tree search; [`chute`]: chess with the evaluation
//!   of CHUTE (Sugar 1975).
//! - [`fixed_depth`]: minimax, alpha-beta with a transposition table, and forward pruning over any
//!   such game.
//! - [`ctw`]: Closeness To Win, a best-first search by bounds on a graph of positions.
//! - [`mates`]: forced mates by exhaustive search.
//! - [`retrograde`]: retrograde analysis, the distance to mate of every position of small endgames.
//! - [`verification`]: exhaustive verification of a strategy in a small endgame.
//! - [`reply_graph`], [`adjacency`], [`backward_induction`]: the graph of an endgame, its adjacency
//!   lists, and backward induction over it, which the two modules above share.
//! - [`one_ply`]: the simple player model of Jansen, Dowe and Farr 2000, section 2: the positions
//!   one ply away as rows of attributes.
//! - [`quiescent`]: the advanced player model, section 3: a quiescence search of four plies; the
//!   soft-minimax model of [`kibitz_stats`] is fitted to its trees.
//! - [`player`]: chooses a move by the softmax of the values.
//! - [`self_play`]: games of such a player against itself, under a stated end-of-game policy.

pub mod adjacency;
pub mod backward_induction;
pub mod chute;
mod compressed_lists;
pub mod ctw;
pub mod fixed_depth;
pub mod game;
pub mod mates;
pub mod one_ply;
pub mod player;
pub mod quiescent;
pub mod reply_graph;
pub mod retrograde;
pub mod self_play;
pub mod verification;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
