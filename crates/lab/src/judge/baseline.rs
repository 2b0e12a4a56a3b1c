//! What a trivial model would give in our place, and whether that would match as well.

use super::closeness::Gauge;
use super::{JudgedCell, PendingCell};
use crate::config::baseline::Baseline;
use crate::config::entry::TableColumn;
use crate::figure::{Place, Values, filled};
use crate::measurement::{Measurement, Scalar};
use crate::published::{PublishedValue, six_digits, twelve_digits};
use crate::tolerance::Tolerance;

/// A shuffled value meets print too often to tell if more of them do than this.
const SHUFFLED: f64 = 1.0 / 20.0;

/// A baseline that would have matched as well, or the lack of any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnbeatenBaseline {
    /// The baseline in short, as in `compare.csv`.
    pub(super) name: String,
    /// What it would have done, in words.
    pub(super) why: String,
    /// Whether the column declares a baseline at all.
    pub(super) is_declared: bool,
}

impl UnbeatenBaseline {
    pub(super) fn new(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            why: why.into(),
            is_declared: true,
        }
    }
}

/// The first baseline of the column that would match as well; `None` if all are beaten.
///
/// Whatever a column declares, 0 is tried where 0 is published, and a text that is published in every
/// row.
pub(super) fn unbeaten(
    pending: &PendingCell,
    cells: &[PendingCell],
    values: &Values<'_>,
) -> Option<UnbeatenBaseline> {
    let cell = &pending.cell;
    let (printed, ours) = (cell.printed.as_ref()?, cell.ours.as_ref()?);
    let gauge = Gauge::new(&cell.column, pending.tolerance, printed);
    let tries = |baseline: &Baseline| match baseline {
        Baseline::None(why) => Some(UnbeatenBaseline {
            is_declared: false,
            ..UnbeatenBaseline::new("none", format!("no baseline is declared: {why}"))
        }),
        Baseline::Number(value) => constant(&gauge, printed, ours, *value),
        Baseline::Text(text) => constant_text(printed, text),
        Baseline::MostCommon => match most_common(&cell.column, cells)? {
            PublishedValue::Text(text) => constant_text(printed, &text),
            PublishedValue::Number { value, .. } => constant(&gauge, printed, ours, value),
        },
        Baseline::Shuffle => shuffled(pending, &gauge, cells),
        Baseline::Figure(name) => of_figure(cell, &gauge, name, values),
    };
    let always = match printed {
        PublishedValue::Number { value, .. } if *value == 0.0 => {
            constant(&gauge, printed, ours, 0.0)
        }
        PublishedValue::Number { .. } => None,
        PublishedValue::Text(text) => {
            let of_column = cells
                .iter()
                .filter(|other| other.is_open && other.cell.column.name == cell.column.name);
            let texts: Vec<&PublishedValue> = of_column
                .filter_map(|other| other.cell.printed.as_ref())
                .collect();
            let is_constant = texts.len() > 1 && texts.iter().all(|other| *other == printed);
            is_constant.then(|| constant_text(printed, text)).flatten()
        }
    };
    let declared = cell.column.baseline.iter();
    declared.clone().find_map(tries).or(always).or_else(|| {
        let none = UnbeatenBaseline::new("none", "no baseline is declared");
        (declared.len() == 0).then_some(UnbeatenBaseline {
            is_declared: false,
            ..none
        })
    })
}

/// The same number in every row.
fn constant(
    gauge: &Gauge<'_>,
    printed: &PublishedValue,
    ours: &Measurement,
    value: f64,
) -> Option<UnbeatenBaseline> {
    let name = twelve_digits(value);
    number_meets(gauge, printed, ours, value).then(|| {
        UnbeatenBaseline::new(
            name.clone(),
            format!("a constant {name} would match as well"),
        )
    })
}

/// The same text in every row.
fn constant_text(printed: &PublishedValue, text: &str) -> Option<UnbeatenBaseline> {
    let meets = printed.number().is_none() && printed.to_string() == *text;
    meets.then(|| {
        UnbeatenBaseline::new(
            format!("`{text}` in every row"),
            format!("`{text}` in every row would match as well"),
        )
    })
}

/// The most common published value of a column among the judged cells; of values as common, the first. A
/// number has to be printed twice, or to be the only one.
fn most_common(column: &TableColumn, cells: &[PendingCell]) -> Option<PublishedValue> {
    let of_column =
        |pending: &&PendingCell| pending.is_open && pending.cell.column.name == column.name;
    let printed = cells.iter().filter(of_column);
    let printed: Vec<&PublishedValue> = printed
        .filter_map(|pending| pending.cell.printed.as_ref())
        .collect();
    let same = |one: &PublishedValue, other: &PublishedValue| match (one.number(), other.number()) {
        (Some(one), Some(other)) => one.to_bits() == other.to_bits(),
        (None, None) => one == other,
        _ => false,
    };
    let count = |one: &PublishedValue| printed.iter().filter(|other| same(one, other)).count();
    // Of several maxima `max_by_key` takes the last.
    let found = printed.iter().rev().max_by_key(|one| count(one))?;
    let is_repeated = found.number().is_none() || count(found) > 1 || printed.len() == 1;
    is_repeated.then(|| (*found).clone())
}

/// Whether a number in our place would match the published one, or in its place would be matched by ours, or
/// is as near to ours as the published one.
fn number_meets(
    gauge: &Gauge<'_>,
    printed: &PublishedValue,
    ours: &Measurement,
    baseline: f64,
) -> bool {
    let (Some(paper), Some(value)) = (printed.number(), ours.number()) else {
        return false;
    };
    let in_place = Measurement {
        value: Scalar::Number(baseline),
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
            (low + baseline - value..=high + baseline - value).contains(&paper)
        }
        _ => !is_own && gauge.accepts(paper, &in_place) == Some(true),
    };
    moved
        || gauge.accepts(baseline, ours) == Some(true)
        || (value - baseline).abs() <= (value - paper).abs()
}

/// Whether more than one in twenty of our values of other rows would match here.
fn shuffled(
    pending: &PendingCell,
    gauge: &Gauge<'_>,
    cells: &[PendingCell],
) -> Option<UnbeatenBaseline> {
    let cell = &pending.cell;
    let printed = cell.printed.as_ref()?;
    let is_other = |other: &&PendingCell| {
        other.is_open && other.cell.column.name == cell.column.name && other.cell.row != cell.row
    };
    let others: Vec<&Measurement> = cells
        .iter()
        .filter(is_other)
        .filter_map(|other| other.cell.ours.as_ref())
        .collect();
    let meeting = others.iter().filter(|other| match cell.ours.as_ref() {
        Some(ours) if other.number().is_some() => {
            let in_place = Measurement {
                value: other.value.clone(),
                ..ours.clone()
            };
            gauge.meets(printed, &in_place) == Some(true)
        }
        _ => gauge.meets(printed, other) == Some(true),
    });
    let n = meeting.count();
    let name = Baseline::Shuffle.to_string();
    if others.is_empty() {
        return Some(UnbeatenBaseline::new(
            name,
            "there is no other row to shuffle with",
        ));
    }
    let is_common = n as f64 > SHUFFLED * others.len() as f64;
    is_common.then(|| {
        let why = format!(
            "{n} of our {} values of other rows would match as well",
            others.len()
        );
        UnbeatenBaseline::new(name, why)
    })
}

/// Whether another value, which a baseline model computes, would match.
fn of_figure(
    cell: &JudgedCell,
    gauge: &Gauge<'_>,
    name: &str,
    values: &Values<'_>,
) -> Option<UnbeatenBaseline> {
    let (printed, ours) = (cell.printed.as_ref()?, cell.ours.as_ref()?);
    let name = filled(name, &cell.row, &cell.column.name);
    let shown = format!("`{name}`");
    let Some(baseline) = Place::parse(&name).and_then(|place| values.get(&place)) else {
        let why = format!("the baseline {shown} has no value");
        return Some(UnbeatenBaseline::new(shown, why));
    };
    let (meets, value) = match baseline.number() {
        Some(number) => (
            number_meets(gauge, printed, ours, number),
            six_digits(number),
        ),
        None => (
            gauge.meets(printed, baseline) == Some(true),
            baseline.written(),
        ),
    };
    meets.then(|| {
        let why = format!("the baseline {shown} would match as well: {value}");
        UnbeatenBaseline::new(shown, why)
    })
}
