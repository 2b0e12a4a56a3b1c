//! Tables and index for people, in Markdown and for a terminal, and for tools, in JSON; the same
//! bytes for the same results.

mod index;
mod markdown;
mod plot;
mod terminal;

pub(crate) use index::{IndexLine, LOG_HASH, index_json, index_md};
pub(crate) use markdown::{beside_print, kind_file};
pub(crate) use plot::plot_svg;
pub(crate) use terminal::{aligned, table_text};

use std::path::Path;

use crate::config::entry::{Entry, TableColumn};
use crate::judge::Judged;
use crate::measured::{Measured, Table};
use crate::outcome::{Counts, Outcome};
use crate::printed::{Printed, six_digits, with_digits};
use crate::results::{PLOT, compare_csv};
use kibitz_text::rounded_by;

/// The files of a table that derive from its values; `finding` is what it is headed by, and `root` is the
/// workspace, for links to code.
pub(crate) fn derived(
    entry: &Entry,
    finding: Option<&str>,
    table: &Table,
    judged: &[Judged],
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

/// Text for a cell of a Markdown table.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace('<', "&lt;")
        .replace("\r\n", "<br>")
        .replace('\n', "<br>")
}

/// Ours, with the digits of the published value, or those that its spread supports.
pub(crate) fn ours_like(printed: Option<&Printed>, ours: &Measured) -> String {
    match (ours.number(), printed.and_then(Printed::digits)) {
        (Some(value), Some(digits)) => with_digits(value, digits),
        (Some(value), None) => match spread_of(ours) {
            Some(spread) if spread > 0.0 => rounded_by(value, spread),
            _ => six_digits(value),
        },
        (None, _) => ours.written(),
    }
}

/// The spread that is shown: the deviation over replicates, or the standard error.
fn spread_of(ours: &Measured) -> Option<f64> {
    ours.std_dev.or(ours.std_error)
}

/// The spread with two significant digits; none of values that do not vary.
pub(crate) fn spread_shown(ours: &Measured) -> Option<String> {
    let spread = spread_of(ours)?;
    Some(rounded_by(spread, spread))
}

/// The difference, with one digit more than the print.
fn difference(cell: &Judged) -> String {
    let (Some(difference), Some(digits)) = (
        cell.difference,
        cell.printed.as_ref().and_then(Printed::digits),
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

/// `3 match, 1 differs (explained)`: only what occurs.
pub(crate) fn outcomes(counts: &Counts) -> String {
    let parts: Vec<String> = Outcome::ALL
        .into_iter()
        .filter(|outcome| counts.of(*outcome) > 0)
        .map(|outcome| {
            let n = counts.of(outcome);
            format!("{n} {}", outcome.word_for(n))
        })
        .collect();
    if parts.is_empty() {
        "no cells".to_owned()
    } else {
        parts.join(", ")
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
pub(crate) fn columns_of(judged: &[Judged]) -> Vec<&TableColumn> {
    let mut columns: Vec<&TableColumn> = Vec::new();
    for cell in judged {
        if columns.iter().all(|column| column.name != cell.column.name) {
            columns.push(&cell.column);
        }
    }
    columns
}
