//! Evaluation features of chess positions and moves.
//!
//! - [`attributes`]: the attributes ("advisors") of the player-strategy paper (Jansen, Dowe and
//!   Farr 2000): material, mobility, center control and attacks, as integers.
//! - [`chute`]: the 22 move heuristics of CHUTE and their scoring polynomial (Sugar 1975).
//!
//! # Examples
//! ```
//! use kibitz_board::Chess;
//! use kibitz_heuristics::chute::{Context, Polynomial, rank_moves};
//!
//! let position = Chess::default();
//! let ranked = rank_moves(&Context::new(&position), &Polynomial::default());
//! // CHUTE begins with a pawn to one of the four central squares.
//! assert_eq!(ranked[0].m.to_string(), "e2-e4");
//! ```

pub mod attributes;
pub mod chute;
mod heuristic;

pub use heuristic::Heuristic;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
