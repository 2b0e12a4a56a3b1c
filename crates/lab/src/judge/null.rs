//! What a model that knows nothing would give in our place, and whether print would accept it.

use super::closeness::Gauge;
use super::place::{Place, Values, filled};
use super::{Judged, Pending};
use crate::config::entry::TableColumn;
use crate::config::null::Null;
use crate::measured::{Measured, Scalar};
use crate::printed::{Printed, six_digits, twelve_digits};
use crate::tolerance::Tolerance;

/// A shuffled value meets print too often to tell if more of them do than this.
const SHUFFLED: f64 = 1.0 / 20.0;

/// What would be as close to print as ours, in words; `None` if nothing of what the column names.
pub(super) fn as_close(
    pending: &Pending,
    cells: &[Pending],
    values: &Values<'_>,
) -> Option<String> {
    let cell = &pending.cell;
    let (printed, ours) = (cell.printed.as_ref()?, cell.ours.as_ref()?);
    let gauge = Gauge::new(&cell.column, pending.tolerance, printed);
    let nulls = match cell.column.null.as_slice() {
        [] => defaults(cell, pending.tolerance, cells),
        nulls => nulls.to_vec(),
    };
    nulls.iter().find_map(|null| match null {
        Null::None(_) => None,
        Null::Number(value) => {
            let meets = number_meets(&gauge, printed, ours, *value);
            meets.then(|| format!("{} would be as close", twelve_digits(*value)))
        }
        Null::Text(text) => {
            let meets = printed.number().is_none() && printed.to_string() == *text;
            meets.then(|| format!("`{text}` for every row would be as close"))
        }
        Null::Shuffle => shuffled(pending, &gauge, cells),
        Null::Figure(name) => of_figure(cell, &gauge, name, values),
    })
}

/// The nulls of a column that names none: 0, and for values compared digit by digit what is printed
/// most often.
fn defaults(cell: &Judged, tolerance: Tolerance, cells: &[Pending]) -> Vec<Null> {
    let is_literal = matches!(
        tolerance,
        Tolerance::Exact | Tolerance::AsPrinted | Tolerance::Digits(_)
    );
    let constant = is_literal.then(|| commonest(&cell.column, cells)).flatten();
    match constant {
        Some(Printed::Text(text)) => vec![Null::Text(text)],
        Some(Printed::Number { value, .. }) => vec![Null::Number(0.0), Null::Number(value)],
        None => vec![Null::Number(0.0)],
    }
}

/// What is printed most often in a column among the judged cells; of values as common, the first. A
/// number has to be printed twice, or to be the only one.
fn commonest(column: &TableColumn, cells: &[Pending]) -> Option<Printed> {
    let of_column = |pending: &&Pending| pending.is_open && pending.cell.column.name == column.name;
    let printed = cells.iter().filter(of_column);
    let printed: Vec<&Printed> = printed
        .filter_map(|pending| pending.cell.printed.as_ref())
        .collect();
    let same = |one: &Printed, other: &Printed| match (one.number(), other.number()) {
        (Some(one), Some(other)) => one.to_bits() == other.to_bits(),
        (None, None) => one == other,
        _ => false,
    };
    let count = |one: &Printed| printed.iter().filter(|other| same(one, other)).count();
    // Of several maxima `max_by_key` takes the last.
    let found = printed.iter().rev().max_by_key(|one| count(one))?;
    let is_repeated = found.number().is_none() || count(found) > 1 || printed.len() == 1;
    is_repeated.then(|| (*found).clone())
}

/// Whether a number in our place would meet print, or in the place of print would be met by ours, or
/// is as near to ours as print.
fn number_meets(gauge: &Gauge<'_>, printed: &Printed, ours: &Measured, null: f64) -> bool {
    let (Some(paper), Some(value)) = (printed.number(), ours.number()) else {
        return false;
    };
    let in_place = Measured {
        value: Scalar::Number(null),
        replicates: None,
        ..ours.clone()
    };
    // An interval or replicates of ours say nothing of another value.
    let is_own = matches!(
        gauge.tolerance,
        Tolerance::Around(_) | Tolerance::Quantiles(_)
    );
    let moved = match gauge.tolerance {
        Tolerance::Around(interval) => {
            // Around another value it would be as wide.
            let [low, high] = interval.ends();
            (low + null - value..=high + null - value).contains(&paper)
        }
        _ => !is_own && gauge.accepts(paper, &in_place) == Some(true),
    };
    moved
        || gauge.accepts(null, ours) == Some(true)
        || (value - null).abs() <= (value - paper).abs()
}

/// Whether more than one of twenty of our values of other rows would meet print here.
fn shuffled(pending: &Pending, gauge: &Gauge<'_>, cells: &[Pending]) -> Option<String> {
    let cell = &pending.cell;
    let printed = cell.printed.as_ref()?;
    let is_other = |other: &&Pending| {
        other.is_open && other.cell.column.name == cell.column.name && other.cell.row != cell.row
    };
    let others: Vec<&Measured> = cells
        .iter()
        .filter(is_other)
        .filter_map(|other| other.cell.ours.as_ref())
        .collect();
    let meeting = others.iter().filter(|other| match cell.ours.as_ref() {
        Some(ours) if other.number().is_some() => {
            let in_place = Measured {
                value: other.value.clone(),
                ..ours.clone()
            };
            gauge.meets(printed, &in_place) == Some(true)
        }
        _ => gauge.meets(printed, other) == Some(true),
    });
    let n = meeting.count();
    if others.is_empty() {
        return Some("there is no other row to shuffle with".to_owned());
    }
    let is_common = n as f64 > SHUFFLED * others.len() as f64;
    is_common.then(|| {
        format!(
            "{n} of our {} values of other rows would be as close",
            others.len()
        )
    })
}

/// Whether another figure, which a null model computes, would meet print.
fn of_figure(cell: &Judged, gauge: &Gauge<'_>, name: &str, values: &Values<'_>) -> Option<String> {
    let (printed, ours) = (cell.printed.as_ref()?, cell.ours.as_ref()?);
    let name = filled(name, &cell.row, &cell.column.name);
    let Some(null) = Place::parse(&name).and_then(|place| values.get(&place)) else {
        return Some(format!("the null, `{name}`, has no value"));
    };
    let (meets, shown) = match null.number() {
        Some(number) => (
            number_meets(gauge, printed, ours, number),
            six_digits(number),
        ),
        None => (gauge.meets(printed, null) == Some(true), null.written()),
    };
    meets.then(|| format!("the null, `{name}`, would be as close: {shown}"))
}
