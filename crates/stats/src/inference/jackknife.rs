//! The delete-a-group jackknife.

use crate::error::SampleError;
use crate::summary::mean;

/// Delete-a-group jackknife standard error: from estimates with one group (game) left out at a time.
///
/// `without[g]` is the estimate from all groups but `g`. Observations within a group may be
/// correlated; the groups should be independent and of similar size.
///
/// # Source
/// Quenouille 1956 and Tukey 1958; over groups: Kott 2001, "The delete-a-group jackknife".
///
/// # Errors
/// [`SampleError::TooFew`] with fewer than two groups, [`SampleError::NotFinite`].
///
/// # Examples
/// ```
/// use kibitz_stats::inference::jackknife_std_error;
/// // The mean of 1, 2, 3 and 6 without each of them in turn.
/// let std_error = jackknife_std_error(&[11.0 / 3.0, 10.0 / 3.0, 3.0, 2.0])?;
/// // For a mean, the jackknife gives the usual standard error.
/// assert!((std_error - (14.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn jackknife_std_error(without: &[f64]) -> Result<f64, SampleError> {
    if without.len() < 2 {
        return Err(SampleError::TooFew {
            needed: 2,
            found: without.len(),
        });
    }
    let n = without.len() as f64;
    let center = mean(without)?;
    let squares: Vec<f64> = without
        .iter()
        .map(|value| (value - center).powi(2))
        .collect();
    Ok(((n - 1.0) * mean(&squares)?).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::std_dev;
    use proptest::prelude::*;

    #[test]
    fn one_group_tells_nothing() {
        assert!(jackknife_std_error(&[1.0]).is_err());
        assert!(jackknife_std_error(&[1.0, f64::NAN]).is_err());
    }

    proptest! {
        #[test]
        fn of_a_mean_it_is_the_standard_error(values in prop::collection::vec(-9.0f64..9.0, 3..40)) {
            let sum: f64 = values.iter().sum();
            let rest = values.len() as f64 - 1.0;
            let without: Vec<f64> = values.iter().map(|value| (sum - value) / rest).collect();
            let expected = std_dev(&values).unwrap() / (values.len() as f64).sqrt();
            let std_error = jackknife_std_error(&without).unwrap();
            prop_assert!((std_error - expected).abs() < 1e-9);
        }
    }
}
