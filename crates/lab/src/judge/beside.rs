//! What is told of a cell beside its verdict: how far it is off, and what would have been accepted.

use super::Judged;
use super::closeness::Gauge;
use super::place::{Place, Values, filled};
use super::{Others, own_interval};
use crate::config::null::Null;
use crate::measured::Table;
use crate::printed::twelve_digits;
use crate::tolerance::Tolerance;

/// What is told of a judged cell beside its verdict.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Beside {
    /// The lowest and the highest value of ours that would have been accepted, where these are two.
    pub(crate) accepted: Option<[f64; 2]>,
    /// Our own interval, where print is judged by one.
    pub(crate) interval: Option<[f64; 2]>,
    /// Ours minus print in errors of both sides.
    pub(crate) errors: Option<f64>,
    /// What models that know nothing give: in words, and the value of each that has one.
    pub(crate) nulls: Vec<(String, Option<String>)>,
}

impl Beside {
    /// That of a cell of `table`.
    pub(crate) fn new(cell: &Judged, table: &Table, others: &Others) -> Self {
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
            nulls: nulls(cell, &values),
        }
    }
}

/// The nulls of a cell, in words and with their values.
fn nulls(cell: &Judged, values: &Values<'_>) -> Vec<(String, Option<String>)> {
    if cell.column.null.is_empty() {
        let is_number = cell
            .printed
            .as_ref()
            .is_some_and(|printed| printed.number().is_some());
        let null = if is_number {
            ("nothing at all".to_owned(), Some("0".to_owned()))
        } else {
            ("what is printed most often".to_owned(), None)
        };
        return vec![null];
    }
    let told = |null: &Null| match null {
        Null::Number(value) => ("a constant".to_owned(), Some(twelve_digits(*value))),
        Null::Text(text) => ("a constant".to_owned(), Some(text.clone())),
        Null::Shuffle => ("our values of other rows".to_owned(), None),
        Null::None(why) => (format!("none: {why}"), None),
        Null::Figure(name) => {
            let name = filled(name, &cell.row, &cell.column.name);
            let value = Place::parse(&name).and_then(|place| values.get(&place));
            let value = value.map(crate::measured::Measured::written);
            (name, value)
        }
    };
    cell.column.null.iter().map(told).collect()
}
