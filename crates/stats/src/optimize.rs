//! Maximizers that say why they stopped.
//!
//! An [`Objective`] gives a value and, through [`Differentiable`] and [`TwiceDifferentiable`],
//! derivatives; every method returns an [`Optimum`] with its [`StopReason`] and its cost. All methods
//! are deterministic.
//!
//! | method | needs | for |
//! | --- | --- | --- |
//! | [`newton`] | second derivatives | concave likelihoods: few evaluations, full precision |
//! | [`bfgs`] | first derivatives | any smooth surface; from several starts where there may be several maxima |
//! | [`hill_climb`] | values | the papers' method; slow, but needs no smoothness |
//!
//! The methods are our own, over `nalgebra`, rather than the `argmin` crate's: they distinguish a
//! maximum from separation and from weights that are not identified, which `argmin`'s solvers do
//! not, and its executor reads the clock.

mod bfgs;
mod hill_climb;
mod multi_start;
mod newton;
mod profile;
#[cfg(test)]
mod tests;

use nalgebra::{DMatrix, DVector};

pub use bfgs::{BfgsOptions, bfgs};
pub(crate) use bfgs::{Start, bfgs_from_all};
pub use hill_climb::{HillClimbOptions, hill_climb};
pub(crate) use multi_start::scattered_starts;
pub use multi_start::{DistinctOptimum, MultiStart};
pub(crate) use newton::{Curvature, newton_with_end};
pub use newton::{NewtonOptions, newton};
pub use profile::{ProfileError, profile_interval};

/// An objective function to maximize.
pub trait Objective: Sync {
    /// Number of parameters, the length of every point.
    fn n_parameters(&self) -> usize;

    /// The scale of every parameter, a change that matters: positive and finite.
    ///
    /// Steps and distances are measured in these units, so that parameters of very different size
    /// are treated alike. One unless overridden.
    fn scales(&self) -> Vec<f64> {
        vec![1.0; self.n_parameters()]
    }

    /// The value at a point; NaN and minus infinity mark points outside the domain.
    fn value(&self, point: &[f64]) -> f64;
}

/// An objective with a gradient.
pub trait Differentiable: Objective {
    /// Value and gradient at a point.
    fn first_order(&self, point: &[f64]) -> FirstOrder;

    /// [`first_order`](Self::first_order) at every point. Override it where a batch costs less than
    /// one point after another.
    fn first_orders(&self, points: &[Vec<f64>]) -> Vec<FirstOrder> {
        points.iter().map(|point| self.first_order(point)).collect()
    }
}

/// A request for value and gradient of an objective at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe<'o, O> {
    /// The objective.
    pub objective: &'o O,
    /// The point.
    pub point: Vec<f64>,
}

/// An objective with a gradient and a Hessian.
pub trait TwiceDifferentiable: Differentiable {
    /// Value, gradient and Hessian at a point.
    fn second_order(&self, point: &[f64]) -> SecondOrder;
}

/// Value and gradient.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstOrder {
    /// The value.
    pub value: f64,
    /// First derivatives.
    pub gradient: DVector<f64>,
}

/// Value, gradient and Hessian.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondOrder {
    /// The value.
    pub value: f64,
    /// First derivatives.
    pub gradient: DVector<f64>,
    /// Second derivatives, symmetric.
    pub hessian: DMatrix<f64>,
}

impl SecondOrder {
    /// Whether value and derivatives are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let mut derivatives = self.gradient.iter().chain(&self.hessian);
        self.value.is_finite() && derivatives.all(|it| it.is_finite())
    }
}

/// Why a maximizer stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum StopReason {
    /// The last point is a maximum, to the tolerance of the options.
    Converged,
    /// Separation: the supremum is approached only at infinity, as when an attribute separates chosen
    /// from other alternatives. There is no maximum; the point is the last one seen.
    Separated,
    /// The parameters are not identified: the objective is flat along some direction, as when two
    /// attributes are collinear or one never varies.
    NotIdentified,
    /// The limit of iterations or evaluations was reached.
    OutOfBudget,
    /// No step raises the value, although the gradient is not zero: rounding dominates, or derivatives
    /// and values disagree.
    NoProgress,
}

impl StopReason {
    /// Whether the last point is a maximum.
    pub fn converged(self) -> bool {
        self == Self::Converged
    }
}

/// The end of a maximization.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The last point: the maximum only if [`stop`](Self::stop) says so.
    pub point: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// Iterations: steps taken, or sweeps over all parameters.
    pub n_iterations: usize,
    /// Evaluations of the objective, with or without derivatives.
    pub n_evaluations: usize,
    /// Why it stopped.
    pub stop: StopReason,
}

/// Threshold of a long step, as [`scaled_step`] measures.
pub(crate) const LONG_STEP: f64 = 1e-3;

/// Negligible gain, in units of the value (nats for a log-likelihood).
///
/// A long step without gain shows separation: around a true maximum of a log-likelihood, even of a
/// single choice, a long step costs far more.
const NO_GAIN: f64 = 1e-10;

/// Length of a step, the same for all methods: the largest change of a parameter relative to its
/// scale and size, `max_k |step_k| / (scale_k + |point_k|)`.
pub(crate) fn scaled_step(step: &[f64], point: &[f64], scales: &[f64]) -> f64 {
    step.iter()
        .zip(point)
        .zip(scales)
        .map(|((step, point), scale)| step.abs() / (scale + point.abs()))
        .fold(0.0, f64::max)
}

/// Rounding error of `value`: a loss up to this may be none.
pub(crate) fn rounding(value: f64) -> f64 {
    64.0 * f64::EPSILON * value.abs()
}
