//! Comparing a model with a larger one that contains it.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::error::{SampleError, check_finite};
use crate::optimize::rounding;

/// Result of a [`likelihood_ratio_test`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LikelihoodRatioTest {
    /// Twice the difference of the log-likelihoods, not negative.
    pub statistic: f64,
    /// Parameters that the full model has more.
    pub degrees_of_freedom: u32,
    /// Chance of a statistic this large if the restricted model holds (chi-squared).
    pub p_value: f64,
}

/// Tests whether a full model fits better than a restricted one by more than chance.
///
/// Both log-likelihoods (natural logarithms) are maxima on the same data.
///
/// # Source
/// Wilks 1938, "The large-sample distribution of the likelihood ratio".
///
/// # Errors
/// [`SampleError::NotNested`] if the full model fits worse, [`SampleError::NotFinite`],
/// [`SampleError::TooFew`] without a degree of freedom.
pub fn likelihood_ratio_test(
    restricted: f64,
    full: f64,
    degrees_of_freedom: u32,
) -> Result<LikelihoodRatioTest, SampleError> {
    check_finite(&[restricted, full])?;
    if full < restricted - rounding(restricted) {
        return Err(SampleError::NotNested { restricted, full });
    }
    let statistic = (2.0 * (full - restricted)).max(0.0);
    let chi_squared =
        ChiSquared::new(f64::from(degrees_of_freedom)).map_err(|_| SampleError::TooFew {
            needed: 1,
            found: 0,
        })?;
    Ok(LikelihoodRatioTest {
        statistic,
        degrees_of_freedom,
        p_value: chi_squared.sf(statistic),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_degrees_of_freedom_are_an_exponential() {
        let test = likelihood_ratio_test(-103.0, -100.0, 2).unwrap();
        assert_eq!(test.statistic, 6.0);
        assert!((test.p_value - (-3.0f64).exp()).abs() < 1e-12);
    }

    #[test]
    fn equal_models_differ_by_chance() {
        let test = likelihood_ratio_test(-100.0, -100.0, 1).unwrap();
        assert_eq!((test.statistic, test.p_value), (0.0, 1.0));
    }

    #[test]
    fn refuses_what_is_not_nested() {
        assert!(matches!(
            likelihood_ratio_test(-100.0, -101.0, 1),
            Err(SampleError::NotNested { .. })
        ));
        assert!(likelihood_ratio_test(-100.0, -99.0, 0).is_err());
        assert!(likelihood_ratio_test(f64::NAN, -99.0, 1).is_err());
    }
}
