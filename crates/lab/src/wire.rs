//! Building blocks of the types that files are read into: they keep order and position.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Unexpected, Visitor};
use toml::Spanned;

/// The entries of a table in file order, each with its name and where that stands.
#[derive(Clone, Debug)]
pub struct Entries<T>(pub(crate) Vec<(Spanned<String>, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Table<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Table<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<T>, A::Error> {
                let mut entries: Vec<(Spanned<String>, T)> = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                // The parser keeps them sorted by name.
                entries.sort_by_key(|(name, _)| name.span().start);
                Ok(Entries(entries))
            }
        }
        from.deserialize_map(Table(PhantomData))
    }
}

/// The strings of a [`OneOrMany`], each with its place.
#[derive(Clone, Debug, Default)]
pub struct Texts(pub(crate) Vec<Spanned<String>>);

impl Texts {
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|text| text.get_ref().as_str())
    }
}

/// A string or an array of strings.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(crate) enum OneOrMany {
    One(String),
    Many(#[schemars(with = "Vec<String>")] Vec<Spanned<String>>),
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let read = Spanned::<OneOrMany>::deserialize(from)?;
        let span = read.span();
        Ok(Self(match read.into_inner() {
            OneOrMany::One(text) => vec![Spanned::new(span, text)],
            OneOrMany::Many(texts) => texts,
        }))
    }
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = OneOrMany;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or an array of strings")
            }

            fn visit_str<E>(self, text: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany::One(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<OneOrMany, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = items.next_element()? {
                    texts.push(text);
                }
                Ok(OneOrMany::Many(texts))
            }
        }
        from.deserialize_any(Either)
    }
}

/// A published value.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Figure {
    Number(f64),
    Text(String),
}

impl<'de> Deserialize<'de> for Figure {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = Figure;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a finite number or a string")
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Figure, E> {
                if number.is_finite() {
                    Ok(Figure::Number(number))
                } else {
                    Err(E::invalid_value(Unexpected::Float(number), &self))
                }
            }

            fn visit_i64<E>(self, number: i64) -> Result<Figure, E> {
                Ok(Figure::Number(number as f64))
            }

            fn visit_str<E>(self, text: &str) -> Result<Figure, E> {
                Ok(Figure::Text(text.to_owned()))
            }
        }
        from.deserialize_any(Either)
    }
}
