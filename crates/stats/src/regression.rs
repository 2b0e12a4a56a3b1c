//! Ordinary least squares and forward selection.
//!
//! - [`LeastSquares::fit`]: from the columns of a design matrix, by Householder QR (`linfa-linear`).
//! - [`LeastSquares::of_moments`]: from means and covariances, for streams of any length, by
//!   Cholesky factors of the normal equations.
//! - [`forward_selection`]: the order in which variables enter a stepwise regression.
//!
//! # Examples
//! ```
//! use kibitz_stats::regression::{Constant, LeastSquares};
//! let x = [0.0, 1.0, 2.0, 3.0];
//! let y = [1.0, 3.1, 4.9, 7.0];
//! let line = LeastSquares::fit(&[&x], &y, Constant::Fitted)?;
//! assert!((line.coefficients[0] - 1.98).abs() < 1e-12);
//! assert!((line.predict(&[1.0]) - 3.01).abs() < 1e-12);
//! assert!(line.r_squared > 0.99);
//! # Ok::<(), kibitz_stats::regression::RegressionError>(())
//! ```

mod error;
mod forward;
mod least_squares;

pub use error::RegressionError;
pub use forward::{Entry, forward_selection};
pub use least_squares::{Constant, LeastSquares};

use nalgebra::{Cholesky, DMatrix, Dyn};

/// Collinearity threshold: the least share of a variable's variance that the others leave
/// unexplained.
const COLLINEARITY: f64 = 1e-10;

/// Cholesky factor of a correlation matrix; the error is the first variable that is a combination of
/// those before it.
fn factor(correlations: &DMatrix<f64>) -> Result<Cholesky<f64, Dyn>, usize> {
    let n = correlations.nrows();
    // The square of a pivot is the share of a variable that those before it leave unexplained.
    let leading = |size: usize| {
        Cholesky::new(correlations.view((0, 0), (size, size)).into_owned()).filter(|factor| {
            let pivots = factor.l_dirty().diagonal();
            pivots.iter().all(|pivot| pivot * pivot >= COLLINEARITY)
        })
    };
    leading(n).ok_or_else(|| (1..n).find(|&size| leading(size).is_none()).unwrap_or(n) - 1)
}
