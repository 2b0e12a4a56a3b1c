//! Numbers that describe a sample, and how two samples go together.
//!
//! Sums are compensated and run in the order of the values, so results neither lose precision in
//! long samples nor depend on anything but the values.

mod correlation;
mod rank;

pub use correlation::{pearson, spearman};
pub use rank::ranks;

use crate::error::{SampleError, check_finite};
use crate::sum::CompensatedSum;

/// A sample in a few numbers.
///
/// # Examples
/// ```
/// use kibitz_stats::Summary;
/// let summary = Summary::of(&[1.0, 2.0, 3.0, 10.0])?;
/// assert_eq!((summary.n_samples, summary.mean, summary.median), (4, 4.0, 2.5));
/// assert_eq!((summary.min, summary.max), (1.0, 10.0));
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Number of values, at least 1.
    pub n_samples: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation of the population, estimated (divisor `n - 1`); `None` for one value.
    pub std_dev: Option<f64>,
    /// Standard error of the mean; `None` for one value.
    pub std_error: Option<f64>,
    /// Skewness of the population, estimated (the adjusted Fisher-Pearson coefficient); `None`
    /// for fewer than three values or when all are equal.
    pub skewness: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Middle value; see [`quantile`].
    pub median: f64,
    /// Largest value.
    pub max: f64,
}

impl Summary {
    /// Summarizes a sample.
    ///
    /// # Errors
    /// [`SampleError::TooFew`] without values, [`SampleError::NotFinite`].
    pub fn of(values: &[f64]) -> Result<Self, SampleError> {
        let mean = mean(values)?;
        let n = values.len() as f64;
        let std_dev = std_dev(values).ok();
        let cubes: CompensatedSum = values.iter().map(|value| (value - mean).powi(3)).collect();
        let skewness = std_dev
            .filter(|&std_dev| values.len() > 2 && std_dev > 0.0)
            .map(|std_dev| n / ((n - 1.0) * (n - 2.0)) * cubes.value() / std_dev.powi(3));
        let sorted = sorted(values);
        Ok(Self {
            n_samples: values.len(),
            mean,
            std_dev,
            std_error: std_dev.map(|std_dev| std_dev / n.sqrt()),
            skewness,
            min: sorted[0],
            median: quantile_of_sorted(&sorted, 0.5),
            max: sorted[sorted.len() - 1],
        })
    }
}

/// Arithmetic mean.
///
/// # Errors
/// [`SampleError::TooFew`] without values, [`SampleError::NotFinite`].
pub fn mean(values: &[f64]) -> Result<f64, SampleError> {
    check_sample(values, 1)?;
    let n = values.len() as f64;
    let sum = values.iter().copied().collect::<CompensatedSum>().value();
    Ok(if sum.is_finite() {
        sum / n
    } else {
        // The sum of large values overflows where the mean does not.
        values
            .iter()
            .map(|value| value / n)
            .collect::<CompensatedSum>()
            .value()
    })
}

/// Standard deviation of the population, estimated from a sample (divisor `n - 1`).
///
/// # Errors
/// [`SampleError::TooFew`] with fewer than two values, [`SampleError::NotFinite`].
pub fn std_dev(values: &[f64]) -> Result<f64, SampleError> {
    check_sample(values, 2)?;
    let mean = mean(values)?;
    let squares: CompensatedSum = values.iter().map(|value| (value - mean).powi(2)).collect();
    Ok((squares.value() / (values.len() as f64 - 1.0)).sqrt())
}

/// The value below which a `share` of the sample lies, from 0 (smallest) to 1 (largest).
///
/// Between two values it interpolates linearly.
///
/// # Source
/// Hyndman and Fan 1996, "Sample quantiles in statistical packages", definition 7.
///
/// # Errors
/// [`SampleError::TooFew`] without values, [`SampleError::NotFinite`],
/// [`SampleError::NotAShare`] for a share outside 0..=1.
pub fn quantile(values: &[f64], share: f64) -> Result<f64, SampleError> {
    check_sample(values, 1)?;
    if !(0.0..=1.0).contains(&share) {
        return Err(SampleError::NotAShare { value: share });
    }
    Ok(quantile_of_sorted(&sorted(values), share))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of the last index lies between 0 and the last index"
)]
fn quantile_of_sorted(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let part = place - below as f64;
    sorted[below] * (1.0 - part) + sorted[above] * part
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

fn check_sample(values: &[f64], needed: usize) -> Result<(), SampleError> {
    if values.len() < needed {
        return Err(SampleError::TooFew {
            needed,
            found: values.len(),
        });
    }
    check_finite(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_small_sample_by_hand() {
        // Deviations -3, -2, -1, 6 from the mean 4: squares 50, cubes 180.
        let summary = Summary::of(&[10.0, 2.0, 1.0, 3.0]).unwrap();
        let std_dev = (50.0f64 / 3.0).sqrt();
        assert_eq!(summary.std_dev, Some(std_dev));
        assert_eq!(summary.std_error, Some(std_dev / 2.0));
        assert!((summary.skewness.unwrap() - 4.0 / 6.0 * 180.0 / std_dev.powi(3)).abs() < 1e-14);
    }

    #[test]
    fn what_one_value_cannot_tell() {
        let one = Summary::of(&[5.0]).unwrap();
        assert_eq!(
            (one.mean, one.std_dev, one.std_error, one.skewness),
            (5.0, None, None, None)
        );
        assert_eq!((one.min, one.median, one.max), (5.0, 5.0, 5.0));
        let equal = Summary::of(&[2.0; 5]).unwrap();
        assert_eq!((equal.std_dev, equal.skewness), (Some(0.0), None));
    }

    #[test]
    fn quantiles_interpolate() {
        let values = [4.0, 1.0, 3.0, 2.0];
        for (share, expected) in [(0.0, 1.0), (0.25, 1.75), (0.5, 2.5), (1.0, 4.0)] {
            assert_eq!(quantile(&values, share), Ok(expected));
        }
    }

    #[test]
    fn a_large_offset_costs_no_precision() {
        let values: Vec<f64> = (0..1001).map(|i| 1e9 + f64::from(i)).collect();
        let summary = Summary::of(&values).unwrap();
        assert_eq!(summary.mean, 1e9 + 500.0);
        assert!((summary.std_dev.unwrap().powi(2) - 1001.0 * 1002.0 / 12.0).abs() < 1e-9);
    }

    #[test]
    fn refuses_bad_samples() {
        assert_eq!(
            Summary::of(&[]),
            Err(SampleError::TooFew {
                needed: 1,
                found: 0
            })
        );
        assert!(matches!(
            mean(&[1.0, f64::NAN]),
            Err(SampleError::NotFinite { index: 1, .. })
        ));
        assert_eq!(
            std_dev(&[1.0]),
            Err(SampleError::TooFew {
                needed: 2,
                found: 1
            })
        );
        assert_eq!(
            quantile(&[1.0], 1.5),
            Err(SampleError::NotAShare { value: 1.5 })
        );
        assert_eq!(mean(&[f64::MAX, f64::MAX]), Ok(f64::MAX));
    }

    proptest! {
        #[test]
        fn everything_lies_between_the_ends(values in prop::collection::vec(-1e3f64..1e3, 1..50)) {
            let summary = Summary::of(&values).unwrap();
            let slack = 1e-12 * summary.max.abs().max(summary.min.abs());
            for middle in [summary.mean, summary.median, quantile(&values, 0.1).unwrap()] {
                prop_assert!(summary.min - slack <= middle && middle <= summary.max + slack);
            }
        }
    }
}
