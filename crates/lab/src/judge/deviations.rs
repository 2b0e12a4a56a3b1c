//! Differences with a declared reason: how large the reason says they are, and what shows it.

use toml::Spanned;

use super::closeness::Gauge;
use super::place::{Place, Values, filled};
use super::{Closeness, Judged, Pending, null};
use crate::config::deviation::Deviation;
use crate::config::entry::{Entry, TableColumn};
use crate::measured::Measured;
use crate::printed::Printed;
use crate::tolerance::Tolerance;
use crate::verdict::Verdict;

/// The deviations of a file, each with the largest difference that it has to explain.
pub(super) struct Deviations<'a> {
    declared: Vec<(&'a Deviation, f64)>,
    cells: &'a [Pending],
    values: &'a Values<'a>,
}

impl<'a> Deviations<'a> {
    pub(super) fn new(entry: &'a Entry, cells: &'a [Pending], values: &'a Values<'a>) -> Self {
        let deviations = entry.experiment.file.deviation.iter().map(Spanned::get_ref);
        let all: Vec<&Deviation> = deviations.collect();
        let largest = |idx: usize| {
            let is_own = |cell: &Judged| first(&all, cell).is_some_and(|found| found == idx);
            let far = cells
                .iter()
                .filter(|pending| pending.close == Some(Closeness::Far));
            let own = far.map(|pending| &pending.cell).filter(|cell| is_own(cell));
            own.filter_map(|cell| measured(all[idx], cell))
                .fold(0.0, f64::max)
        };
        let declared = (0..all.len()).map(|idx| (all[idx], largest(idx)));
        Self {
            declared: declared.collect(),
            cells,
            values,
        }
    }

    /// The verdict on what lies outside of its tolerance.
    pub(super) fn of(&self, cell: &Judged, tolerance: Tolerance) -> (Verdict, String) {
        let all: Vec<&Deviation> = self
            .declared
            .iter()
            .map(|(deviation, _)| *deviation)
            .collect();
        let Some((deviation, largest)) = first(&all, cell).map(|idx| self.declared[idx]) else {
            return (Verdict::Differs, String::new());
        };
        let is_number = cell.difference.is_some();
        if let Some(bound) = deviation.up_to.filter(|_| is_number) {
            let Some(difference) = measured(deviation, cell) else {
                let why = "the deviation is in errors, and ours has none".to_owned();
                return (Verdict::Differs, why);
            };
            if difference > bound.size() * (1.0 + 1e-9) {
                let why = format!("more than the {bound} that the deviation explains");
                return (Verdict::Differs, why);
            }
            if bound.size() > 2.0 * largest * (1.0 + 1e-9) {
                let largest = bound.told(largest);
                let why = format!(
                    "the deviation explains {bound}, more than twice the largest difference, {largest}"
                );
                return (Verdict::Differs, why);
            }
        }
        let reason = deviation.reason.trim();
        let Some(tested) = &deviation.tested else {
            return (Verdict::DiffersConjecture, reason.to_owned());
        };
        match self.shown(deviation, tested.get_ref(), cell, tolerance) {
            Ok(()) => (Verdict::DiffersTested, reason.to_owned()),
            Err(why) => (
                Verdict::DiffersConjecture,
                format!("{reason} (Not shown: {why}.)"),
            ),
        }
    }

    /// Whether the figure named shows the reason.
    fn shown(
        &self,
        deviation: &Deviation,
        tested: &str,
        cell: &Judged,
        tolerance: Tolerance,
    ) -> Result<(), String> {
        let name = filled(tested, &cell.row, &cell.column.name);
        let place = Place::parse(&name).ok_or_else(|| format!("`{name}` names no figure"))?;
        let is_itself = (place.table, place.row, place.column)
            == (None, cell.row.as_str(), cell.column.name.as_str());
        if is_itself {
            return Err("the figure is the deviating one".to_owned());
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
            return Err("nothing is printed to compare with".to_owned());
        };
        match self.closeness(cell, figure, tolerance, printed) {
            Some(Closeness::Close) => Ok(()),
            Some(Closeness::Undecided(what)) => Err(format!("`{name}` is {ours}, and {what}")),
            _ => Err(format!("`{name}` is {ours}, printed {printed}")),
        }
    }

    /// How a figure in the place of ours would stand to print.
    fn closeness(
        &self,
        cell: &Judged,
        figure: &Measured,
        tolerance: Tolerance,
        printed: &Printed,
    ) -> Option<Closeness> {
        // An interval is that of the deviating value; around the figure it says nothing.
        if matches!(tolerance, Tolerance::Around(_) | Tolerance::OwnInterval) {
            return None;
        }
        let column: &TableColumn = &cell.column;
        if !Gauge::new(column, tolerance, printed).meets(printed, figure)? {
            return Some(Closeness::Far);
        }
        let in_place = Pending {
            cell: Judged {
                ours: Some(figure.clone()),
                ..cell.clone()
            },
            tolerance,
            is_open: true,
            close: None,
        };
        Some(match null::as_close(&in_place, self.cells, self.values) {
            Some(what) => Closeness::Undecided(what),
            None => Closeness::Close,
        })
    }
}

/// The first deviation that covers a cell.
fn first(all: &[&Deviation], cell: &Judged) -> Option<usize> {
    all.iter()
        .position(|deviation| deviation.covers(&cell.row, &cell.column.name))
}

/// The difference of a cell in the unit of the deviation's bound.
fn measured(deviation: &Deviation, cell: &Judged) -> Option<f64> {
    let (printed, ours) = (cell.printed.as_ref()?.number()?, cell.ours.as_ref()?);
    deviation.up_to?.measure(printed, cell.difference?, ours)
}
