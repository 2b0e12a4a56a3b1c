//! Maximizers that say why they stopped.
//!
//! An [`Objective`] gives a value and, by the traits above it, derivatives; every method returns
//! an [`Optimum`] with its [`StopReason`] and what it cost. All methods are deterministic.
//!
//! | method | needs | for |
//! | --- | --- | --- |
//! | [`newton`] | second derivatives | concave likelihoods: few evaluations, exact answers |
//! | [`bfgs`] | first derivatives | any smooth surface; [`bfgs_from_all`] where there may be several maxima |
//! | [`hill_climb`] | values | the papers' method; slow, but asks nothing of the surface |
//!
//! The methods are written out here, over `nalgebra`, rather than taken from the `argmin` crate:
//! the point of the module is to tell a maximum from a likelihood that has none, or has many,
//! which `argmin`'s solvers do not, and its executor reads the clock.

mod bfgs;
mod hill_climb;
mod multi_start;
mod newton;
mod profile;
#[cfg(test)]
mod tests;

use nalgebra::{DMatrix, DVector};

pub use bfgs::{BfgsOptions, Start, bfgs, bfgs_from_all};
pub use hill_climb::{HillClimbOptions, hill_climb};
pub use multi_start::{DistinctOptimum, MultiStart, scattered_starts};
pub(crate) use newton::{Curvature, newton_with_end};
pub use newton::{NewtonOptions, newton};
pub use profile::profile_interval;

/// Something to be maximized.
pub trait Objective: Sync {
    /// Number of parameters, the length of every point.
    fn n_parameters(&self) -> usize;

    /// For every parameter, a change that matters: positive and finite.
    ///
    /// Steps and distances are measured in these units, so that parameters of very different size
    /// are treated alike. One unless overridden.
    fn scales(&self) -> Vec<f64> {
        vec![1.0; self.n_parameters()]
    }

    /// The value at a point; NaN and minus infinity are points to keep away from.
    fn value(&self, point: &[f64]) -> f64;
}

/// An objective with a gradient.
pub trait Differentiable: Objective {
    /// Value and gradient at a point.
    fn first_order(&self, point: &[f64]) -> FirstOrder;

    /// [`first_order`](Self::first_order) at every point; to be overridden where several points
    /// together cost less than one after another.
    fn first_orders(&self, points: &[Vec<f64>]) -> Vec<FirstOrder> {
        points.iter().map(|point| self.first_order(point)).collect()
    }
}

/// Value and gradient are wanted of an objective at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe<'o, O> {
    /// Of what.
    pub objective: &'o O,
    /// Where.
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
    /// The last point is a maximum, as exactly as the options asked.
    Converged,
    /// The value rises toward its least upper bound only as the point runs off to infinity, as
    /// when an attribute separates chosen from other alternatives. There is no maximum; the point
    /// is the last one seen.
    Separated,
    /// Along some direction the objective is flat, so the maximum is not a single point; as when
    /// two attributes always move together, or one never varies.
    NotIdentified,
    /// The allowed iterations or evaluations ran out first.
    OutOfBudget,
    /// No step raises the value, though the point is not a maximum as far as derivatives tell:
    /// the arithmetic is exhausted, or derivatives and values disagree.
    NoProgress,
}

impl StopReason {
    /// Whether the last point is a maximum.
    pub fn converged(self) -> bool {
        self == Self::Converged
    }
}

/// Where a maximizer ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The last point: the maximum only if [`stop`](Self::stop) says so.
    pub point: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// Iterations: steps taken, or sweeps over all parameters.
    pub iterations: usize,
    /// Evaluations of the objective, with or without derivatives.
    pub evaluations: usize,
    /// Why it stopped.
    pub stop: StopReason,
}

/// A step is still long above this, as [`scaled_step`] measures.
pub(crate) const LONG_STEP: f64 = 1e-3;

/// A gain below this, in units of the value (nats for a log-likelihood), is nothing.
///
/// Nothing gained by a long step means that the surface has leveled out without a top: at a true
/// maximum of a log-likelihood, even of a single choice, a long step costs far more.
const NO_GAIN: f64 = 1e-10;

/// Largest change of a parameter, in units of its scale and relative to its size.
///
/// `max_k |step_k| / (scale_k + |point_k|)`: one number for "how far", the same for all methods.
pub(crate) fn scaled_step(step: &[f64], point: &[f64], scales: &[f64]) -> f64 {
    step.iter()
        .zip(point)
        .zip(scales)
        .map(|((step, point), scale)| step.abs() / (scale + point.abs()))
        .fold(0.0, f64::max)
}

/// A value worse than `value` by no more than this may still be no worse: rounding.
pub(crate) fn rounding(value: f64) -> f64 {
    64.0 * f64::EPSILON * value.abs()
}
