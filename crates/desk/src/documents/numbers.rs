//! Numbers in sentences, and where they come from.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::written_number::WrittenNumber;
use super::{Change, Edit, Sources};
use kibitz_experiment::suggestion;
use kibitz_lab::judge::JudgedCell;
use kibitz_lab::measurement::Measurement;
use kibitz_lab::outcome::{Counts, Outcome};
use kibitz_text::{Diagnostics, SourceFile};

/// A number by itself: no part of a name such as `krk-1`.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\p{L}\d_.,/-]*\d[\p{L}\d_.,/-]*"));
static LONE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^-?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:[eE]-?\d+)?$"));
static YEAR: LazyLock<Regex> = LazyLock::new(|| pattern(r"^(?:19|20)\d\d$"));
/// The words before a number that names a place in a paper.
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:tables?|chapters?|sections?|figures?|pages?)\s(?:[\d.]+\s(?:to|and)\s)?$")
});
/// `paper/table "row".column`, reproduced or published.
static VALUE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"^([^\s"]+/[^\s"]+) "([^"]*)"\.(\S+?)( published)?$"#));
static LINES: LazyLock<Regex> = LazyLock::new(|| pattern(r"^lines of (\S+) with (.+)$"));

fn pattern(text: &str) -> Regex {
    #[allow(clippy::unwrap_used, reason = "constant patterns, covered by tests")]
    Regex::new(text).unwrap()
}

/// Corrects the number before a marker; `source` is the text of the marker.
pub(super) fn edit(
    text: &str,
    marker: &Range<usize>,
    source: &str,
    sources: &Sources<'_>,
) -> Result<Edit, String> {
    let number = WrittenNumber::before(text, marker.start)?;
    let rest = text[marker.end..].trim_start_matches(['.', ',']);
    if rest.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("the number goes on behind this marker".to_owned());
    }
    let Value { value, unit } = value(source, sources)?;
    let value = match unit.as_deref() {
        _ if !number.is_percent => value,
        Some(unit) if unit.starts_with('%') => value,
        // A share of one.
        Some("") => 100.0 * value,
        _ => return Err(format!("{source} is not a share: write it without `%`")),
    };
    let new = number.with(value);
    let is_large = match WrittenNumber::before(&new, new.len()) {
        Ok(new) => number.is_far_from(&new),
        Err(_) => true,
    };
    let is_changed = text[number.at.clone()] != new;
    Ok(Edit {
        source: format!("by {source}"),
        changes: is_changed
            .then(|| Change::new(text, &number.at, &new, is_large))
            .into_iter()
            .collect(),
        at: number.at,
        text: new,
    })
}

/// Corrects the outcome before a marker; `source` names its cell.
pub(super) fn outcome_edit(
    text: &str,
    marker: usize,
    source: &str,
    sources: &Sources<'_>,
) -> Result<Edit, String> {
    let before = &text[..marker];
    let written = Outcome::ALL
        .into_iter()
        .map(Outcome::word)
        .filter(|word| before.ends_with(word))
        .max_by_key(|word| word.len());
    let written = written.ok_or("no outcome before this marker")?;
    let cell = VALUE.captures(source).and_then(|found| {
        let [id, row, column] =
            [1, 2, 3].map(|group| found.get(group).map_or("", |it| it.as_str()));
        cell_of(id, row, column, sources)
    });
    let cell = cell.ok_or_else(|| {
        format!("`{source}` is not a cell: expected `PAPER/TABLE \"ROW\".COLUMN`")
    })?;
    let (at, word) = (marker - written.len()..marker, cell.outcome.word());
    let change = (written != word).then(|| Change::new(text, &at, word, false));
    Ok(Edit {
        at,
        text: word.to_owned(),
        source: format!("by {source}"),
        changes: change.into_iter().collect(),
    })
}

/// What a marker names.
struct Value {
    value: f64,
    /// That of its column; none of a count.
    unit: Option<String>,
}

/// The value that a marker names.
fn value(source: &str, sources: &Sources<'_>) -> Result<Value, String> {
    if let Some(found) = VALUE.captures(source) {
        let [id, row, column] =
            [1, 2, 3].map(|group| found.get(group).map_or("", |it| it.as_str()));
        let value = if found.get(4).is_some() {
            printed(id, row, column, sources)?
        } else {
            recorded(id, row, column, sources)?
        };
        let unit = cell_of(id, row, column, sources).map(|cell| cell.column.unit.clone());
        return Ok(Value { value, unit });
    }
    count(source, sources).map(|value| Value { value, unit: None })
}

/// The count that a marker names.
fn count(source: &str, sources: &Sources<'_>) -> Result<f64, String> {
    if let Some(found) = LINES.captures(source) {
        let [file, with] = [1, 2].map(|group| found.get(group).map_or("", |it| it.as_str()));
        let text = sources.text(file);
        let text = text.map_err(|error| format!("`{file}`: {error}"))?;
        return Ok(text.lines().filter(|line| line.contains(with)).count() as f64);
    }
    if let Some((word, of)) = source.split_once(" in ") {
        return outcomes(word, of, sources);
    }
    let experiments = &sources.catalog.entries;
    let n = match source {
        "tables" => experiments
            .iter()
            .filter(|entry| !entry.is_dataset())
            .count(),
        "datasets" => experiments
            .iter()
            .filter(|entry| entry.is_dataset())
            .count(),
        "experiments" => experiments.len(),
        "kinds" => sources.kinds.len(),
        _ => {
            return Err(format!(
                "`{source}` is not a source: expected `PAPER/TABLE \"ROW\".COLUMN`, with `published` \
                 behind it for the published value, `OUTCOME in PAPER`, `in PAPER/TABLE` or `in papers` (also \
                 `compared in …`, `match in …`, `differ in …`), `lines of FILE with TEXT`, `tables`, \
                 `datasets`, `experiments` or `kinds`"
            ));
        }
    };
    Ok(n as f64)
}

/// How many cells of a paper or table got a outcome, or were judged.
fn outcomes(word: &str, of: &str, sources: &Sources<'_>) -> Result<f64, String> {
    let mut counts = Counts::default();
    let is_published = |id: &str| {
        let mut papers = sources.catalog.papers.iter();
        papers.any(|paper| paper.id == id && paper.details.published)
    };
    for line in &sources.index {
        let is_own = match of {
            "papers" => is_published(line.paper()),
            of => line.id == of || line.paper() == of,
        };
        if is_own {
            counts.merge(&line.outcomes);
        }
    }
    if counts.total() == 0 {
        let papers = sources.catalog.papers.iter().map(|paper| paper.id.as_str());
        let known = papers.chain(sources.recorded.keys().copied());
        return Err(unknown("paper or table", of, known));
    }
    let n = match word {
        "compared" => Some(counts.compared()),
        "match" => Some(counts.matching()),
        "differ" => Some(counts.differing()),
        _ => None,
    };
    if let Some(n) = n {
        return Ok(n as f64);
    }
    let words = || Outcome::ALL.into_iter().map(Outcome::word);
    let outcome = Outcome::of_word(word).ok_or_else(|| unknown("outcome", word, words()))?;
    Ok(counts.of(outcome) as f64)
}

/// Our value.
fn recorded(id: &str, row: &str, column: &str, sources: &Sources<'_>) -> Result<f64, String> {
    let ids = || sources.recorded.keys().copied();
    let (table, _) = sources
        .recorded
        .get(id)
        .ok_or_else(|| unknown("table", id, ids()))?;
    let Some(value) = table.get(row, column) else {
        if table.rows().all(|known| known != row) {
            return Err(unknown(&format!("row of {id}"), row, table.rows()));
        }
        let columns = table.iter().filter(|(known, ..)| *known == row);
        let columns = columns.map(|(_, column, _)| column);
        return Err(unknown(
            &format!("column of {id} \"{row}\""),
            column,
            columns,
        ));
    };
    Measurement::number(value).ok_or_else(|| format!("{id} \"{row}\".{column} is not a number"))
}

/// The published value.
fn printed(id: &str, row: &str, column: &str, sources: &Sources<'_>) -> Result<f64, String> {
    let ids = || sources.recorded.keys().copied();
    if !sources.recorded.contains_key(id) {
        return Err(unknown("table", id, ids()));
    }
    let cell = cell_of(id, row, column, sources);
    let printed = cell.and_then(|cell| cell.printed.as_ref()?.number());
    printed.ok_or_else(|| format!("no number is printed for {id} \"{row}\".{column}"))
}

fn cell_of<'s>(
    id: &str,
    row: &str,
    column: &str,
    sources: &'s Sources<'_>,
) -> Option<&'s JudgedCell> {
    let (_, judged) = sources.recorded.get(id)?;
    let mut cells = judged.iter();
    cells.find(|cell| cell.row == row && cell.column.name == column)
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut message = format!("no {what} is `{name}`");
    let suggestion = suggestion(name, known);
    if !suggestion.is_empty() {
        message.extend(["; ", &suggestion]);
    }
    message
}

/// The numbers of a stretch of prose that no marker follows.
pub(super) fn without_source(source: &SourceFile, at: Range<usize>) -> Diagnostics {
    let text = source.text();
    // Whatever the marker is for is read, or rejected, with it.
    let has_marker = text[at.end..].starts_with("<!-- value: ");
    let marked = WrittenNumber::before(text, at.end).map(|number| number.at.start);
    let marked = marked.ok().filter(|_| has_marker);
    let mut problems = Diagnostics::new();
    for found in NUMBER.find_iter(&text[at.clone()]) {
        let trimmed = found.as_str().trim_end_matches(['.', ',', '-', '/']);
        let start = at.start + found.start();
        let end = start + trimmed.len();
        let is_exempt = !LONE.is_match(trimmed)
            || YEAR.is_match(trimmed)
            || is_list_number(text, start, end)
            || PLACE.is_match(&text[at.start..start])
            || (has_marker && end == at.end)
            || marked.is_some_and(|marked| start >= marked);
        if !is_exempt {
            let problem = source.error_at(start..end, format!("`{trimmed}` has no source"));
            problems.push(problem.with_note(
                "a number is followed by `<!-- value: … -->`, stands in a generated table, or is \
                 spelled out",
            ));
        }
    }
    problems
}

/// Whether a number begins a line as that of a list item: `2. The plan …`.
fn is_list_number(text: &str, start: usize, end: usize) -> bool {
    (start == 0 || text[..start].ends_with('\n')) && text[end..].starts_with(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_places_and_names_need_no_source() {
        let text = "1. In 1975, Table 4.3, chapters 5 to 8, krk-1 and 3-fold: 12 of 1,024 (9.5), .64 and -7.";
        let source = SourceFile::new("a.md", text);
        let problems = without_source(&source, 0..text.len());
        let found: Vec<String> = problems
            .iter()
            .map(|problem| problem.message.clone())
            .collect();
        let expected =
            ["12", "1,024", "9.5", ".64", "-7"].map(|number| format!("`{number}` has no source"));
        assert_eq!(found, expected);
    }
}
