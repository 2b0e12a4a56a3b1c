//! Inference: confidence intervals, tests, and standard errors over groups
//! (bootstrap, jackknife, clustered).

mod bootstrap;
mod clustered;
mod hotelling;
mod interval;
mod jackknife;
mod proportion;
mod replicates;

pub use bootstrap::{Bootstrap, BootstrapOptions, bootstrap_groups};
pub use clustered::{MIN_CLUSTERS, clustered_covariance};
pub use hotelling::{ChiSquareTest, hotelling_test, wald_test};
pub use interval::{Interval, student_interval, wald_interval};
pub use jackknife::jackknife_std_error;
pub use proportion::wilson_interval;
pub use replicates::Replicates;

use statrs::distribution::{ContinuousCDF, Normal};

/// The standard normal quantile that leaves `(1 - level) / 2` on either side.
fn two_sided_z(level: f64) -> f64 {
    Normal::standard().inverse_cdf(f64::midpoint(1.0, level))
}
