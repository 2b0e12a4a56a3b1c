//! English descriptive notation: `P-Q4`, `KtxB`, `QR-Q1`, `P-K8=Q`.
//!
//! The notation of English chess books until about 1980. Files are named after the pieces that stand
//! on them at the start, ranks are counted from the mover's side, and a move is written as briefly as
//! the position allows. [`read_move`] reads a move, [`describe`] writes one, and [`read_moves`] and
//! [`read_library_game`] read whole games.
//!
//! The reader accepts, in upper or lower case:
//!
//! - pieces `K Q R B N P`, the knight also `Kt`, with the wing they come from (`QR`, `KKt`), pawns
//!   with their file (`QBP`, `RP`);
//! - `-` for a move, `x`, `*` or `:` for a capture;
//! - squares with or without the wing: `KB3`, `B3`;
//! - the square of origin or capture, whole or in part, in parentheses or after a slash:
//!   `R(1)-K1`, `Kt(Q4)-B3`, `NxP(KN5)`, `PxP/5`;
//! - `O-O`, `0-0-0`, `castles`, `castles QR`; promotions `=Q`, `(Q)`, `/Q`; `e.p.`; and the marks
//!   `ch`, `dbl ch`, `dis ch`, `mate`, `+`, `#`, `!`, `?`.
//!
//! # Source
//! The notation of the game library of L. Sugar, *An Experimental Evaluation of Chess Playing
//! Heuristics*, 1975, Appendix 4.
//!
//! # Examples
//! ```
//! # use kibitz_board::{Chess, Position};
//! # use kibitz_chute_library::descriptive;
//! let mut position = Chess::default();
//! for text in ["P-K4", "P-K4", "Kt-KB3", "Kt-QB3", "B-Kt5"] {
//!     let m = descriptive::read_move(&position, text)?;
//!     position = position.play(m)?;
//! }
//! let m = descriptive::read_move(&position, "P-QR3")?;
//! assert_eq!(descriptive::describe(&position, m), "P-QR3");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod game;
mod parser;
mod printer;
mod resolver;

pub use error::{DescriptiveError, DescriptiveGameError};
pub use game::{DescribedMove, LibraryEnding, LibraryGame, read_library_game, read_moves};
pub use printer::describe;
pub use resolver::read_move;
