//! How close to print is close enough, and whether a value is.

use std::fmt;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error};

use crate::printed::{Printed, twelve_digits};
use crate::table::Measured;

/// Relative slack for the last of the twelve digits that are kept of a value.
const SLACK: f64 = 1e-11;

/// How a column is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tolerance {
    /// Equal once written with the digits printed.
    #[default]
    #[serde(skip)]
    AsPrinted,
    /// The same number or text.
    Exact,
    /// The same ranking down the column.
    Order,
    /// Shown, never judged.
    Info,
    /// Equal once written with this many digits after the point.
    Digits(u8),
    /// At most this far away, in the column's unit.
    Abs(Distance),
    /// At most this fraction of the printed value away.
    Rel(Distance),
    /// Within an interval, whatever was printed.
    Within(Interval),
    /// Two proportions, theirs of `n` trials, at most `z` standard errors apart.
    Trials(Trials),
    /// The printed value within this many standard deviations of our replicates.
    ReplicateSd(Distance),
    /// The printed value within this many of our own standard errors.
    StdError(Distance),
}

/// A number that is not negative.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, JsonSchema)]
pub(crate) struct Distance(
    #[serde(deserialize_with = "not_negative")]
    #[schemars(range(min = 0))]
    f64,
);

impl Distance {
    pub(crate) fn get(self) -> f64 {
        self.0
    }
}

fn not_negative<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(from)?;
    if value >= 0.0 && value.is_finite() {
        return Ok(value);
    }
    let message = format!("found `{value}`, expected a number, zero or more");
    Err(D::Error::custom(message))
}

/// Two numbers, the lower first.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, JsonSchema)]
pub(crate) struct Interval(#[serde(deserialize_with = "ordered")] [f64; 2]);

fn ordered<'de, D: Deserializer<'de>>(from: D) -> Result<[f64; 2], D::Error> {
    let [low, high] = <[f64; 2]>::deserialize(from)?;
    if low <= high {
        return Ok([low, high]);
    }
    let message = format!("found {low} before {high}, expected the lower first");
    Err(D::Error::custom(message))
}

/// Trials behind a printed proportion, and how many standard errors apart is close.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trials {
    n: NonZeroU64,
    z: Distance,
}

impl Tolerance {
    /// Whether it says anything about texts.
    pub(crate) fn judges_text(self) -> bool {
        matches!(self, Self::Exact | Self::Info | Self::AsPrinted)
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Exact => f.write_str("exact"),
            Self::AsPrinted => f.write_str("digits as printed"),
            Self::Digits(digits) => write!(f, "{digits} digits"),
            Self::Abs(x) => write!(f, "± {}", twelve_digits(x.0)),
            Self::Rel(x) => write!(f, "± {} %", twelve_digits(100.0 * x.0)),
            Self::Within(Interval([low, high])) => {
                write!(f, "{} to {}", twelve_digits(low), twelve_digits(high))
            }
            Self::Trials(Trials { n, z }) => {
                write!(f, "{} se of {n} trials", twelve_digits(z.0))
            }
            Self::ReplicateSd(k) => write!(f, "{} sd of replicates", twelve_digits(k.0)),
            Self::StdError(k) => write!(f, "{} standard errors", twelve_digits(k.0)),
            Self::Order => f.write_str("same order"),
            Self::Info => f.write_str("info"),
        }
    }
}

/// Whether `ours` is close enough to `printed`; `None` when there is nothing to judge by.
///
/// [`Tolerance::Order`] needs the whole column and is judged by [`same_order`].
pub(crate) fn agrees(
    tolerance: Tolerance,
    unit: &str,
    printed: Option<&Printed>,
    ours: &Measured,
) -> Option<bool> {
    if let (Tolerance::Within(Interval([low, high])), Some(ours)) = (tolerance, ours.number()) {
        let slack = SLACK * ours.abs();
        return Some((low - slack..=high + slack).contains(&ours));
    }
    let printed = printed?;
    let (paper, value) = match (printed, ours.number()) {
        (Printed::Number { value, .. }, Some(ours)) => (*value, ours),
        (Printed::Text(text), _) => {
            return (tolerance != Tolerance::Info).then(|| ours.written() == *text);
        }
        (Printed::Number { .. }, None) => {
            return (tolerance != Tolerance::Info).then_some(false);
        }
    };
    let apart = (value - paper).abs();
    let slack = SLACK * value.abs().max(paper.abs());
    Some(match tolerance {
        Tolerance::Exact => apart <= slack,
        Tolerance::AsPrinted => apart <= printed.half_unit() + slack,
        Tolerance::Digits(digits) => apart <= 0.5 * 10f64.powi(-i32::from(digits)) + slack,
        Tolerance::Abs(x) => apart <= x.0 + slack,
        Tolerance::Rel(x) => apart <= x.0 * paper.abs() + slack,
        Tolerance::Trials(trials) => proportions_agree(unit, paper, trials, value, ours.n_samples),
        Tolerance::ReplicateSd(k) => apart <= k.0 * ours.std_dev? + slack,
        Tolerance::StdError(k) => apart <= k.0 * ours.std_error? + slack,
        Tolerance::Within(..) | Tolerance::Order | Tolerance::Info => return None,
    })
}

/// Two proportions with a pooled standard error; without a count of our own, ours is taken as
/// exact and only theirs varies.
fn proportions_agree(
    unit: &str,
    paper: f64,
    Trials { n, z }: Trials,
    ours: f64,
    n_samples: Option<u64>,
) -> bool {
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
    let std_error = (pooled * (1.0 - pooled) * spread).max(0.0).sqrt();
    (theirs - ours).abs() <= z.0 * std_error + SLACK
}

/// For each pair of printed value and ours, whether it ranks among the others as printed.
///
/// Values printed as equal may come in either order.
pub(crate) fn same_order(pairs: &[(f64, f64)]) -> Vec<bool> {
    pairs
        .iter()
        .map(|(paper, ours)| {
            pairs.iter().all(|(other_paper, other_ours)| {
                paper.partial_cmp(other_paper).is_none_or(|order| {
                    order.is_eq() || ours.partial_cmp(other_ours) == Some(order)
                })
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::wire::Figure;

    fn printed(text: &str) -> Printed {
        Printed::new(&Figure::Number(text.parse().unwrap()), text)
    }

    /// A tolerance as files write it.
    fn tolerance(text: &str) -> Tolerance {
        Tolerance::deserialize(toml::de::ValueDeserializer::parse(text).unwrap()).unwrap()
    }

    fn check(tolerance: Tolerance, paper: &str, ours: f64, expected: Option<bool>) {
        let found = agrees(
            tolerance,
            "%",
            Some(&printed(paper)),
            &Measured::exact(ours),
        );
        assert_eq!(found, expected, "{tolerance} of {paper}: {ours}");
    }

    #[test]
    fn digits_round() {
        check(Tolerance::AsPrinted, "0.510", 0.5104, Some(true));
        check(Tolerance::AsPrinted, "0.510", 0.5106, Some(false));
        check(Tolerance::AsPrinted, "138383", 138_383.4, Some(true));
        check(Tolerance::AsPrinted, "138383", 138_384.0, Some(false));
        check(tolerance("{ digits = 1 }"), "0.510", 0.55, Some(true));
        check(tolerance("{ digits = 1 }"), "0.510", 0.57, Some(false));
    }

    #[test]
    fn distances() {
        check(Tolerance::Exact, "57", 57.0, Some(true));
        check(Tolerance::Exact, "57", 57.1, Some(false));
        check(tolerance("{ abs = 0.5 }"), "94.8", 95.3, Some(true));
        check(tolerance("{ abs = 0.5 }"), "94.8", 95.31, Some(false));
        check(tolerance("{ rel = 0.1 }"), "40000", 36_000.0, Some(true));
        check(tolerance("{ rel = 0.1 }"), "40000", 35_999.0, Some(false));
        check(tolerance("{ within = [0, 1] }"), "7", 0.5, Some(true));
        check(Tolerance::Info, "7", 0.5, None);
    }

    #[test]
    fn within_needs_nothing_printed() {
        let ours = Measured::exact(2.0);
        assert_eq!(
            agrees(tolerance("{ within = [0, 1] }"), "", None, &ours),
            Some(false)
        );
        assert_eq!(agrees(Tolerance::Exact, "", None, &ours), None);
    }

    #[test]
    fn proportions() {
        let trials = tolerance("{ trials = { n = 1000, z = 3.0 } }");
        // One standard error of 52 % of 1000 is 1.58 points.
        check(trials, "52.0", 56.6, Some(true));
        check(trials, "52.0", 57.0, Some(false));
        let ours = Measured {
            n_samples: Some(1000),
            ..Measured::exact(57.0)
        };
        assert_eq!(
            agrees(trials, "%", Some(&printed("52.0")), &ours),
            Some(true)
        );
    }

    #[test]
    fn spreads() {
        let ours = Measured {
            std_dev: Some(0.2),
            std_error: Some(0.1),
            ..Measured::exact(7.0)
        };
        let paper = printed("7.5");
        assert_eq!(
            agrees(tolerance("{ replicate-sd = 3 }"), "", Some(&paper), &ours),
            Some(true)
        );
        assert_eq!(
            agrees(tolerance("{ std-error = 3 }"), "", Some(&paper), &ours),
            Some(false)
        );
    }

    #[test]
    fn order_marks_the_cells_out_of_place() {
        assert_eq!(
            same_order(&[(1.0, 10.0), (2.0, 30.0), (3.0, 20.0)]),
            [true, false, false]
        );
        assert_eq!(
            same_order(&[(1.0, 3.0), (1.0, 2.0), (5.0, 9.0)]),
            [true, true, true]
        );
        assert_eq!(same_order(&[(1.0, 3.0), (2.0, 3.0)]), [false, false]);
    }
}
