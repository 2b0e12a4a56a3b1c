//! Why a statistic could not be computed.

/// Why a statistic, an interval or a split could not be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// There are too few values, groups or trials.
    #[error("{found} values given, at least {needed} needed")]
    TooFew {
        /// The least number accepted.
        needed: usize,
        /// The number given.
        found: usize,
    },
    /// Too many resamples have no estimate.
    #[error("{lost} of {drawn} resamples have no estimate, and {} may lack one", at_most(*.allowed))]
    TooManyLost {
        /// Resamples without an estimate.
        lost: usize,
        /// Number of resamples.
        drawn: usize,
        /// Resamples that may lack an estimate.
        allowed: usize,
    },
    /// A value is infinite or not a number.
    #[error("value {index} is {value}, not a finite number")]
    NotFinite {
        /// Position of the value, counting from 0.
        index: usize,
        /// The value given.
        value: f64,
    },
    /// A result overflows, although the values are finite.
    #[error("{what} is not a finite number; the values are too large for it")]
    Overflow {
        /// The overflowing result.
        what: &'static str,
    },
    /// Two samples that belong together differ in length.
    #[error("paired samples differ in length: {left} and {right}")]
    LengthsDiffer {
        /// Length of the first sample.
        left: usize,
        /// Length of the second sample.
        right: usize,
    },
    /// All values are equal where variation is needed.
    #[error("all values are equal, so nothing can vary with them")]
    NoVariation,
    /// A level, share or probability is not strictly between 0 and 1, or a quantile's not within.
    #[error("{value} given where a number between 0 and 1 is needed")]
    NotAShare {
        /// The value given.
        value: f64,
    },
    /// A standard error is negative or not a number.
    #[error("{value} is not a standard error")]
    NotAStdError {
        /// The value given.
        value: f64,
    },
    /// More successes than trials.
    #[error("{successes} successes in {trials} trials")]
    MoreSuccessesThanTrials {
        /// Successes given.
        successes: u64,
        /// Trials given.
        trials: u64,
    },
    /// More folds than groups, or fewer than two.
    #[error("{n_groups} groups do not make {n_folds} folds")]
    BadFolds {
        /// Distinct groups given.
        n_groups: usize,
        /// Folds requested.
        n_folds: usize,
    },
}

fn at_most(allowed: usize) -> String {
    match allowed {
        0 => "none".to_owned(),
        _ => format!("at most {allowed}"),
    }
}

/// Refuses values that are not finite.
pub(crate) fn check_finite(values: &[f64]) -> Result<(), SampleError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(SampleError::NotFinite {
            index,
            value: values[index],
        }),
        None => Ok(()),
    }
}

/// Refuses a result that is not finite.
pub(crate) fn finite(value: f64, what: &'static str) -> Result<f64, SampleError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(SampleError::Overflow { what })
    }
}

/// Refuses shares outside the open interval from 0 to 1.
pub(crate) fn check_share(value: f64) -> Result<(), SampleError> {
    if value > 0.0 && value < 1.0 {
        Ok(())
    } else {
        Err(SampleError::NotAShare { value })
    }
}
