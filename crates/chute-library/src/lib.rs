//! Rebuilds the embedded games from the archive that they were selected from.
//!
//! - `rebuild` and `verify` (feature `rebuild`, on by default) select the sets of games by rule: the games
//!   of two players and the game library of the CHUTE thesis.
//! - [`near_duplicates`] finds records of one game that differ by typing errors.
//! - [`descriptive`] reads and writes the notation of the one game that the thesis prints.

pub mod descriptive;
pub mod near_duplicates;
#[cfg(feature = "rebuild")]
mod rebuild;

#[cfg(feature = "rebuild")]
pub use rebuild::{rebuild, verify};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
