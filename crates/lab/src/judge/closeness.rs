//! Whether a value lies within a tolerance of a published one.

use crate::config::entry::TableColumn;
use crate::config::envelope::PublishedError;
use crate::measurement::Measurement;
use crate::published::PublishedValue;
use crate::tolerance::{Interval, SLACK, Tolerance, Trials};

/// How figures of a column are compared with published ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gauge<'a> {
    pub(super) tolerance: Tolerance,
    unit: &'a str,
    published_error: Option<PublishedError>,
    /// Half a unit of the last printed digit.
    half_unit: f64,
}

impl<'a> Gauge<'a> {
    /// That of a column for a value as it is printed; `tolerance` where the cell has its own.
    pub(super) fn new(
        column: &'a TableColumn,
        tolerance: Tolerance,
        printed: &PublishedValue,
    ) -> Self {
        Self {
            tolerance,
            unit: &column.unit,
            published_error: column.published_error,
            half_unit: printed.half_unit(),
        }
    }

    /// Whether ours is close to the published value; `None` when there is nothing to judge by.
    pub(super) fn meets(&self, printed: &PublishedValue, ours: &Measurement) -> Option<bool> {
        match (printed, ours.number()) {
            _ if self.tolerance == Tolerance::Info => None,
            (PublishedValue::Number { value, .. }, Some(_)) => self.accepts(*value, ours),
            (PublishedValue::Text(text), _) => Some(ours.written() == *text),
            (PublishedValue::Number { .. }, None) => Some(false),
        }
    }

    /// Whether a number of ours is close to `paper`.
    pub(super) fn accepts(&self, paper: f64, ours: &Measurement) -> Option<bool> {
        let value = ours.number()?;
        match self.tolerance {
            Tolerance::Within(interval) => Some(interval.holds(paper) && interval.holds(value)),
            Tolerance::Around(interval) => Some(interval.holds(paper)),
            Tolerance::Quantiles(share) => Some(central(ours, share.get())?.holds(paper)),
            Tolerance::Trials(trials) => {
                let distance = proportions_apart(self.unit, paper, trials, value, ours.n_samples);
                Some(distance <= trials.z.get() + SLACK)
            }
            _ => {
                let slack = SLACK * value.abs().max(paper.abs());
                Some((value - paper).abs() <= self.width(paper, ours)? + slack)
            }
        }
    }

    /// The lowest and the highest value of ours, with our errors, that are close to `paper`.
    pub(super) fn accepted(&self, paper: f64, ours: &Measurement) -> Option<[f64; 2]> {
        if let Tolerance::Within(interval) = self.tolerance {
            return Some(interval.ends());
        }
        let width = self.width(paper, ours)?;
        Some([paper - width, paper + width])
    }

    /// How far from `paper` ours may be.
    fn width(&self, paper: f64, ours: &Measurement) -> Option<f64> {
        Some(match self.tolerance {
            Tolerance::Exact => 0.0,
            Tolerance::AsPrinted => self.half_unit,
            Tolerance::Digits(digits) => 0.5 * 10f64.powi(-i32::from(digits)),
            Tolerance::Abs(x) => x.get(),
            Tolerance::Rel(x) => x.get() * paper.abs(),
            Tolerance::ReplicateSd(k) => k.get() * self.both(ours.std_dev?, ours),
            Tolerance::StdError(k) => k.get() * self.both(ours.std_error?, ours),
            _ => return None,
        })
    }

    /// An error of ours together with that of the published value, as far as that is known.
    fn both(&self, error: f64, ours: &Measurement) -> f64 {
        let printed = match self.published_error {
            None => 0.0,
            Some(PublishedError::Is(size)) => size.get(),
            Some(PublishedError::AsOurs) => ours.std_dev.or(ours.std_error).unwrap_or_default(),
            // Two samples of one size and error that share this part of their members.
            Some(PublishedError::Overlap(share)) => return error * (2.0 * (1.0 - share)).sqrt(),
        };
        error.hypot(printed)
    }

    /// Distance of ours from the published value in errors of both, and the number of errors that is
    /// allowed: of tolerances that are errors.
    pub(super) fn in_errors(&self, paper: f64, ours: &Measurement) -> Option<(f64, f64)> {
        let value = ours.number()?;
        let of = |error: f64| {
            let error = self.both(error, ours);
            (error > 0.0).then(|| (value - paper).abs() / error)
        };
        match self.tolerance {
            Tolerance::ReplicateSd(k) => Some((of(ours.std_dev?)?, k.get())),
            Tolerance::StdError(k) => Some((of(ours.std_error?)?, k.get())),
            Tolerance::Trials(trials) => {
                let distance = proportions_apart(self.unit, paper, trials, value, ours.n_samples);
                distance.is_finite().then_some((distance, trials.z.get()))
            }
            _ => None,
        }
    }

    /// Distance of ours from the published value in errors of both, its rounding among them, whatever
    /// the tolerance.
    pub(super) fn errors_apart(&self, printed: &PublishedValue, ours: &Measurement) -> Option<f64> {
        let error = self.both(ours.std_dev.or(ours.std_error)?, ours);
        let error = error.hypot(self.half_unit);
        let apart = (ours.number()? - printed.number()?).abs();
        (error > 0.0).then(|| apart / error)
    }
}

/// The central part of our replicates that is this share of them, by linear interpolation between
/// the sorted values (type 7 of Hyndman and Fan 1996).
fn central(ours: &Measurement, share: f64) -> Option<Interval> {
    let mut values = ours.replicates.clone()?;
    values.sort_by(f64::total_cmp);
    let last = u32::try_from(values.len().checked_sub(1)?).ok()?;
    let quantile = |at: f64| {
        let position = at * f64::from(last);
        let (mut below, mut low) = (0.0, *values.first()?);
        for pair in values.windows(2) {
            if below + 1.0 > position {
                return Some(low + (position - below) * (pair[1] - low));
            }
            (below, low) = (below + 1.0, pair[1]);
        }
        Some(low)
    };
    let tail = 0.5 * (1.0 - share);
    Interval::new(quantile(tail)?, quantile(1.0 - tail)?)
}

/// How many pooled standard errors two proportions lie apart; without a count of our own, ours is
/// taken as exact and only theirs varies.
fn proportions_apart(
    unit: &str,
    paper: f64,
    Trials { n, .. }: Trials,
    ours: f64,
    n_samples: Option<u64>,
) -> f64 {
    let scale = if unit == "%" { 100.0 } else { 1.0 };
    let (theirs, ours) = (paper / scale, ours / scale);
    let n_theirs = n.get() as f64;
    let (pooled, spread) = match n_samples {
        Some(n_ours) if n_ours > 0 => {
            let n_ours = n_ours as f64;
            (
                (theirs * n_theirs + ours * n_ours) / (n_theirs + n_ours),
                1.0 / n_theirs + 1.0 / n_ours,
            )
        }
        _ => (ours, 1.0 / n_theirs),
    };
    let apart = (theirs - ours).abs();
    if apart <= SLACK {
        return 0.0;
    }
    apart / (pooled * (1.0 - pooled) * spread).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Figure;

    /// A tolerance as files write it.
    fn tolerance(text: &str) -> Tolerance {
        let value = toml::de::ValueDeserializer::parse(text).unwrap();
        serde::Deserialize::deserialize(value).unwrap()
    }

    fn meets(tolerance: Tolerance, paper: &str, ours: &Measurement) -> Option<bool> {
        let printed = PublishedValue::new(&Figure::Number(paper.parse().unwrap()), paper);
        let gauge = Gauge {
            tolerance,
            unit: "%",
            published_error: None,
            half_unit: printed.half_unit(),
        };
        gauge.meets(&printed, ours)
    }

    #[track_caller]
    fn check(text: &str, paper: &str, ours: f64, expected: bool) {
        let found = meets(tolerance(text), paper, &Measurement::exact(ours));
        assert_eq!(found, Some(expected), "{text} of {paper}: {ours}");
    }

    #[test]
    fn digits_round() {
        let as_printed =
            |paper, ours| meets(Tolerance::AsPrinted, paper, &Measurement::exact(ours));
        assert_eq!(as_printed("0.510", 0.5104), Some(true));
        assert_eq!(as_printed("0.510", 0.5106), Some(false));
        assert_eq!(as_printed("138383", 138_383.4), Some(true));
        assert_eq!(as_printed("138383", 138_384.0), Some(false));
        check("{ digits = 1 }", "0.510", 0.55, true);
        check("{ digits = 1 }", "0.510", 0.57, false);
    }

    #[test]
    fn distances() {
        check("\"exact\"", "57", 57.0, true);
        check("\"exact\"", "57", 57.1, false);
        check("{ abs = 0.5 }", "94.8", 95.3, true);
        check("{ abs = 0.5 }", "94.8", 95.31, false);
        check("{ rel = 0.1 }", "40000", 36_000.0, true);
        check("{ rel = 0.1 }", "40000", 35_999.0, false);
        check("{ within = [1, 8] }", "7", 1.5, true);
        check("{ within = [1, 8] }", "7", 0.5, false);
        check("{ within = [1, 8] }", "9", 1.5, false);
        let info = meets(Tolerance::Info, "7", &Measurement::exact(7.0));
        assert_eq!(info, None);
    }

    #[test]
    fn proportions() {
        // One standard error of 52 % of 1000 is 1.58 points.
        check("{ trials = { n = 1000, z = 3.0 } }", "52.0", 56.6, true);
        check("{ trials = { n = 1000, z = 3.0 } }", "52.0", 57.0, false);
        let ours = Measurement {
            n_samples: Some(1000),
            ..Measurement::exact(57.0)
        };
        let trials = tolerance("{ trials = { n = 1000, z = 3.0 } }");
        assert_eq!(meets(trials, "52.0", &ours), Some(true));
    }

    #[test]
    fn spreads() {
        let ours = Measurement {
            std_dev: Some(0.2),
            std_error: Some(0.1),
            ..Measurement::exact(7.0)
        };
        let of = |text: &str| meets(tolerance(text), "7.5", &ours);
        assert_eq!(of("{ replicate-sd = 3 }"), Some(true));
        assert_eq!(of("{ std-error = 3 }"), Some(false));
        assert_eq!(of("\"own-interval\""), None);
        let around = |low, high| {
            let tolerance = Tolerance::Around(Interval::new(low, high).unwrap());
            meets(tolerance, "7.5", &ours)
        };
        assert_eq!(around(6.0, 7.6), Some(true));
        assert_eq!(around(6.0, 7.4), Some(false));
        let exact = meets(
            tolerance("{ std-error = 3 }"),
            "7.5",
            &Measurement::exact(7.0),
        );
        assert_eq!(exact, None);
    }
}
