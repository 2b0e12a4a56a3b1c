//! Differences with a declared reason: how large the reason says they are, and what shows it.

use toml::Spanned;

use super::agreement::Agreement;
use super::{JudgedCell, PendingCell};
use crate::config::deviation::Deviation;
use crate::config::entry::Entry;
use crate::figure::{Place, Values, filled};
use crate::measurement::Measurement;
use crate::outcome::Outcome;
use crate::tolerance::Tolerance;

/// The outcome of a cell that differs.
pub(super) struct ExplainedOutcome {
    pub(super) outcome: Outcome,
    pub(super) reason: String,
    /// Whether a deviation that holds names the cell.
    pub(super) is_declared: bool,
}

impl ExplainedOutcome {
    fn undeclared(reason: String) -> Self {
        Self {
            outcome: Outcome::DiffersUnexplained,
            reason,
            is_declared: false,
        }
    }
}

/// The deviations of a file, each with the largest difference that it has to explain.
pub(super) struct Deviations<'a> {
    declared: Vec<(&'a Deviation, f64)>,
    cells: &'a [PendingCell],
    values: &'a Values<'a>,
    /// The id of the table.
    id: &'a str,
}

impl<'a> Deviations<'a> {
    pub(super) fn new(entry: &'a Entry, cells: &'a [PendingCell], values: &'a Values<'a>) -> Self {
        let deviations = entry.experiment.file.deviation.iter().map(Spanned::get_ref);
        let all: Vec<&Deviation> = deviations.collect();
        let largest = |idx: usize| {
            let is_own = |cell: &JudgedCell| first(&all, cell).is_some_and(|found| found == idx);
            let far = cells
                .iter()
                .filter(|pending| pending.agreement == Some(Agreement::Far));
            let own = far.map(|pending| &pending.cell).filter(|cell| is_own(cell));
            own.filter_map(|cell| measured(all[idx], cell))
                .fold(0.0, f64::max)
        };
        let declared = (0..all.len()).map(|idx| (all[idx], largest(idx)));
        Self {
            declared: declared.collect(),
            cells,
            values,
            id: entry.id(),
        }
    }

    /// The outcome of a cell outside of its tolerance.
    pub(super) fn of(&self, cell: &JudgedCell, tolerance: Tolerance) -> ExplainedOutcome {
        let all: Vec<&Deviation> = self
            .declared
            .iter()
            .map(|(deviation, _)| *deviation)
            .collect();
        let Some((deviation, largest)) = first(&all, cell).map(|idx| self.declared[idx]) else {
            return ExplainedOutcome::undeclared(String::new());
        };
        let is_number = cell.difference.is_some();
        if let Some(bound) = deviation.up_to.filter(|_| is_number) {
            let Some(difference) = measured(deviation, cell) else {
                let why = "the deviation is in standard errors, and the reproduced value has none";
                return ExplainedOutcome::undeclared(why.to_owned());
            };
            if difference > bound.size() * (1.0 + 1e-9) {
                let why = format!("more than the {bound} that the deviation explains");
                return ExplainedOutcome::undeclared(why);
            }
            if bound.size() > 2.0 * largest * (1.0 + 1e-9) {
                let largest = bound.told(largest);
                return ExplainedOutcome::undeclared(format!(
                    "the deviation explains {bound}, more than twice the largest difference, {largest}"
                ));
            }
        }
        let reason = deviation.reason.trim();
        let decided_by = deviation.decided_by.as_deref().unwrap_or_default().trim();
        let conjecture = |reason: String| ExplainedOutcome {
            outcome: Outcome::DiffersUnexplained,
            reason,
            is_declared: !decided_by.is_empty(),
        };
        let Some(tested) = &deviation.tested else {
            return conjecture(reason.to_owned());
        };
        match self.shown(deviation, tested.get_ref(), cell, tolerance) {
            Ok(()) => ExplainedOutcome {
                outcome: Outcome::DiffersExplained,
                reason: reason.to_owned(),
                is_declared: true,
            },
            Err(why) if decided_by.is_empty() => conjecture(format!(
                "{reason} (Not shown: {why}. Add `decided-by` to the deviation, or another `tested`.)"
            )),
            Err(why) => conjecture(format!("{reason} (Not shown: {why}.)")),
        }
    }

    /// Whether the figure named shows the reason.
    fn shown(
        &self,
        deviation: &Deviation,
        tested: &str,
        cell: &JudgedCell,
        tolerance: Tolerance,
    ) -> Result<(), String> {
        let name = filled(tested, &cell.row, &cell.column.name);
        let place = Place::parse(&name).ok_or_else(|| format!("`{name}` does not name a value"))?;
        let is_own = place.table.is_none_or(|table| table == self.id);
        if is_own && (place.row, place.column) == (&cell.row, &cell.column.name) {
            return Err("the value named is the deviating one".to_owned());
        }
        let figure = self.values.get(&place);
        let figure = figure.ok_or_else(|| format!("`{name}` has no value"))?;
        let ours = figure.written();
        if let Some(prediction) = &deviation.predicts {
            let holds = prediction.holds(figure);
            let told = || format!("`{name}` is {ours}, predicted {prediction}");
            return holds.then_some(()).ok_or_else(told);
        }
        let Some(printed) = &cell.printed else {
            return Err("there is no published value to compare with".to_owned());
        };
        match self.agreement(cell, figure, tolerance) {
            Some(Agreement::Close) => Ok(()),
            Some(Agreement::Weak { why, .. } | Agreement::Noisy { why, .. }) => {
                Err(format!("`{name}` is {ours}, and {why}"))
            }
            _ if is_interval(tolerance) => Err(format!(
                "`{name}` is {ours}; where our own interval decides, only `predicts` can show a reason"
            )),
            _ => {
                let own = format!("{}.{}", cell.row, cell.column.name);
                Err(format!(
                    "`{name}` is {ours}; it would have to be {printed}, the published value of `{own}`"
                ))
            }
        }
    }

    /// How a value in the place of ours would stand to the published one.
    fn agreement(
        &self,
        cell: &JudgedCell,
        figure: &Measurement,
        tolerance: Tolerance,
    ) -> Option<Agreement> {
        // An interval is that of the deviating value; around the figure it says nothing.
        if is_interval(tolerance) {
            return None;
        }
        let in_place = PendingCell {
            cell: JudgedCell {
                ours: Some(figure.clone()),
                ..cell.clone()
            },
            aside: None,
            tolerance,
            is_open: true,
            agreement: None,
        };
        Agreement::new(&in_place, self.cells, self.values)
    }
}

/// Whether the tolerance is an interval of our own.
fn is_interval(tolerance: Tolerance) -> bool {
    matches!(tolerance, Tolerance::Around(_) | Tolerance::OwnInterval)
}

/// The first deviation that covers a cell.
fn first(all: &[&Deviation], cell: &JudgedCell) -> Option<usize> {
    all.iter()
        .position(|deviation| deviation.covers(&cell.row, &cell.column.name))
}

/// The difference of a cell in the unit of the deviation's bound.
fn measured(deviation: &Deviation, cell: &JudgedCell) -> Option<f64> {
    let (printed, ours) = (cell.printed.as_ref()?.number()?, cell.ours.as_ref()?);
    deviation.up_to?.measure(printed, cell.difference?, ours)
}
