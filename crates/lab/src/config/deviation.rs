//! `[[deviation]]`: differences that are expected and explained.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use toml::Spanned;

use crate::measurement::Measurement;
use crate::published::{six_digits, twelve_digits};
use crate::tolerance::Interval;
use crate::wire::Texts;

/// A difference that is expected and explained.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Deviation {
    /// row.column; * and ? are wild.
    #[schemars(with = "OneOrManyTexts")]
    pub cells: Texts,
    /// How large a difference the reason explains; required where numbers are printed. At most twice the
    /// largest present one, in the same unit.
    pub up_to: Option<Bound>,
    /// Why we differ.
    pub reason: String,
    /// The figure that shows the reason: `row.column`, or `paper/table:row.column`; `{row}` and `{column}`
    /// stand for the cell. Without it the reason is a conjecture.
    #[schemars(with = "Option<String>")]
    pub tested: Option<Spanned<String>>,
    /// What that figure is if the reason holds; when not given, what is printed of the cell.
    pub predicts: Option<Prediction>,
    /// What would decide whether the reason holds where it is a conjecture: an experiment, or that nothing
    /// that was published can. Required without `tested`.
    pub decided_by: Option<String>,
}

/// One or several texts, for the schema.
type OneOrManyTexts = crate::wire::OneOrMany;

impl Deviation {
    /// Whether it is declared for a cell.
    pub fn covers(&self, row: &str, column: &str) -> bool {
        self.cells.name(row, column)
    }
}

/// How large a difference is explained.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// In our own errors: deviations of replicates, or standard errors.
    Errors(#[serde(deserialize_with = "positive")] f64),
    /// In the column's unit.
    Abs(#[serde(deserialize_with = "positive")] f64),
    /// As a share of the printed value.
    Rel(#[serde(deserialize_with = "positive")] f64),
}

fn positive<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(from)?;
    if value > 0.0 && value.is_finite() {
        return Ok(value);
    }
    let message = format!("found `{value}`, expected a number above zero");
    Err(D::Error::custom(message))
}

impl Bound {
    /// The number that the file gives.
    pub fn size(self) -> f64 {
        match self {
            Self::Errors(size) | Self::Abs(size) | Self::Rel(size) => size,
        }
    }

    /// A difference in the unit of this bound; `None` if ours has no error, or a share is of nothing.
    pub fn measure(self, printed: f64, difference: f64, ours: &Measurement) -> Option<f64> {
        let unit = match self {
            Self::Errors(_) => ours.std_dev.or(ours.std_error)?,
            Self::Abs(_) => 1.0,
            Self::Rel(_) => printed.abs(),
        };
        (unit > 0.0).then(|| difference.abs() / unit)
    }

    /// A size in the unit of this bound, in words.
    pub fn told(self, size: f64) -> String {
        match self {
            Self::Errors(_) => format!("{} of our errors", six_digits(size)),
            Self::Abs(_) => six_digits(size),
            Self::Rel(_) => format!("{} %", six_digits(100.0 * size)),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told(self.size()))
    }
}

/// What a figure is if a reason holds.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(untagged)]
pub enum Prediction {
    /// Within an interval.
    Within(Interval),
    /// This text.
    Text(String),
}

impl Prediction {
    /// Whether a figure is as predicted.
    pub fn holds(&self, figure: &Measurement) -> bool {
        match self {
            Self::Within(interval) => figure.number().is_some_and(|value| interval.holds(value)),
            Self::Text(text) => figure.written() == *text,
        }
    }
}

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Within(interval) => match interval.ends() {
                [low, high] if low.to_bits() == high.to_bits() => f.write_str(&twelve_digits(low)),
                [low, high] => write!(f, "{} to {}", twelve_digits(low), twelve_digits(high)),
            },
            Self::Text(text) => write!(f, "`{text}`"),
        }
    }
}

impl<'de> Deserialize<'de> for Prediction {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Prediction;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, [lowest, highest], or a text")
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Prediction, E> {
                let interval = Interval::new(value, value);
                let interval = interval.ok_or_else(|| E::custom("expected a number"))?;
                Ok(Prediction::Within(interval))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Prediction, E> {
                self.visit_f64(value as f64)
            }

            fn visit_str<E>(self, text: &str) -> Result<Prediction, E> {
                Ok(Prediction::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Prediction, A::Error> {
                let ends: [Option<f64>; 2] = [items.next_element()?, items.next_element()?];
                let interval = match ends {
                    [Some(low), Some(high)] => Interval::new(low, high),
                    _ => None,
                };
                let interval = interval.map(Prediction::Within);
                interval.ok_or_else(|| A::Error::custom("expected [lowest, highest]"))
            }
        }
        from.deserialize_any(Either)
    }
}
