//! Wald and Student confidence intervals.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::two_sided_z;
use crate::error::{SampleError, check_finite, check_share, finite};

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability of covering, strictly between 0 and 1; 0.95 for a 95% interval.
    pub level: f64,
}

impl Interval {
    /// Whether a value lies within, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Upper end minus lower end.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }
}

/// Wald confidence interval of a normally distributed estimate: `estimate ± z · std_error`.
///
/// # Errors
/// [`SampleError::NotAShare`] for a level outside 0 to 1, [`SampleError::NotAStdError`].
///
/// # Examples
/// ```
/// use kibitz_stats::inference::wald_interval;
/// let interval = wald_interval(10.0, 1.0, 0.95)?;
/// assert!((interval.high - 11.959963984540054).abs() < 1e-12);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn wald_interval(estimate: f64, std_error: f64, level: f64) -> Result<Interval, SampleError> {
    check_share(level)?;
    around(estimate, std_error, two_sided_z(level), level)
}

/// Student's confidence interval of a mean whose standard error is itself estimated, with `degrees`
/// degrees of freedom: the number of values less one.
///
/// # Errors
/// As [`wald_interval`]; [`SampleError::TooFew`] without a degree of freedom.
///
/// # Examples
/// ```
/// use kibitz_stats::inference::student_interval;
/// let interval = student_interval(10.0, 1.0, 4, 0.95)?;
/// assert!((interval.high - 12.776_445_105).abs() < 1e-8);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn student_interval(
    estimate: f64,
    std_error: f64,
    degrees: usize,
    level: f64,
) -> Result<Interval, SampleError> {
    check_share(level)?;
    let student = StudentsT::new(0.0, 1.0, degrees as f64);
    let student = student.map_err(|_| SampleError::TooFew {
        needed: 2,
        found: degrees + 1,
    })?;
    let quantile = student.inverse_cdf(f64::midpoint(1.0, level));
    around(estimate, std_error, quantile, level)
}

fn around(
    estimate: f64,
    std_error: f64,
    quantile: f64,
    level: f64,
) -> Result<Interval, SampleError> {
    if std_error.is_nan() || std_error < 0.0 {
        return Err(SampleError::NotAStdError { value: std_error });
    }
    check_finite(&[estimate])?;
    let reach = quantile * std_error;
    Ok(Interval {
        low: finite(estimate - reach, "the lower end of the interval")?,
        high: finite(estimate + reach, "the upper end of the interval")?,
        level,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reaches_as_far_as_the_normal_table_says() {
        for (level, z) in [
            (0.5, 0.674_489_750_196_081_7),
            (0.99, 2.575_829_303_548_900_4),
        ] {
            let interval = wald_interval(-1.0, 2.0, level).unwrap();
            assert!((interval.low - (-1.0 - 2.0 * z)).abs() < 1e-12);
            assert!((interval.width() - 4.0 * z).abs() < 1e-12);
            assert!(interval.contains(-1.0) && !interval.contains(-1.0 + 2.01 * z));
        }
    }

    #[test]
    fn refuses_levels_and_errors_that_are_none() {
        assert_eq!(
            wald_interval(0.0, 1.0, 95.0),
            Err(SampleError::NotAShare { value: 95.0 })
        );
        assert!(wald_interval(0.0, 1.0, f64::NAN).is_err());
        assert!(matches!(
            wald_interval(f64::NAN, 1.0, 0.9),
            Err(SampleError::NotFinite { index: 0, .. })
        ));
        for (estimate, std_error) in [(1e300, f64::MAX), (0.0, f64::INFINITY)] {
            let refused = wald_interval(estimate, std_error, 0.9).unwrap_err();
            assert!(refused.to_string().contains("end of the interval"));
        }
        assert_eq!(
            wald_interval(0.0, -1.0, 0.9),
            Err(SampleError::NotAStdError { value: -1.0 })
        );
    }
}
