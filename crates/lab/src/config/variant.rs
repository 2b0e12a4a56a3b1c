//! `variant-of`: where the published values are counted that a table compares as well.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use toml::Spanned;
use wildmatch::WildMatch;

use super::envelope::names_cell;

/// The tables where published values are counted that this table compares as well.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum VariantOf {
    /// Of all of its rows.
    Whole(Spanned<String>),
    /// Of rows, or of cells `row.column`, by pattern.
    Rows(Vec<(Spanned<String>, Spanned<String>)>),
}

/// Its schema, for editors.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "its shape is all that is used")]
pub(super) enum VariantOfSchema {
    Whole(String),
    Rows(BTreeMap<String, String>),
}

impl VariantOf {
    /// The home of the value in a row and column.
    pub(crate) fn home(&self, row: &str, column: &str) -> Option<&str> {
        match self {
            Self::Whole(id) => Some(id.get_ref()),
            Self::Rows(rows) => rows.iter().find_map(|(glob, id)| {
                let is_named = WildMatch::new(glob.get_ref()).matches(row)
                    || names_cell(glob.get_ref(), row, column);
                is_named.then(|| id.get_ref().as_str())
            }),
        }
    }

    /// The homes, with their places.
    pub(crate) fn homes(&self) -> impl Iterator<Item = &Spanned<String>> {
        let (whole, rows) = match self {
            Self::Whole(id) => (Some(id), &[][..]),
            Self::Rows(rows) => (None, rows.as_slice()),
        };
        whole.into_iter().chain(rows.iter().map(|(_, id)| id))
    }

    /// The patterns of rows and cells, with their places.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &Spanned<String>> {
        let rows = match self {
            Self::Whole(_) => &[][..],
            Self::Rows(rows) => rows.as_slice(),
        };
        rows.iter().map(|(glob, _)| glob)
    }
}

impl<'de> Deserialize<'de> for VariantOf {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let read = Spanned::<Either>::deserialize(from)?;
        let span = read.span();
        Ok(match read.into_inner() {
            Either::Whole(id) => Self::Whole(Spanned::new(span, id)),
            Either::Rows(rows) => Self::Rows(rows),
        })
    }
}

/// A table's id, or one for each pattern of rows.
enum Either {
    Whole(String),
    Rows(Vec<(Spanned<String>, Spanned<String>)>),
}

impl<'de> Deserialize<'de> for Either {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Either;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"paper/table\", or { \"pattern of rows\" = \"paper/table\" }")
            }

            fn visit_str<E: Error>(self, id: &str) -> Result<Either, E> {
                Ok(Either::Whole(id.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Either, A::Error> {
                let mut rows: Vec<(Spanned<String>, Spanned<String>)> = Vec::new();
                while let Some(row) = map.next_entry()? {
                    rows.push(row);
                }
                // The parser keeps them sorted by name.
                rows.sort_by_key(|(glob, _)| glob.span().start);
                Ok(Either::Rows(rows))
            }
        }
        from.deserialize_any(Any)
    }
}
