//! What is shown of a cell beside its outcome: how far it is off, and what would have been accepted.

use super::JudgedCell;
use super::closeness::Gauge;
use super::{Others, own_interval};
use crate::config::baseline::Baseline;
use crate::figure::{Place, Values, filled};
use crate::measurement::Table;
use crate::published::twelve_digits;
use crate::tolerance::Tolerance;

/// What is shown of a judged cell beside its outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellDetails {
    /// The lowest and the highest value of ours that would have been accepted, where these are two.
    pub accepted: Option<[f64; 2]>,
    /// Our own interval, where the published value is judged by one.
    pub interval: Option<[f64; 2]>,
    /// Ours minus print in errors of both sides.
    pub errors: Option<f64>,
    /// The baselines: in words, and the value of each that has one.
    pub baselines: Vec<(String, Option<String>)>,
}

impl CellDetails {
    /// That of a cell of `table`.
    pub fn new(cell: &JudgedCell, table: &Table, others: &Others) -> Self {
        let (Some(printed), Some(ours)) = (&cell.printed, &cell.ours) else {
            return Self::default();
        };
        let interval = match cell.column.tolerance {
            Tolerance::OwnInterval => own_interval(table, &cell.row, &cell.column.name),
            _ => None,
        };
        let gauge = Gauge::new(&cell.column, cell.column.tolerance, printed);
        let size = printed.number().and_then(|paper| {
            let by_tolerance = gauge.in_errors(paper, ours).map(|(size, _)| size);
            by_tolerance.or_else(|| gauge.errors_apart(printed, ours))
        });
        let values = Values { own: table, others };
        Self {
            accepted: printed
                .number()
                .and_then(|paper| gauge.accepted(paper, ours)),
            interval: interval.map(crate::tolerance::Interval::ends),
            errors: size
                .zip(cell.difference)
                .map(|(size, difference)| size.copysign(difference)),
            baselines: baselines(cell, &values),
        }
    }
}

/// The baselines of a cell, in words and with their values.
fn baselines(cell: &JudgedCell, values: &Values<'_>) -> Vec<(String, Option<String>)> {
    let told = |baseline: &Baseline| match baseline {
        Baseline::Number(value) => ("a constant".to_owned(), Some(twelve_digits(*value))),
        Baseline::Text(text) => ("a constant".to_owned(), Some(text.clone())),
        Baseline::MostCommon | Baseline::Shuffle => (baseline.to_string(), None),
        Baseline::None(why) => (format!("none: {why}"), None),
        Baseline::Figure(name) => {
            let name = filled(name, &cell.row, &cell.column.name);
            let value = Place::parse(&name).and_then(|place| values.get(&place));
            let value = value.map(crate::measurement::Measurement::written);
            (name, value)
        }
    };
    cell.column.baseline.iter().map(told).collect()
}
