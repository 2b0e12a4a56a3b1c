//! Reasons that nothing shows: the figure that a deviation names has no value.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{JudgedCell, MissingReason};
use crate::config::entry::Entry;
use crate::figure::{Others, Place, Values, filled};
use crate::measurement::Table;

/// Where deviations name a figure without a value, and the figure, once for each deviation that explains
/// a cell by it and does not say what else would decide the reason.
///
/// A figure in a row that was not run is not known to have none.
pub fn unshown(
    entry: &Entry,
    judged: &[JudgedCell],
    table: &Table,
    missing: &BTreeMap<String, MissingReason>,
    others: &Others,
) -> Vec<(Range<usize>, String)> {
    let values = Values { own: table, others };
    let deviations = entry.experiment.file.deviation.iter();
    let found = deviations.filter_map(|deviation| {
        let deviation = deviation.get_ref();
        let tested = deviation.tested.as_ref()?;
        let decided_by = deviation.decided_by.as_deref().unwrap_or_default();
        if !decided_by.trim().is_empty() {
            return None;
        }
        let mut covered = judged.iter().filter(|cell| {
            cell.outcome.differs() && deviation.covers(&cell.row, &cell.column.name)
        });
        let name = covered.find_map(|cell| {
            let name = filled(tested.get_ref(), &cell.row, &cell.column.name);
            let place = Place::parse(&name)?;
            let is_missing = place.table.is_none() && missing.contains_key(place.row);
            (!is_missing && values.get(&place).is_none()).then_some(name)
        })?;
        Some((tested.span(), name))
    });
    found.collect()
}
