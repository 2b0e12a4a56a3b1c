//! The quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno.

use nalgebra::{DMatrix, DVector};

use super::{
    Differentiable, FirstOrder, LONG_STEP, NO_GAIN, Optimum, Probe, StopReason, rounding,
    scaled_step,
};

/// How [`bfgs`] works.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields, default)
)]
pub struct BfgsOptions {
    /// Steps allowed.
    pub max_iterations: usize,
    /// Converged when no part of the gradient exceeds this times one plus the value's size, taken per
    /// unit of the parameters' scales. The step from there is still taken, unseen, if it is short.
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

/// Share of the gain that the directional derivative promises which a step must keep: the first
/// Wolfe condition's constant.
const SUFFICIENT_GAIN: f64 = 1e-4;
/// A step is too short while more than this share of the directional derivative is left: the second
/// Wolfe condition's constant.
const SLOPE_LEFT: f64 = 0.9;
/// Trials per line search.
const MAX_TRIALS: usize = 60;

/// Maximizes with gradients, learning the curvature from them; needs no concavity.
///
/// Works in units of the objective's scales. The line search doubles and bisects until both Wolfe
/// conditions hold (Lewis and Overton 2013, "Nonsmooth optimization via quasi-Newton methods").
/// On a surface with several maxima the start decides which one is found: see
/// [`bfgs_from_all`].
///
/// # Panics
/// If `start` does not have one number per parameter.
pub fn bfgs(objective: &impl Differentiable, start: &[f64], options: &BfgsOptions) -> Optimum {
    let mut climb = Climb::new(objective, &start.to_vec().into(), options);
    while let Some(point) = climb.asks() {
        let there = objective.first_order(point);
        climb.tell(&there);
    }
    climb.end()
}

/// Where a climb starts, and what is known of the curvature there.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The point.
    pub point: Vec<f64>,
    /// Inverse of the negative Hessian, or something close to it: then the first steps are nearly
    /// Newton's. If `None`, the climb learns the curvature on its way.
    pub covariance: Option<DMatrix<f64>>,
}

impl From<Vec<f64>> for Start {
    /// Nothing is known of the curvature.
    fn from(point: Vec<f64>) -> Self {
        Self {
            point,
            covariance: None,
        }
    }
}

/// [`bfgs`] from every start, each with its objective, in rounds: `evaluate` is asked for value and
/// gradient at the next point of every climb that has not ended, all together. One end per start.
///
/// Every climb takes the way that [`bfgs`] alone would take from there. As the caller evaluates, it may do so
/// for all points at once, stop, or remember what it found in order to go on later: given the same
/// answers again, the climbs take the same way again.
///
/// # Errors
/// The first error of `evaluate`.
///
/// # Panics
/// If a start does not have one number per parameter, or `evaluate` does not answer for every
/// point.
pub fn bfgs_from_all<O: Differentiable, E>(
    starts: &[(&O, Start)],
    options: &BfgsOptions,
    mut evaluate: impl FnMut(&[Probe<'_, O>]) -> Result<Vec<FirstOrder>, E>,
) -> Result<Vec<Optimum>, E> {
    let mut climbs: Vec<Climb> = starts
        .iter()
        .map(|(objective, start)| Climb::new(*objective, start, options))
        .collect();
    loop {
        let asked = starts
            .iter()
            .zip(&climbs)
            .filter_map(|((objective, _), climb)| {
                let point = climb.asks()?.to_vec();
                Some(Probe {
                    objective: *objective,
                    point,
                })
            });
        let probes: Vec<Probe<'_, O>> = asked.collect();
        if probes.is_empty() {
            break;
        }
        let there = evaluate(&probes)?;
        assert_eq!(there.len(), probes.len(), "one answer per point");
        let climbing = climbs.iter_mut().filter(|climb| climb.asks().is_some());
        for (climb, there) in climbing.zip(&there) {
            climb.tell(there);
        }
    }
    Ok(climbs.into_iter().map(Climb::end).collect())
}

/// A climb that is told value and gradient at the points it asks for.
struct Climb {
    options: BfgsOptions,
    scales: DVector<f64>,
    /// The best place known; the start, not yet evaluated, has no gradient.
    at: Place,
    /// Inverse of the negative Hessian, in units of the scales, as estimated so far.
    inverse_hessian: DMatrix<f64>,
    /// Whether nothing is known of the curvature yet.
    fresh: bool,
    search: Option<LineSearch>,
    iterations: usize,
    evaluations: usize,
    stop: Option<StopReason>,
}

/// A point, its value, and its gradient per unit of the scales.
struct Place {
    point: Vec<f64>,
    value: f64,
    gradient: DVector<f64>,
}

/// The search for a step along a direction, in units of the scales.
struct LineSearch {
    direction: DVector<f64>,
    /// Of the value along the direction, where the search began.
    directional_derivative: f64,
    /// The longest step known to be too short.
    lower: f64,
    /// The shortest step known to be too long.
    upper: f64,
    step_length: f64,
    point: Vec<f64>,
    n_trials: usize,
}

impl Climb {
    fn new(objective: &impl Differentiable, start: &Start, options: &BfgsOptions) -> Self {
        let n = objective.n_parameters();
        let n_numbers = start.point.len();
        assert_eq!(n_numbers, n, "there must be one number per parameter");
        let scales = DVector::from_vec(objective.scales());
        let scaled = |covariance: &DMatrix<f64>| {
            DMatrix::from_fn(n, n, |row, col| {
                covariance[(row, col)] / (scales[row] * scales[col])
            })
        };
        let known = start.covariance.as_ref().map(scaled);
        Self {
            options: options.clone(),
            at: Place {
                point: start.point.clone(),
                value: f64::NAN,
                gradient: DVector::zeros(n),
            },
            fresh: known.is_none(),
            inverse_hessian: known.unwrap_or_else(|| DMatrix::identity(n, n)),
            scales,
            search: None,
            iterations: 0,
            evaluations: 0,
            stop: None,
        }
    }

    /// The point where value and gradient are wanted next; none once the climb has ended.
    fn asks(&self) -> Option<&[f64]> {
        match (&self.search, self.stop) {
            (_, Some(_)) => None,
            (Some(search), None) => Some(&search.point),
            (None, None) => Some(&self.at.point),
        }
    }

    /// Goes on with value and gradient at the point asked for.
    fn tell(&mut self, there: &FirstOrder) {
        self.evaluations += 1;
        let gradient = there.gradient.component_mul(&self.scales);
        let value = there.value;
        let Some(mut search) = self.search.take() else {
            self.at.value = value;
            self.at.gradient = gradient;
            self.set_out();
            return;
        };
        match search.judge(&self.at, value, &gradient) {
            Judgment::Good => {
                let next = Place {
                    point: search.point,
                    value,
                    gradient,
                };
                let step = search.direction * search.step_length;
                let gradient_difference = &self.at.gradient - &next.gradient;
                if self.fresh {
                    self.inverse_hessian *=
                        step.dot(&gradient_difference) / gradient_difference.norm_squared();
                    self.fresh = false;
                }
                update(&mut self.inverse_hessian, &step, &gradient_difference);
                self.at = next;
                self.set_out();
            }
            Judgment::TryAgain => {
                search.set_point(&self.at, &self.scales);
                self.search = Some(search);
            }
            // What was learned of the curvature misleads: forget it once.
            Judgment::GiveUp if !self.fresh => {
                self.inverse_hessian.fill_with_identity();
                self.fresh = true;
                self.set_out();
            }
            Judgment::GiveUp => self.stop = Some(StopReason::NoProgress),
        }
    }

    /// Ends the climb, or sets out in a new direction.
    fn set_out(&mut self) {
        let mut direction = &self.inverse_hessian * &self.at.gradient;
        self.stop = self.reason_to_stop(&direction);
        match self.stop {
            Some(StopReason::Converged) => return self.take_last_step(&direction),
            Some(_) => return,
            None => {}
        }
        self.iterations += 1;
        if self.fresh {
            // At most one scale in any parameter.
            direction /= direction.amax().max(1.0);
        }
        let mut search = LineSearch {
            directional_derivative: self.at.gradient.dot(&direction),
            direction,
            lower: 0.0,
            upper: f64::INFINITY,
            step_length: 1.0,
            point: Vec::new(),
            n_trials: 0,
        };
        search.set_point(&self.at, &self.scales);
        self.search = Some(search);
    }

    /// Goes where the curvature says that the top is, half of the promised gain higher. Nothing is
    /// evaluated there: so near the top the estimate is better than the difference could be seen.
    fn take_last_step(&mut self, direction: &DVector<f64>) {
        if self.fresh || self.length(direction) > LONG_STEP {
            return;
        }
        let at = &mut self.at;
        at.value += at.gradient.dot(direction) / 2.0;
        let step = direction.component_mul(&self.scales);
        let point = at.point.iter_mut().zip(step.iter());
        point.for_each(|(point, step)| *point += step);
    }

    /// How far a step leads, as [`scaled_step`] measures.
    fn length(&self, direction: &DVector<f64>) -> f64 {
        let step = direction.component_mul(&self.scales);
        scaled_step(step.as_slice(), &self.at.point, self.scales.as_slice())
    }

    fn reason_to_stop(&self, direction: &DVector<f64>) -> Option<StopReason> {
        let at = &self.at;
        if !at.value.is_finite() {
            return Some(StopReason::NoProgress);
        }
        let gain = at.gradient.dot(direction);
        if !self.fresh && gain <= NO_GAIN && self.length(direction) > LONG_STEP {
            return Some(StopReason::Separated);
        }
        if at.gradient.amax() <= self.options.tolerance * (1.0 + at.value.abs()) {
            return Some(StopReason::Converged);
        }
        (self.iterations == self.options.max_iterations).then_some(StopReason::OutOfBudget)
    }

    fn end(self) -> Optimum {
        Optimum {
            point: self.at.point,
            value: self.at.value,
            iterations: self.iterations,
            evaluations: self.evaluations,
            stop: self.stop.unwrap_or(StopReason::OutOfBudget),
        }
    }
}

/// What becomes of a trial of the line search.
enum Judgment {
    Good,
    TryAgain,
    GiveUp,
}

impl LineSearch {
    /// Judges the trial at the present step length and chooses the next one.
    fn judge(&mut self, from: &Place, value: f64, gradient: &DVector<f64>) -> Judgment {
        self.n_trials += 1;
        let promised = from.value
            + SUFFICIENT_GAIN * self.step_length * self.directional_derivative
            - rounding(from.value);
        if value.is_nan() || value < promised {
            self.upper = self.step_length;
        } else if gradient.dot(&self.direction) > SLOPE_LEFT * self.directional_derivative {
            self.lower = self.step_length;
        } else {
            return Judgment::Good;
        }
        if self.n_trials == MAX_TRIALS {
            return Judgment::GiveUp;
        }
        self.step_length = if self.upper.is_finite() {
            f64::midpoint(self.lower, self.upper)
        } else {
            2.0 * self.lower
        };
        Judgment::TryAgain
    }

    fn set_point(&mut self, from: &Place, scales: &DVector<f64>) {
        let step = self.direction.component_mul(scales) * self.step_length;
        let point = from.point.iter().zip(step.iter());
        self.point = point.map(|(from, by)| from + by).collect();
    }
}

/// The BFGS update of the inverse Hessian, from a step and the difference that it makes to the
/// gradient, both of the negated objective.
///
/// # Source
/// Nocedal and Wright 2006, "Numerical Optimization", equation (6.17), multiplied out.
fn update(
    inverse_hessian: &mut DMatrix<f64>,
    step: &DVector<f64>,
    gradient_difference: &DVector<f64>,
) {
    let curvature = step.dot(gradient_difference);
    // Positive by the second Wolfe condition, but for rounding.
    if curvature <= 0.0 {
        return;
    }
    // The step that the estimate so far would expect of such a difference.
    let expected = &*inverse_hessian * gradient_difference;
    let stretch = (1.0 + gradient_difference.dot(&expected) / curvature) / curvature;
    *inverse_hessian += step * step.transpose() * stretch
        - (&expected * step.transpose() + step * expected.transpose()) / curvature;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::tests::{Dome, Saturating, Valley};

    fn told<O: Differentiable>(probes: &[Probe<'_, O>]) -> Vec<FirstOrder> {
        let probes = probes.iter();
        probes
            .map(|probe| probe.objective.first_order(&probe.point))
            .collect()
    }

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
    fn climbs_together_go_as_they_would_alone() {
        let options = BfgsOptions::default();
        let points = [vec![-1.2, 1.0], vec![3.0, 3.0], vec![1.0, 1.0]];
        let starts = points.clone().map(|point| (&Valley, point.into()));
        let mut n_rounds = 0;
        let together = bfgs_from_all(&starts, &options, |probes| {
            n_rounds += 1;
            Ok::<_, ()>(told(probes))
        })
        .unwrap();
        let alone: Vec<Optimum> = points
            .iter()
            .map(|point| bfgs(&Valley, point, &options))
            .collect();
        assert_eq!(together, alone);
        let longest = alone.iter().map(|end| end.evaluations).max();
        assert_eq!(Some(n_rounds), longest);
        let refused = bfgs_from_all(&starts, &options, |_| Err("no"));
        assert_eq!(refused, Err("no"));
    }

    #[test]
    fn who_knows_the_curvature_needs_one_step() {
        // The dome is a quadratic, with the Hessian -[2, 1.2; 1.2, 2] in units of its scales.
        let determinant = 2.0 * 2.0 - 1.2 * 1.2;
        let inverse = [2.0, -120.0, -120.0, 20_000.0].map(|entry| entry / determinant);
        let start = Start {
            point: vec![0.0, 0.0],
            covariance: Some(DMatrix::from_row_slice(2, 2, &inverse)),
        };
        let options = BfgsOptions::default();
        let known = bfgs_from_all(&[(&Dome, start)], &options, |probes| {
            Ok::<_, ()>(told(probes))
        });
        let end = &known.unwrap()[0];
        assert_eq!((end.stop, end.evaluations), (StopReason::Converged, 2));
        let unknown = bfgs(&Dome, &[0.0, 0.0], &options);
        assert!(unknown.evaluations > 2);
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
