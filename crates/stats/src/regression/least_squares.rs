//! Ordinary least squares.

use linfa::{DatasetBase, traits::Fit};
use linfa_linear::LinearRegression;
use nalgebra::DMatrix;
use ndarray::{Array1, Array2};

use super::{RegressionError, factor};
use crate::moments::CrossMoments;
use crate::sum::CompensatedSum;

/// What becomes of the constant term.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Constant {
    /// It is fitted like a coefficient.
    #[default]
    Fitted,
    /// It is 0: the fit goes through the origin, and r² is the share of the sum of squares, not of
    /// the variance, that is explained.
    Zero,
}

/// A linear model fitted by least squares.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastSquares {
    /// The constant term; 0 if it was not fitted.
    pub constant: f64,
    /// One coefficient for each variable, in the order given.
    pub coefficients: Vec<f64>,
    /// Standard errors of the coefficients, if the errors are independent and vary alike.
    pub std_errors: Vec<f64>,
    /// Standard error of the constant term; 0 if it was not fitted.
    pub constant_std_error: f64,
    /// Share of the variance that is explained, from 0 to 1.
    pub r_squared: f64,
    /// Standard deviation of the residuals, with as many degrees of freedom as are left.
    pub residual_std_dev: f64,
    /// Number of observations.
    pub n_samples: usize,
}

impl LeastSquares {
    /// Fits `target` by the `columns`, all as long as it.
    ///
    /// Columns are centered and scaled before they are handed to the solver (a QR decomposition),
    /// so that neither offsets nor units cost precision.
    ///
    /// # Errors
    /// Every [`RegressionError`] but [`RegressionError::NoSuchVariable`].
    pub fn fit(
        columns: &[&[f64]],
        target: &[f64],
        constant: Constant,
    ) -> Result<Self, RegressionError> {
        let n = target.len();
        let is_centered = constant == Constant::Fitted;
        check_shape(columns, target, constant)?;
        let scaled: Vec<Scaled> = columns
            .iter()
            .enumerate()
            .map(|(variable, column)| {
                Scaled::of(column, is_centered).ok_or(RegressionError::Constant { variable })
            })
            .collect::<Result<_, _>>()?;
        let dependent = Scaled::of(target, is_centered).ok_or(RegressionError::NothingToExplain)?;
        if !(scaled.iter().chain([&dependent]))
            .all(|it| it.scale.is_finite() && it.mean.is_finite())
        {
            return Err(RegressionError::Overflow {
                what: "the mean or the mean square of a variable",
            });
        }

        let records = Array2::from_shape_fn((n, scaled.len()), |(row, column)| {
            scaled[column].values[row]
        });
        // Before the solver, whose answer means nothing when a variable is superfluous.
        let factor =
            factor(&gram(&scaled)).map_err(|variable| RegressionError::Collinear { variable })?;
        let targets = Array1::from_vec(dependent.values.clone());
        let fitted = LinearRegression::new()
            .with_intercept(false)
            .fit(&DatasetBase::new(records, targets))
            .map_err(RegressionError::Solver)?;
        let slopes: Vec<f64> = fitted.params().to_vec();

        let residual_squares: CompensatedSum = (0..n)
            .map(|row| {
                let explained: f64 = slopes
                    .iter()
                    .zip(&scaled)
                    .map(|(slope, column)| slope * column.values[row])
                    .sum();
                (dependent.values[row] - explained).powi(2)
            })
            .collect();
        let inverse = factor.inverse();
        finish(&Solution {
            slopes: &slopes,
            inverse: &inverse,
            // Scaled values have mean square 1.
            unexplained: residual_squares.value() / n as f64,
            means: scaled.iter().map(|column| column.mean).collect(),
            scales: scaled.iter().map(|column| column.scale).collect(),
            target_mean: dependent.mean,
            target_scale: dependent.scale,
            n_samples: n,
            constant,
        })
    }

    /// Fits variable `target` of some moments by the variables `predictors`, with a constant.
    ///
    /// The same model as [`fit`](Self::fit) gives of the data, from the normal equations of the
    /// correlations.
    ///
    /// # Errors
    /// [`RegressionError::NoVariable`], [`RegressionError::TooFewSamples`],
    /// [`RegressionError::Constant`], [`RegressionError::Collinear`] (both by place in `predictors`),
    /// [`RegressionError::NothingToExplain`], [`RegressionError::NoSuchVariable`].
    pub fn of_moments(
        moments: &CrossMoments,
        predictors: &[usize],
        target: usize,
    ) -> Result<Self, RegressionError> {
        let n_variables = moments.n_variables();
        for &variable in predictors.iter().chain([&target]) {
            if variable >= n_variables {
                return Err(RegressionError::NoSuchVariable {
                    variable,
                    n_variables,
                });
            }
        }
        if predictors.is_empty() {
            return Err(RegressionError::NoVariable);
        }
        let n = usize::try_from(moments.n_samples()).unwrap_or(usize::MAX);
        if n <= predictors.len() + 1 {
            return Err(RegressionError::TooFewSamples {
                n_samples: n,
                n_coefficients: predictors.len() + 1,
            });
        }
        let correlations = correlations(moments, predictors, target)?;
        let p = predictors.len();
        let factor = factor(&correlations.view((0, 0), (p, p)).into_owned())
            .map_err(|variable| RegressionError::Collinear { variable })?;
        let with_target = correlations.view((0, p), (p, 1)).into_owned();
        let slopes = factor.solve(&with_target);
        let scale = |variable: usize| {
            (moments.product(variable, variable).unwrap_or(0.0) / n as f64).sqrt()
        };
        let mean = |variable: usize| moments.mean(variable).unwrap_or(0.0);
        finish(&Solution {
            slopes: slopes.as_slice(),
            inverse: &factor.inverse(),
            unexplained: (1.0 - slopes.dot(&with_target)).max(0.0),
            means: predictors.iter().map(|&variable| mean(variable)).collect(),
            scales: predictors.iter().map(|&variable| scale(variable)).collect(),
            target_mean: mean(target),
            target_scale: scale(target),
            n_samples: n,
            constant: Constant::Fitted,
        })
    }

    /// The value that the model expects where the variables have these values.
    ///
    /// # Panics
    /// If there are not as many values as variables.
    pub fn predict(&self, values: &[f64]) -> f64 {
        assert_eq!(
            values.len(),
            self.coefficients.len(),
            "as many values as variables"
        );
        self.constant
            + self
                .coefficients
                .iter()
                .zip(values)
                .map(|(coefficient, value)| coefficient * value)
                .sum::<f64>()
    }
}

/// Correlations of the predictors and, last, the target.
pub(super) fn correlations(
    moments: &CrossMoments,
    predictors: &[usize],
    target: usize,
) -> Result<DMatrix<f64>, RegressionError> {
    let product = |a: usize, b: usize| moments.product(a, b).unwrap_or(0.0);
    if product(target, target) <= 0.0 {
        return Err(RegressionError::NothingToExplain);
    }
    if let Some(variable) = predictors
        .iter()
        .position(|&variable| product(variable, variable) <= 0.0)
    {
        return Err(RegressionError::Constant { variable });
    }
    let variables: Vec<usize> = predictors.iter().copied().chain([target]).collect();
    let size = variables.len();
    let mut is_finite = true;
    let correlations = DMatrix::from_fn(size, size, |row, column| {
        let (a, b) = (variables[row], variables[column]);
        if row == column {
            1.0
        } else {
            let scale = product(a, a) * product(b, b);
            is_finite &= scale.is_finite() && product(a, b).is_finite();
            product(a, b) / scale.sqrt()
        }
    });
    if is_finite {
        Ok(correlations)
    } else {
        Err(RegressionError::Overflow {
            what: "a covariance",
        })
    }
}

/// A column in units in which its mean square is 1.
struct Scaled {
    /// What was taken off: the mean, or 0.
    mean: f64,
    scale: f64,
    values: Vec<f64>,
}

impl Scaled {
    /// `None` if there is nothing to scale: the column never varies.
    fn of(column: &[f64], is_centered: bool) -> Option<Self> {
        let n = column.len() as f64;
        let sum = |terms: &mut dyn Iterator<Item = f64>| terms.collect::<CompensatedSum>().value();
        let mean = if is_centered {
            sum(&mut column.iter().copied()) / n
        } else {
            0.0
        };
        let scale = (sum(&mut column.iter().map(|value| (value - mean).powi(2))) / n).sqrt();
        // Equal values may miss their computed mean by a rounding error.
        let is_constant = is_centered
            && column
                .iter()
                .all(|value| value.to_bits() == column[0].to_bits());
        (scale > 0.0 && !is_constant).then(|| Self {
            mean,
            scale,
            values: column.iter().map(|value| (value - mean) / scale).collect(),
        })
    }
}

/// Mean products of scaled columns: their correlations if they are centered.
fn gram(columns: &[Scaled]) -> DMatrix<f64> {
    DMatrix::from_fn(columns.len(), columns.len(), |row, column| {
        let (left, right) = (&columns[row].values, &columns[column].values);
        let sum: CompensatedSum = left.iter().zip(right).map(|(a, b)| a * b).collect();
        sum.value() / left.len() as f64
    })
}

/// A fit in scaled units.
struct Solution<'a> {
    slopes: &'a [f64],
    /// Inverse of the predictors' correlations.
    inverse: &'a DMatrix<f64>,
    /// Share of the target's mean square that is left.
    unexplained: f64,
    means: Vec<f64>,
    scales: Vec<f64>,
    target_mean: f64,
    target_scale: f64,
    n_samples: usize,
    constant: Constant,
}

fn finish(solution: &Solution<'_>) -> Result<LeastSquares, RegressionError> {
    let n = solution.n_samples as f64;
    let n_fitted = solution.slopes.len() + usize::from(solution.constant == Constant::Fitted);
    let freedom = n - n_fitted as f64;
    let coefficients: Vec<f64> = solution
        .slopes
        .iter()
        .zip(&solution.scales)
        .map(|(slope, scale)| slope * solution.target_scale / scale)
        .collect();
    let residual_variance = solution.unexplained * solution.target_scale.powi(2) * n / freedom;
    // Var(b) = s² / (n · scale²) · diagonal of the inverse correlations.
    let std_errors = solution
        .scales
        .iter()
        .enumerate()
        .map(|(i, scale)| (residual_variance * solution.inverse[(i, i)] / n).sqrt() / scale)
        .collect();
    let (constant, constant_std_error) = match solution.constant {
        Constant::Zero => (0.0, 0.0),
        Constant::Fitted => {
            let at_means: f64 = coefficients
                .iter()
                .zip(&solution.means)
                .map(|(coefficient, mean)| coefficient * mean)
                .sum();
            let z = nalgebra::DVector::from_iterator(
                solution.means.len(),
                solution
                    .means
                    .iter()
                    .zip(&solution.scales)
                    .map(|(mean, scale)| mean / scale),
            );
            let spread = 1.0 + z.dot(&(solution.inverse * &z));
            (
                solution.target_mean - at_means,
                (residual_variance * spread / n).sqrt(),
            )
        }
    };
    let fit = LeastSquares {
        constant,
        coefficients,
        std_errors,
        constant_std_error,
        r_squared: (1.0 - solution.unexplained).clamp(0.0, 1.0),
        residual_std_dev: residual_variance.sqrt(),
        n_samples: solution.n_samples,
    };
    let known = fit.coefficients.iter().chain(&fit.std_errors).copied();
    let single = [
        fit.constant,
        fit.constant_std_error,
        fit.r_squared,
        fit.residual_std_dev,
    ];
    if known.chain(single).all(f64::is_finite) {
        Ok(fit)
    } else {
        Err(RegressionError::Overflow {
            what: "a coefficient or a standard error",
        })
    }
}

fn check_shape(
    columns: &[&[f64]],
    target: &[f64],
    constant: Constant,
) -> Result<(), RegressionError> {
    if columns.is_empty() {
        return Err(RegressionError::NoVariable);
    }
    if let Some(variable) = columns
        .iter()
        .position(|column| column.len() != target.len())
    {
        return Err(RegressionError::LengthsDiffer {
            variable,
            found: columns[variable].len(),
            needed: target.len(),
        });
    }
    for column in columns.iter().copied().chain([target]) {
        if let Some(index) = column.iter().position(|value| !value.is_finite()) {
            return Err(RegressionError::NotFinite {
                index,
                value: column[index],
            });
        }
    }
    let n_coefficients = columns.len() + usize::from(constant == Constant::Fitted);
    if target.len() <= n_coefficients {
        return Err(RegressionError::TooFewSamples {
            n_samples: target.len(),
            n_coefficients,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_by_hand() {
        // Deviations (-1, 0, 1) and (-1, 1, 0): slope 1/2, residuals -1/2, 1, -1/2.
        let fit =
            LeastSquares::fit(&[&[1.0, 2.0, 3.0]], &[1.0, 3.0, 2.0], Constant::Fitted).unwrap();
        assert!((fit.coefficients[0] - 0.5).abs() < 1e-14);
        assert!((fit.constant - 1.0).abs() < 1e-14);
        assert!((fit.r_squared - 0.25).abs() < 1e-14);
        assert!((fit.residual_std_dev - 1.5f64.sqrt()).abs() < 1e-14);
        assert!((fit.std_errors[0] - (1.5f64 / 2.0).sqrt()).abs() < 1e-14);
        assert!((fit.constant_std_error - (1.5f64 * (1.0 / 3.0 + 2.0)).sqrt()).abs() < 1e-14);
        // Through the origin: 13 / 14.
        let fit = LeastSquares::fit(&[&[1.0, 2.0, 3.0]], &[1.0, 3.0, 2.0], Constant::Zero).unwrap();
        assert!((fit.coefficients[0] - 13.0 / 14.0).abs() < 1e-14);
        assert!((fit.r_squared - 169.0 / 196.0).abs() < 1e-14);
    }

    #[test]
    fn refuses_what_cannot_be_fitted() {
        let x = [1.0, 2.0, 4.0, 8.0, 9.0];
        let y = [1.0, 0.0, 1.0, 0.0, 2.0];
        let fit = |columns: &[&[f64]], target: &[f64]| {
            LeastSquares::fit(columns, target, Constant::Fitted).unwrap_err()
        };
        let doubled = x.map(|value| 3.0 - 2.0 * value);
        assert!(matches!(
            fit(&[&x, &y, &doubled], &[1.0, 2.0, 0.0, 3.0, 5.0]),
            RegressionError::Collinear { variable: 2 }
        ));
        assert!(matches!(
            fit(&[&x, &[0.1; 5]], &y),
            RegressionError::Constant { variable: 1 }
        ));
        assert!(matches!(
            fit(&[&x], &[0.1; 5]),
            RegressionError::NothingToExplain
        ));
        assert!(matches!(
            fit(&[&x[..4]], &y),
            RegressionError::LengthsDiffer {
                variable: 0,
                found: 4,
                needed: 5
            }
        ));
        assert!(matches!(
            fit(&[&x], &[1.0, 2.0, f64::NAN, 0.0, 1.0]),
            RegressionError::NotFinite { index: 2, .. }
        ));
        assert!(matches!(
            fit(&[&x[..2]], &y[..2]),
            RegressionError::TooFewSamples { .. }
        ));
        assert!(matches!(fit(&[], &y), RegressionError::NoVariable));
        let large = [1e300, -1e300, 1e300, 0.0, 1.0];
        assert!(matches!(
            fit(&[&large], &y),
            RegressionError::Overflow { .. }
        ));
        assert!(matches!(
            fit(&[&x], &large),
            RegressionError::Overflow { .. }
        ));
        let mut moments = CrossMoments::new(2);
        for (x, y) in large.iter().zip(&y) {
            moments.push(&[*x, *y]).unwrap();
        }
        assert!(matches!(
            LeastSquares::of_moments(&moments, &[0], 1),
            Err(RegressionError::Overflow { .. })
        ));
        assert!(matches!(
            crate::regression::forward_selection(&moments, &[0], 1, 0.0),
            Err(RegressionError::Overflow { .. })
        ));
        let moments = CrossMoments::new(2);
        assert!(matches!(
            LeastSquares::of_moments(&moments, &[], 1),
            Err(RegressionError::NoVariable)
        ));
        assert!(matches!(
            LeastSquares::of_moments(&moments, &[0, 2], 1),
            Err(RegressionError::NoSuchVariable { variable: 2, .. })
        ));
        assert!(matches!(
            LeastSquares::of_moments(&moments, &[0], 1),
            Err(RegressionError::TooFewSamples { .. })
        ));
    }

    proptest! {
        #[test]
        fn residuals_are_orthogonal_and_moments_agree(
            rows in prop::collection::vec(prop::array::uniform4(-10.0f64..10.0), 8..40),
        ) {
            let column = |idx: usize| rows.iter().map(|row| row[idx]).collect::<Vec<_>>();
            let columns = [column(0), column(1), column(2)];
            let views: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            let target = column(3);
            let fit = LeastSquares::fit(&views, &target, Constant::Fitted).unwrap();
            let residuals: Vec<f64> = rows.iter().map(|row| row[3] - fit.predict(&row[..3])).collect();
            prop_assert!(residuals.iter().sum::<f64>().abs() < 1e-8);
            for column in &columns {
                let product: f64 = column.iter().zip(&residuals).map(|(a, b)| a * b).sum();
                prop_assert!(product.abs() < 1e-7);
            }

            let mut moments = CrossMoments::new(4);
            for row in &rows {
                moments.push(row).unwrap();
            }
            let same = LeastSquares::of_moments(&moments, &[0, 1, 2], 3).unwrap();
            let close = |a: f64, b: f64| (a - b).abs() < 1e-8 * (1.0 + a.abs());
            prop_assert!(close(fit.r_squared, same.r_squared));
            prop_assert!(close(fit.constant, same.constant));
            prop_assert!(close(fit.constant_std_error, same.constant_std_error));
            for i in 0..3 {
                prop_assert!(close(fit.coefficients[i], same.coefficients[i]));
                prop_assert!(close(fit.std_errors[i], same.std_errors[i]));
            }

            // One variable explains the square of its correlation, and more explain no less.
            let alone = LeastSquares::fit(&views[..1], &target, Constant::Fitted).unwrap();
            let correlation = moments.correlation(0, 3).unwrap();
            prop_assert!(close(alone.r_squared, correlation * correlation));
            prop_assert!(fit.r_squared >= alone.r_squared - 1e-9);
        }

        #[test]
        fn units_and_offsets_do_not_matter(
            rows in prop::collection::vec(prop::array::uniform3(-10.0f64..10.0), 6..30),
            scale in 1e-3f64..1e3,
            shift in -1e3f64..1e3,
        ) {
            let column = |idx: usize| rows.iter().map(|row| row[idx]).collect::<Vec<_>>();
            let (first, second, target) = (column(0), column(1), column(2));
            let moved: Vec<f64> = first.iter().map(|value| value * scale + shift).collect();
            let plain = LeastSquares::fit(&[&first, &second], &target, Constant::Fitted).unwrap();
            let same = LeastSquares::fit(&[&moved, &second], &target, Constant::Fitted).unwrap();
            let close = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + a.abs());
            prop_assert!(close(plain.coefficients[0], same.coefficients[0] * scale));
            prop_assert!(close(plain.coefficients[1], same.coefficients[1]));
            prop_assert!(close(plain.std_errors[0], same.std_errors[0] * scale));
            prop_assert!(close(plain.r_squared, same.r_squared));
        }
    }
}
