//! The two curves of lichess, fitted: the chance of winning by evaluation, and accuracy by its loss.

use kibitz_experiment::CellError;
use kibitz_players::{Choices, FitOptions, Weight, accuracy::lichess::CEILING, fit};
use kibitz_stats::ChoiceSets;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player_games::CellSession;

/// A game as the chance of winning is fitted to it.
pub(super) struct GameOfEvaluations {
    /// White's points: 1, 0.5 or 0.
    pub(super) points: f64,
    /// In centipawns, from White's view.
    pub(super) evaluations: Vec<i32>,
}

/// The slope of the logit of White's points by evaluation, without a constant, errors over games.
///
/// Evaluations count up to the ceiling of lichess. A draw is half a win and half a loss.
pub(super) fn win_slope(
    games: &[GameOfEvaluations],
    session: &CellSession<'_>,
) -> Result<Weight, CellError> {
    let mut builder = ChoiceSets::builder(1);
    for (number, game) in (0..).zip(games) {
        for &evaluation in &game.evaluations {
            // Everybody has two half points: the slope is the same, and errors are over games.
            let half_points = [game.points > 0.25, game.points > 0.75];
            let value = f64::from(evaluation.clamp(-CEILING, CEILING));
            for is_won in half_points {
                builder.push(number, usize::from(!is_won), [[value], [0.0]])?;
            }
        }
    }
    let choices = Choices::Rows(builder.build());
    let names = ["evaluation".to_owned()];
    let (fitted, _) = fit(&choices, &names, FitOptions::default(), session)?;
    let weight = fitted.weights.into_iter().next();
    weight.ok_or_else(|| CellError::new("the fit has no weight"))
}

/// A point of the curve of accuracy.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct CurvePoint {
    /// Loss of win chance by a move, in percentage points.
    loss: f64,
    /// Accuracy of the move, in percent.
    accuracy: f64,
    /// Its standard error: the weight of the point is the inverse of its square.
    pub(crate) error: f64,
}

/// `a`, `k` and `b` of the accuracy `a exp(-k loss) + b`, by weighted least squares; `None` if no rate
/// from a thousandth to 1 is the best.
pub(super) fn accuracy_curve(points: &[CurvePoint]) -> Option<[f64; 3]> {
    const STEPS: u32 = 1000;
    let rate_of = |step: u32| f64::from(step) / f64::from(STEPS);
    let misfit = |rate: f64| line_of_rate(points, rate).map(|line| line.misfit);
    let misfits = (1..=STEPS).map(|step| misfit(rate_of(step)));
    let misfits: Vec<f64> = misfits.collect::<Option<_>>()?;
    let best = (0..misfits.len()).min_by(|&a, &b| misfits[a].total_cmp(&misfits[b]))?;
    if best == 0 || best + 1 == misfits.len() {
        return None;
    }
    // The slope of the misfit changes its sign between the steps around the best one.
    let step = u32::try_from(best + 1).ok()?;
    let [mut low, mut high] = [rate_of(step - 1), rate_of(step + 1)];
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if line_of_rate(points, middle)?.slope < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let rate = f64::midpoint(low, high);
    let line = line_of_rate(points, rate)?;
    Some([line.factor, rate, line.constant])
}

/// The best factor and constant for a rate.
struct LineOfRate {
    factor: f64,
    constant: f64,
    /// Weighted sum of squares.
    misfit: f64,
    /// How it changes with the rate, but for a factor above 0.
    slope: f64,
}

fn line_of_rate(points: &[CurvePoint], rate: f64) -> Option<LineOfRate> {
    let terms = || {
        points.iter().map(|point| {
            let weight = point.error.powi(-2);
            (weight, (-rate * point.loss).exp(), point)
        })
    };
    let total: f64 = terms().map(|(weight, ..)| weight).sum();
    let mean = |of: &dyn Fn(f64, &CurvePoint) -> f64| {
        let sum: f64 = terms()
            .map(|(weight, x, point)| weight * of(x, point))
            .sum();
        sum / total
    };
    let (mean_x, mean_y) = (mean(&|x, _| x), mean(&|_, point| point.accuracy));
    let variance = mean(&|x, _| (x - mean_x).powi(2));
    let covariance = mean(&|x, point| (x - mean_x) * (point.accuracy - mean_y));
    if variance <= 0.0 {
        return None;
    }
    let factor = covariance / variance;
    let constant = mean_y - factor * mean_x;
    let residual = |x: f64, point: &CurvePoint| point.accuracy - factor * x - constant;
    Some(LineOfRate {
        factor,
        constant,
        misfit: mean(&|x, point| residual(x, point).powi(2)),
        // Factor and constant are at their best, so that only the exponential changes.
        slope: mean(&|x, point| residual(x, point) * factor * point.loss * x),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(loss: f64, accuracy: f64, error: f64) -> CurvePoint {
        CurvePoint {
            loss,
            accuracy,
            error,
        }
    }

    #[test]
    fn a_curve_is_found_again() {
        for [factor, rate, constant] in [[100.0, 0.05, 0.0], [80.0, 0.2, -7.0]] {
            let at = |loss: f64| factor * (-rate * loss).exp() + constant;
            let points = [0.0, 3.0, 10.0, 30.0, 70.0].map(|loss| point(loss, at(loss), 1.0 + loss));
            let found = accuracy_curve(&points).unwrap();
            for (found, wanted) in found.into_iter().zip([factor, rate, constant]) {
                assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
            }
        }
    }

    /// Of three points that a curve meets, the fourth of no weight changes nothing.
    #[test]
    fn points_count_by_their_errors() {
        let at = |loss: f64| 90.0 * (-0.1 * loss).exp() + 5.0;
        let mut points: Vec<CurvePoint> = [0.0, 5.0, 20.0, 40.0]
            .into_iter()
            .map(|loss| point(loss, at(loss), 0.001))
            .collect();
        points.push(point(60.0, 90.0, 1e6));
        let [_, rate, _] = accuracy_curve(&points).unwrap();
        assert!((rate - 0.1).abs() < 1e-6, "{rate}");
        points[4].error = 0.001;
        let other = accuracy_curve(&points);
        assert!(other.is_none_or(|[_, rate, _]| (rate - 0.1).abs() > 0.01));
        // Points on a line have no best rate above the least.
        let line: Vec<CurvePoint> = (0..5)
            .map(|x| point(f64::from(x), f64::from(9 - x), 1.0))
            .collect();
        assert_eq!(accuracy_curve(&line), None);
    }
}
