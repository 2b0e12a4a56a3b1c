//! Tables and index for people, in Markdown, and for tools, in JSON; the same bytes for the same
//! results.

use std::fmt::Write as _;

use serde::Serialize;
use toml::Spanned;

use crate::compare::{Counts, Judged, Verdict};
use crate::config::catalog::{Catalog, Entry, TableColumn};
use crate::config::experiment::Reading;
use crate::config::self_check;
use crate::printed::{Printed, six_digits, with_digits};
use crate::table::Measured;

/// Text for a cell of a Markdown table.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('|', "\\|")
        .replace('<', "&lt;")
        .replace("\r\n", "<br>")
        .replace('\n', "<br>")
}

/// Ours, with the digits of the print where there is one.
pub(crate) fn ours_like(printed: Option<&Printed>, ours: &Measured) -> String {
    match (ours.number(), printed.and_then(Printed::digits)) {
        (Some(value), Some(digits)) => with_digits(value, digits),
        (Some(value), None) => six_digits(value),
        (None, _) => ours.written(),
    }
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

/// `table.md`: print beside ours, then what explains the differences.
pub(crate) fn table_md(entry: &Entry, judged: &[Judged], program: &str) -> String {
    let experiment = &entry.experiment;
    let mut text = format!("# {}\n\n", experiment.file.title);
    let counts: Counts = judged.iter().map(|cell| cell.verdict).collect();
    if let Some(printed_in) = &experiment.file.source {
        let _ = writeln!(
            text,
            "Published in {}, {}.",
            printed_in.paper.get_ref(),
            printed_in.place
        );
    }
    match experiment.reading() {
        Reading::Clear => {}
        Reading::Ocr => text.push_str(
            "The printed values come from optical character recognition: look at the scan before \
             doubting the code.\n",
        ),
    }
    let _ = write!(
        text,
        "Rebuilt by `{program} reproduce {}`.\n{}.\n\n",
        experiment.id,
        verdicts(&counts)
    );
    let spread = judged.iter().any(|cell| {
        cell.ours
            .as_ref()
            .is_some_and(|ours| spread_of(ours).is_some())
    });
    let spread_header = if experiment.run.replicates() > 1 {
        "sd"
    } else {
        "standard error"
    };
    let mut header = vec!["row", "column", "paper", "ours"];
    if spread {
        header.push(spread_header);
    }
    header.extend(["difference", "tolerance", "verdict"]);
    let aligned: Vec<&str> = header
        .iter()
        .map(|name| match *name {
            "paper" | "ours" | "difference" | "sd" | "standard error" => "---:",
            _ => "---",
        })
        .collect();
    let _ = writeln!(
        text,
        "| {} |\n| {} |",
        header.join(" | "),
        aligned.join(" | ")
    );
    for cell in judged {
        let column = if cell.column.unit.is_empty() {
            cell.column.name.clone()
        } else {
            format!("{} ({})", cell.column.name, cell.column.unit)
        };
        let printed = cell.printed.as_ref();
        let ours = cell.ours.as_ref();
        let mut fields = vec![
            escaped(&cell.row),
            escaped(&column),
            printed.map_or_else(String::new, |printed| escaped(&printed.to_string())),
            ours.map_or_else(String::new, |ours| escaped(&ours_like(printed, ours))),
        ];
        if spread {
            fields.push(ours.and_then(spread_of).map_or_else(String::new, |spread| {
                printed.and_then(Printed::digits).map_or_else(
                    || six_digits(spread),
                    |digits| with_digits(spread, (digits + 1).max(0)),
                )
            }));
        }
        let tolerance = match (printed, cell.verdict) {
            (None, Verdict::Info) => String::new(),
            _ => cell.column.tolerance.to_string(),
        };
        fields.extend([difference(cell), tolerance, cell.verdict.to_string()]);
        let _ = writeln!(text, "| {} |", fields.join(" | "));
    }
    add_columns(&mut text, entry);
    add_deviations(&mut text, entry, judged);
    add_self_checks(&mut text, entry);
    if let Some(notes) = &experiment.file.notes {
        let _ = write!(text, "\n## Notes\n\n{}\n", notes.trim());
    }
    text
}

/// Most lines of a table that is shown at the end of a run.
const SHOWN_LINES: usize = 200;

/// The table for a terminal: print beside ours, or where nothing is printed one line per row.
pub(crate) fn table_text(judged: &[Judged], width: Option<usize>) -> String {
    let ours = |cell: &Judged| {
        let ours = cell.ours.as_ref();
        ours.map_or_else(
            || "-".to_owned(),
            |ours| ours_like(cell.printed.as_ref(), ours),
        )
    };
    let named = |column: &TableColumn| match column.unit.as_str() {
        "" => column.name.clone(),
        unit => format!("{} ({unit})", column.name),
    };
    if judged.iter().all(|cell| cell.ours.is_none()) {
        return String::new();
    }
    let mut lines: Vec<Vec<String>> = Vec::new();
    if judged.iter().any(|cell| cell.printed.is_some()) {
        let header = ["row", "column", "paper", "ours", "difference", "verdict"];
        lines.push(header.map(str::to_owned).into());
        lines.extend(judged.iter().map(|cell| {
            let printed = cell.printed.as_ref();
            vec![
                cell.row.clone(),
                named(&cell.column),
                printed.map_or_else(|| "-".to_owned(), Printed::to_string),
                ours(cell),
                difference(cell),
                cell.verdict.to_string(),
            ]
        }));
    } else {
        let mut columns: Vec<&TableColumn> = Vec::new();
        for cell in judged {
            if columns.iter().all(|column| column.name != cell.column.name) {
                columns.push(&cell.column);
            }
        }
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

/// The spread over replicates, or what the value knows of its own error.
fn spread_of(ours: &Measured) -> Option<f64> {
    ours.std_dev.or(ours.std_error)
}

fn add_columns(text: &mut String, entry: &Entry) {
    text.push_str("\n## Columns\n\n");
    for column in &entry.columns {
        let _ = write!(
            text,
            "- `{}`: {}",
            column.name,
            column.doc.trim_end_matches('.')
        );
        if let Some(why) = &column.why {
            let _ = write!(
                text,
                "; {}: {}",
                column.tolerance,
                why.trim_end_matches('.')
            );
        }
        text.push_str(".\n");
    }
}

fn add_deviations(text: &mut String, entry: &Entry, judged: &[Judged]) {
    let deviations = &entry.experiment.file.deviation;
    if !deviations.is_empty() {
        text.push_str("\n## Deviations\n\n");
    }
    for deviation in deviations.iter().map(Spanned::get_ref) {
        let explained = judged
            .iter()
            .filter(|cell| cell.verdict == Verdict::DiffersDeclared)
            .filter(|cell| deviation.covers(&cell.row, &cell.column.name))
            .count();
        let cells: Vec<String> = deviation
            .cells
            .iter()
            .map(|glob| format!("`{glob}`"))
            .collect();
        let up_to = deviation.up_to;
        let up_to = up_to.map_or_else(String::new, |bound| format!("up to {bound}, "));
        let _ = writeln!(
            text,
            "- {} ({up_to}{}): {}",
            cells.join(", "),
            counted(explained, "cell differs", "cells differ"),
            deviation.reason.trim()
        );
    }
}

fn add_self_checks(text: &mut String, entry: &Entry) {
    let results = self_check::run(&entry.experiment);
    if !results.is_empty() {
        text.push_str("\n## Does the paper agree with itself?\n\n");
    }
    for result in results {
        let word = if result.holds { "yes" } else { "**no**" };
        let _ = writeln!(text, "- {word}: {}.", result.text);
    }
}

/// `3 agree, 1 differs (declared)`: only what occurs.
pub(crate) fn verdicts(counts: &Counts) -> String {
    let parts: Vec<String> = Verdict::ALL
        .into_iter()
        .filter(|verdict| counts.of(*verdict) > 0)
        .map(|verdict| {
            let n = counts.of(verdict);
            let word = match (verdict, n) {
                (Verdict::Agrees, 1) => "agrees",
                (Verdict::Agrees, _) => "agree",
                (Verdict::DiffersDeclared, 1) => "differs (declared)",
                (Verdict::DiffersDeclared, _) => "differ (declared)",
                (Verdict::Differs, 1) => "differs",
                (Verdict::Differs, _) => "differ",
                (Verdict::Error, 1) => "error",
                (Verdict::Error, _) => "errors",
                (other, _) => other.word(),
            };
            format!("{n} {word}")
        })
        .collect();
    if parts.is_empty() {
        "no cells".to_owned()
    } else {
        parts.join(", ")
    }
}

/// `1 table`, `2 tables`.
pub(crate) fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// What the index says of one table.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct IndexLine {
    #[serde(skip)]
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) title: String,
    pub(crate) inputs_key: String,
    pub(crate) verdicts: Counts,
    /// Self-checks of the paper that hold, and that fail.
    pub(crate) self_checks: SelfChecks,
}

/// How many self-checks of the paper hold.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct SelfChecks {
    pub(crate) hold: usize,
    pub(crate) fail: usize,
}

impl IndexLine {
    pub(crate) fn new(entry: &Entry, inputs_key: &str, judged: &[Judged]) -> Self {
        let mut self_checks = SelfChecks::default();
        for result in self_check::run(&entry.experiment) {
            if result.holds {
                self_checks.hold += 1;
            } else {
                self_checks.fail += 1;
            }
        }
        Self {
            id: entry.id().to_owned(),
            kind: entry.kind.name().to_owned(),
            title: entry.experiment.file.title.clone(),
            inputs_key: inputs_key.to_owned(),
            verdicts: judged.iter().map(|cell| cell.verdict).collect(),
            self_checks,
        }
    }
}

/// `index.json`: by id, what the index says.
pub(crate) fn index_json(lines: &[IndexLine]) -> String {
    let fields: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let value = serde_json::to_string_pretty(line)
                .ok()?
                .replace('\n', "\n  ");
            Some(format!(
                "  {}: {value}",
                serde_json::Value::from(line.id.as_str())
            ))
        })
        .collect();
    if fields.is_empty() {
        "{}\n".to_owned()
    } else {
        format!("{{\n{}\n}}\n", fields.join(",\n"))
    }
}

/// `index.md`: one line per table, paper by paper, then what was left out and why.
pub(crate) fn index_md(catalog: &Catalog, lines: &[IndexLine], program: &str) -> String {
    let mut text = format!(
        "# Results\n\nEvery table beside print; `{program} reproduce` rebuilds them all.\n"
    );
    let mut papers: Vec<&str> = catalog
        .papers
        .iter()
        .map(|paper| paper.id.as_str())
        .collect();
    for entry in &catalog.entries {
        if !papers.contains(&entry.experiment.paper()) {
            papers.push(entry.experiment.paper());
        }
    }
    for id in papers {
        let known = catalog.papers.iter().find(|paper| paper.id == id);
        let _ = write!(text, "\n## {id}\n");
        if let Some(paper) = known {
            let _ = write!(text, "\n{}\n", paper.details.citation.trim());
            if let Some(link) = &paper.details.link {
                let _ = writeln!(text, "<{link}>");
            }
            if !paper.details.errata.is_empty() {
                text.push_str("\nErrata:\n\n");
                for erratum in &paper.details.errata {
                    let _ = writeln!(text, "- {erratum}");
                }
            }
        }
        let own: Vec<&IndexLine> = lines
            .iter()
            .filter(|line| line.id.split('/').next() == Some(id))
            .collect();
        if own.is_empty() {
            text.push_str("\nNo results yet.\n");
        } else {
            text.push('\n');
            text.push_str(&index_table(&own, ""));
        }
        if let Some(paper) = known
            && !paper.details.not_attempted.is_empty()
        {
            text.push_str("\nNot attempted:\n\n");
            for left_out in &paper.details.not_attempted {
                let _ = writeln!(text, "- {}: {}", left_out.place, left_out.reason);
            }
        }
    }
    text
}

/// The table of an index; links lead into `folder`.
fn index_table(lines: &[&IndexLine], folder: &str) -> String {
    let mut text = String::from(
        "| table | what | agrees | differs (declared) | differs | info | not run | error |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for line in lines {
        let _ = write!(
            text,
            "| [{id}]({folder}{id}/table.md) | {} |",
            escaped(&line.title),
            id = line.id
        );
        for verdict in Verdict::ALL {
            let _ = write!(text, " {} |", line.verdicts.of(verdict));
        }
        text.push('\n');
    }
    text
}

/// README.md with the results between its markers brought up to date; `None` without markers.
pub(crate) fn splice_readme(readme: &str, lines: &[IndexLine], program: &str) -> Option<String> {
    let marker = format!("<!-- results: written by `{program} report` -->");
    let begin = readme.find(&marker)? + marker.len();
    let end = begin + readme[begin..].find("<!-- end of results -->")?;
    let lines: Vec<&IndexLine> = lines.iter().collect();
    Some(format!(
        "{}\n{}{}",
        &readme[..begin],
        index_table(&lines, "results/"),
        &readme[end..]
    ))
}
