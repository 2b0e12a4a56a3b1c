//! Agreement with print, cell by cell: our value against the printed one, held against what a model
//! that knows nothing gives.
//!
//! A cell is judged in this order; the first that fits decides. It has no value; it was put in; it
//! follows from other cells; its column is not judged; its print is doubtful; it lies outside of the
//! tolerance, with a declared reason or without; a null would lie within as well; it was chosen by
//! looking at print; it agrees.

mod beside;
mod closeness;
mod deviations;
mod joint;
mod null;
mod place;
mod rows;
mod unshown;

pub(crate) use beside::Beside;
pub(crate) use joint::Joint;
pub(crate) use place::{Others, Place, filled, split_table};
pub(crate) use rows::WHOLE_ROWS;
pub(crate) use unshown::unshown;

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use self::closeness::Gauge;
use self::place::Values;
use crate::config::deviation::Deviation;
use crate::config::entry::{Entry, TableColumn};
use crate::measured::{Measured, Table};
use crate::printed::{Printed, six_digits};
use crate::tolerance::{Interval, Tolerance, interval_columns};
use crate::verdict::{Counts, Verdict};

/// Why a row has no values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    NotRun(String),
    Error(String),
}

/// One cell of the comparison.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) row: String,
    pub(crate) column: TableColumn,
    pub(crate) printed: Option<Printed>,
    pub(crate) ours: Option<Measured>,
    /// Ours minus printed.
    pub(crate) difference: Option<f64>,
    pub(crate) verdict: Verdict,
    /// The declared reason, the reason for not judging, or what went wrong.
    pub(crate) reason: String,
}

/// A cell on its way to its verdict.
#[derive(Clone, Debug)]
struct Pending {
    cell: Judged,
    /// That of the column, or the cell's own interval.
    tolerance: Tolerance,
    /// Whether it is still to be judged.
    is_open: bool,
    /// Whether ours is within the tolerance, and what would be as close.
    close: Option<Closeness>,
}

/// What a tolerance and the null say of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Closeness {
    /// Close to print, and the null is not.
    Close,
    /// Close to print, but so would be what this names.
    Undecided(String),
    /// Not close.
    Far,
}

/// Judges a table. `missing` says why a row has no values.
///
/// Places that neither side fills are left out.
pub(crate) fn judge(
    entry: &Entry,
    table: &Table,
    missing: &BTreeMap<String, Missing>,
    others: &Others,
) -> Vec<Judged> {
    let values = Values { own: table, others };
    let mut cells = Vec::new();
    for row in &entry.rows(table) {
        for column in &entry.columns {
            cells.extend(Pending::new(entry, row, column, &values, missing.get(row)));
        }
    }
    let close: Vec<Option<Closeness>> = cells
        .iter()
        .map(|pending| pending.closeness(&cells, &values))
        .collect();
    for (pending, close) in cells.iter_mut().zip(close) {
        pending.close = close;
    }
    rows::judge_order(entry, &mut cells);
    rows::judge_together(entry, &mut cells, &values);
    let deviations = deviations::Deviations::new(entry, &cells, &values);
    cells
        .iter()
        .map(|pending| pending.settle(entry, &deviations))
        .collect()
}

/// Judges a table that lacks nothing, as those that were recorded.
pub(crate) fn judge_all(entry: &Entry, table: &Table, others: &Others) -> Vec<Judged> {
    judge(entry, table, &BTreeMap::new(), others)
}

impl Pending {
    fn new(
        entry: &Entry,
        row: &str,
        column: &TableColumn,
        values: &Values<'_>,
        missing: Option<&Missing>,
    ) -> Option<Self> {
        let printed = entry.experiment.printed(row, &column.name);
        let ours = values.own.get(row, &column.name);
        let difference = ours
            .and_then(Measured::number)
            .zip(printed.and_then(Printed::number))
            .map(|(ours, printed)| ours - printed);
        let (mut verdict, mut reason) = (Verdict::Info, column.why.clone().unwrap_or_default());
        let mut is_open = false;
        match (ours, missing) {
            (None, None) if printed.is_none() => return None,
            (None, Some(Missing::NotRun(why))) => {
                (verdict, reason) = (Verdict::NotRun, why.clone());
            }
            (None, Some(Missing::Error(why))) => (verdict, reason) = (Verdict::Error, why.clone()),
            (None, None) if column.volatile => {}
            (None, None) => {
                let why = "the cell yields no value here".to_owned();
                (verdict, reason) = (Verdict::Error, why);
            }
            (Some(_), _) if entry.experiment.is_input(row, &column.name) => {
                (verdict, reason) = (Verdict::Input, "put in".to_owned());
            }
            (Some(ours), _) => match derived(row, column, printed, ours, values) {
                Some((found, why)) => (verdict, reason) = (found, why),
                None if column.tolerance == Tolerance::Info => {}
                None if printed.is_some() && entry.experiment.is_doubtful(row, &column.name) => {
                    let why = "what is printed cannot be read with certainty".to_owned();
                    (verdict, reason) = (Verdict::Doubtful, why);
                }
                None => is_open = true,
            },
        }
        let tolerance = match column.tolerance {
            Tolerance::OwnInterval => own_interval(values.own, row, &column.name)
                .map_or(Tolerance::OwnInterval, Tolerance::Around),
            other => other,
        };
        let cell = Judged {
            row: row.to_owned(),
            column: column.clone(),
            printed: printed.cloned(),
            ours: ours.cloned(),
            difference,
            verdict,
            reason,
        };
        Some(Self {
            cell,
            tolerance,
            is_open,
            close: None,
        })
    }

    /// What tolerance and null say; `None` where there is nothing to judge by.
    fn closeness(&self, cells: &[Self], values: &Values<'_>) -> Option<Closeness> {
        if !self.is_open {
            return None;
        }
        let ours = self.cell.ours.as_ref()?;
        let Some(printed) = &self.cell.printed else {
            // An interval holds where nothing is printed, too, but then no value is close to anything.
            let Tolerance::Within(interval) = self.tolerance else {
                return None;
            };
            return (!interval.holds(ours.number()?)).then_some(Closeness::Far);
        };
        let gauge = Gauge::new(&self.cell.column, self.tolerance, printed);
        if !gauge.meets(printed, ours)? {
            return Some(Closeness::Far);
        }
        Some(match null::as_close(self, cells, values) {
            Some(what) => Closeness::Undecided(what),
            None => Closeness::Close,
        })
    }

    /// Gives the verdict.
    fn settle(&self, entry: &Entry, deviations: &deviations::Deviations<'_>) -> Judged {
        let mut cell = self.cell.clone();
        let Some(close) = self.close.clone() else {
            if self.is_open && cell.printed.is_some() && !self.tolerance.judges_columns() {
                "there is nothing to judge by yet".clone_into(&mut cell.reason);
            }
            return cell;
        };
        let fitted = entry.experiment.fitted(&cell.row, &cell.column.name);
        (cell.verdict, cell.reason) = match close {
            Closeness::Far => deviations.of(&cell, self.tolerance),
            Closeness::Undecided(what) => (Verdict::Undecided, what),
            Closeness::Close => match fitted {
                Some(fitted) => (
                    Verdict::Fitted,
                    format!("{}, chosen on {}", fitted.by, fitted.on),
                ),
                None => (Verdict::Agrees, far_off(&cell, self.tolerance)),
            },
        };
        cell
    }
}

/// That a value is within a tolerance wider than its errors, and more than three of these away.
fn far_off(cell: &Judged, tolerance: Tolerance) -> String {
    let away = cell.printed.as_ref().zip(cell.ours.as_ref());
    let away = away.and_then(|(printed, ours)| {
        let gauge = Gauge::new(&cell.column, tolerance, printed);
        gauge.errors_apart(printed, ours)
    });
    match away {
        Some(away) if away > 3.0 => {
            format!(
                "within the tolerance, and {} errors away",
                six_digits(away.round())
            )
        }
        _ => String::new(),
    }
}

/// The verdict on a value that follows from others, or repeats one; `None` where it does not.
fn derived(
    row: &str,
    column: &TableColumn,
    printed: Option<&Printed>,
    ours: &Measured,
    values: &Values<'_>,
) -> Option<(Verdict, String)> {
    printed?;
    let figure = |text: &str| {
        let text = filled(text, row, &column.name);
        values.get(&Place::parse(&text)?)
    };
    if let Some(same) = &column.same_as {
        let other = figure(same)?;
        let is_same = match (ours.number(), other.number()) {
            (Some(one), Some(other)) => (one - other).abs() <= 1e-6 * one.abs().max(other.abs()),
            _ => ours.written() == other.written(),
        };
        let name = filled(same, row, &column.name);
        return Some(if is_same {
            (Verdict::Derived, format!("the same as {name}"))
        } else {
            let other = other.written();
            (Verdict::Differs, format!("{name} is {other}, and not this"))
        });
    }
    let expression = column.derived.as_ref()?;
    let own = |name: &str| values.own.get(row, name)?.number();
    let value = expression.value(&own, &|name| figure(name)?.number())?;
    let apart = (ours.number()? - value).abs();
    // Sums of twelve digits that nearly cancel keep fewer.
    let is_same = apart <= 1e-6 * value.abs().max(1e-3);
    let text = expression.text();
    Some(if is_same {
        (Verdict::Derived, text.to_owned())
    } else {
        (
            Verdict::Differs,
            format!("{text} is {}, and not this", six_digits(value)),
        )
    })
}

/// The interval of a value, of which other columns hold the ends.
fn own_interval(table: &Table, row: &str, column: &str) -> Option<Interval> {
    let [low, high] = interval_columns(column);
    let end = |column: &str| table.get(row, column)?.number();
    Interval::new(end(&low)?, end(&high)?)
}

/// Where deviations stand whose judged cells are all close: their reason explains nothing any more.
///
/// A deviation none of whose cells was judged is left alone.
pub(crate) fn idle_deviations(entry: &Entry, judged: &[Judged]) -> Vec<Range<usize>> {
    let is_idle = |deviation: &Deviation| {
        let covered = judged
            .iter()
            .filter(|cell| deviation.covers(&cell.row, &cell.column.name));
        let counts: Counts = covered.map(|cell| cell.verdict).collect();
        let close = [Verdict::Agrees, Verdict::Fitted, Verdict::Undecided];
        let n_close: usize = close.iter().map(|verdict| counts.of(*verdict)).sum();
        let mut others = Verdict::ALL.into_iter().filter(|verdict| {
            verdict.is_declared() || matches!(verdict, Verdict::NotRun | Verdict::Error)
        });
        n_close > 0 && others.all(|verdict| counts.of(verdict) == 0)
    };
    let deviations = entry.experiment.file.deviation.iter();
    let idle = deviations.filter(|deviation| is_idle(deviation.get_ref()));
    idle.map(Spanned::span).collect()
}
