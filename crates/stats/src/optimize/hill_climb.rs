//! Hill climbing by coordinate search, with steps that grow and shrink.

use super::{LONG_STEP, NO_GAIN, Objective, Optimum, StopReason, scaled_step};

/// Options of [`hill_climb`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(
    feature = "serde",
    serde(rename_all = "kebab-case", deny_unknown_fields, default)
)]
pub struct HillClimbOptions {
    /// First step of every parameter, in units of its scale.
    pub first_step: f64,
    /// Factor on a parameter's step after success, above 1.
    pub growth: f64,
    /// Factor on a parameter's step after failure in both directions, between 0 and 1.
    pub shrinkage: f64,
    /// Converged when all steps are at most this, in units of the scales plus the point's size.
    pub tolerance: f64,
    /// Limit of evaluations.
    pub max_evaluations: usize,
}

impl Default for HillClimbOptions {
    fn default() -> Self {
        Self {
            first_step: 0.5,
            growth: 2.0,
            shrinkage: 0.5,
            tolerance: 1e-9,
            max_evaluations: 100_000,
        }
    }
}

/// Maximizes by hill climbing (coordinate search), from values alone.
///
/// Sweeps over the parameters. Each is moved by its own step and, if that does not raise the value,
/// by the opposite step. The step grows after success and shrinks after failure in both directions.
/// Ends when all steps have shrunk to the tolerance.
///
/// Values alone place a maximum no better than about the square root of their rounding error,
/// some 1e-8 of the scales; smaller tolerances gain nothing.
///
/// # Source
/// Jansen, Dowe and Farr 2000, section 2.1, "a simple and robust hill climbing algorithm". The
/// paper leaves open which; we take the plainest that fits the words, and the maximum it finds on
/// a concave likelihood does not depend on the choice.
///
/// # Panics
/// If `start` does not have one number per parameter.
pub fn hill_climb(
    objective: &impl Objective,
    start: &[f64],
    options: &HillClimbOptions,
) -> Optimum {
    assert_eq!(
        start.len(),
        objective.n_parameters(),
        "there must be one number per parameter"
    );
    let scales = objective.scales();
    let mut steps: Vec<f64> = scales
        .iter()
        .map(|scale| options.first_step * scale)
        .collect();
    let mut point = start.to_vec();
    let mut value = objective.value(&point);
    let mut iterations = 0;
    let mut evaluations = 1;
    let stop = loop {
        if value.is_nan() {
            break StopReason::NoProgress;
        }
        if scaled_step(&steps, &point, &scales) <= options.tolerance {
            break StopReason::Converged;
        }
        // A sweep tries at most two steps per parameter.
        if evaluations + 2 * point.len() > options.max_evaluations {
            break StopReason::OutOfBudget;
        }
        iterations += 1;
        let before = (point.clone(), value);
        for parameter in 0..point.len() {
            let from = point[parameter];
            let mut factor = options.shrinkage;
            for _ in 0..2 {
                point[parameter] = from + steps[parameter];
                let trial = objective.value(&point);
                evaluations += 1;
                if trial > value {
                    value = trial;
                    factor = options.growth;
                    break;
                }
                point[parameter] = from;
                steps[parameter] = -steps[parameter];
            }
            steps[parameter] *= factor;
        }
        let moved: Vec<f64> = point
            .iter()
            .zip(&before.0)
            .map(|(now, then)| now - then)
            .collect();
        if value > before.1
            && value - before.1 <= NO_GAIN
            && scaled_step(&moved, &point, &scales) > LONG_STEP
        {
            break StopReason::Separated;
        }
    };
    Optimum {
        point,
        value,
        n_iterations: iterations,
        n_evaluations: evaluations,
        stop,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::tests::{Dome, SaturatingModel, Valley};

    #[test]
    fn climbs_a_slanted_dome() {
        let end = hill_climb(&Dome, &[0.0, 0.0], &HillClimbOptions::default());
        assert_eq!(end.stop, StopReason::Converged);
        assert!(
            (end.point[0] - 3.0).abs() < 1e-6 && (end.point[1] + 200.0).abs() < 1e-4,
            "{end:?}"
        );
    }

    #[test]
    fn walks_the_valley_slowly() {
        let end = hill_climb(&Valley, &[-1.2, 1.0], &HillClimbOptions::default());
        assert_eq!(end.stop, StopReason::Converged);
        assert!(end.point.iter().all(|x| (x - 1.0).abs() < 1e-2), "{end:?}");
    }

    #[test]
    fn sees_that_the_top_is_infinitely_far() {
        let end = hill_climb(&SaturatingModel, &[0.0], &HillClimbOptions::default());
        assert_eq!(end.stop, StopReason::Separated);
    }

    #[test]
    fn stops_within_its_budget() {
        let options = HillClimbOptions {
            max_evaluations: 20,
            ..Default::default()
        };
        let end = hill_climb(&Valley, &[-1.2, 1.0], &options);
        assert_eq!(end.stop, StopReason::OutOfBudget);
        assert!(end.n_evaluations <= 20);
    }
}
