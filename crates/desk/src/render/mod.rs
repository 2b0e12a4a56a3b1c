//! Tables and index for people, in Markdown and for a terminal, and for tools, in JSON; the same
//! bytes for the same results.

mod index;
mod kinds;
mod markdown;
mod plot;
mod terminal;

pub(crate) use index::{IndexLine, LOG_HASH, index_json, index_md};
pub(crate) use markdown::{beside_print, kind_file};
pub(crate) use plot::plot_svg;
pub use terminal::comparison_text;
pub(crate) use terminal::{aligned, table_text};

use std::path::Path;

use crate::Answer;
use kibitz_lab::Lab;
use kibitz_lab::finished::FinishedTable;

use kibitz_lab::config::entry::{Entry, TableColumn};
use kibitz_lab::judge::JudgedCell;
use kibitz_lab::measurement::{Measurement, Table, is_noise};
use kibitz_lab::published::{PublishedValue, six_digits, with_digits};
use kibitz_lab::results::{PLOT, compare_csv, table_csv};
use kibitz_text::rounded_by;

/// The files of a table that derive from its values; `finding` is what it is headed by, and `root` is the
/// workspace, for links to code.
pub(crate) fn derived(
    entry: &Entry,
    finding: Option<&str>,
    table: &Table,
    judged: &[JudgedCell],
    program: &str,
    root: &Path,
) -> Vec<(&'static str, Vec<u8>)> {
    let markdown = markdown::table_md(entry, finding, judged, program, root);
    let plot = plot_svg(entry, table);
    let plot = plot.map(|plot| (PLOT, plot.into_bytes()));
    let files = [
        ("compare.csv", compare_csv(judged)),
        ("table.md", markdown.into_bytes()),
    ];
    files.into_iter().chain(plot).collect()
}

/// The files of a table, as in `results/`: the values, and what decided them.
pub(crate) fn table_files(
    finished: &FinishedTable<'_>,
    lab: &Lab,
) -> Result<Vec<(&'static str, Vec<u8>)>, Answer> {
    let entry = finished.plan.entry;
    let table = table_csv(entry, &finished.table);
    let mut inputs = finished.plan.inputs.clone();
    inputs.table = blake3::hash(&table).to_hex().to_string();
    let mut files = vec![
        ("table.csv", table),
        ("inputs.toml", inputs.to_toml(&lab.program)?.into_bytes()),
    ];
    let finding = entry.experiment.finding();
    files.extend(derived(
        entry,
        finding.as_deref(),
        &finished.table,
        &finished.judged,
        &lab.program,
        &lab.root,
    ));
    Ok(files)
}

/// Text for a cell of a Markdown table.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace('<', "&lt;")
        .replace("\r\n", "<br>")
        .replace('\n', "<br>")
}

/// Ours, with the digits of the published value, or those that its spread supports.
pub(crate) fn ours_like(printed: Option<&PublishedValue>, ours: &Measurement) -> String {
    match (ours.number(), printed.and_then(PublishedValue::digits)) {
        (Some(value), Some(digits)) => with_digits(value, digits),
        (Some(value), None) => match spread_of(ours) {
            Some(spread) => rounded_by(value, spread),
            None => six_digits(value),
        },
        (None, _) => ours.written(),
    }
}

/// The spread that is shown: the deviation over replicates, or the standard error; none of values that do
/// not vary.
fn spread_of(ours: &Measurement) -> Option<f64> {
    let spread = ours.std_dev.or(ours.std_error)?;
    (!is_noise(spread, ours.number().unwrap_or_default())).then_some(spread)
}

/// The spread with two significant digits; none of values that do not vary.
pub(crate) fn spread_shown(ours: &Measurement) -> Option<String> {
    let spread = spread_of(ours)?;
    Some(rounded_by(spread, spread))
}

/// The difference, with one digit more than the print.
fn difference(cell: &JudgedCell) -> String {
    let (Some(difference), Some(digits)) = (
        cell.difference,
        cell.printed.as_ref().and_then(PublishedValue::digits),
    ) else {
        return String::new();
    };
    let text = with_digits(difference, (digits + 1).max(0));
    if difference > 0.0 && text.chars().any(|c| matches!(c, '1'..='9')) {
        format!("+{text}")
    } else {
        text
    }
}

/// A column with its unit.
fn named(column: &TableColumn) -> String {
    match column.unit.as_str() {
        "" => column.name.clone(),
        unit => format!("{} ({unit})", column.name),
    }
}

/// The columns of a table, in its order.
pub(crate) fn columns_of(judged: &[JudgedCell]) -> Vec<&TableColumn> {
    let mut columns: Vec<&TableColumn> = Vec::new();
    for cell in judged {
        if columns.iter().all(|column| column.name != cell.column.name) {
            columns.push(&cell.column);
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: f64, spread: f64) -> (String, Option<String>) {
        let ours = Measurement {
            std_dev: Some(spread),
            ..Measurement::exact(value)
        };
        (ours_like(None, &ours), spread_shown(&ours))
    }

    #[test]
    fn the_rounding_of_numbers_is_not_a_spread() {
        assert_eq!(shown(52.8, 5.0e-15), ("52.8".to_owned(), None));
        assert_eq!(shown(3.0, 0.0), ("3".to_owned(), None));
        assert_eq!(shown(0.0, 0.0), ("0".to_owned(), None));
        let small = shown(0.0, 4.6e-8);
        assert_eq!(small, ("0".to_owned(), Some("4.6e-8".to_owned())));
        let spread = shown(-52.83, 0.25);
        assert_eq!(spread, ("-52.83".to_owned(), Some("0.25".to_owned())));
    }
}
