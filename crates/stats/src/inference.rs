//! How sure an estimate is: intervals, tests, and resampling over groups (bootstrap, jackknife).

mod bootstrap;
mod correlation;
mod interval;
mod jackknife;
mod likelihood_ratio;
mod proportion;

pub use bootstrap::{Bootstrap, BootstrapOptions, bootstrap_groups};
pub use correlation::{correlation_interval, correlation_std_error};
pub use interval::{Interval, wald_interval};
pub use jackknife::jackknife_std_error;
pub use likelihood_ratio::{LikelihoodRatioTest, likelihood_ratio_test};
pub use proportion::{TwoProportionTest, two_proportion_z_test, wilson_interval};

use statrs::distribution::{ContinuousCDF, Normal};

/// The standard normal quantile that leaves `(1 - level) / 2` on either side.
fn two_sided_z(level: f64) -> f64 {
    Normal::standard().inverse_cdf(f64::midpoint(1.0, level))
}

/// Chance that a standard normal variable lies at least as far from 0 as `z`.
fn two_sided_p(z: f64) -> f64 {
    2.0 * Normal::standard().sf(z.abs())
}
