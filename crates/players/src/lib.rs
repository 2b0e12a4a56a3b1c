//! Models of chess players after Jansen, Dowe and Farr 2000: weights of attributes, inferred from the
//! moves that somebody chose.
//!
//! - [`fit()`]: weights with errors, intervals, and measures on games held out, of [`Choices`] of
//!   either depth.
//! - [`Model`]: a fitted player as a file; it values moves and says what each attribute adds.
//! - [`explain`]: a game move by move. [`who`]: which player made moves. [`compare`]: two
//!   players, or a model beside other probabilities. [`selection`]: which attributes are worth their
//!   bits.
//! - [`accuracy`]: what moves lose by evaluations in comments, beside what others lose in such positions.
//! - [`one_ply`], [`four_ply`], [`coding`]: decisions, fits and costs of the two models alone.
//! - [`fit_curves`]: weights as functions of the mover's rating or clock.
//! - `coder` (feature `codec`): games as files in the code of a model.
//! - [`Fit`]: a player fitted to games, as the program does it; [`fit_rows`]: any choices of a table.
//! - [`Session`]: the caller of a long fit: progress, interruption, seeds, memory of steps.

pub mod accuracy;
pub mod attribution;
mod choices;
#[cfg(feature = "codec")]
pub mod coder;
pub mod coding;
pub mod compare;
mod curves;
mod error;
pub mod explain;
mod file;
mod fit;
pub mod four_ply;
mod measures;
mod model;
mod of_games;
pub mod one_ply;
mod phase;
mod repeats;
pub mod selection;
mod session;
pub mod who;

pub use choices::Choices;
pub use curves::{CommentedGame, Curve, CurvePoint, Curves, fit_curves};
pub use error::{Error, no_maximum};
pub use fit::{FitOptions, FittedWeights, IntervalKind, Units, Weight, fit};
pub use measures::{BOUNDS, Bin, JudgedChoice, Measures, bits_by_group};
pub use model::{Depth, Domain, Model, MoveValues, Part, VERSION};
pub use of_games::{Answer, Fit, fit_rows};
pub use phase::Phase;
pub use repeats::RepeatedGames;
pub use session::{RememberedStep, SeededSession, Session};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
