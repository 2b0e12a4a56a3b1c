//! Statistics for learning from games.
//!
//! The crate knows no game. It takes numbers, and gives back fitted models with their errors:
//!
//! - [`choice`]: data for models of choice, many alternatives per decision, kept compactly.
//! - [`logit`]: the conditional logit model (McFadden 1974), which is the one-ply player of Jansen,
//!   Dowe and Farr 2000: likelihood, bits, fits.
//! - [`optimize`]: maximizers that say why they stopped: Newton and others.

#![cfg_attr(
    test,
    allow(clippy::float_cmp, reason = "tests say so where results are exact")
)]

pub mod choice;
pub mod logit;
pub mod optimize;
mod sum;

pub use choice::{ChoiceError, ChoiceSet, ChoiceSets, ChoiceSetsBuilder};
pub use logit::{ConditionalLogit, Fit, FitError};
pub use nalgebra::{DMatrix, DVector};
pub use optimize::{NewtonOptions, StopReason};
pub use sum::CompensatedSum;
