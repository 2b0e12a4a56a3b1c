//! Why a regression could not be computed.

/// Why a regression could not be computed. Variables are counted from 0, in the order given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegressionError {
    /// The design matrix has no column.
    #[error("a regression needs at least one variable")]
    NoVariable,
    /// There are not more observations than coefficients.
    #[error("{n_samples} observations do not determine {n_coefficients} coefficients")]
    TooFewSamples {
        /// Observations given.
        n_samples: usize,
        /// Coefficients to fit, the constant included.
        n_coefficients: usize,
    },
    /// A variable and the dependent variable differ in length.
    #[error("variable {variable} has {found} values, the dependent variable {needed}")]
    LengthsDiffer {
        /// Which variable.
        variable: usize,
        /// Its values.
        found: usize,
        /// Values of the dependent variable.
        needed: usize,
    },
    /// A value is infinite or not a number.
    #[error("value {index} of a variable is {value}, not a finite number")]
    NotFinite {
        /// Position of the value within its variable.
        index: usize,
        /// The value given.
        value: f64,
    },
    /// A variable never varies.
    #[error("variable {variable} never varies")]
    Constant {
        /// Which variable.
        variable: usize,
    },
    /// A variable is a combination of those before it.
    #[error("variable {variable} is a combination of those before it")]
    Collinear {
        /// Which variable.
        variable: usize,
    },
    /// The dependent variable never varies.
    #[error("the dependent variable never varies")]
    NothingToExplain,
    /// The moments have no such variable.
    #[error("no variable {variable}: the moments have {n_variables} variables")]
    NoSuchVariable {
        /// The variable requested.
        variable: usize,
        /// Number of variables.
        n_variables: usize,
    },
    /// A result overflows, although the values are finite.
    #[error("{what} is not a finite number; the values are too large for it")]
    Overflow {
        /// The overflowing result.
        what: &'static str,
    },
    /// The solver gave up.
    #[error("the least-squares solver failed")]
    Solver(#[source] linfa_linear::LinearError<f64>),
}
