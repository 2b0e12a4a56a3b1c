//! How each reproduced value compares with its published one: does it match, and could it have failed?
//!
//! The rule is stated in `docs/outcomes.md`; the first line of it that fits a cell decides. Cells without
//! a value come first, then those that are not counted (`input`, `derived`, `illegible`, `variant`,
//! `fitted`), then the comparison itself: a value off by more than a factor of two, the tolerance, and the
//! baseline.

mod agreement;
mod baseline;
mod beside;
mod closeness;
mod deviations;
mod joint;
mod rows;
mod unshown;

pub use beside::CellDetails;
pub use joint::Joint;
pub use rows::WHOLE_ROWS;
pub use unshown::unshown;

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use self::agreement::Agreement;
use self::closeness::Gauge;
use crate::config::deviation::Deviation;
use crate::config::entry::{Entry, TableColumn};
use crate::figure::{Others, Place, Values, filled};
use crate::measurement::{Measurement, Table};
use crate::outcome::Outcome;
use crate::published::{PublishedValue, six_digits};
use crate::tolerance::{Distance, Interval, Tolerance, interval_columns};

/// The reason why a row has no values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingReason {
    /// Its cell did not run, with the reason.
    NotRun(String),
    /// Its cell failed, with the message.
    Error(String),
}

/// One cell of the comparison.
#[derive(Clone, Debug)]
pub struct JudgedCell {
    /// Its row.
    pub row: String,
    /// Its column.
    pub column: TableColumn,
    /// The published value.
    pub printed: Option<PublishedValue>,
    /// The reproduced value.
    pub ours: Option<Measurement>,
    /// Reproduced minus published.
    pub difference: Option<f64>,
    /// How they compare.
    pub outcome: Outcome,
    /// The baseline that was not beaten, or those that were; empty where nothing was compared.
    pub baseline: String,
    /// The declared reason, the reason for not judging, or what went wrong.
    pub reason: String,
    /// Whether it differs, and no deviation that holds is declared.
    pub is_undeclared: bool,
}

/// A cell on its way to its outcome.
#[derive(Clone, Debug)]
struct PendingCell {
    cell: JudgedCell,
    /// That of the column, or the cell's own interval.
    tolerance: Tolerance,
    /// Whether it is still to be judged.
    is_open: bool,
    /// Why it is compared and not counted.
    aside: Option<ExclusionReason>,
    /// How it agrees with the published value.
    agreement: Option<Agreement>,
}

/// Why a cell is compared and not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ExclusionReason {
    /// Its published value is counted in this table.
    Variant(String),
    /// What was chosen, and on what.
    Fitted(String),
    /// One of several draws that are compared together.
    Draw,
}

impl ExclusionReason {
    /// That of a cell.
    fn of(entry: &Entry, row: &str, column: &TableColumn) -> Option<Self> {
        let experiment = &entry.experiment;
        if let Some(home) = experiment.variant_of(row, &column.name) {
            return Some(Self::Variant(home.to_owned()));
        }
        if let Some(fitted) = experiment.fitted(row, &column.name) {
            return Some(Self::Fitted(format!(
                "{}, chosen on {}",
                fitted.by, fitted.on
            )));
        }
        let is_draw = matches!(column.tolerance, Tolerance::ReplicateSd(_))
            && experiment.file.together.name_row(row);
        is_draw.then_some(Self::Draw)
    }
}

/// Judges a table. `missing` says why a row has no values.
///
/// Places that neither side fills are left out.
pub fn judge(
    entry: &Entry,
    table: &Table,
    missing: &BTreeMap<String, MissingReason>,
    others: &Others,
) -> Vec<JudgedCell> {
    judge_within(entry, table, missing, others, &Widths::new())
}

/// How far apart the values of single cells may be, by row and column; in place of the tolerance of the
/// column.
pub type Widths = BTreeMap<(String, String), f64>;

/// The same, where some cells have a tolerance of their own.
pub fn judge_within(
    entry: &Entry,
    table: &Table,
    missing: &BTreeMap<String, MissingReason>,
    others: &Others,
    widths: &Widths,
) -> Vec<JudgedCell> {
    let values = Values { own: table, others };
    let mut cells = Vec::new();
    for row in &entry.rows(table) {
        for column in &entry.columns {
            let width = widths.get(&(row.clone(), column.name.clone()));
            let width = width.and_then(|width| Distance::new(*width));
            let mut pending = PendingCell::new(entry, row, column, &values, missing.get(row));
            if let (Some(pending), Some(width)) = (&mut pending, width) {
                pending.tolerance = Tolerance::Abs(width);
                pending.cell.column.tolerance = Tolerance::Abs(width);
            }
            cells.extend(pending);
        }
    }
    let agreements: Vec<Option<Agreement>> = cells
        .iter()
        .map(|pending| pending.agreement(&cells, &values))
        .collect();
    for (pending, agreement) in cells.iter_mut().zip(agreements) {
        pending.agreement = agreement;
    }
    rows::judge_order(entry, &mut cells);
    rows::judge_together(entry, &mut cells, &values);
    let deviations = deviations::Deviations::new(entry, &cells, &values);
    cells
        .iter()
        .map(|pending| pending.settle(&deviations))
        .collect()
}

/// Judges a table that lacks nothing, as those that were recorded.
pub fn judge_all(entry: &Entry, table: &Table, others: &Others) -> Vec<JudgedCell> {
    judge(entry, table, &BTreeMap::new(), others)
}

impl PendingCell {
    fn new(
        entry: &Entry,
        row: &str,
        column: &TableColumn,
        values: &Values<'_>,
        missing: Option<&MissingReason>,
    ) -> Option<Self> {
        let printed = entry.experiment.printed(row, &column.name);
        let ours = values.own.get(row, &column.name);
        let difference = ours
            .and_then(Measurement::number)
            .zip(printed.and_then(PublishedValue::number))
            .map(|(ours, printed)| ours - printed);
        let (mut outcome, mut reason) = (Outcome::Info, column.why.clone().unwrap_or_default());
        let (mut is_open, mut is_undeclared) = (false, false);
        // From here on the order of the arms is the order of precedence: what did not run, what was
        // taken from the paper, what derives from other values, what nobody judges, what cannot be
        // read; the rest is open.
        match (ours, missing) {
            (None, None) if printed.is_none() => return None,
            (None, Some(MissingReason::NotRun(why))) => {
                (outcome, reason) = (Outcome::NotRun, why.clone());
            }
            (None, Some(MissingReason::Error(why))) => {
                (outcome, reason) = (Outcome::Error, why.clone());
            }
            (None, None) if column.volatile => {}
            (None, None) => {
                let why = "the cell yields no value here".to_owned();
                (outcome, reason) = (Outcome::Error, why);
            }
            (Some(_), _) if entry.experiment.is_input(row, &column.name) => {
                (outcome, reason) = (Outcome::Input, "taken from the paper".to_owned());
            }
            (Some(ours), _) => match derived(row, column, printed, ours, values) {
                Some((found, why)) => {
                    is_undeclared = found.differs();
                    (outcome, reason) = (found, why);
                }
                None if column.tolerance == Tolerance::Info => {}
                None if printed.is_some() && entry.experiment.is_doubtful(row, &column.name) => {
                    let why = "the published value cannot be read with certainty".to_owned();
                    (outcome, reason) = (Outcome::Illegible, why);
                }
                None => is_open = true,
            },
        }
        // The interval of the cell itself, where the column asks for it and the cell has one.
        let tolerance = match column.tolerance {
            Tolerance::OwnInterval => own_interval(values.own, row, &column.name)
                .map_or(Tolerance::OwnInterval, Tolerance::Around),
            other => other,
        };
        let cell = JudgedCell {
            row: row.to_owned(),
            column: column.clone(),
            printed: printed.cloned(),
            ours: ours.cloned(),
            difference,
            outcome,
            baseline: String::new(),
            reason,
            is_undeclared,
        };
        Some(Self {
            aside: is_open
                .then(|| ExclusionReason::of(entry, row, column))
                .flatten()
                .filter(|_| cell.printed.is_some()),
            cell,
            tolerance,
            is_open,
            agreement: None,
        })
    }

    /// How ours stands to the published value; `None` where there is nothing to judge by.
    fn agreement(&self, cells: &[Self], values: &Values<'_>) -> Option<Agreement> {
        if !self.is_open {
            return None;
        }
        let ours = self.cell.ours.as_ref()?;
        if self.cell.printed.is_none() {
            // An interval holds where nothing is printed, too, but then no value is close to anything.
            let Tolerance::Within(interval) = self.tolerance else {
                return None;
            };
            return (!interval.holds(ours.number()?)).then_some(Agreement::Far);
        }
        Agreement::new(self, cells, values)
    }

    /// Gives the outcome.
    fn settle(&self, deviations: &deviations::Deviations<'_>) -> JudgedCell {
        let mut cell = self.cell.clone();
        let (outcome, reason) = match &self.agreement {
            None => {
                if self.is_open && cell.printed.is_some() && !self.tolerance.judges_columns() {
                    "there is nothing to judge by yet".clone_into(&mut cell.reason);
                }
                (cell.outcome, cell.reason.clone())
            }
            Some(agreement) => {
                cell.baseline = agreement.baseline(&cell.column);
                match agreement {
                    Agreement::Far => {
                        let found = deviations.of(&cell, self.tolerance);
                        cell.is_undeclared = !found.is_declared;
                        (found.outcome, found.reason)
                    }
                    Agreement::Noisy { why, .. } => (Outcome::Inconclusive, why.clone()),
                    Agreement::Weak { why, .. } => (Outcome::MatchesWeakly, why.clone()),
                    Agreement::Close => (Outcome::Matches, far_off(&cell, self.tolerance)),
                }
            }
        };
        (cell.outcome, cell.reason) = match &self.aside {
            None => (outcome, reason),
            Some(aside) => {
                // A choice does not excuse a difference that nobody declared.
                cell.is_undeclared &= matches!(aside, ExclusionReason::Fitted(_));
                let here = match (&self.agreement, reason.as_str()) {
                    (None, _) => String::new(),
                    (_, "") => outcome.to_string(),
                    _ => format!("{outcome}: {reason}"),
                };
                match aside {
                    ExclusionReason::Variant(home) if here.is_empty() => {
                        (Outcome::Variant, format!("counted in {home}"))
                    }
                    ExclusionReason::Variant(home) => (
                        Outcome::Variant,
                        format!("counted in {home}; here it {}", in_sentence(&here)),
                    ),
                    ExclusionReason::Fitted(chosen) if outcome.differs() => (
                        Outcome::Fitted,
                        format!("{chosen}; it differs all the same"),
                    ),
                    ExclusionReason::Fitted(chosen) => (Outcome::Fitted, chosen.clone()),
                    ExclusionReason::Draw => (
                        Outcome::Info,
                        format!(
                            "one of several draws, compared together in the row `{}`; alone it {}",
                            rows::TOGETHER,
                            in_sentence(&here)
                        ),
                    ),
                }
            }
        };
        cell
    }
}

/// An outcome word after "it": `is inconclusive`, and the others as they are.
fn in_sentence(word: &str) -> String {
    if word.starts_with("inconclusive") {
        format!("is {word}")
    } else {
        word.to_owned()
    }
}

/// That a value is within a tolerance wider than its errors, and more than three of these away.
fn far_off(cell: &JudgedCell, tolerance: Tolerance) -> String {
    let away = cell.printed.as_ref().zip(cell.ours.as_ref());
    let away = away.and_then(|(printed, ours)| {
        let gauge = Gauge::new(&cell.column, tolerance, printed);
        gauge.errors_apart(printed, ours)
    });
    match away {
        Some(away) if away > 3.0 => format!(
            "the difference is within the tolerance but larger than sampling error explains ({} standard errors)",
            six_digits(away.round())
        ),
        _ => String::new(),
    }
}

/// The outcome on a value that follows from others, or repeats one; `None` where it does not.
fn derived(
    row: &str,
    column: &TableColumn,
    printed: Option<&PublishedValue>,
    ours: &Measurement,
    values: &Values<'_>,
) -> Option<(Outcome, String)> {
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
            (Outcome::Derived, format!("the same as {name}"))
        } else {
            let other = other.written();
            (
                Outcome::DiffersUnexplained,
                format!("{name} is {other}, and not this"),
            )
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
        (Outcome::Derived, text.to_owned())
    } else {
        (
            Outcome::DiffersUnexplained,
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

/// Where deviations are declared whose compared cells all match: their reason explains nothing any more.
///
/// A deviation none of whose cells was compared is left alone.
pub fn idle_deviations(entry: &Entry, judged: &[JudgedCell]) -> Vec<Range<usize>> {
    let is_idle = |deviation: &Deviation| {
        let covered = judged
            .iter()
            .filter(|cell| deviation.covers(&cell.row, &cell.column.name));
        let outcomes: Vec<Outcome> = covered.map(|cell| cell.outcome).collect();
        let explains = |outcome: &Outcome| {
            outcome.differs() || matches!(outcome, Outcome::NotRun | Outcome::Error)
        };
        outcomes.iter().any(|outcome| outcome.is_counted()) && !outcomes.iter().any(explains)
    };
    let deviations = entry.experiment.file.deviation.iter();
    let idle = deviations.filter(|deviation| is_idle(deviation.get_ref()));
    idle.map(Spanned::span).collect()
}
