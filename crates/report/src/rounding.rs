//! Cells as they are shown: without the noise of arithmetic, and with the digits that their outcome
//! needs.

use std::collections::BTreeMap;

use kibitz_lab::Outcome;
use kibitz_lab::measurement::is_noise;
use kibitz_lab::record::{RecordedCell, RecordedTable, WorkspaceRecord};
use kibitz_text::with_decimals;

use crate::number::{decimals, six};

/// A value whose spread is below this part of the largest value of its column, and that is within it,
/// comes from the order of additions.
const ZERO: f64 = 1e-12;
/// The ends of a tolerance are known up to this part of the larger.
const SLACK: f64 = 1e-9;
/// An outcome may need at most this many further digits.
const MORE_DIGITS: i32 = 3;

/// The record with the values as readers see them; the exact ones stay beside them.
pub(crate) fn readable(recorded: &WorkspaceRecord) -> WorkspaceRecord {
    let mut recorded = recorded.clone();
    recorded.tables.iter_mut().for_each(round);
    recorded
}

fn round(table: &mut RecordedTable) {
    let mut largest: BTreeMap<String, f64> = BTreeMap::new();
    for cell in &table.cells {
        let size = largest.entry(cell.column.clone()).or_default();
        *size = size.max(cell.number.map_or(0.0, f64::abs));
    }
    for cell in &mut table.cells {
        drop_noise(cell, largest[&cell.column]);
        add_digits(cell);
    }
}

/// A spread that is noise is zero, and zero is not shown.
fn drop_noise(cell: &mut RecordedCell, largest: f64) {
    let (Some(value), Some(spread)) = (cell.number, cell.std_dev.or(cell.std_error)) else {
        return;
    };
    let is_zero = value.abs() <= 3.0 * spread && spread <= ZERO * largest;
    if !is_zero && !is_noise(spread, value) {
        return;
    }
    let zeroed = |spread: Option<f64>| spread.map(|_| 0.0);
    (cell.std_dev, cell.std_error) = (zeroed(cell.std_dev), zeroed(cell.std_error));
    cell.spread_shown.clear();
    if cell.printed.is_none() {
        cell.ours_shown = six(if is_zero { 0.0 } else { value });
    }
}

/// A value that is rounded to the other side of its tolerance gets more digits.
fn add_digits(cell: &mut RecordedCell) {
    let (Some(value), Some(published)) = (cell.number, cell.printed_number) else {
        return;
    };
    let is_accepted = |value: f64| {
        cell.accepted.is_none_or(|[low, high]| {
            let slack = SLACK * low.abs().max(high.abs());
            (low - slack..=high + slack).contains(&value)
        })
    };
    #[expect(
        clippy::float_cmp,
        reason = "both are what a reader sees, read from their digits"
    )]
    let misleads = |text: &str| {
        text.parse::<f64>().is_ok_and(|rounded| {
            if rounded == published {
                cell.outcome.differs()
            } else {
                is_accepted(rounded) != is_accepted(value)
            }
        })
    };
    if cell.outcome == Outcome::Info || !misleads(&cell.ours_shown) {
        return;
    }
    let Some(given) = decimals(&cell.ours_shown) else {
        return;
    };
    let mut finer = (1..=MORE_DIGITS).map(|more| with_decimals(value, given + more));
    if let Some(text) = finer.find(|text| !misleads(text)) {
        cell.ours_shown = text;
    }
}

/// A cell without values, for tests.
#[cfg(test)]
pub(crate) fn empty_cell() -> RecordedCell {
    RecordedCell {
        row: "row".to_owned(),
        column: "column".to_owned(),
        printed: None,
        printed_number: None,
        ours: None,
        ours_shown: String::new(),
        number: None,
        std_dev: None,
        std_error: None,
        spread_shown: String::new(),
        replicates_n: 0,
        samples: None,
        replicates: Vec::new(),
        difference: None,
        errors: None,
        tolerance: String::new(),
        accepted: None,
        interval: None,
        baselines: Vec::new(),
        outcome: Outcome::Info,
        baseline: String::new(),
        reason: String::new(),
        deviation: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(shown: &str, value: f64, spread: f64) -> RecordedCell {
        RecordedCell {
            ours: Some(value.to_string()),
            ours_shown: shown.to_owned(),
            number: Some(value),
            std_error: Some(spread),
            spread_shown: spread.to_string(),
            replicates_n: 5,
            ..empty_cell()
        }
    }

    fn rounded(cells: Vec<RecordedCell>) -> Vec<(String, String)> {
        let mut table = RecordedTable {
            cells,
            ..RecordedTable::default()
        };
        round(&mut table);
        let shown = table.cells.into_iter();
        shown
            .map(|cell| (cell.ours_shown, cell.spread_shown))
            .collect()
    }

    #[test]
    fn noise_of_arithmetic_is_not_shown() {
        let cells = vec![
            cell("8.311280897100000e-1", 0.831_128_089_71, 1.2e-16),
            cell("-1.1e-14", -1.1e-14, 5.1e-14),
            cell("10.6", 10.6, 1.1),
            cell("2.0", 2.0, 0.0),
        ];
        let shown = rounded(cells);
        let shown: Vec<[&str; 2]> = shown.iter().map(|(a, b)| [&a[..], &b[..]]).collect();
        assert_eq!(
            shown,
            [["0.831128", ""], ["0", ""], ["10.6", "1.1"], ["2", ""]]
        );
        // Small values are values where all of their column are small.
        let small = rounded(vec![cell("1.1e-14", 1.1e-14, 5.1e-14)]);
        assert_eq!(
            small[0],
            ("1.1e-14".to_owned(), "0.000000000000051".to_owned())
        );
    }

    #[test]
    fn a_rounded_value_does_not_contradict_its_outcome() {
        let compared = |shown: &str, value: f64, published: f64, outcome: Outcome| RecordedCell {
            printed: Some(published.to_string()),
            printed_number: Some(published),
            accepted: Some([published - 1.0, published + 1.0]),
            outcome,
            ..cell(shown, value, 0.49)
        };
        let cells = vec![
            compared("3", 2.8, 4.0, Outcome::DiffersUnexplained),
            compared("3", 2.96, 4.0, Outcome::DiffersUnexplained),
            compared("4", 3.667, 3.0, Outcome::MatchesWeakly),
            RecordedCell {
                accepted: Some([3.99, 4.01]),
                ..compared("4", 4.3, 4.0, Outcome::MatchesWeakly)
            },
            compared("4", 4.3, 4.0, Outcome::DiffersExplained),
        ];
        let shown: Vec<String> = rounded(cells).into_iter().map(|(text, _)| text).collect();
        assert_eq!(shown, ["2.8", "2.96", "4", "4", "4.3"]);
    }
}
