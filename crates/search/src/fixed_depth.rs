//! Searches to a fixed depth: minimax, and alpha-beta with and without forward pruning.
//!
//! | to do | use |
//! | --- | --- |
//! | value a position by its whole tree | [`minimax`] |
//! | find the same with fewer nodes | [`AlphaBeta`] |
//! | search the n most plausible moves only, as CHUTE did | [`AlphaBeta`] with a [`Fanout`] |
//! | search deeper and deeper until stopped | [`AlphaBeta::deepen`] |
//!
//! All of them are exact for the tree that they search: alpha-beta, its transposition table and its
//! move ordering change the number of nodes, never the value or the move.
//!
//! # Source
//! Sugar 1975, sections 1.3.2 and 2.1: CHUTE is a minimax program with alpha-beta; one polynomial
//! chooses the moves that enter the tree and scores the positions at its ends.
//!
//! # Examples
//! Mate in one:
//! ```
//! use kibitz_board::{CastlingMode, Chess, fen::Fen};
//! use kibitz_search::{
//!     chute::ChuteGame,
//!     fixed_depth::AlphaBeta,
//!     game::{Verdict, never},
//! };
//!
//! let fen: Fen = "6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1".parse()?;
//! let position: Chess = fen.into_position(CastlingMode::Standard)?;
//! let game = ChuteGame::default();
//! let root = game.root(&position);
//! let found = AlphaBeta::new(&game).search(&root, 2, &mut never)?;
//! assert_eq!(found.line[0].to_string(), "Re1-e8");
//! assert_eq!(Verdict::of(found.value), Verdict::Wins(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alpha_beta;
mod fanout;
mod minimax;
mod table;
#[cfg(test)]
mod tests;

pub use alpha_beta::{AlphaBeta, Report};
pub use fanout::{Fanout, ParseFanoutError};
pub use minimax::minimax;

use thiserror::Error;

use crate::game::Counts;

/// The result of a search to a fixed depth.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult<M> {
    /// Depth in plies; 0 if the search was stopped before the first was done, and the move is the most
    /// plausible one.
    pub depth: u32,
    /// Value of the position for the side to move; [`Verdict`](crate::game::Verdict) reads it.
    pub value: f64,
    /// The principal variation: the best move and the best play after it. It ends early where the
    /// rest was taken from the transposition table, unless the search was to
    /// [complete](AlphaBeta::with_complete_mates) those that win or lose.
    pub line: Vec<M>,
    /// Work done.
    pub counts: Counts,
}

/// Why a search has no result.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SearchError {
    /// The root has no legal move.
    #[error("the game has ended")]
    Ended,
    /// A search has to look at least one ply ahead.
    #[error("a search looks at least one ply ahead")]
    NoDepth,
    /// A move does not begin a forced mate of the given length.
    #[error("the move does not begin a mate of this length")]
    NoMate,
    /// The caller's check ended the search.
    #[error("the search was stopped")]
    Stopped,
}
