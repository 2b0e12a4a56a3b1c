//! Statistics for learning from games.
//!
//! The crate is independent of any game. It fits models to numbers and returns estimates with their
//! standard errors:
//!
//! - [`logit`]: the conditional logit model (McFadden 1974), the one-ply player of Jansen, Dowe and
//!   Farr 2000: likelihood, code length in bits, maximum-likelihood fits.
//! - [`choice`]: choice sets, the data of such models, in compact storage.
//! - [`soft_minimax`]: a choice model of players who look ahead, the four-ply player of the same
//!   paper: packed trees, likelihood, gradient, fits.
//! - [`regression`]: ordinary least squares and forward selection.
//! - [`inference`]: confidence intervals, tests, standard errors over groups (games): bootstrap,
//!   jackknife, cluster-robust.
//! - [`split`]: training and test sets, cross-validation folds, by group.
//! - [`summary`]: mean, standard deviation, quantiles.
//! - [`moments`]: running means, variances and correlations of a stream, in constant memory.
//! - [`ranking`]: ranks of chosen alternatives by score, miss rates, Samuel's coefficient.
//! - [`pruning`]: error bounds of forward pruning in game trees.
//! - [`optimize`]: Newton's method, BFGS, hill climbing and multi-start, with a reason for stopping.
//!
//! Results are bit-identical for any number of threads: parallel sums run over chunks of constant
//! size and are added up in order.
//!
//! # Examples
//!
//! A player who prefers the move worth more, but not always:
//! ```
//! use kibitz_stats::{ChoiceSets, ConditionalLogit, inference::wald_interval};
//!
//! let mut builder = ChoiceSets::builder(1);
//! for game in 0..30 {
//!     // Three moves worth 2, 1 and 0; the best is played in two games of three.
//!     let chosen = usize::from(game % 3 == 0);
//!     builder.push(game, chosen, [[2.0], [1.0], [0.0]])?;
//! }
//! let sets = builder.build();
//! let model = ConditionalLogit::new(&sets);
//! let fit = model.fit()?;
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

pub use choice::{BlockError, ChoiceBlocks, ChoiceError, ChoiceSet, ChoiceSets, ChoiceSetsBuilder};
pub use error::SampleError;
pub use inference::{Bootstrap, BootstrapOptions, Interval, Replicates, bootstrap_groups};
pub use logit::{BlockedLogit, ConditionalLogit, Fit, FitError, Flaw, NoMaximum};
pub use nalgebra::{DMatrix, DVector};
pub use optimize::{BfgsOptions, HillClimbOptions, NewtonOptions, StopReason};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
