//! When a reproduced value is within its column's tolerance of the published one.

use crate::files::{PublishedError, PublishedValue, ReproducedValue, Tolerance, Value};

/// What a comparison needs besides the two values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standard {
    pub(crate) tolerance: Tolerance,
    pub(crate) published_error: PublishedError,
    pub(crate) percent: bool,
    /// Our columns with `-low` and `-high`.
    pub(crate) interval: Option<(f64, f64)>,
}

/// Whether `distance` is at most `limit`, for values as large as `a` and `b`.
fn at_most(distance: f64, limit: f64, a: f64, b: f64) -> bool {
    distance <= limit + 1e-11 * a.abs().max(b.abs())
}

pub(crate) fn same_number(a: f64, b: f64) -> bool {
    at_most((a - b).abs(), 0.0, a, b)
}

fn between(x: f64, low: f64, high: f64) -> bool {
    at_most(low - x, 0.0, low, x) && at_most(x - high, 0.0, x, high)
}

pub(crate) fn off_by_two(p: f64, v: f64) -> bool {
    let (small, large) = (p.abs().min(v.abs()), p.abs().max(v.abs()));
    large > 0.0 && (small == 0.0 || (p < 0.0) != (v < 0.0) || !at_most(large, 2.0 * small, p, v))
}

/// Equal at the published digits; under `"exact"`, equal.
pub(crate) fn equal_at_digits(p: f64, digits: i32, v: f64, tolerance: Tolerance) -> bool {
    let half = if tolerance == Tolerance::Exact {
        0.0
    } else {
        0.5 * 10_f64.powi(-digits)
    };
    at_most((p - v).abs(), half, p, v)
}

/// The same text, or a number that is written as the text.
pub(crate) fn same_text(published: &PublishedValue, reproduced: &ReproducedValue) -> bool {
    matches!(&published.value, Value::Text(text) if *text == reproduced.written)
}

impl Standard {
    /// Whether the tolerance is made of our own spread.
    pub(crate) fn of_our_spread(&self) -> bool {
        matches!(
            self.tolerance,
            Tolerance::StdError(_)
                | Tolerance::ReplicateSd(_)
                | Tolerance::Quantiles(_)
                | Tolerance::OwnInterval
        )
    }

    /// Whether V has the errors, the interval or the replicates that the tolerance needs.
    pub(crate) fn exists(&self, reproduced: &ReproducedValue) -> bool {
        match self.tolerance {
            Tolerance::StdError(_) => reproduced.se.is_some(),
            Tolerance::ReplicateSd(_) => reproduced.sd.is_some(),
            Tolerance::Quantiles(_) => !reproduced.replicates.is_empty(),
            Tolerance::OwnInterval => self.interval.is_some(),
            _ => true,
        }
    }

    /// The published and our own error together.
    fn error(&self, own: f64, errors: &ReproducedValue) -> f64 {
        match self.published_error {
            PublishedError::None => own,
            PublishedError::Number(x) => own.hypot(x),
            PublishedError::AsOurs => own.hypot(errors.sd.or(errors.se).unwrap()),
            PublishedError::Overlap(share) => own * (2.0 * (1.0 - share)).sqrt(),
        }
    }

    /// Whether `v`, with the errors of `errors`, is within the tolerance of `p`, which is written with `digits`.
    pub(crate) fn numbers_within(
        &self,
        p: f64,
        digits: i32,
        v: f64,
        errors: &ReproducedValue,
    ) -> bool {
        let distance = (p - v).abs();
        match self.tolerance {
            Tolerance::PublishedDigits => equal_at_digits(p, digits, v, self.tolerance),
            Tolerance::Exact => same_number(p, v),
            Tolerance::Digits(d) => at_most(distance, 0.5 * 10_f64.powi(-d), p, v),
            Tolerance::Abs(x) => at_most(distance, x, p, v),
            Tolerance::Rel(x) => at_most(distance, x * p.abs(), p, v),
            Tolerance::Within(a, b) => between(p, a, b) && between(v, a, b),
            Tolerance::Trials { n, z } => {
                self.proportions(p, v, n, errors.samples) <= z * (1.0 + 1e-11)
            }
            Tolerance::Tau(t) => at_most(t, v, t, v),
            Tolerance::StdError(k) => {
                at_most(distance, k * self.error(errors.se.unwrap(), errors), p, v)
            }
            Tolerance::ReplicateSd(k) => {
                at_most(distance, k * self.error(errors.sd.unwrap(), errors), p, v)
            }
            Tolerance::Quantiles(q) => {
                let (low, high) = quantiles(&errors.replicates, q);
                between(p, low, high)
            }
            Tolerance::OwnInterval => {
                let (low, high) = self.interval.unwrap();
                between(p, low, high)
            }
            // The other rows decide, and nobody asks of an unjudged column.
            Tolerance::Order | Tolerance::Info => false,
        }
    }

    /// The distance of two proportions in standard errors.
    fn proportions(&self, p: f64, v: f64, n: f64, samples: Option<f64>) -> f64 {
        if same_number(p, v) {
            return 0.0;
        }
        let unit = if self.percent { 100.0 } else { 1.0 };
        let (p, v) = (p / unit, v / unit);
        let variance = match samples {
            Some(samples) => {
                let r = (p * n + v * samples) / (n + samples);
                r * (1.0 - r) * (1.0 / n + 1.0 / samples)
            }
            None => v * (1.0 - v) / n,
        };
        (p - v).abs() / variance.sqrt()
    }

    /// Whether V is within the tolerance, also for texts; `"order"` is asked of the judge.
    pub(crate) fn within(&self, published: &PublishedValue, reproduced: &ReproducedValue) -> bool {
        match (&published.value, &reproduced.value) {
            (Value::Number(p), Value::Number(v)) => {
                self.numbers_within(*p, published.digits, *v, reproduced)
            }
            (Value::Number(_), Value::Text(_)) => false,
            (Value::Text(_), _) => {
                matches!(
                    self.tolerance,
                    Tolerance::PublishedDigits | Tolerance::Exact
                ) && same_text(published, reproduced)
            }
        }
    }
}

/// The ends of the central share `q` of the values, by linear interpolation.
fn quantiles(values: &[f64], q: f64) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "few values"
    )]
    let at = |share: f64| {
        let place = share * (sorted.len() - 1) as f64;
        let below = place.floor() as usize;
        let above = (below + 1).min(sorted.len() - 1);
        sorted[below] + (place - place.floor()) * (sorted[above] - sorted[below])
    };
    (at((1.0 - q) / 2.0), at(f64::midpoint(1.0, q)))
}

/// Kendall's tau-b of the pairs; none if either side is all ties.
pub(crate) fn tau_b(pairs: &[(f64, f64)]) -> Option<f64> {
    let (mut both, mut left, mut right) = (0.0, 0.0, 0.0);
    for (i, a) in pairs.iter().enumerate() {
        for b in &pairs[..i] {
            let sign = |x: f64, y: f64| {
                if same_number(x, y) {
                    0.0
                } else {
                    (x - y).signum()
                }
            };
            let (x, y) = (sign(a.0, b.0), sign(a.1, b.1));
            both += x * y;
            left += x * x;
            right += y * y;
        }
    }
    (left > 0.0 && right > 0.0).then(|| both / f64::sqrt(left * right))
}
