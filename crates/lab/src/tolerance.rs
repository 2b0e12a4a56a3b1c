//! How close to print is close enough, and whether a value is.

use std::fmt;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error};

use crate::measured::Measured;
use crate::printed::{Printed, twelve_digits};

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
    /// Kendall's tau between our column and the printed one is at least this.
    Tau(Distance),
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
    /// The printed value within our own interval, whose ends are the columns of the same name with
    /// `-low` and `-high`.
    OwnInterval,
    /// The printed value within this interval of ours: what [`Tolerance::OwnInterval`] is of a value.
    #[serde(skip)]
    Around(Interval),
}

/// A number that is not negative.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, JsonSchema)]
pub(crate) struct Distance(
    #[serde(deserialize_with = "not_negative")]
    #[schemars(range(min = 0))]
    f64,
);

impl Distance {
    pub(crate) const TWO: Self = Self(2.0);

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

impl Interval {
    /// Two ends, the lower first; none if that is not so.
    pub(crate) fn new(low: f64, high: f64) -> Option<Self> {
        (low <= high).then_some(Self([low, high]))
    }

    fn holds(self, value: f64) -> bool {
        let Self([low, high]) = self;
        let slack = SLACK * value.abs();
        (low - slack..=high + slack).contains(&value)
    }
}

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

/// The columns that hold the ends of a column's intervals.
pub(crate) fn interval_columns(column: &str) -> [String; 2] {
    ["low", "high"].map(|end| format!("{column}-{end}"))
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
            Self::OwnInterval | Self::Around(_) => f.write_str("our interval"),
            Self::Order => f.write_str("same order"),
            Self::Tau(least) => write!(f, "Kendall's tau at least {}", twelve_digits(least.0)),
            Self::Info => f.write_str("info"),
        }
    }
}

/// What a tolerance says of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closeness {
    /// Close to print, and closer than a value that says nothing.
    Close,
    /// Close to print, but so would be a value that says nothing: zero, or what chance gives.
    Undecided,
    /// Not close.
    Far,
}

impl Closeness {
    fn new(is_close: bool, is_blind: bool) -> Self {
        match (is_close, is_blind) {
            (true, true) => Self::Undecided,
            (true, false) => Self::Close,
            (false, _) => Self::Far,
        }
    }
}

/// How close `ours` is to `printed`; `None` when there is nothing to judge by.
///
/// A tolerance wider than the last printed digit decides nothing where it would also accept
/// `chance` in place of either value. An interval holds where nothing is printed, too, but then no
/// value is close to anything.
///
/// [`Tolerance::Order`] and [`Tolerance::Tau`] need the whole column and are judged by
/// [`same_order`] and [`RankCorrelation`].
pub(crate) fn closeness(
    tolerance: Tolerance,
    unit: &str,
    chance: f64,
    printed: Option<&Printed>,
    ours: &Measured,
) -> Option<Closeness> {
    if tolerance == Tolerance::Info {
        return None;
    }
    let Some(printed) = printed else {
        let Tolerance::Within(interval) = tolerance else {
            return None;
        };
        return (!interval.holds(ours.number()?)).then_some(Closeness::Far);
    };
    let (paper, value) = match (printed, ours.number()) {
        (Printed::Number { value, .. }, Some(number)) => (*value, number),
        (Printed::Text(text), _) => return Some(Closeness::new(ours.written() == *text, false)),
        (Printed::Number { .. }, None) => return Some(Closeness::Far),
    };
    let half_unit = printed.half_unit();
    let center = value;
    let width = |paper: f64| match tolerance {
        Tolerance::Exact => Some(0.0),
        Tolerance::AsPrinted => Some(half_unit),
        Tolerance::Digits(digits) => Some(0.5 * 10f64.powi(-i32::from(digits))),
        Tolerance::Abs(x) => Some(x.0),
        Tolerance::Rel(x) => Some(x.0 * paper.abs()),
        Tolerance::ReplicateSd(k) => Some(k.0 * ours.std_dev?),
        Tolerance::StdError(k) => Some(k.0 * ours.std_error?),
        _ => None,
    };
    let accepts = |paper: f64, value: f64| match tolerance {
        Tolerance::Within(interval) => Some(interval.holds(value)),
        // Around another value it would be as wide.
        Tolerance::Around(Interval(ends)) => {
            let [low, high] = ends.map(|end| end + value - center);
            Some(Interval([low, high]).holds(paper))
        }
        Tolerance::Trials(trials) => Some(proportions_agree(
            unit,
            paper,
            trials,
            value,
            ours.n_samples,
        )),
        _ => {
            let slack = SLACK * value.abs().max(paper.abs());
            Some((value - paper).abs() <= width(paper)? + slack)
        }
    };
    // An interval says nothing of what is printed.
    let is_interval = matches!(tolerance, Tolerance::Within(_));
    let is_wide = width(paper).is_none_or(|width| width > half_unit);
    let is_blind = is_wide && (accepts(paper, chance)? || !is_interval && accepts(chance, value)?);
    Some(Closeness::new(accepts(paper, value)?, is_blind))
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

/// Fewer values stand in the right order by chance more often than once in twenty times.
const FEWEST_RANKED: usize = 4;

/// For each pair of printed value and ours, whether it ranks among the others as printed.
///
/// Values printed as equal may come in either order.
pub(crate) fn same_order(pairs: &[(f64, f64)]) -> Vec<Closeness> {
    pairs
        .iter()
        .map(|(paper, ours)| {
            let is_same = pairs.iter().all(|(other_paper, other_ours)| {
                paper.partial_cmp(other_paper).is_none_or(|order| {
                    order.is_eq() || ours.partial_cmp(other_ours) == Some(order)
                })
            });
            Closeness::new(is_same, pairs.len() < FEWEST_RANKED)
        })
        .collect()
}

/// How far two rankings go together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RankCorrelation {
    /// Kendall's tau-b: 1 for the same order, -1 for the reverse, equal values set aside.
    pub(crate) tau: f64,
    /// Nineteen of twenty random orders lie between this and its negative (Kendall 1938; normal
    /// approximation).
    pub(crate) by_chance: f64,
}

impl RankCorrelation {
    /// That of at least two pairs which are not all equal on one side.
    pub(crate) fn new(pairs: &[(f64, f64)]) -> Option<Self> {
        let (mut concordance, mut one, mut other) = (0.0, 0.0, 0.0);
        let sign = |a: f64, b: f64| f64::from(i8::from(a > b) - i8::from(a < b));
        for (at, (x, y)) in pairs.iter().enumerate() {
            for (x_before, y_before) in &pairs[..at] {
                let (dx, dy) = (sign(*x, *x_before), sign(*y, *y_before));
                concordance += dx * dy;
                one += dx.abs();
                other += dy.abs();
            }
        }
        let n = pairs.len() as f64;
        let variance = 2.0 * (2.0 * n + 5.0) / (9.0 * n * (n - 1.0));
        let tau = concordance / f64::sqrt(one * other);
        tau.is_finite().then_some(Self {
            tau,
            by_chance: 1.96 * variance.sqrt(),
        })
    }

    /// Whether the orders go together at least so far, and farther than by chance.
    pub(crate) fn closeness(self, least: Distance) -> Closeness {
        Closeness::new(self.tau >= least.0, self.by_chance >= least.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Closeness::{Close, Far, Undecided};
    use super::*;
    use crate::wire::Figure;

    fn printed(text: &str) -> Printed {
        Printed::new(&Figure::Number(text.parse().unwrap()), text)
    }

    /// A tolerance as files write it.
    fn tolerance(text: &str) -> Tolerance {
        Tolerance::deserialize(toml::de::ValueDeserializer::parse(text).unwrap()).unwrap()
    }

    fn check(tolerance: Tolerance, paper: &str, ours: f64, expected: Closeness) {
        let printed = printed(paper);
        let found = closeness(tolerance, "%", 0.0, Some(&printed), &Measured::exact(ours));
        assert_eq!(found, Some(expected), "{tolerance} of {paper}: {ours}");
    }

    #[test]
    fn digits_round() {
        check(Tolerance::AsPrinted, "0.510", 0.5104, Close);
        check(Tolerance::AsPrinted, "0.510", 0.5106, Far);
        check(Tolerance::AsPrinted, "138383", 138_383.4, Close);
        check(Tolerance::AsPrinted, "138383", 138_384.0, Far);
        check(tolerance("{ digits = 1 }"), "0.510", 0.55, Close);
        check(tolerance("{ digits = 1 }"), "0.510", 0.57, Far);
    }

    #[test]
    fn distances() {
        check(Tolerance::Exact, "57", 57.0, Close);
        check(Tolerance::Exact, "57", 57.1, Far);
        check(tolerance("{ abs = 0.5 }"), "94.8", 95.3, Close);
        check(tolerance("{ abs = 0.5 }"), "94.8", 95.31, Far);
        check(tolerance("{ rel = 0.1 }"), "40000", 36_000.0, Close);
        check(tolerance("{ rel = 0.1 }"), "40000", 35_999.0, Far);
        check(tolerance("{ within = [1, 8] }"), "7", 1.5, Close);
        check(tolerance("{ within = [1, 8] }"), "7", 0.5, Far);
        let ours = Measured::exact(0.5);
        let found = closeness(Tolerance::Info, "", 0.0, Some(&printed("7")), &ours);
        assert_eq!(found, None);
    }

    #[test]
    fn without_print_an_interval_can_only_be_left() {
        let of = |ours: f64| {
            let ours = Measured::exact(ours);
            closeness(tolerance("{ within = [0, 1] }"), "", 0.0, None, &ours)
        };
        assert_eq!(of(2.0), Some(Far));
        assert_eq!(of(0.5), None);
    }

    #[test]
    fn what_accepts_nothing_too_decides_nothing() {
        check(tolerance("{ abs = 0.1 }"), "0.08", 0.17, Undecided);
        check(tolerance("{ abs = 0.1 }"), "0.17", 0.08, Undecided);
        check(tolerance("{ abs = 0.1 }"), "0.08", -0.02, Undecided);
        check(tolerance("{ abs = 0.1 }"), "0.08", 0.19, Far);
        check(tolerance("{ rel = 1.5 }"), "4", 9.0, Undecided);
        check(tolerance("{ digits = 0 }"), "0.3", 0.4, Undecided);
        check(tolerance("{ within = [0, 8] }"), "7", 1.5, Undecided);
        // A zero that is printed, and no other.
        check(tolerance("{ abs = 0.5 }"), "0", 0.2, Close);
        check(Tolerance::AsPrinted, "0.0", 0.04, Close);
        check(tolerance("{ abs = 0.5 }"), "0.0", 0.2, Undecided);
        let by_chance = |ours: f64| {
            let ours = Measured::exact(ours);
            closeness(
                tolerance("{ abs = 5 }"),
                "%",
                50.0,
                Some(&printed("53")),
                &ours,
            )
        };
        assert_eq!(by_chance(56.0), Some(Undecided));
        assert_eq!(by_chance(46.0), Some(Far));
    }

    #[test]
    fn proportions() {
        let trials = tolerance("{ trials = { n = 1000, z = 3.0 } }");
        // One standard error of 52 % of 1000 is 1.58 points.
        check(trials, "52.0", 56.6, Close);
        check(trials, "52.0", 57.0, Far);
        let ours = Measured {
            n_samples: Some(1000),
            ..Measured::exact(57.0)
        };
        let of_chance = |chance| closeness(trials, "%", chance, Some(&printed("52.0")), &ours);
        assert_eq!(of_chance(0.0), Some(Close));
        assert_eq!(of_chance(50.0), Some(Undecided));
    }

    #[test]
    fn spreads() {
        let ours = Measured {
            std_dev: Some(0.2),
            std_error: Some(0.1),
            ..Measured::exact(7.0)
        };
        let of = |text: &str, chance, ours: &Measured| {
            closeness(tolerance(text), "", chance, Some(&printed("7.5")), ours)
        };
        assert_eq!(of("{ replicate-sd = 3 }", 0.0, &ours), Some(Close));
        assert_eq!(of("{ std-error = 3 }", 0.0, &ours), Some(Far));
        assert_eq!(of("\"own-interval\"", 0.0, &ours), None);
        let around = |low, high, chance| {
            let tolerance = Tolerance::Around(Interval::new(low, high).unwrap());
            closeness(tolerance, "", chance, Some(&printed("7.5")), &ours)
        };
        assert_eq!(around(6.0, 7.6, 0.0), Some(Close));
        assert_eq!(around(6.0, 7.4, 0.0), Some(Far));
        assert_eq!(around(6.0, 7.6, 6.5), Some(Undecided));
        // In place of ours, 6.9 would reach from 5.9 to 7.5.
        assert_eq!(around(6.0, 7.6, 6.9), Some(Undecided));
        assert_eq!(around(-1.0, 7.6, 0.0), Some(Undecided));
        assert_eq!(of("{ replicate-sd = 3 }", 6.5, &ours), Some(Undecided));
        assert_eq!(of("{ std-error = 3 }", 0.0, &Measured::exact(7.0)), None);
    }

    #[test]
    fn rankings_go_together_farther_than_by_chance() {
        let of = |ours: &[f64]| {
            let pairs: Vec<(f64, f64)> = (1..).map(f64::from).zip(ours.iter().copied()).collect();
            RankCorrelation::new(&pairs)
        };
        // Five of the six pairs stand as printed.
        let found = of(&[1.0, 3.0, 2.0, 4.0]).unwrap();
        assert!((found.tau - 4.0 / 6.0).abs() < 1e-12);
        assert_eq!(found.closeness(Distance(0.5)), Undecided);
        assert_eq!(found.closeness(Distance(0.7)), Far);
        let many: Vec<f64> = (0..20).map(|step| f64::from(step ^ 1)).collect();
        let found = of(&many).unwrap();
        assert!((found.tau - (190.0 - 20.0) / 190.0).abs() < 1e-12);
        assert!((found.by_chance - 1.96 * f64::sqrt(90.0 / 3420.0)).abs() < 1e-12);
        assert_eq!(found.closeness(Distance(0.5)), Close);
        assert_eq!(of(&[2.0, 2.0, 2.0]), None);
    }

    #[test]
    fn order_marks_the_cells_out_of_place() {
        assert_eq!(
            same_order(&[(1.0, 10.0), (2.0, 30.0), (3.0, 20.0)]),
            [Undecided, Far, Far]
        );
        assert_eq!(
            same_order(&[(1.0, 10.0), (2.0, 30.0), (3.0, 40.0), (4.0, 50.0)]),
            [Close; 4]
        );
        assert_eq!(
            same_order(&[(1.0, 3.0), (1.0, 2.0), (5.0, 9.0)]),
            [Undecided; 3]
        );
        assert_eq!(same_order(&[(1.0, 3.0), (2.0, 3.0)]), [Far; 2]);
    }
}
