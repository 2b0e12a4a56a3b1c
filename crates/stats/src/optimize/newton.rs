//! Newton's method with a line search.

use nalgebra::{DMatrix, DVector, DVectorView, SymmetricEigen};

use super::{
    LONG_STEP, NO_GAIN, Optimum, SecondOrder, StopReason, TwiceDifferentiable, rounding,
    scaled_step,
};

/// Options of [`newton`]; the defaults suit likelihoods.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields, default)
)]
pub struct NewtonOptions {
    /// Limit of iterations.
    pub max_iterations: usize,
    /// Converged when a full Newton step changes no parameter by more than this, in units of its
    /// scale plus its size. The step is still taken, and the error left is about its square.
    pub tolerance: f64,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self {
            max_iterations: 100,
            tolerance: 1e-8,
        }
    }
}

/// Armijo constant: the share of the predicted gain that a step must reach.
const SUFFICIENT_GAIN: f64 = 1e-4;
/// Limit of halvings in a line search.
const MAX_HALVINGS: usize = 60;

/// Maximizes by Newton's method with a backtracking line search.
///
/// Where the objective is not concave, the absolute values of the Hessian's eigenvalues are used, so
/// that steps still ascend. An iteration costs one evaluation with derivatives and one value per
/// halving.
///
/// Stops with [`StopReason::Separated`] when steps stay long although they gain nothing: at a true
/// maximum of a log-likelihood short steps and small gains come together. Stops with
/// [`StopReason::NotIdentified`] when the curvature along some direction vanishes.
///
/// # Panics
/// If `start` does not have one number per parameter.
pub fn newton(
    objective: &impl TwiceDifferentiable,
    start: &[f64],
    options: &NewtonOptions,
) -> Optimum {
    newton_with_end(objective, start, options).0
}

/// [`newton`], with the derivatives at the last point.
pub(crate) fn newton_with_end(
    objective: &impl TwiceDifferentiable,
    start: &[f64],
    options: &NewtonOptions,
) -> (Optimum, SecondOrder) {
    assert_eq!(
        start.len(),
        objective.n_parameters(),
        "there must be one number per parameter"
    );
    let scales = objective.scales();
    let mut point = start.to_vec();
    let mut here = objective.second_order(&point);
    let mut iterations = 0;
    let mut evaluations = 1;
    let stop = loop {
        if !here.is_finite() {
            break StopReason::NoProgress;
        }
        let curvature = Curvature::new(&here.hessian);
        if curvature.is_flat() {
            break StopReason::NotIdentified;
        }
        let step = curvature.step(&here.gradient);
        let predicted_gain = here.gradient.dot(&step);
        let length = scaled_step(step.as_slice(), &point, &scales);
        let converging = curvature.is_concave() && length <= options.tolerance;
        if converging {
            // The gain is below rounding error: a line search would see nothing.
            point
                .iter_mut()
                .zip(step.iter())
                .for_each(|(point, step)| *point += step);
            here = objective.second_order(&point);
            evaluations += 1;
            iterations += 1;
            break if here.is_finite() {
                StopReason::Converged
            } else {
                StopReason::NoProgress
            };
        }
        if predicted_gain <= NO_GAIN && length > LONG_STEP {
            break StopReason::Separated;
        }
        if iterations == options.max_iterations {
            break StopReason::OutOfBudget;
        }
        iterations += 1;
        let (found, cost) = line_search(objective, &point, &here, &step, predicted_gain);
        evaluations += cost;
        match found {
            Some(found) => (point, here) = found,
            None => break StopReason::NoProgress,
        }
    };
    let end = Optimum {
        point,
        value: here.value,
        n_iterations: iterations,
        n_evaluations: evaluations,
        stop,
    };
    (end, here)
}

/// Backtracking line search: the first of the steps 1, 1/2, 1/4, ... that gains enough, and the
/// number of evaluations.
fn line_search(
    objective: &impl TwiceDifferentiable,
    point: &[f64],
    here: &SecondOrder,
    step: &DVector<f64>,
    predicted_gain: f64,
) -> (Option<(Vec<f64>, SecondOrder)>, usize) {
    let at = |length: f64| -> Vec<f64> {
        point
            .iter()
            .zip(step.iter())
            .map(|(point, step)| point + length * step)
            .collect()
    };
    let enough = |value: f64, length: f64| {
        value >= here.value + SUFFICIENT_GAIN * length * predicted_gain - rounding(here.value)
    };
    // The full step nearly always succeeds, so its derivatives are rarely wasted.
    let full = at(1.0);
    let there = objective.second_order(&full);
    if enough(there.value, 1.0) {
        return (Some((full, there)), 1);
    }
    let mut length = 1.0;
    for halvings in 1..=MAX_HALVINGS {
        length *= 0.5;
        let shorter = at(length);
        if enough(objective.value(&shorter), length) {
            let there = objective.second_order(&shorter);
            return (Some((shorter, there)), halvings + 2);
        }
    }
    (None, MAX_HALVINGS + 1)
}

/// Eigendecomposition of the negative Hessian with its diagonal scaled to one.
///
/// The scaling makes the test for a singular Hessian independent of the parameters' units.
pub(crate) struct Curvature {
    /// Square roots of the diagonal's absolute values.
    roots: DVector<f64>,
    /// Eigenvalues and eigenvectors of the scaled negative Hessian.
    eigen: SymmetricEigen<f64, nalgebra::Dyn>,
}

impl Curvature {
    /// Eigenvalues below this, times the number of parameters, count as zero.
    const FLAT: f64 = 1e-13;

    pub(crate) fn new(hessian: &DMatrix<f64>) -> Self {
        let roots = hessian.diagonal().map(|curvature| curvature.abs().sqrt());
        let n = hessian.nrows();
        let scaled = DMatrix::from_fn(n, n, |row, col| {
            let unit = roots[row] * roots[col];
            if unit > 0.0 {
                -hessian[(row, col)] / unit
            } else {
                0.0
            }
        });
        // The eigensolver does not terminate on values that are not finite; 0 reads as flat.
        let scaled = if scaled.iter().all(|entry| entry.is_finite()) {
            scaled
        } else {
            DMatrix::zeros(n, n)
        };
        Self {
            roots,
            eigen: scaled.symmetric_eigen(),
        }
    }

    /// Whether the Hessian is singular (or not a number).
    pub(crate) fn is_flat(&self) -> bool {
        self.flat_directions().next().is_some()
    }

    /// The directions along which the curvature vanishes, in units that give every parameter the
    /// same curvature.
    pub(crate) fn flat_directions(&self) -> impl Iterator<Item = DVectorView<'_, f64>> {
        let flat = Self::FLAT * self.roots.len() as f64;
        let values = self.eigen.eigenvalues.iter().enumerate();
        values
            .filter(move |(_, value)| value.is_nan() || value.abs() <= flat)
            .map(|(place, _)| self.eigen.eigenvectors.column(place))
    }

    /// Whether the Hessian is negative definite.
    pub(crate) fn is_concave(&self) -> bool {
        self.eigen.eigenvalues.iter().all(|&value| value > 0.0)
    }

    /// The Newton step for a gradient, with absolute eigenvalues.
    pub(crate) fn step(&self, gradient: &DVector<f64>) -> DVector<f64> {
        let turned = self
            .eigen
            .eigenvectors
            .tr_mul(&gradient.component_div(&self.roots));
        let shrunk = turned.component_div(&self.eigen.eigenvalues.abs());
        (&self.eigen.eigenvectors * shrunk).component_div(&self.roots)
    }

    /// Inverse of the negative Hessian, if that is positive definite.
    pub(crate) fn covariance(&self) -> Option<DMatrix<f64>> {
        if self.is_flat() || !self.is_concave() {
            return None;
        }
        let vectors = &self.eigen.eigenvectors;
        let inverse = DMatrix::from_diagonal(&self.eigen.eigenvalues.map(f64::recip));
        let n = self.roots.len();
        let scaled = vectors * inverse * vectors.transpose();
        Some(DMatrix::from_fn(n, n, |row, col| {
            scaled[(row, col)] / (self.roots[row] * self.roots[col])
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::tests::{SaturatingModel, Valley};

    #[test]
    fn walks_the_valley_to_its_end() {
        let end = newton(&Valley, &[-1.2, 1.0], &NewtonOptions::default());
        assert_eq!(end.stop, StopReason::Converged);
        assert!(end.point.iter().all(|x| (x - 1.0).abs() < 1e-12), "{end:?}");
        assert!(end.n_evaluations > end.n_iterations && end.n_iterations < 40);
    }

    #[test]
    fn infinite_derivatives_are_no_maximum() {
        for start in [[1e160, 1.0], [f64::NAN, 0.0], [f64::INFINITY, 1.0]] {
            let end = newton(&Valley, &start, &NewtonOptions::default());
            assert_eq!(end.stop, StopReason::NoProgress, "{end:?}");
        }
        assert!(Curvature::new(&DMatrix::from_element(2, 2, f64::INFINITY)).is_flat());
    }

    #[test]
    fn sees_that_the_top_is_infinitely_far() {
        let end = newton(&SaturatingModel, &[0.0], &NewtonOptions::default());
        assert_eq!(end.stop, StopReason::Separated);
        assert!(end.n_iterations < 40 && end.point[0] > 10.0, "{end:?}");
    }

    #[test]
    fn says_when_the_budget_ran_out() {
        let options = NewtonOptions {
            max_iterations: 2,
            ..Default::default()
        };
        let end = newton(&Valley, &[-1.2, 1.0], &options);
        assert_eq!((end.stop, end.n_iterations), (StopReason::OutOfBudget, 2));
    }
}
