//! Agreement with print and drift from the last blessed result, cell by cell.
//!
//! Two questions, never mixed up. *Drift* is our value now against our last blessed one: tight,
//! it catches our own mistakes. *Agreement* is our value against the printed one: tolerant, the
//! scientific answer.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;
use toml::Spanned;

use crate::config::entry::{Entry, TableColumn};
use crate::config::envelope::Deviation;
use crate::measured::{Measured, Table};
use crate::printed::{Printed, twelve_digits, with_digits};
use crate::tolerance::{
    Closeness, Distance, Interval, RankCorrelation, Tolerance, closeness, interval_columns,
    same_order,
};
use crate::verdict::{Counts, Verdict};
use crate::wire::Figure;

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

/// Judges a table. `missing` says why a row has no values.
///
/// Places that neither side fills are left out.
pub(crate) fn judge(
    entry: &Entry,
    table: &Table,
    missing: &BTreeMap<String, Missing>,
) -> Vec<Judged> {
    let mut judged = Vec::new();
    for row in &entry.rows(table) {
        for column in &entry.columns {
            judged.extend(judge_cell(entry, row, column, table, missing.get(row)));
        }
    }
    judge_order(entry, &mut judged);
    judge_together(entry, &mut judged);
    judged
}

/// Judges a table that lacks nothing, as those that were recorded.
pub(crate) fn judge_all(entry: &Entry, table: &Table) -> Vec<Judged> {
    judge(entry, table, &BTreeMap::new())
}

fn judge_cell(
    entry: &Entry,
    row: &str,
    column: &TableColumn,
    table: &Table,
    missing: Option<&Missing>,
) -> Option<Judged> {
    let printed = entry.experiment.printed(row, &column.name);
    let ours = table.get(row, &column.name);
    let difference = ours
        .and_then(Measured::number)
        .zip(printed.and_then(Printed::number))
        .map(|(ours, printed)| ours - printed);
    let mut cell = Judged {
        row: row.to_owned(),
        column: column.clone(),
        printed: printed.cloned(),
        ours: ours.cloned(),
        difference,
        verdict: Verdict::Info,
        reason: column.why.clone().unwrap_or_default(),
    };
    match (ours, missing) {
        (None, None) if printed.is_none() => return None,
        (None, Some(Missing::NotRun(reason))) => {
            (cell.verdict, cell.reason) = (Verdict::NotRun, reason.clone());
        }
        (None, Some(Missing::Error(reason))) => {
            (cell.verdict, cell.reason) = (Verdict::Error, reason.clone());
        }
        (None, None) if column.volatile => {}
        (None, None) => {
            let reason = "the cell yields no value here".to_owned();
            (cell.verdict, cell.reason) = (Verdict::Error, reason);
        }
        (Some(_), _) if entry.experiment.is_input(row, &column.name) => {
            "input".clone_into(&mut cell.reason);
        }
        (Some(ours), _) => {
            let (unit, chance) = (&column.unit, column.chance);
            let tolerance = match column.tolerance {
                Tolerance::OwnInterval => own_interval(table, row, &column.name)
                    .map_or(Tolerance::OwnInterval, Tolerance::Around),
                other => other,
            };
            if let Some(close) = closeness(tolerance, unit, chance, printed, ours) {
                cell.settle(entry, close, || format!("{chance} would be as close"));
            }
        }
    }
    Some(cell)
}

/// The interval of a value, of which other columns hold the ends.
fn own_interval(table: &Table, row: &str, column: &str) -> Option<Interval> {
    let [low, high] = interval_columns(column);
    let end = |column: &str| table.get(row, column)?.number();
    Interval::new(end(&low)?, end(&high)?)
}

impl Judged {
    /// Gives the verdict; `undecided` says what would be as close.
    fn settle(&mut self, entry: &Entry, close: Closeness, undecided: impl FnOnce() -> String) {
        (self.verdict, self.reason) = match close {
            Closeness::Close => (Verdict::Agrees, String::new()),
            Closeness::Undecided => (Verdict::Undecided, undecided()),
            Closeness::Far => self.beyond(entry),
        };
    }

    /// The verdict on what lies outside of its tolerance.
    fn beyond(&self, entry: &Entry) -> (Verdict, String) {
        let declared = entry.experiment.declared(&self.row, &self.column.name);
        match declared.zip(self.printed.as_ref()) {
            None => (Verdict::Differs, String::new()),
            Some((deviation, printed)) if deviation.explains(printed, self.difference) => {
                (deviation.verdict(), deviation.reason.clone())
            }
            Some((deviation, _)) => {
                let bound = deviation.up_to.map(|bound| bound.to_string());
                let bound = bound.unwrap_or_default();
                (
                    Verdict::Differs,
                    format!("more than the {bound} that the deviation explains"),
                )
            }
        }
    }
}

/// The row that holds the verdict on the ranking of a whole column.
const ORDER: &str = "order of all rows";

/// Judges the columns whose ranking counts, now that all of their values are known.
fn judge_order(entry: &Entry, judged: &mut Vec<Judged>) {
    for column in &entry.columns {
        if !matches!(column.tolerance, Tolerance::Order | Tolerance::Tau(_)) {
            continue;
        }
        let (places, pairs): (Vec<usize>, Vec<(f64, f64)>) = judged
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell.column.name == column.name)
            .filter_map(|(idx, cell)| {
                let printed = cell.printed.as_ref().and_then(Printed::number)?;
                let ours = cell.ours.as_ref().and_then(Measured::number)?;
                Some((idx, (printed, ours)))
            })
            .unzip();
        if let Tolerance::Tau(least) = column.tolerance {
            judged.extend(judge_tau(entry, column, least, &pairs));
            continue;
        }
        for (idx, close) in places.into_iter().zip(same_order(&pairs)) {
            let by_chance = || "so few stand in the right order by chance".to_owned();
            judged[idx].settle(entry, close, by_chance);
        }
    }
}

/// The verdict on the order of a whole column; its single cells are shown, not judged.
fn judge_tau(
    entry: &Entry,
    column: &TableColumn,
    least: Distance,
    pairs: &[(f64, f64)],
) -> Option<Judged> {
    let found = RankCorrelation::new(pairs)?;
    // Print goes with itself.
    let printed = Printed::new(&Figure::Number(1.0), "1.00");
    let mut cell = Judged {
        row: ORDER.to_owned(),
        column: column.clone(),
        printed: Some(printed),
        ours: Some(Measured::exact(found.tau)),
        difference: Some(found.tau - 1.0),
        verdict: Verdict::Info,
        reason: String::new(),
    };
    cell.settle(entry, found.closeness(least), || {
        format!("random orders reach {}", with_digits(found.by_chance, 2))
    });
    Some(cell)
}

/// The row that holds the verdict on the mean of several rows; two standard errors decide.
const TOGETHER: &str = "mean of the rows together";

/// Judges the means of the rows that the experiment takes together: print, one draw a row, against
/// the mean over our replicates, with both errors.
fn judge_together(entry: &Entry, judged: &mut Vec<Judged>) {
    for column in &entry.columns {
        if !matches!(column.tolerance, Tolerance::ReplicateSd(_)) {
            continue;
        }
        let cells = judged.iter().filter(|cell| {
            cell.column.name == column.name && entry.experiment.file.together.name_row(&cell.row)
        });
        let rows: Vec<(f64, f64, f64)> = cells
            .filter_map(|cell| {
                let (printed, ours) = (cell.printed.as_ref()?.number()?, cell.ours.as_ref()?);
                let variance = ours.std_dev?.powi(2) * (1.0 + 1.0 / f64::from(ours.n));
                Some((printed, ours.number()?, variance))
            })
            .collect();
        if rows.is_empty() {
            continue;
        }
        let n = rows.len() as f64;
        let mean = |part: fn(&(f64, f64, f64)) -> f64| rows.iter().map(part).sum::<f64>() / n;
        let (printed, ours) = (mean(|row| row.0), mean(|row| row.1));
        let measured = Measured {
            std_error: Some((mean(|row| row.2) / n).sqrt()),
            ..Measured::exact(ours)
        };
        let printed = Printed::new(&Figure::Number(printed), &twelve_digits(printed));
        let column = TableColumn {
            tolerance: Tolerance::StdError(Distance::TWO),
            ..column.clone()
        };
        let (tolerance, unit, chance) = (column.tolerance, &column.unit, column.chance);
        let close = closeness(tolerance, unit, chance, Some(&printed), &measured);
        let mut cell = Judged {
            row: TOGETHER.to_owned(),
            column,
            difference: printed.number().map(|printed| ours - printed),
            printed: Some(printed),
            ours: Some(measured),
            verdict: Verdict::Info,
            reason: String::new(),
        };
        if let Some(close) = close {
            cell.settle(entry, close, || format!("{chance} would be as close"));
        }
        judged.push(cell);
    }
}

/// Where deviations stand whose judged cells all agree: their reason explains nothing any more.
///
/// A deviation none of whose cells was judged is left alone.
pub(crate) fn idle_deviations(entry: &Entry, judged: &[Judged]) -> Vec<Range<usize>> {
    let is_idle = |deviation: &Deviation| {
        let covered = judged
            .iter()
            .filter(|cell| deviation.covers(&cell.row, &cell.column.name));
        let counts: Counts = covered.map(|cell| cell.verdict).collect();
        let close = counts.of(Verdict::Agrees) + counts.of(Verdict::Undecided);
        let mut others = Verdict::ALL.into_iter().filter(|verdict| {
            verdict.is_declared() || matches!(verdict, Verdict::NotRun | Verdict::Error)
        });
        close > 0 && others.all(|verdict| counts.of(verdict) == 0)
    };
    let deviations = entry.experiment.file.deviation.iter();
    let idle = deviations.filter(|deviation| is_idle(deviation.get_ref()));
    idle.map(Spanned::span).collect()
}

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

/// One value that is not what was blessed.
#[derive(Clone, Debug)]
pub(crate) struct Drifted {
    pub(crate) row: String,
    pub(crate) column: String,
    pub(crate) drift: Drift,
    pub(crate) old: Option<Measured>,
    pub(crate) new: Option<Measured>,
}

/// Compares our table with the blessed one; rows in `skip` were not run and are left out.
pub(crate) fn drift(
    blessed: &Table,
    now: &Table,
    skip: &BTreeMap<String, Missing>,
) -> Vec<Drifted> {
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
            Some(Drifted {
                row: row.to_owned(),
                column: column.to_owned(),
                drift,
                old: old.cloned(),
                new: new.cloned(),
            })
        })
        .collect()
}
