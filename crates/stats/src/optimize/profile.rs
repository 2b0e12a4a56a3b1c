//! Profile likelihood: the objective as a function of one parameter, maximized over all others.

use nalgebra::DVector;

use super::{BfgsOptions, Differentiable, FirstOrder, Objective, Optimum, StopReason, bfgs};

/// Tolerance of an interval's ends, in units of the square root of the fall: a thousandth of a
/// standard error.
const NEAR: f64 = 1e-3;
/// Trials per end of an interval.
const MAX_TRIALS: usize = 40;

/// Why an end of a profile-likelihood interval is unknown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The maximum over the other parameters is not reached within the limit of the options, and a lower
    /// point would make the interval too short.
    #[error(
        "with parameter {parameter} at {value} the maximum over the others is not reached within the limit of steps"
    )]
    NoMaximum {
        /// The parameter of the interval, counted from 0.
        parameter: usize,
        /// Where it was held.
        value: f64,
    },
    /// The search for an end does not close in on it.
    #[error("an end of the interval of parameter {parameter} is not found in {MAX_TRIALS} trials")]
    NoEnd {
        /// The parameter of the interval, counted from 0.
        parameter: usize,
    },
}

/// Profile-likelihood interval of one parameter: the values at which the objective, maximized over
/// all other parameters, is at most `fall` below its maximum.
///
/// For a log-likelihood, a fall of `z * z / 2` gives the interval that corresponds to `z` standard
/// errors; it need not be symmetric. `std_error` is the first guess of its half-width. An end beyond
/// a thousand standard errors is infinite. Of several maxima the profile follows the given one; where
/// another is higher, its values count as well.
///
/// # Source
/// Venzon and Moolgavkar 1988, "A method for computing profile-likelihood-based confidence
/// intervals".
///
/// # Errors
/// [`ProfileError`] for an end that cannot be located.
///
/// # Panics
/// If `parameter` is out of range, or `fall` or `std_error` is not positive.
pub fn profile_interval(
    objective: &impl Differentiable,
    maximum: &Optimum,
    parameter: usize,
    std_error: f64,
    fall: f64,
    options: &BfgsOptions,
) -> Result<[f64; 2], ProfileError> {
    assert!(
        fall > 0.0 && std_error > 0.0,
        "an interval needs a fall and a width"
    );
    let end = |sign: f64| {
        let mut at = maximum.point.clone();
        let top = at[parameter];
        // The square root of the fall is nearly linear: zero at the maximum, one at the end.
        let mut depth = |distance: f64| {
            at[parameter] = top + sign * distance;
            let value = maximum_without(objective, &mut at, parameter, options)?;
            // A point without a value lies outside.
            let fallen = if value.is_nan() {
                f64::INFINITY
            } else {
                maximum.value - value
            };
            Ok((fallen.max(0.0) / fall).sqrt())
        };
        let (mut inside, mut outside) = ((0.0, 0.0), None::<(f64, f64)>);
        let mut distance = std_error * (2.0 * fall).sqrt();
        for _ in 0..MAX_TRIALS {
            let here = (distance, depth(distance)?);
            if (here.1 - 1.0).abs() <= NEAR {
                return Ok(top + sign * distance);
            }
            if here.1 < 1.0 {
                inside = here;
            } else {
                outside = Some(here);
            }
            distance = match outside {
                None if distance > 1000.0 * std_error => return Ok(sign * f64::INFINITY),
                None => 2.0 * distance,
                Some(outside) => between(inside, outside),
            };
        }
        Err(ProfileError::NoEnd { parameter })
    };
    Ok([end(-1.0)?, end(1.0)?])
}

/// Secant step to the value one, kept well between the two points.
fn between(inside: (f64, f64), outside: (f64, f64)) -> f64 {
    let width = outside.0 - inside.0;
    let share = (1.0 - inside.1) / (outside.1 - inside.1);
    let share = if share.is_finite() { share } else { 0.5 };
    inside.0 + width * share.clamp(0.05, 0.95)
}

/// The maximum over all parameters but one; `at` is the start, and becomes the maximum.
fn maximum_without(
    objective: &impl Differentiable,
    at: &mut [f64],
    parameter: usize,
    options: &BfgsOptions,
) -> Result<f64, ProfileError> {
    let value = at[parameter];
    let slice = Slice {
        objective,
        parameter,
        value,
    };
    let start: Vec<f64> = slice.others(at).collect();
    if start.is_empty() {
        return Ok(objective.value(at));
    }
    let end = bfgs(&slice, &start, options);
    if end.stop == StopReason::OutOfBudget {
        return Err(ProfileError::NoMaximum { parameter, value });
    }
    at.copy_from_slice(&slice.whole(&end.point));
    Ok(end.value)
}

/// An objective with one parameter held fixed.
struct Slice<'o, O> {
    objective: &'o O,
    parameter: usize,
    value: f64,
}

impl<O> Slice<'_, O> {
    fn others(&self, of: &[f64]) -> impl Iterator<Item = f64> {
        let kept = of
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != self.parameter);
        kept.map(|(_, value)| *value)
    }

    fn whole(&self, point: &[f64]) -> Vec<f64> {
        let mut whole = point.to_vec();
        whole.insert(self.parameter, self.value);
        whole
    }
}

impl<O: Objective> Objective for Slice<'_, O> {
    fn n_parameters(&self) -> usize {
        self.objective.n_parameters() - 1
    }

    fn scales(&self) -> Vec<f64> {
        self.others(&self.objective.scales()).collect()
    }

    fn value(&self, point: &[f64]) -> f64 {
        self.objective.value(&self.whole(point))
    }
}

impl<O: Differentiable> Differentiable for Slice<'_, O> {
    fn first_order(&self, point: &[f64]) -> FirstOrder {
        let there = self.objective.first_order(&self.whole(point));
        let slopes: Vec<f64> = self.others(there.gradient.as_slice()).collect();
        FirstOrder {
            value: there.value,
            gradient: DVector::from_vec(slopes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::{
        StopReason,
        tests::{Dome, SaturatingModel},
    };

    #[test]
    fn of_a_parabola_it_is_as_wide_as_the_standard_errors() {
        let options = BfgsOptions::default();
        let maximum = bfgs(&Dome, &[0.0, 0.0], &options);
        // The negative Hessian is [2, 1.2; 1.2, 2] in units of the scales, 1 and 100.
        let variance = 2.0 / (2.0 * 2.0 - 1.2 * 1.2);
        for (parameter, scale) in [(0, 1.0), (1, 100.0)] {
            let std_error = scale * f64::sqrt(variance);
            for first in [std_error, 0.01 * std_error, 30.0 * std_error] {
                let ends =
                    profile_interval(&Dome, &maximum, parameter, first, 2.0, &options).unwrap();
                for (end, sign) in ends.into_iter().zip([-1.0, 1.0]) {
                    let expected = maximum.point[parameter] + sign * 2.0 * std_error;
                    assert!(
                        (end - expected).abs() < 0.003 * std_error,
                        "{parameter}, {first}: {end}, not {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_fit_without_an_end_is_no_interval() {
        let maximum = bfgs(&Dome, &[0.0, 0.0], &BfgsOptions::default());
        let none = BfgsOptions {
            max_iterations: 0,
            ..BfgsOptions::default()
        };
        let found = profile_interval(&Dome, &maximum, 1, 1.0, 2.0, &none);
        assert!(
            matches!(found, Err(ProfileError::NoMaximum { parameter: 1, .. })),
            "{found:?}"
        );
    }

    #[test]
    fn a_side_that_never_falls_so_far_has_no_end() {
        // Rises to 0 without end, so the point is no maximum, but as good as one.
        let point = vec![20.0];
        let maximum = Optimum {
            value: SaturatingModel.value(&point),
            point,
            n_iterations: 0,
            n_evaluations: 0,
            stop: StopReason::Converged,
        };
        let [low, high] = profile_interval(
            &SaturatingModel,
            &maximum,
            0,
            1.0,
            0.5,
            &BfgsOptions::default(),
        )
        .unwrap();
        let fall = maximum.value - SaturatingModel.value(&[low]);
        assert!((fall - 0.5).abs() < 0.002, "{low}: {fall}");
        assert_eq!(high, f64::INFINITY);
    }
}
