//! Hotelling's test of equal mean vectors.

use nalgebra::{Cholesky, DMatrix, DVector};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::{error::SampleError, moments::CrossMoments};

/// A chi-square test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChiSquareTest {
    /// The statistic.
    pub statistic: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// The chance of a statistic at least as large under the null hypothesis.
    pub p_value: f64,
}

/// Hotelling's two-sample test with known covariance: do `n_samples` observations with these
/// `totals` have the mean vector of the observations in `moments`?
///
/// Variables may be correlated within an observation. Their covariance is taken from `moments`,
/// which should hold many more observations. In large samples the statistic is chi-square with one
/// degree of freedom per variable.
///
/// # Source
/// Hotelling 1931, "The generalization of Student's ratio".
///
/// # Errors
/// [`SampleError::LengthsDiffer`] unless there is one total per variable,
/// [`SampleError::TooFew`] without observations, [`SampleError::NoVariation`] for collinear
/// variables.
///
/// # Examples
/// ```
/// use kibitz_stats::{inference::hotelling_test, moments::CrossMoments};
///
/// let mut dice = CrossMoments::new(1);
/// for throw in 0..6000 {
///     dice.push(&[f64::from(1 + throw % 6)])?;
/// }
/// assert!(hotelling_test(&dice, &[355.0], 100)?.p_value > 0.05);
/// assert!(hotelling_test(&dice, &[450.0], 100)?.p_value < 1e-6);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn hotelling_test(
    moments: &CrossMoments,
    totals: &[f64],
    n_samples: u64,
) -> Result<ChiSquareTest, SampleError> {
    let degrees = moments.n_variables();
    if totals.len() != degrees {
        return Err(SampleError::LengthsDiffer {
            left: degrees,
            right: totals.len(),
        });
    }
    if n_samples == 0 || moments.n_samples() < 2 || degrees == 0 {
        return Err(SampleError::TooFew {
            needed: 2,
            found: usize::from(n_samples > 0),
        });
    }
    let n = n_samples as f64;
    let scale = 1.0 / n + 1.0 / moments.n_samples() as f64;
    let apart = totals
        .iter()
        .enumerate()
        .map(|(at, total)| total / n - moments.mean(at).unwrap_or(0.0));
    let apart = DVector::from_iterator(degrees, apart);
    let covariance = DMatrix::from_fn(degrees, degrees, |row, column| {
        scale * moments.covariance(row, column).unwrap_or(0.0)
    });
    wald_test(&apart, &covariance)
}

/// Wald's test of `estimates` with this `covariance` against zero.
///
/// # Errors
/// [`SampleError::NoVariation`] if the covariance is not positive definite.
///
/// # Panics
/// Unless the covariance has as many rows and columns as there are estimates.
///
/// # Examples
/// ```
/// use kibitz_stats::{DMatrix, DVector, inference::wald_test};
/// let one = DVector::from_element(1, 1.96);
/// let test = wald_test(&one, &DMatrix::identity(1, 1))?;
/// assert!((test.p_value - 0.05).abs() < 1e-4);
/// # Ok::<(), kibitz_stats::SampleError>(())
/// ```
pub fn wald_test(
    estimates: &DVector<f64>,
    covariance: &DMatrix<f64>,
) -> Result<ChiSquareTest, SampleError> {
    let degrees = estimates.len();
    let root = Cholesky::new(covariance.clone()).ok_or(SampleError::NoVariation)?;
    let statistic = estimates.dot(&root.solve(estimates));
    let distribution = ChiSquared::new(degrees as f64).map_err(|_| SampleError::NoVariation)?;
    Ok(ChiSquareTest {
        statistic,
        degrees,
        p_value: distribution.sf(statistic),
    })
}

#[cfg(test)]
mod tests {
    use rand::RngExt as _;
    use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng as _};

    use super::*;

    /// Three correlated variables.
    fn draw(rng: &mut ChaCha8Rng) -> [f64; 3] {
        let [a, b, c] = [0; 3].map(|_| f64::from(rng.random_range(0..10_u8)));
        [a, a + b, 3.0 * b - c * c]
    }

    #[test]
    fn rejects_as_often_as_it_should() {
        let mut rng = ChaCha8Rng::seed_from_u64(1931);
        let mut moments = CrossMoments::new(3);
        for _ in 0..20_000 {
            moments.push(&draw(&mut rng)).unwrap();
        }
        let p_values = (0..1000).map(|_| {
            let mut totals = [0.0; 3];
            for _ in 0..300 {
                for (total, value) in totals.iter_mut().zip(draw(&mut rng)) {
                    *total += value;
                }
            }
            hotelling_test(&moments, &totals, 300).unwrap().p_value
        });
        let rejected = p_values.filter(|p_value| *p_value < 0.05).count();
        // Four standard errors of 5% of 1000.
        assert!((22..=78).contains(&rejected), "{rejected}");
    }

    #[test]
    fn refuses_invalid_samples() {
        let mut moments = CrossMoments::new(2);
        for value in [1.0, 2.0, 4.0] {
            moments.push(&[value, 2.0 * value]).unwrap();
        }
        let test = |totals: &[f64], n| hotelling_test(&moments, totals, n);
        assert!(matches!(
            test(&[1.0], 3),
            Err(SampleError::LengthsDiffer { .. })
        ));
        assert!(matches!(
            test(&[1.0, 2.0], 0),
            Err(SampleError::TooFew { .. })
        ));
        assert_eq!(test(&[1.0, 2.0], 3), Err(SampleError::NoVariation));
    }
}
