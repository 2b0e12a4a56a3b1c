//! Why a regression could not be computed.

/// Why a regression could not be computed. Variables are counted from 0, in the order given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegressionError {
    /// There is no variable to explain by.
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
    /// A variable has not as many values as the dependent one.
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
        /// What was given.
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
    #[error("there is no variable {variable}: the moments have {n_variables}")]
    NoSuchVariable {
        /// Which one was asked for.
        variable: usize,
        /// How many there are.
        n_variables: usize,
    },
    /// The values are finite, but so large that what is computed from them is not.
    #[error("{what} is not a finite number; the values are too large for it")]
    Overflow {
        /// What was computed.
        what: &'static str,
    },
    /// The solver gave up.
    #[error("the least-squares solver failed")]
    Solver(#[source] linfa_linear::LinearError<f64>),
}
