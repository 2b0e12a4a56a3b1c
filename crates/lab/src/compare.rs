//! Drift from the last blessed result, value by value.
//!
//! Two questions, never mixed up. *Drift* is our value now against our last blessed one: tight,
//! it catches our own mistakes. *Agreement* is our value against the printed one: tolerant, the
//! scientific answer, and the matter of [`judge`](crate::judge).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::judge::MissingReason;
use crate::measurement::{Measurement, Table};

/// How a value stands to the last blessed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drift {
    /// The same.
    Same,
    /// Another value.
    Drifted,
    /// A value where there was none.
    New,
    /// No value where there was one.
    Gone,
}

impl Drift {
    /// The word for it, the same everywhere.
    pub fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Drifted => "drifted",
            Self::New => "new",
            Self::Gone => "gone",
        }
    }
}

/// A value that differs from the accepted one.
#[derive(Clone, Debug)]
pub struct DriftedValue {
    /// Its row.
    pub row: String,
    /// Its column.
    pub column: String,
    /// How it changed.
    pub drift: Drift,
    /// The recorded value.
    pub old: Option<Measurement>,
    /// The computed value.
    pub new: Option<Measurement>,
}

/// Compares our table with the blessed one; rows in `skip` were not run and are left out.
pub fn drift(
    blessed: &Table,
    now: &Table,
    skip: &BTreeMap<String, MissingReason>,
) -> Vec<DriftedValue> {
    let mut places: Vec<(&str, &str)> = blessed
        .iter()
        .chain(now.iter())
        .map(|(row, column, _)| (row, column))
        .filter(|(row, _)| !skip.contains_key(*row))
        .collect();
    places.sort_unstable();
    places.dedup();
    places
        .into_iter()
        .filter_map(|(row, column)| {
            let (old, new) = (blessed.get(row, column), now.get(row, column));
            let drift = match (old, new) {
                (Some(old), Some(new)) if old.same_as(new) => return None,
                (Some(_), Some(_)) => Drift::Drifted,
                (None, _) => Drift::New,
                (_, None) => Drift::Gone,
            };
            Some(DriftedValue {
                row: row.to_owned(),
                column: column.to_owned(),
                drift,
                old: old.cloned(),
                new: new.cloned(),
            })
        })
        .collect()
}
