//! How sure a correlation is.

use super::{Interval, two_sided_z};
use crate::error::{SampleError, check_share};

/// The interval of Pearson's correlation of `n` independent pairs.
///
/// # Source
/// Fisher 1921: the inverse hyperbolic tangent of the coefficient is nearly normal with standard
/// error `1 / sqrt(n - 3)`.
///
/// # Errors
/// [`SampleError::TooFew`] with fewer than four pairs, [`SampleError::NotAShare`] for a level
/// outside 0 to 1, [`SampleError::NotACorrelation`].
///
/// # Examples
/// ```
/// use kibitz_stats::inference::correlation_interval;
/// let interval = correlation_interval(0.5, 103, 0.95)?;
/// assert!((interval.low - 0.339).abs() < 1e-3 && (interval.high - 0.632).abs() < 1e-3);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn correlation_interval(correlation: f64, n: u64, level: f64) -> Result<Interval, SampleError> {
    check_share(level)?;
    check_correlation(correlation)?;
    let reach = two_sided_z(level) / at_least(n, 4, 3)?.sqrt();
    let center = correlation.atanh();
    Ok(Interval {
        low: (center - reach).tanh(),
        high: (center + reach).tanh(),
        level,
    })
}

/// Large-sample standard error of Pearson's correlation of `n` independent, normal pairs:
/// `(1 - r²) / sqrt(n - 1)`.
///
/// # Errors
/// [`SampleError::TooFew`] with fewer than two pairs, [`SampleError::NotACorrelation`].
pub fn correlation_std_error(correlation: f64, n: u64) -> Result<f64, SampleError> {
    check_correlation(correlation)?;
    Ok((1.0 - correlation * correlation) / at_least(n, 2, 1)?.sqrt())
}

fn check_correlation(value: f64) -> Result<(), SampleError> {
    if (-1.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(SampleError::NotACorrelation { value })
    }
}

/// `n - less`, provided that `n` is at least `needed`.
fn at_least(n: u64, needed: u64, less: u64) -> Result<f64, SampleError> {
    if n < needed {
        return Err(SampleError::TooFew {
            needed: usize::try_from(needed).unwrap_or(usize::MAX),
            found: usize::try_from(n).unwrap_or(usize::MAX),
        });
    }
    Ok((n - less) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_what_is_no_correlation() {
        assert!(correlation_interval(1.5, 10, 0.95).is_err());
        assert!(correlation_interval(0.5, 3, 0.95).is_err());
        assert!(correlation_interval(0.5, 10, 95.0).is_err());
        assert!(correlation_std_error(f64::NAN, 10).is_err());
        assert_eq!(correlation_std_error(1.0, 10), Ok(0.0));
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_coefficient_and_narrows(
            correlation in -0.99f64..0.99,
            n in 4u64..10_000,
        ) {
            let interval = correlation_interval(correlation, n, 0.95).unwrap();
            prop_assert!(interval.contains(correlation));
            prop_assert!(-1.0 <= interval.low && interval.high <= 1.0);
            let more = correlation_interval(correlation, 2 * n, 0.95).unwrap();
            prop_assert!(more.width() < interval.width());
            // In large samples both say the same.
            let large = correlation_interval(correlation, 1_000_000, 0.95).unwrap();
            let se = correlation_std_error(correlation, 1_000_000).unwrap();
            prop_assert!((large.width() / (2.0 * 1.959_964 * se) - 1.0).abs() < 1e-2);
        }
    }
}
