//! Fitting the conditional logit model by maximum likelihood.

use nalgebra::DMatrix;

use super::ConditionalLogit;
use crate::optimize::{
    BfgsOptions, Curvature, HillClimbOptions, NewtonOptions, Objective, Optimum, SecondOrder,
    StopReason, TwiceDifferentiable, bfgs, hill_climb, newton_with_end, scaled_step,
};

/// Why no fit was tried.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// The start has the wrong number of weights.
    #[error("{found} starting weights given for {expected} attributes")]
    WrongStart {
        /// Attributes of the data.
        expected: usize,
        /// Weights given.
        found: usize,
    },
    /// A starting weight is infinite or not a number.
    #[error("starting weight {attribute} is {value}, not a finite number")]
    StartNotFinite {
        /// The attribute, counting from 0.
        attribute: usize,
        /// The weight given.
        value: f64,
    },
    /// The data set is empty.
    #[error("no choice sets to fit")]
    NoChoiceSets,
    /// The alternatives have no attributes, and so no weights.
    #[error("the choice sets have no attributes to weigh")]
    NoAttributes,
    /// The log-likelihood or a derivative is not finite where the search ended.
    #[error(
        "the log-likelihood or a derivative is not a finite number; the attributes are too large"
    )]
    Overflow,
}

impl FitError {
    /// Refuses starts that a fit of `expected` weights cannot begin from.
    pub(crate) fn check<'s>(
        starts: impl IntoIterator<Item = &'s [f64]>,
        expected: usize,
        is_without_data: bool,
    ) -> Result<(), Self> {
        if expected == 0 {
            return Err(Self::NoAttributes);
        }
        for start in starts {
            if start.len() != expected {
                return Err(Self::WrongStart {
                    expected,
                    found: start.len(),
                });
            }
            if let Some(attribute) = start.iter().position(|weight| !weight.is_finite()) {
                return Err(Self::StartNotFinite {
                    attribute,
                    value: start[attribute],
                });
            }
        }
        if is_without_data {
            return Err(Self::NoChoiceSets);
        }
        Ok(())
    }
}

/// Fitted weights of a choice model, with standard errors and the reason for stopping.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a fit may have ended without a maximum: look at `stop`"]
pub struct Fit {
    /// One weight per attribute. They maximize the likelihood only if [`stop`](Self::stop) is
    /// [`StopReason::Converged`]; otherwise they are the last ones seen.
    pub weights: Vec<f64>,
    /// Log-likelihood at the weights.
    pub log_likelihood: f64,
    /// Standard errors of the weights from the observed information; `None` without a maximum.
    pub std_errors: Option<Vec<f64>>,
    /// Covariance of the weights, the inverse of the observed information; `None` without a maximum.
    pub covariance: Option<DMatrix<f64>>,
    /// Iterations of the method.
    pub n_iterations: usize,
    /// Passes over the data.
    pub n_evaluations: usize,
    /// Why the method stopped.
    pub stop: StopReason,
}

impl Fit {
    /// The fit at the end of a method that stopped for the reason `stop`, with the curvature there.
    pub(crate) fn at(end: Optimum, stop: StopReason, curvature: &Curvature) -> Self {
        let covariance = curvature.covariance().filter(|_| stop.converged());
        Self {
            weights: end.point,
            log_likelihood: end.value,
            std_errors: covariance
                .as_ref()
                .map(|covariance| covariance.diagonal().iter().map(|var| var.sqrt()).collect()),
            covariance,
            n_iterations: end.n_iterations,
            n_evaluations: end.n_evaluations,
            stop,
        }
    }

    /// Whether the weights maximize the likelihood.
    pub fn converged(&self) -> bool {
        self.stop.converged()
    }
}

/// Largest Newton step, in units of the scales, from a point that counts as a maximum: values alone
/// place a maximum no better than about the square root of their rounding error.
const NEARLY_THERE: f64 = 1e-4;

impl ConditionalLogit<'_> {
    /// Maximum likelihood estimates by Newton's method from zero, with default options.
    ///
    /// Separation (no finite maximum) and collinear attributes are not errors: see [`Fit::stop`].
    ///
    /// # Errors
    /// [`FitError`] without data or attributes, or on overflow.
    ///
    /// # Examples
    /// ```
    /// use kibitz_stats::{ChoiceSets, ConditionalLogit, StopReason};
    /// let fit = |choices: [usize; 3]| {
    ///     let mut sets = ChoiceSets::builder(1);
    ///     for chosen in choices {
    ///         sets.push(0, chosen, [[1.5], [0.5]])?;
    ///     }
    ///     Ok::<_, Box<dyn std::error::Error>>(ConditionalLogit::new(&sets.build()).fit()?)
    /// };
    /// assert!((fit([0, 1, 0])?.weights[0] - 2f64.ln()).abs() < 1e-12);
    /// assert_eq!(fit([0, 0, 0])?.stop, StopReason::Separated);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fit(&self) -> Result<Fit, FitError> {
        let start = vec![0.0; self.n_parameters()];
        self.fit_newton(&start, &NewtonOptions::default())
    }

    /// Maximum likelihood estimates by Newton's method.
    ///
    /// The log-likelihood is concave, so any start leads to the same weights.
    ///
    /// # Errors
    /// [`FitError`] without data or attributes, for an unusable start, or on overflow. A likelihood
    /// without a single maximum is not an error but a [`StopReason`] of the fit.
    pub fn fit_newton(&self, start: &[f64], options: &NewtonOptions) -> Result<Fit, FitError> {
        FitError::check([start], self.n_parameters(), self.sets.is_empty())?;
        let aggregated = self.sets.aggregated();
        let model = ConditionalLogit {
            sets: aggregated.as_ref().unwrap_or(self.sets),
        };
        newton_fit(&model, start, options)
    }

    /// Maximum likelihood estimates by hill climbing, as in the paper: slower, to the same weights.
    ///
    /// # Errors
    /// As [`fit_newton`](Self::fit_newton).
    pub fn fit_hill_climb(
        &self,
        start: &[f64],
        options: &HillClimbOptions,
    ) -> Result<Fit, FitError> {
        FitError::check([start], self.n_parameters(), self.sets.is_empty())?;
        let end = hill_climb(self, start, options);
        self.finish_from(end)
    }

    /// Maximum likelihood estimates by the BFGS method, without second derivatives, to the same
    /// weights.
    ///
    /// # Errors
    /// As [`fit_newton`](Self::fit_newton).
    pub fn fit_bfgs(&self, start: &[f64], options: &BfgsOptions) -> Result<Fit, FitError> {
        FitError::check([start], self.n_parameters(), self.sets.is_empty())?;
        let end = bfgs(self, start, options);
        self.finish_from(end)
    }

    /// [`finish`](Self::finish) for methods that do not compute the Hessian.
    fn finish_from(self, end: Optimum) -> Result<Fit, FitError> {
        let there = self.second_order(&end.point);
        finish(
            &self,
            Optimum {
                n_evaluations: end.n_evaluations + 1,
                ..end
            },
            &there,
        )
    }
}

/// Maximum likelihood estimates by Newton's method, from a start that was checked.
pub(super) fn newton_fit(
    model: &impl TwiceDifferentiable,
    start: &[f64],
    options: &NewtonOptions,
) -> Result<Fit, FitError> {
    let (end, there) = newton_with_end(model, start, options);
    finish(model, end, &there)
}

/// Classifies the end of a method by the derivatives `there`: maximum, separation, or weights
/// that are not identified.
///
/// The likelihood is flat in a direction either everywhere or nowhere. So a direction that is flat
/// at the end but not at zero leads to infinity: separation.
fn finish(
    model: &impl TwiceDifferentiable,
    end: Optimum,
    there: &SecondOrder,
) -> Result<Fit, FitError> {
    if !there.is_finite() || !end.point.iter().all(|weight| weight.is_finite()) {
        return Err(FitError::Overflow);
    }
    let curvature = Curvature::new(&there.hessian);
    let mut evaluations = end.n_evaluations;
    let mut stop = end.stop;
    if curvature.is_flat() {
        let origin = model.second_order(&vec![0.0; end.point.len()]);
        evaluations += 1;
        stop = if Curvature::new(&origin.hessian).is_flat() {
            StopReason::NotIdentified
        } else {
            StopReason::Separated
        };
    } else if stop.converged() {
        let step = curvature.step(&there.gradient);
        if scaled_step(step.as_slice(), &end.point, &model.scales()) > NEARLY_THERE {
            stop = StopReason::Separated;
        }
    }
    let end = Optimum {
        value: there.value,
        n_evaluations: evaluations,
        ..end
    };
    Ok(Fit::at(end, stop, &curvature))
}
