//! Statistics for learning from games.
//!
//! The crate knows no game. It takes numbers, and gives back fitted models with their errors:
//!
//! - [`choice`]: data for models of choice, many alternatives per decision, kept compactly.
//! - [`logit`]: the conditional logit model (McFadden 1974), which is the one-ply player of Jansen,
//!   Dowe and Farr 2000: likelihood, bits, fits.
//! - [`soft_minimax`]: choices of players who look ahead, which is the four-ply player of the same
//!   paper: trees in flat arrays, likelihood, gradient, fits.
//! - [`optimize`]: maximizers that say why they stopped: Newton, BFGS, hill climbing, several
//!   starts.
//! - [`inference`]: intervals, the bootstrap and the jackknife over groups (games).
//! - [`split`]: training and test data by group.
//! - [`summary`]: means, deviations, quantiles.
//! - [`moments`]: means, deviations and correlations of a stream, in constant memory.
//! - [`ranking`]: how well scores rank what was chosen, and how often pruning by them misses it.
//! - [`regression`]: ordinary least squares and the order in which variables enter.
//! - [`pruning`]: what missing the best alternative does to a tree pruned by scores.
//!
//! Results are the same to the last bit for any number of threads: parallel sums run over chunks
//! of constant size and are added up in order.
//!
//! # Examples
//!
//! A player who prefers the move worth more, but not always:
//! ```
//! use kibitz_stats::{ChoiceSets, ConditionalLogit, NewtonOptions, inference::wald_interval};
//!
//! let mut builder = ChoiceSets::builder(1);
//! for game in 0..30 {
//!     // Three moves worth 2, 1 and 0; the best is played in two games of three.
//!     let chosen = usize::from(game % 3 == 0);
//!     builder.push_flat(game, chosen, &[2, 1, 0])?;
//! }
//! let sets = builder.build();
//! let model = ConditionalLogit::new(&sets);
//! let fit = model.fit_newton(&[0.0], &NewtonOptions::default())?;
//! assert!(fit.converged());
//! assert!(model.bits(&fit.weights) < model.uniform_bits());
//!
//! let std_errors = fit.std_errors.expect("a maximum has standard errors");
//! let interval = wald_interval(fit.weights[0], std_errors[0], 0.95)?;
//! assert!(interval.low > 0.0, "the player does care");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(
    test,
    allow(
        clippy::float_cmp,
        reason = "tests compare exactly where results are exact"
    )
)]

pub mod choice;
mod error;
mod exponential;
pub mod inference;
pub mod logit;
pub mod moments;
pub mod optimize;
pub mod pruning;
pub mod ranking;
pub mod regression;
pub mod soft_minimax;
pub mod split;
mod sum;
pub mod summary;

pub use choice::{ChoiceError, ChoiceSet, ChoiceSets, ChoiceSetsBuilder};
pub use error::SampleError;
pub use inference::{Bootstrap, BootstrapOptions, Interval, bootstrap_groups};
pub use logit::{ConditionalLogit, Fit, FitError};
pub use nalgebra::{DMatrix, DVector};
pub use optimize::{BfgsOptions, HillClimbOptions, NewtonOptions, StopReason};
pub use sum::CompensatedSum;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
