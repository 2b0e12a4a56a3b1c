//! How close to a published value is close enough, and whether a value is.

use std::fmt;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error};

use crate::published::twelve_digits;

/// Relative slack for the last of the twelve digits that are kept of a value.
pub(crate) const SLACK: f64 = 1e-11;

/// How a column is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tolerance {
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
    /// Both values within an interval.
    Within(Interval),
    /// Two proportions, theirs of `n` trials, at most `z` standard errors apart.
    Trials(Trials),
    /// The printed value within this many standard deviations of our replicates.
    ReplicateSd(Distance),
    /// The printed value within this many of our own standard errors.
    StdError(Distance),
    /// The printed value within the central part of our replicates that is this share of them.
    Quantiles(Share),
    /// The printed value within our own interval, whose ends are the columns of the same name with
    /// `-low` and `-high`.
    OwnInterval,
    /// The printed value within this interval of ours: what [`Tolerance::OwnInterval`] is of a value.
    #[serde(skip)]
    Around(Interval),
}

/// A number that is not negative.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, JsonSchema)]
pub struct Distance(
    #[serde(deserialize_with = "not_negative")]
    #[schemars(range(min = 0))]
    f64,
);

impl Distance {
    pub(crate) const TWO: Self = Self(2.0);

    /// A number that is finite and not negative.
    pub fn new(value: f64) -> Option<Self> {
        (value >= 0.0 && value.is_finite()).then_some(Self(value))
    }

    pub fn get(self) -> f64 {
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

/// More than nothing and less than all.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, JsonSchema)]
pub struct Share(
    #[serde(deserialize_with = "inner")]
    #[schemars(range(min = 0.5, max = 0.99))]
    f64,
);

impl Share {
    pub fn get(self) -> f64 {
        self.0
    }
}

fn inner<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(from)?;
    if (0.5..=0.99).contains(&value) {
        return Ok(value);
    }
    let message = format!("found `{value}`, expected a share from 0.5 to 0.99");
    Err(D::Error::custom(message))
}

/// Two numbers, the lower first.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, JsonSchema)]
pub struct Interval(#[serde(deserialize_with = "ordered")] [f64; 2]);

impl Interval {
    /// Two ends, the lower first; none if that is not so.
    pub fn new(low: f64, high: f64) -> Option<Self> {
        (low <= high).then_some(Self([low, high]))
    }

    pub fn ends(self) -> [f64; 2] {
        self.0
    }

    /// Whether it holds a value, up to the last of the digits that are kept.
    pub fn holds(self, value: f64) -> bool {
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
pub struct Trials {
    pub n: NonZeroU64,
    pub z: Distance,
}

/// The columns that hold the ends of a column's intervals.
pub(crate) fn interval_columns(column: &str) -> [String; 2] {
    ["low", "high"].map(|end| format!("{column}-{end}"))
}

impl Tolerance {
    /// Whether it judges columns and not their cells, or nothing.
    pub(crate) fn judges_columns(self) -> bool {
        matches!(self, Self::Order | Self::Tau(_) | Self::Info)
    }

    /// Whether it is made of our own spread: of replicates, quantiles or resampling. The others are fixed
    /// beforehand.
    pub(crate) fn is_own_spread(self) -> bool {
        matches!(
            self,
            Self::ReplicateSd(_)
                | Self::StdError(_)
                | Self::Quantiles(_)
                | Self::OwnInterval
                | Self::Around(_)
        )
    }

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
            Self::Quantiles(share) => {
                write!(
                    f,
                    "central {} % of replicates",
                    twelve_digits(100.0 * share.0)
                )
            }
            Self::OwnInterval | Self::Around(_) => f.write_str("our interval"),
            Self::Order => f.write_str("same order"),
            Self::Tau(least) => write!(f, "Kendall's tau at least {}", twelve_digits(least.0)),
            Self::Info => f.write_str("info"),
        }
    }
}
