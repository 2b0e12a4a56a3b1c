//! Standardized columns, and the way back from coefficients on them to those on the data.

use nalgebra::{DMatrix, DVector};

use super::{Constant, LeastSquares, RegressionError};
use crate::sum::CompensatedSum;

/// A column of the design matrix, standardized: centered and scaled to mean square 1.
pub(super) struct StandardizedColumn {
    /// The mean subtracted; 0 without a constant term.
    pub(super) mean: f64,
    pub(super) scale: f64,
    pub(super) values: Vec<f64>,
}

impl StandardizedColumn {
    /// `None` for a column that never varies.
    pub(super) fn of(column: &[f64], is_centered: bool) -> Option<Self> {
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

/// Gram matrix of standardized columns, divided by n: their correlations if centered.
pub(super) fn gram(columns: &[StandardizedColumn]) -> DMatrix<f64> {
    DMatrix::from_fn(columns.len(), columns.len(), |row, column| {
        let (left, right) = (&columns[row].values, &columns[column].values);
        let sum: CompensatedSum = left.iter().zip(right).map(|(a, b)| a * b).collect();
        sum.value() / left.len() as f64
    })
}
/// A fit to standardized columns.
pub(super) struct Solution<'a> {
    pub(super) slopes: &'a [f64],
    /// Inverse of the predictors' correlation matrix.
    pub(super) inverse: &'a DMatrix<f64>,
    /// Share of the target's mean square left unexplained.
    pub(super) unexplained: f64,
    pub(super) means: Vec<f64>,
    pub(super) scales: Vec<f64>,
    pub(super) target_mean: f64,
    pub(super) target_scale: f64,
    pub(super) n_samples: usize,
    pub(super) constant: Constant,
}

/// Coefficients on the data and their standard errors.
pub(super) fn unstandardize(solution: &Solution<'_>) -> Result<LeastSquares, RegressionError> {
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
            let z = DVector::from_iterator(
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
