//! Summary statistics of a sample: mean, standard deviation, quantiles.
//!
//! Sums are compensated and run in the order of the values: long samples lose no precision, and
//! results depend on the values alone.

use crate::error::{SampleError, check_finite, finite};
use crate::sum::CompensatedSum;

/// Arithmetic mean.
///
/// # Examples
/// ```
/// use kibitz_stats::summary::{mean, quantile};
/// let values = [1.0, 2.0, 3.0, 10.0];
/// assert_eq!((mean(&values)?, quantile(&values, 0.5)?), (4.0, 2.5));
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
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

/// Sample standard deviation (divisor `n - 1`).
///
/// # Errors
/// [`SampleError::TooFew`] with fewer than two values, [`SampleError::NotFinite`].
pub fn std_dev(values: &[f64]) -> Result<f64, SampleError> {
    check_sample(values, 2)?;
    let mean = mean(values)?;
    let squares: CompensatedSum = values.iter().map(|value| (value - mean).powi(2)).collect();
    let std_dev = (squares.value() / (values.len() as f64 - 1.0)).sqrt();
    finite(std_dev, "the standard deviation")
}

/// Quantile of a sample, from share 0 (smallest value) to 1 (largest), by linear interpolation.
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
        // Deviations -3, -2, -1, 6 from the mean 4: squares 50.
        let values = [10.0, 2.0, 1.0, 3.0];
        assert_eq!(mean(&values), Ok(4.0));
        assert_eq!(std_dev(&values), Ok((50.0f64 / 3.0).sqrt()));
    }

    #[test]
    fn one_value_is_its_mean_and_its_quantiles() {
        assert_eq!(mean(&[5.0]), Ok(5.0));
        for share in [0.0, 0.5, 1.0] {
            assert_eq!(quantile(&[5.0], share), Ok(5.0));
        }
        assert_eq!(std_dev(&[2.0; 5]), Ok(0.0));
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
        assert_eq!(mean(&values), Ok(1e9 + 500.0));
        assert!((std_dev(&values).unwrap().powi(2) - 1001.0 * 1002.0 / 12.0).abs() < 1e-9);
    }

    #[test]
    fn refuses_bad_samples() {
        assert_eq!(
            mean(&[]),
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
        assert_eq!(
            std_dev(&[1e300, -1e300]),
            Err(SampleError::Overflow {
                what: "the standard deviation"
            })
        );
    }

    proptest! {
        #[test]
        fn everything_lies_between_the_ends(values in prop::collection::vec(-1e3f64..1e3, 1..50)) {
            let [min, max] = [0.0, 1.0].map(|share| quantile(&values, share).unwrap());
            let slack = 1e-12 * max.abs().max(min.abs());
            for middle in [mean(&values).unwrap(), quantile(&values, 0.1).unwrap()] {
                prop_assert!(min - slack <= middle && middle <= max + slack);
            }
        }
    }
}
