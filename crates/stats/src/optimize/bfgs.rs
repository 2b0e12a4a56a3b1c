//! BFGS, the quasi-Newton method of Broyden, Fletcher, Goldfarb and Shanno.

use nalgebra::{DMatrix, DVector};

use super::{
    Differentiable, FirstOrder, LONG_STEP, NO_GAIN, Optimum, Probe, StopReason, rounding,
    scaled_step,
};

/// Options of [`bfgs`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields, default)
)]
pub struct BfgsOptions {
    /// Limit of iterations.
    pub max_iterations: usize,
    /// Converged when no component of the gradient, per unit of the parameters' scales, exceeds this
    /// times one plus the absolute value. A short last step is still taken, without evaluation.
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

/// Constant of the first Wolfe condition (sufficient increase).
const SUFFICIENT_GAIN: f64 = 1e-4;
/// Constant of the second Wolfe condition (curvature).
const SLOPE_LEFT: f64 = 0.9;
/// Trials per line search.
const MAX_TRIALS: usize = 60;

/// Maximizes by BFGS: from gradients alone, without need of concavity.
///
/// Works in units of the objective's scales. The line search doubles and bisects until both Wolfe
/// conditions hold (Lewis and Overton 2013, "Nonsmooth optimization via quasi-Newton methods").
/// Of several maxima the start decides which one is found.
///
/// # Panics
/// If `start` does not have one number per parameter.
pub fn bfgs(objective: &impl Differentiable, start: &[f64], options: &BfgsOptions) -> Optimum {
    let mut ascent = Ascent::new(objective, &start.to_vec().into(), options);
    while let Some(point) = ascent.ask() {
        let there = objective.first_order(point);
        ascent.tell(&there);
    }
    ascent.end()
}

/// The start of an ascent, with an estimate of the curvature there if there is one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Start {
    /// The point.
    pub(crate) point: Vec<f64>,
    /// Inverse of the negative Hessian, exact or approximate, for a warm start: the first steps are
    /// then nearly Newton's. Without it the ascent starts from the identity.
    pub(crate) covariance: Option<DMatrix<f64>>,
}

impl From<Vec<f64>> for Start {
    /// A cold start.
    fn from(point: Vec<f64>) -> Self {
        Self {
            point,
            covariance: None,
        }
    }
}

/// [`bfgs`] from every start, each with its objective, in lockstep: every round asks `evaluate` for
/// value and gradient at the next points of all ascents that have not ended. One end per start.
///
/// Every ascent follows the path of [`bfgs`] alone. The caller evaluates, and may do so in one batch,
/// stop, or replay recorded answers to resume: the same answers give the same paths.
///
/// # Errors
/// The first error of `evaluate`.
///
/// # Panics
/// If a start does not have one number per parameter, or `evaluate` does not answer for every
/// point.
pub(crate) fn bfgs_from_all<O: Differentiable, E>(
    starts: &[(&O, Start)],
    options: &BfgsOptions,
    mut evaluate: impl FnMut(&[Probe<'_, O>]) -> Result<Vec<FirstOrder>, E>,
) -> Result<Vec<Optimum>, E> {
    let mut ascents: Vec<Ascent> = starts
        .iter()
        .map(|(objective, start)| Ascent::new(*objective, start, options))
        .collect();
    loop {
        let asked = starts
            .iter()
            .zip(&ascents)
            .filter_map(|((objective, _), ascent)| {
                let point = ascent.ask()?.to_vec();
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
        let running = ascents.iter_mut().filter(|ascent| ascent.ask().is_some());
        for (ascent, there) in running.zip(&there) {
            ascent.tell(there);
        }
    }
    Ok(ascents.into_iter().map(Ascent::end).collect())
}

/// BFGS with an ask-and-tell interface: it proposes points and receives their values and gradients.
struct Ascent {
    options: BfgsOptions,
    scales: DVector<f64>,
    /// The current iterate; the start has no value and gradient before its evaluation.
    at: Iterate,
    /// Current estimate of the inverse of the negative Hessian, in units of the scales.
    inverse_hessian: DMatrix<f64>,
    /// Whether the estimate is still the identity.
    fresh: bool,
    search: Option<LineSearch>,
    n_iterations: usize,
    n_evaluations: usize,
    stop: Option<StopReason>,
}

/// A point, its value, and its gradient per unit of the scales.
struct Iterate {
    point: Vec<f64>,
    value: f64,
    gradient: DVector<f64>,
}

/// A line search along a direction, in units of the scales.
struct LineSearch {
    direction: DVector<f64>,
    /// Slope of the value along the direction at the start of the search.
    directional_derivative: f64,
    /// The longest step known to be too short.
    lower: f64,
    /// The shortest step known to be too long.
    upper: f64,
    step_length: f64,
    point: Vec<f64>,
    n_trials: usize,
}

impl Ascent {
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
            at: Iterate {
                point: start.point.clone(),
                value: f64::NAN,
                gradient: DVector::zeros(n),
            },
            fresh: known.is_none(),
            inverse_hessian: known.unwrap_or_else(|| DMatrix::identity(n, n)),
            scales,
            search: None,
            n_iterations: 0,
            n_evaluations: 0,
            stop: None,
        }
    }

    /// The next point to evaluate; `None` once the ascent has ended.
    fn ask(&self) -> Option<&[f64]> {
        match (&self.search, self.stop) {
            (_, Some(_)) => None,
            (Some(search), None) => Some(&search.point),
            (None, None) => Some(&self.at.point),
        }
    }

    /// Advances with value and gradient at the proposed point.
    fn tell(&mut self, there: &FirstOrder) {
        self.n_evaluations += 1;
        let gradient = there.gradient.component_mul(&self.scales);
        let value = there.value;
        let Some(mut search) = self.search.take() else {
            self.at.value = value;
            self.at.gradient = gradient;
            self.choose_direction();
            return;
        };
        match search.judge(&self.at, value, &gradient) {
            Trial::Accepted => {
                let next = Iterate {
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
                self.choose_direction();
            }
            Trial::Rejected => {
                search.set_point(&self.at, &self.scales);
                self.search = Some(search);
            }
            // The curvature estimate may mislead: reset it once.
            Trial::Exhausted if !self.fresh => {
                self.inverse_hessian.fill_with_identity();
                self.fresh = true;
                self.choose_direction();
            }
            Trial::Exhausted => self.stop = Some(StopReason::NoProgress),
        }
    }

    /// Ends the ascent, or starts a line search in the quasi-Newton direction.
    fn choose_direction(&mut self) {
        let mut direction = &self.inverse_hessian * &self.at.gradient;
        self.stop = self.reason_to_stop(&direction);
        match self.stop {
            Some(StopReason::Converged) => return self.take_unevaluated_step(&direction),
            Some(_) => return,
            None => {}
        }
        self.n_iterations += 1;
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

    /// Takes the quasi-Newton step and adds half of its first-order gain, without evaluation: this
    /// near the maximum, the estimate is more exact than an evaluated difference.
    fn take_unevaluated_step(&mut self, direction: &DVector<f64>) {
        if self.fresh || self.length(direction) > LONG_STEP {
            return;
        }
        let at = &mut self.at;
        at.value += at.gradient.dot(direction) / 2.0;
        let step = direction.component_mul(&self.scales);
        let point = at.point.iter_mut().zip(step.iter());
        point.for_each(|(point, step)| *point += step);
    }

    /// Length of a step, as [`scaled_step`] measures.
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
        (self.n_iterations == self.options.max_iterations).then_some(StopReason::OutOfBudget)
    }

    fn end(self) -> Optimum {
        Optimum {
            point: self.at.point,
            value: self.at.value,
            n_iterations: self.n_iterations,
            n_evaluations: self.n_evaluations,
            stop: self.stop.unwrap_or(StopReason::OutOfBudget),
        }
    }
}

/// Outcome of a trial of the line search.
enum Trial {
    Accepted,
    Rejected,
    Exhausted,
}

impl LineSearch {
    /// Tests the Wolfe conditions at the current step length, and chooses the next one.
    fn judge(&mut self, from: &Iterate, value: f64, gradient: &DVector<f64>) -> Trial {
        self.n_trials += 1;
        let promised = from.value
            + SUFFICIENT_GAIN * self.step_length * self.directional_derivative
            - rounding(from.value);
        if value.is_nan() || value < promised {
            self.upper = self.step_length;
        } else if gradient.dot(&self.direction) > SLOPE_LEFT * self.directional_derivative {
            self.lower = self.step_length;
        } else {
            return Trial::Accepted;
        }
        if self.n_trials == MAX_TRIALS {
            return Trial::Exhausted;
        }
        self.step_length = if self.upper.is_finite() {
            f64::midpoint(self.lower, self.upper)
        } else {
            2.0 * self.lower
        };
        Trial::Rejected
    }

    fn set_point(&mut self, from: &Iterate, scales: &DVector<f64>) {
        let step = self.direction.component_mul(scales) * self.step_length;
        let point = from.point.iter().zip(step.iter());
        self.point = point.map(|(from, by)| from + by).collect();
    }
}

/// The BFGS update of the inverse Hessian, from a step and the change of gradient along it, both of
/// the negated objective.
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
    // The step that the current estimate predicts for this difference.
    let expected = &*inverse_hessian * gradient_difference;
    let stretch = (1.0 + gradient_difference.dot(&expected) / curvature) / curvature;
    *inverse_hessian += step * step.transpose() * stretch
        - (&expected * step.transpose() + step * expected.transpose()) / curvature;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::tests::{Dome, SaturatingModel, Valley};

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
        assert!(end.n_evaluations < 100, "{end:?}");
    }

    #[test]
    fn sees_that_the_top_is_infinitely_far() {
        let end = bfgs(&SaturatingModel, &[0.0], &BfgsOptions::default());
        assert_eq!(end.stop, StopReason::Separated);
    }

    #[test]
    fn lockstep_changes_no_path() {
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
        let longest = alone.iter().map(|end| end.n_evaluations).max();
        assert_eq!(Some(n_rounds), longest);
        let refused = bfgs_from_all(&starts, &options, |_| Err("no"));
        assert_eq!(refused, Err("no"));
    }

    #[test]
    fn a_warm_start_needs_one_step() {
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
        assert_eq!((end.stop, end.n_evaluations), (StopReason::Converged, 2));
        let unknown = bfgs(&Dome, &[0.0, 0.0], &options);
        assert!(unknown.n_evaluations > 2);
    }

    #[test]
    fn says_when_the_budget_ran_out() {
        let options = BfgsOptions {
            max_iterations: 3,
            ..Default::default()
        };
        let end = bfgs(&Valley, &[-1.2, 1.0], &options);
        assert_eq!((end.stop, end.n_iterations), (StopReason::OutOfBudget, 3));
    }
}
