//! The quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno.

use nalgebra::{DMatrix, DVector};

use super::{
    Differentiable, FirstOrder, LONG_STEP, NO_GAIN, Optimum, StopReason, rounding, scaled_step,
};

/// How [`bfgs`] works.
#[derive(Debug, Clone, PartialEq)]
pub struct BfgsOptions {
    /// Steps allowed.
    pub max_iterations: usize,
    /// Converged when no slope exceeds this times one plus the value's size, slopes taken per
    /// unit of the parameters' scales.
    pub tolerance: f64,
}

impl Default for BfgsOptions {
    fn default() -> Self {
        Self {
            max_iterations: 500,
            tolerance: 1e-10,
        }
    }
}

/// Share of the first slope's promise that a step must keep.
const SUFFICIENT_GAIN: f64 = 1e-4;
/// A step is too short while more than this share of the first slope is left.
const SLOPE_LEFT: f64 = 0.9;
/// Trials per line search.
const MAX_TRIALS: usize = 60;

/// Maximizes with gradients, learning the curvature from them; needs no concavity.
///
/// Works in units of the objective's scales. The line search doubles and bisects until both Wolfe
/// conditions hold (Lewis and Overton 2013, "Nonsmooth optimization via quasi-Newton methods").
/// On a surface with several maxima the start decides which one is found: see
/// [`multi_start`](super::multi_start).
///
/// # Panics
/// If `start` does not have one number per parameter.
pub fn bfgs(objective: &impl Differentiable, start: &[f64], options: &BfgsOptions) -> Optimum {
    assert_eq!(
        start.len(),
        objective.n_parameters(),
        "there must be one number per parameter"
    );
    let n = start.len();
    let scales = DVector::from_vec(objective.scales());
    let mut at = Place::new(objective, start.to_vec(), &scales);
    // Inverse of the negative Hessian, in units of the scales, as learned so far.
    let mut inverse = DMatrix::identity(n, n);
    let mut iterations = 0;
    let mut evaluations = 1;
    let mut fresh = true;
    let stop = loop {
        if !at.value.is_finite() {
            break StopReason::NoProgress;
        }
        let mut direction = &inverse * &at.slopes;
        let gain = at.slopes.dot(&direction);
        let length = scaled_step(
            direction.component_mul(&scales).as_slice(),
            &at.point,
            scales.as_slice(),
        );
        if !fresh && gain <= NO_GAIN && length > LONG_STEP {
            break StopReason::Separated;
        }
        if at.slopes.amax() <= options.tolerance * (1.0 + at.value.abs()) {
            break StopReason::Converged;
        }
        if iterations == options.max_iterations {
            break StopReason::OutOfBudget;
        }
        iterations += 1;
        if fresh {
            // Nothing is known of the curvature yet: at most one scale in any parameter.
            direction /= direction.amax().max(1.0);
        }
        let (found, cost) = line_search(objective, &at, &direction, &scales);
        evaluations += cost;
        let Some((next, length)) = found else {
            if fresh {
                break StopReason::NoProgress;
            }
            inverse.fill_with_identity();
            fresh = true;
            continue;
        };
        let step = direction * length;
        let bend = &at.slopes - &next.slopes;
        if fresh {
            inverse *= step.dot(&bend) / bend.norm_squared();
            fresh = false;
        }
        learn(&mut inverse, &step, &bend);
        at = next;
    };
    Optimum {
        point: at.point,
        value: at.value,
        iterations,
        evaluations,
        stop,
    }
}

/// A point, its value, and its slopes per unit of the scales.
struct Place {
    point: Vec<f64>,
    value: f64,
    slopes: DVector<f64>,
}

impl Place {
    fn new(objective: &impl Differentiable, point: Vec<f64>, scales: &DVector<f64>) -> Self {
        let FirstOrder { value, gradient } = objective.first_order(&point);
        Self {
            point,
            value,
            slopes: gradient.component_mul(scales),
        }
    }
}

/// The place reached and the step length, if one was found, and the evaluations spent.
fn line_search(
    objective: &impl Differentiable,
    at: &Place,
    direction: &DVector<f64>,
    scales: &DVector<f64>,
) -> (Option<(Place, f64)>, usize) {
    let slope = at.slopes.dot(direction);
    let (mut too_short, mut too_long) = (0.0, f64::INFINITY);
    let mut length = 1.0;
    for trial in 1..=MAX_TRIALS {
        let moved = direction.component_mul(scales) * length;
        let point = at
            .point
            .iter()
            .zip(moved.iter())
            .map(|(from, by)| from + by)
            .collect();
        let next = Place::new(objective, point, scales);
        let promised = at.value + SUFFICIENT_GAIN * length * slope - rounding(at.value);
        if next.value.is_nan() || next.value < promised {
            too_long = length;
        } else if next.slopes.dot(direction) > SLOPE_LEFT * slope {
            too_short = length;
        } else {
            return (Some((next, length)), trial);
        }
        length = if too_long.is_finite() {
            f64::midpoint(too_short, too_long)
        } else {
            2.0 * too_short
        };
    }
    (None, MAX_TRIALS)
}

/// The BFGS update of the inverse, from a step and the change of slopes along it.
fn learn(inverse: &mut DMatrix<f64>, step: &DVector<f64>, bend: &DVector<f64>) {
    let curvature = step.dot(bend);
    // Positive by the second Wolfe condition, but for rounding.
    if curvature <= 0.0 {
        return;
    }
    let turned = &*inverse * bend;
    let stretch = (1.0 + bend.dot(&turned) / curvature) / curvature;
    *inverse += step * step.transpose() * stretch
        - (&turned * step.transpose() + step * turned.transpose()) / curvature;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::landscapes::{Dome, Saturating, Valley};

    #[test]
    fn climbs_a_slanted_dome() {
        let end = bfgs(&Dome, &[0.0, 0.0], &BfgsOptions::default());
        assert_eq!(end.stop, StopReason::Converged);
        assert!(
            (end.point[0] - 3.0).abs() < 1e-8 && (end.point[1] + 200.0).abs() < 1e-6,
            "{end:?}"
        );
    }

    #[test]
    fn walks_the_valley_to_its_end() {
        let end = bfgs(&Valley, &[-1.2, 1.0], &BfgsOptions::default());
        assert_eq!(end.stop, StopReason::Converged);
        assert!(end.point.iter().all(|x| (x - 1.0).abs() < 1e-8), "{end:?}");
        assert!(end.evaluations < 100, "{end:?}");
    }

    #[test]
    fn sees_that_the_top_is_infinitely_far() {
        let end = bfgs(&Saturating, &[0.0], &BfgsOptions::default());
        assert_eq!(end.stop, StopReason::Separated);
    }

    #[test]
    fn says_when_the_budget_ran_out() {
        let options = BfgsOptions {
            max_iterations: 3,
            ..Default::default()
        };
        let end = bfgs(&Valley, &[-1.2, 1.0], &options);
        assert_eq!((end.stop, end.iterations), (StopReason::OutOfBudget, 3));
    }
}
