//! `null` of a column: what a model that knows nothing gives in our place.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::printed::twelve_digits;

/// What a model that knows nothing gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Null {
    /// The same number in every row.
    Number(f64),
    /// The same text in every row.
    Text(String),
    /// Our own values, permuted among the rows.
    Shuffle,
    /// Another figure, which is computed like any other: `row.column`, or `paper/table:row.column`;
    /// `{row}` and `{column}` stand for the cell that is judged.
    Figure(String),
    /// There is none, for this reason.
    None(String),
}

impl fmt::Display for Null {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => f.write_str(&twelve_digits(*value)),
            Self::Text(text) => write!(f, "`{text}` in every row"),
            Self::Shuffle => f.write_str("our values of other rows"),
            Self::Figure(name) => write!(f, "`{name}`"),
            Self::None(why) => write!(f, "none: {why}"),
        }
    }
}

/// One null or several.
#[derive(Clone, Debug, Default, JsonSchema)]
#[schemars(transparent)]
pub(crate) struct Nulls(#[schemars(with = "NullSchema")] pub(crate) Vec<Null>);

/// What an editor is told of a null.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "its shape is all that is used")]
enum NullSchema {
    Number(f64),
    Shuffle(ShuffleWord),
    Row { row: String },
    Figure { figure: String },
    Text { text: String },
    None { none: String },
    Several(Vec<serde_json::Value>),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
#[allow(dead_code, reason = "its shape is all that is used")]
enum ShuffleWord {
    Shuffle,
}

const EXPECTED: &str = "a number, \"shuffle\", { row = \"…\" }, { figure = \"row.column\" }, \
     { text = \"…\" } or { none = \"why\" }";

impl<'de> Deserialize<'de> for Null {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct One;
        impl<'de> Visitor<'de> for One {
            type Value = Null;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Null, E> {
                if value.is_finite() {
                    return Ok(Null::Number(value));
                }
                Err(E::custom(format!("found `{value}`, expected {EXPECTED}")))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Null, E> {
                Ok(Null::Number(value as f64))
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Null, E> {
                if word == "shuffle" {
                    return Ok(Null::Shuffle);
                }
                Err(E::custom(format!("found \"{word}\", expected {EXPECTED}")))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Null, A::Error> {
                let found: Option<(String, String)> = map.next_entry()?;
                let (key, text) =
                    found.ok_or_else(|| A::Error::custom(format!("expected {EXPECTED}")))?;
                if map.next_key::<String>()?.is_some() || text.trim().is_empty() {
                    return Err(A::Error::custom(format!("expected {EXPECTED}")));
                }
                match key.as_str() {
                    "row" => Ok(Null::Figure(format!("{text}.{{column}}"))),
                    "figure" => Ok(Null::Figure(text)),
                    "text" => Ok(Null::Text(text)),
                    "none" => Ok(Null::None(text)),
                    _ => Err(A::Error::custom(format!(
                        "found `{key}`, expected {EXPECTED}"
                    ))),
                }
            }
        }
        from.deserialize_any(One)
    }
}

impl<'de> Deserialize<'de> for Nulls {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Nulls;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(EXPECTED)
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Nulls, E> {
                Null::deserialize(serde::de::value::F64Deserializer::new(value))
                    .map(|one| Nulls(vec![one]))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Nulls, E> {
                Ok(Nulls(vec![Null::Number(value as f64)]))
            }

            fn visit_str<E: Error>(self, word: &str) -> Result<Nulls, E> {
                Null::deserialize(serde::de::value::StrDeserializer::new(word))
                    .map(|one| Nulls(vec![one]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Nulls, A::Error> {
                let map = serde::de::value::MapAccessDeserializer::new(map);
                Null::deserialize(map).map(|one| Nulls(vec![one]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Nulls, A::Error> {
                let mut nulls = Vec::new();
                while let Some(null) = items.next_element()? {
                    nulls.push(null);
                }
                if nulls.is_empty() {
                    return Err(A::Error::custom(format!("expected {EXPECTED}")));
                }
                Ok(Nulls(nulls))
            }
        }
        from.deserialize_any(Any)
    }
}
