//! Ordinary least squares.

mod standardized_column;

use linfa::{DatasetBase, traits::Fit};
use linfa_linear::LinearRegression;
use nalgebra::DMatrix;
use ndarray::{Array1, Array2};

use self::standardized_column::{Solution, StandardizedColumn, gram, unstandardize};
use super::{RegressionError, factor};
use crate::moments::CrossMoments;
use crate::sum::CompensatedSum;

/// Whether a regression has a constant term (intercept).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Constant {
    /// The constant is fitted with the coefficients.
    #[default]
    Fitted,
    /// No constant: the fit goes through the origin, and r² is the share of the sum of squares
    /// explained, not of the variance.
    Zero,
}

/// A linear model fitted by least squares.
#[derive(Debug, Clone, PartialEq)]
pub struct LeastSquares {
    /// The constant term (intercept); 0 if it was not fitted.
    pub constant: f64,
    /// One coefficient for each variable, in the order given.
    pub coefficients: Vec<f64>,
    /// Standard errors of the coefficients, for independent errors of equal variance.
    pub std_errors: Vec<f64>,
    /// Standard error of the constant term; 0 if it was not fitted.
    pub constant_std_error: f64,
    /// Coefficient of determination: the share of variance explained, from 0 to 1.
    pub r_squared: f64,
    /// Residual standard deviation, over n minus the number of fitted coefficients.
    pub residual_std_dev: f64,
    /// Number of observations.
    pub n_samples: usize,
}

impl LeastSquares {
    /// Regresses `target` on the `columns` of the design matrix, all of its length.
    ///
    /// Columns are standardized before they go to `linfa-linear`, which solves by Householder QR,
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
        let standardized: Vec<StandardizedColumn> = columns
            .iter()
            .enumerate()
            .map(|(variable, column)| {
                StandardizedColumn::of(column, is_centered)
                    .ok_or(RegressionError::Constant { variable })
            })
            .collect::<Result<_, _>>()?;
        let dependent =
            StandardizedColumn::of(target, is_centered).ok_or(RegressionError::NothingToExplain)?;
        if !(standardized.iter().chain([&dependent]))
            .all(|it| it.scale.is_finite() && it.mean.is_finite())
        {
            return Err(RegressionError::Overflow {
                what: "the mean or the mean square of a variable",
            });
        }

        let records = Array2::from_shape_fn((n, standardized.len()), |(row, column)| {
            standardized[column].values[row]
        });
        // First, because the solver does not report a singular design matrix.
        let factor = factor(&gram(&standardized))
            .map_err(|variable| RegressionError::Collinear { variable })?;
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
                    .zip(&standardized)
                    .map(|(slope, column)| slope * column.values[row])
                    .sum();
                (dependent.values[row] - explained).powi(2)
            })
            .collect();
        let inverse = factor.inverse();
        unstandardize(&Solution {
            slopes: &slopes,
            inverse: &inverse,
            // Standardized values have mean square 1.
            unexplained: residual_squares.value() / n as f64,
            means: standardized.iter().map(|column| column.mean).collect(),
            scales: standardized.iter().map(|column| column.scale).collect(),
            target_mean: dependent.mean,
            target_scale: dependent.scale,
            n_samples: n,
            constant,
        })
    }

    /// Regresses variable `target` on the variables `predictors`, with a constant, from moments.
    ///
    /// Solves the normal equations of the correlations; the model is the one that
    /// [`fit`](Self::fit) finds in the data.
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
        unstandardize(&Solution {
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

    /// The fitted value at a point: the constant plus the coefficients times `values`.
    ///
    /// # Panics
    /// If there is not one value per variable.
    pub fn predict(&self, values: &[f64]) -> f64 {
        assert_eq!(
            values.len(),
            self.coefficients.len(),
            "one value per variable"
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

/// Correlation matrix of the predictors and, last, the target.
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
mod tests;
