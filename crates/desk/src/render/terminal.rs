//! A table for a terminal.

use std::fmt::Write as _;

use super::{columns_of, difference, named, ours_like};
use kibitz_lab::comparison::Comparison;
use kibitz_lab::config::entry::TableColumn;
use kibitz_lab::judge::JudgedCell;
use kibitz_lab::published::PublishedValue;

/// Most lines of a table that is shown at the end of a run.
const SHOWN_LINES: usize = 200;

/// The table for a terminal: published and reproduced values, or one line per row where nothing is
/// published.
pub(crate) fn table_text(judged: &[JudgedCell], width: Option<usize>) -> String {
    let ours = |cell: &JudgedCell| {
        let ours = cell.ours.as_ref();
        ours.map_or_else(
            || "-".to_owned(),
            |ours| ours_like(cell.printed.as_ref(), ours),
        )
    };
    if judged.iter().all(|cell| cell.ours.is_none()) {
        return String::new();
    }
    let mut lines: Vec<Vec<String>> = Vec::new();
    if judged.iter().any(|cell| cell.printed.is_some()) {
        let header = [
            "row",
            "column",
            "published",
            "reproduced",
            "difference",
            "outcome",
        ];
        lines.push(header.map(str::to_owned).into());
        lines.extend(judged.iter().map(|cell| {
            let printed = cell.printed.as_ref();
            vec![
                cell.row.clone(),
                named(&cell.column),
                printed.map_or_else(|| "-".to_owned(), PublishedValue::to_string),
                ours(cell),
                difference(cell),
                cell.outcome.to_string(),
            ]
        }));
    } else {
        let columns = columns_of(judged);
        let header = columns.iter().map(|column| named(column));
        lines.push(["row".to_owned()].into_iter().chain(header).collect());
        for row in judged.chunk_by(|one, other| one.row == other.row) {
            let of_column = |column: &&TableColumn| {
                let cell = row.iter().find(|cell| cell.column.name == column.name);
                cell.map_or_else(|| "-".to_owned(), ours)
            };
            let values = columns.iter().map(of_column);
            lines.push([row[0].row.clone()].into_iter().chain(values).collect());
        }
    }
    let n_more = lines.len().saturating_sub(SHOWN_LINES);
    lines.truncate(SHOWN_LINES);
    let mut text = aligned(&lines, width);
    if n_more > 0 {
        let _ = writeln!(text, "and {n_more} more lines");
    }
    text
}

/// Two compared files for a terminal: a line per value, and what is to be said of all.
pub fn comparison_text(comparison: &Comparison) -> String {
    let header = Comparison::HEADER.map(str::to_owned).into();
    let lines = comparison.lines().map(Vec::from);
    let lines: Vec<Vec<String>> = std::iter::once(header).chain(lines).collect();
    aligned(&lines, None) + &comparison.summary().join("\n") + "\n"
}

/// Lines of fields below each other, numbers to the right; what does not fit `width` columns is cut.
pub(crate) fn aligned(lines: &[Vec<String>], width: Option<usize>) -> String {
    let n_fields = lines.iter().map(Vec::len).max().unwrap_or(0);
    // A text of several lines, such as a drawing, is shown by its first.
    let first = |field: &String| field.lines().next().unwrap_or_default().to_owned();
    let lines: Vec<Vec<String>> = lines
        .iter()
        .map(|line| line.iter().map(first).collect())
        .collect();
    let field = |line: usize, idx: usize| lines[line].get(idx).map_or("", String::as_str);
    let is_number = |text: &str| text == "-" || text.is_empty() || text.parse::<f64>().is_ok();
    let widest = |idx: usize| {
        let widths = (0..lines.len()).map(|line| field(line, idx).chars().count());
        widths.max().unwrap_or(0)
    };
    let columns: Vec<(usize, bool)> = (0..n_fields)
        .map(|idx| {
            let numbers = (1..lines.len()).all(|line| is_number(field(line, idx)));
            (widest(idx), numbers && idx > 0)
        })
        .collect();
    let mut text = String::new();
    for line in 0..lines.len() {
        let mut shown = String::new();
        for (idx, (width, to_the_right)) in columns.iter().enumerate() {
            let field = field(line, idx);
            let _ = if *to_the_right {
                write!(shown, "{field:>width$}  ")
            } else {
                write!(shown, "{field:<width$}  ")
            };
        }
        let shown = shown.trim_end();
        let cut = width.and_then(|width| {
            let (end, _) = shown.char_indices().nth(width.saturating_sub(1))?;
            shown.char_indices().nth(width).map(|_| &shown[..end])
        });
        let _ = match cut {
            Some(cut) => writeln!(text, "{cut}…"),
            None => writeln!(text, "{shown}"),
        };
    }
    text
}
