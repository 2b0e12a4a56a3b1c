//! `baseline` of a column: what a trivial model gives in our place.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::published::twelve_digits;

/// What a trivial model gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Baseline {
    /// The same number in every row.
    Number(f64),
    /// The same text in every row.
    Text(String),
    /// The most common published value of the column, in every row.
    MostCommon,
    /// Our own values, permuted among the rows.
    Shuffle,
    /// Another figure, which is computed like any other: `row.column`, or `paper/table:row.column`;
    /// `{row}` and `{column}` stand for the cell that is judged.
    Figure(String),
    /// There is none, for this reason.
    None(String),
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => f.write_str(&twelve_digits(*value)),
            Self::Text(text) => write!(f, "`{text}` in every row"),
            Self::MostCommon => f.write_str("the most common published value"),
            Self::Shuffle => f.write_str("our values of other rows"),
            Self::Figure(name) => write!(f, "`{name}`"),
            Self::None(why) => write!(f, "none: {why}"),
        }
    }
}

/// One baseline or several.
#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(transparent)]
pub struct Baselines(#[schemars(with = "BaselineSchema")] pub(crate) Vec<Baseline>);

/// The schema of a baseline, for editors.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "its shape is all that is used")]
enum BaselineSchema {
    Number(f64),
    Word(BaselineWord),
    Row { row: String },
    Figure { figure: String },
    Text { text: String },
    None { none: String },
    Several(Vec<serde_json::Value>),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[allow(dead_code, reason = "its shape is all that is used")]
enum BaselineWord {
    Shuffle,
    MostCommon,
}

const EXPECTED: &str = "a number, \"shuffle\", \"most-common\", { row = \"…\" }, { figure = \"row.column\" }, \
     { text = \"…\" } or { none = \"why\" }";

impl<'de> Deserialize<'de> for Baseline {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct One;
        impl<'de> Visitor<'de> for One {
            type Value = Baseline;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Baseline, E> {
                if value.is_finite() {
                    return Ok(Baseline::Number(value));
                }
                Err(E::custom(format!("found `{value}`, expected {EXPECTED}")))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Baseline, E> {
                Ok(Baseline::Number(value as f64))
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Baseline, E> {
                if word == "shuffle" {
                    return Ok(Baseline::Shuffle);
                }
                if word == "most-common" {
                    return Ok(Baseline::MostCommon);
                }
                Err(E::custom(format!("found \"{word}\", expected {EXPECTED}")))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Baseline, A::Error> {
                let found: Option<(String, String)> = map.next_entry()?;
                let (key, text) =
                    found.ok_or_else(|| A::Error::custom(format!("expected {EXPECTED}")))?;
                if map.next_key::<String>()?.is_some() || text.trim().is_empty() {
                    return Err(A::Error::custom(format!("expected {EXPECTED}")));
                }
                match key.as_str() {
                    "row" => Ok(Baseline::Figure(format!("{text}.{{column}}"))),
                    "figure" => Ok(Baseline::Figure(text)),
                    "text" => Ok(Baseline::Text(text)),
                    "none" => Ok(Baseline::None(text)),
                    _ => Err(A::Error::custom(format!(
                        "found `{key}`, expected {EXPECTED}"
                    ))),
                }
            }
        }
        from.deserialize_any(One)
    }
}

impl<'de> Deserialize<'de> for Baselines {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Baselines;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Baselines, E> {
                Baseline::deserialize(serde::de::value::F64Deserializer::new(value))
                    .map(|one| Baselines(vec![one]))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Baselines, E> {
                Ok(Baselines(vec![Baseline::Number(value as f64)]))
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Baselines, E> {
                Baseline::deserialize(serde::de::value::StrDeserializer::new(word))
                    .map(|one| Baselines(vec![one]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Baselines, A::Error> {
                let map = serde::de::value::MapAccessDeserializer::new(map);
                Baseline::deserialize(map).map(|one| Baselines(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Baselines, A::Error> {
                let mut baselines = Vec::new();
                while let Some(baseline) = items.next_element()? {
                    baselines.push(baseline);
                }
                if baselines.is_empty() {
                    return Err(A::Error::custom(format!("expected {EXPECTED}")));
                }
                Ok(Baselines(baselines))
            }
        }
        from.deserialize_any(Any)
    }
}
