//! What is recorded beside the values, against what it should be: `inputs.toml`, and the log of verdicts.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::Answer;
use crate::outcome_log::{LOG, PATH};
use crate::render::LOG_HASH;
use kibitz_experiment::suggestion;
use kibitz_lab::config::entry::Entry;
use kibitz_lab::csv::from_csv;
use kibitz_lab::error::error_chain;
use kibitz_lab::judge::JudgedCell;
use kibitz_lab::key::combined;
use kibitz_lab::measurement::Table;
use kibitz_lab::outcome::Outcome;
use kibitz_lab::results::{CommittedTable, missing_file, read_committed};
use kibitz_lab::session::Session;
use kibitz_text::{Diagnostic, Diagnostics, SourceFile};

/// The lines of `inputs.toml` that are not what was recorded.
///
/// Where the inputs key is that of now, every line is what the experiment gives now: kind, parameters,
/// data, code, and also the versions of runner and toolchain, which are those that the workspace pins.
/// Of a record with another key only its form and the key itself are known.
pub(crate) fn inputs_as_recorded(
    session: &Session<'_>,
    entry: &Entry,
    committed: &CommittedTable,
) -> Result<Diagnostics, Answer> {
    let id = entry.id();
    let found = &committed.inputs;
    let own_key = combined(found.cells.values().map(String::as_str));
    let mut expected = session.inputs(entry);
    let is_current = found.inputs_key == expected.inputs_key || found.cells == expected.cells;
    if !is_current {
        expected = found.clone();
        expected.inputs_key = own_key;
    }
    // An edited table.csv is reported by itself.
    expected.table.clone_from(&found.table);
    let expected = expected.to_toml(&session.lab.program)?;
    let source = SourceFile::new(format!("results/{id}/inputs.toml"), committed.text.as_str());
    let what = if is_current {
        "this is not what the experiment gives for the same inputs key"
    } else {
        "this is not what was recorded"
    };
    let apart = lines_apart(&committed.text, &expected);
    let problems = apart.into_iter().map(|(at, should)| {
        let label = match should {
            Some(should) => format!("expected `{should}`"),
            None => "expected nothing here".to_owned(),
        };
        let note = format!(
            "restore the file, or `{} reproduce --bless {id}` records it again",
            session.lab.program
        );
        source.error_at(at, what).with_label(label).with_note(note)
    });
    Ok(problems.collect())
}

/// The lines in which a text is not as expected, and what is expected there: all of them if there are as
/// many lines, otherwise the first.
fn lines_apart(found: &str, expected: &str) -> Vec<(Range<usize>, Option<String>)> {
    let mut apart = Vec::new();
    let mut at = 0;
    let mut should = expected.lines();
    let is_as_long = found.lines().count() == expected.lines().count();
    for line in found.split_inclusive('\n') {
        let text = line.trim_end_matches('\n');
        let should = should.next();
        if should != Some(text) {
            apart.push((at..at + text.len(), should.map(str::to_owned)));
            if !is_as_long {
                return apart;
            }
        }
        at += line.len();
    }
    if let Some(missing) = should.next() {
        apart.push((found.len()..found.len(), Some(missing.to_owned())));
    } else if apart.is_empty() && found != expected {
        apart.push((found.len()..found.len(), None));
    }
    apart
}

/// The recorded tables whose `table.csv` is not the one that `inputs.toml` names, and those of which a file
/// is missing, among those that are wanted: nothing may be derived from them.
pub(crate) fn edited_tables(session: &Session<'_>, wanted: impl Fn(&str) -> bool) -> Diagnostics {
    let results = session.lab.root.join("results");
    let broken = session.catalog.broken.iter().map(|(id, _)| id.as_str());
    let ids = session.catalog.entries.iter().map(Entry::id).chain(broken);
    let problem = |id: &str| {
        let message = match read_committed(&results, id) {
            Ok(Some(committed)) if committed.intact => return None,
            Ok(Some(_)) => format!(
                "results/{id}/table.csv is not what results/{id}/inputs.toml says it is: one of them \
                 was edited"
            ),
            Ok(None) => format!("{} is missing", missing_file(&results, id)?),
            Err(error) => error_chain(&error),
        };
        let restore = format!("restore both files with `git checkout results/{id}`");
        let program = &session.lab.program;
        let again = format!("`{program} reproduce --bless {id}` records the table again");
        let problem = Diagnostic::new(message);
        Some(problem.with_note(format!("{restore}, or {again}")))
    };
    ids.filter(|id| wanted(id)).filter_map(problem).collect()
}

/// That `results/verdicts.csv` is not the file whose hash the index holds.
pub(crate) fn log_as_indexed(session: &Session<'_>) -> Option<Diagnostic> {
    let bytes = std::fs::read(session.lab.root.join(PATH)).ok()?;
    let hash = blake3::hash(&bytes).to_hex();
    let index = std::fs::read_to_string(session.lab.root.join("results/index.md")).ok()?;
    let (_, known) = index.rsplit_once(LOG_HASH)?;
    (!known.starts_with(hash.as_str())).then(|| {
        let problem = Diagnostic::new(format!("{PATH} is not what was recorded"));
        let program = &session.lab.program;
        let note = format!("restore it; after a merge `{program} refresh` takes note of it");
        problem.with_note(note)
    })
}

/// The lines of a log of verdicts that tell another story than the recorded tables: a word that no
/// verdict has, one that is not the word before, and a last word that is not that of the table.
pub(crate) fn words_as_logged(
    session: &Session<'_>,
    recorded: &BTreeMap<&str, (Table, Vec<JudgedCell>)>,
    bytes: &[u8],
) -> Diagnostics {
    let mut problems = Diagnostics::new();
    let lines = match from_csv(PATH, bytes, &LOG) {
        Ok(lines) => lines,
        Err(error) => {
            let problem = format!("{PATH} is damaged: {}", error_chain(&error));
            problems.push(Diagnostic::new(problem).with_note("restore it"));
            return problems;
        }
    };
    let source = match SourceFile::from_bytes(PATH, bytes.to_vec()) {
        Ok(source) => source,
        Err(damaged) => return damaged,
    };
    let places = records(source.text());
    let mut problem = |line: usize, message: String, label: String| {
        let at = places.get(line + 1).cloned().unwrap_or(0..0);
        let problem = source.error_at(at, message).with_label(label);
        problems.push(problem.with_note("restore the line: the log is written with the results"));
    };
    let mut last: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (idx, line) in lines.iter().enumerate() {
        let [cell, from, to] = [0, 1, 2].map(|field| line[field].as_deref().unwrap_or_default());
        if let Some((_, before)) = last.get(cell)
            && *before != from
        {
            let message = format!("{cell} was `{before}` before, and not `{from}`");
            problem(idx, message, String::new());
        }
        // The log is in the order of time, so the last line of a cell is its present word.
        last.insert(cell, (idx, to));
    }
    let mut words = BTreeMap::new();
    for (id, (_, judged)) in recorded {
        for cell in judged {
            let name = format!("{id} \"{}\".{}", cell.row, cell.column.name);
            words.insert(name, cell.outcome);
        }
    }
    let is_judged = |word: &str| Outcome::of_word(word).is_some_and(Outcome::is_counted);
    for (cell, (idx, to)) in last {
        let id = cell.split(' ').next().unwrap_or_default();
        if !to.is_empty() && Outcome::of_word(to).is_none() {
            let label = suggestion(to, Outcome::ALL.into_iter().map(Outcome::word));
            problem(idx, format!("`{to}` is not an outcome"), label);
        // A deleted table keeps its history if its last entry says that it is no longer judged.
        } else if !session.catalog.has_file(id) {
            if is_judged(to) {
                let ids = session.catalog.entries.iter().map(Entry::id);
                let label = suggestion(id, ids);
                problem(idx, format!("unknown table `{id}`"), label);
            }
        } else if recorded.contains_key(id) {
            let word = words.get(cell).map_or("", |outcome| outcome.word());
            if word != to && (is_judged(word) || is_judged(to)) {
                let message = match word {
                    "" => format!("{cell} is not judged, and the log says `{to}`"),
                    word => format!("{cell} is `{word}`, and the log says `{to}`"),
                };
                problem(idx, message, String::new());
            }
        }
    }
    problems.in_reading_order()
}

/// The records of a CSV text, the header among them: fields in quotation marks may hold line breaks.
fn records(text: &str) -> Vec<Range<usize>> {
    let mut records = Vec::new();
    let (mut start, mut is_quoted) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            '\n' if !is_quoted => {
                records.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < text.len() {
        records.push(start..text.len());
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_line_is_found() {
        let found = "a = 1\nb = 2\nc = 3\n";
        let apart = |expected: &str| lines_apart(found, expected);
        assert_eq!(apart(found), []);
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(
            apart("a = 1\nb = 9\nc = 8\n"),
            [(6..11, said("b = 9")), (12..17, said("c = 8"))]
        );
        assert_eq!(apart("a = 1\nc = 3\n"), [(6..11, said("c = 3"))]);
        assert_eq!(apart("a = 1\nb = 2\n"), [(12..17, None)]);
        assert_eq!(
            apart("a = 1\nb = 2\nc = 3\nd = 4\n"),
            [(18..18, said("d = 4"))]
        );
        assert_eq!(apart("a = 1\nb = 2\nc = 3"), [(18..18, None)]);
    }

    #[test]
    fn records_may_hold_line_breaks() {
        let text = "cell,why\na,\"two\nlines, \"\"quoted\"\"\"\nb,\n";
        let found: Vec<&str> = records(text).into_iter().map(|at| &text[at]).collect();
        assert_eq!(
            found,
            ["cell,why", "a,\"two\nlines, \"\"quoted\"\"\"", "b,"]
        );
    }
}
