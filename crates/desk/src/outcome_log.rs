//! `results/verdicts.csv`: every word that changed, every published value and tolerance that did, and why.

use std::collections::BTreeMap;

use crate::Answer;
use kibitz_lab::csv::{from_csv, to_csv};
use kibitz_lab::judge::{JudgedCell, WHOLE_ROWS};
use kibitz_lab::outcome::Outcome;
use kibitz_lab::provenance::git_output;
use kibitz_lab::results::{COMPARE, folder};
use kibitz_lab::session::Session;
use kibitz_tables::csv_line;
use kibitz_text::Exit;
use kibitz_text::{Diagnostic, Diagnostics, counted};

/// From the root.
pub(super) const PATH: &str = "results/verdicts.csv";

/// Its columns: `paper/table "row".column`, the word before, the word now, and why.
pub(super) const LOG: [&str; 4] = ["cell", "from", "to", "why"];

/// Changes of cells, before they are written.
#[derive(Debug, Default)]
pub(crate) struct OutcomeLog {
    lines: Vec<Line>,
    /// Cells that were judged and are so no longer.
    no_longer_judged: Vec<String>,
    /// Cells with another word.
    other_word: Vec<String>,
    /// Judged cells with another tolerance.
    other_tolerance: Vec<String>,
    /// Cells with another published value.
    other_published: Vec<String>,
    /// Tables with other parameters.
    other_reading: Vec<String>,
}

/// A line of the log.
#[derive(Debug)]
struct Line {
    cell: String,
    from: String,
    to: String,
    /// What else changed, such as `published 31 → 27`.
    changed: Vec<String>,
}

/// The log as it will be.
pub(crate) struct LogText {
    /// None without a file.
    pub(crate) bytes: Option<Vec<u8>>,
    /// The changes that are not in it yet.
    pub(crate) unlogged: Diagnostics,
}

/// A cell as `compare.csv` has it.
struct LoggedCell {
    published: String,
    tolerance: String,
    outcome: Outcome,
}

impl OutcomeLog {
    /// Takes note of the words of a table; `has_other_params` if it was computed by other parameters
    /// than before.
    pub(crate) fn add(
        &mut self,
        session: &Session<'_>,
        id: &str,
        judged: &[JudgedCell],
        has_other_params: bool,
    ) {
        let Some(lines) = compared_before(session, id) else {
            return;
        };
        // What a damaged file said is as nothing.
        let before = lines.into_iter().filter_map(|line| {
            let field = |idx: usize| line[idx].clone().unwrap_or_default();
            let before = LoggedCell {
                published: field(2),
                tolerance: field(5),
                outcome: Outcome::of_word(&field(6))?,
            };
            Some(((field(0), field(1)), before))
        });
        let mut before: BTreeMap<(String, String), LoggedCell> = before.collect();
        let was_judged = before.values().any(|cell| cell.outcome.is_counted());
        if has_other_params && was_judged {
            self.other_reading.push(id.to_owned());
        }
        for cell in judged {
            let name = format!("{id} \"{}\".{}", cell.row, cell.column.name);
            match before.remove(&(cell.row.clone(), cell.column.name.clone())) {
                Some(before) => self.compare(name, &before, cell),
                None if cell.outcome.is_counted() => {
                    self.line(name, "", cell.outcome.word(), Vec::new());
                }
                None => {}
            }
        }
        for ((row, column), before) in before {
            if before.outcome.is_counted() {
                self.gone(format!("{id} \"{row}\".{column}"), before.outcome.word());
            }
        }
    }

    /// Takes note of what changed in a cell.
    fn compare(&mut self, name: String, before: &LoggedCell, cell: &JudgedCell) {
        let (from, to) = (before.outcome, cell.outcome);
        let published = cell.printed.as_ref().map(ToString::to_string);
        let published = published.unwrap_or_default();
        let tolerance = cell.column.tolerance.to_string();
        // What is published of all rows together follows from the rows.
        let is_of_rows = WHOLE_ROWS.contains(&cell.row.as_str());
        let mut changed = Vec::new();
        if !before.published.is_empty() && before.published != published && !is_of_rows {
            let now = Some(published.as_str()).filter(|text| !text.is_empty());
            let now = now.unwrap_or("none");
            changed.push(format!("published {} → {now}", before.published));
            self.other_published.push(name.clone());
        }
        if from.is_counted() && to.is_counted() && before.tolerance != tolerance {
            changed.push(format!("tolerance {} → {tolerance}", before.tolerance));
            self.other_tolerance.push(name.clone());
        }
        let is_newly_published = before.published.is_empty() && !published.is_empty();
        if from.is_counted() && !to.is_counted() {
            self.no_longer_judged.push(name.clone());
        } else if from != to && !is_newly_published {
            self.other_word.push(name.clone());
        }
        if from != to || !changed.is_empty() {
            self.line(name, from.word(), to.word(), changed);
        }
    }

    /// Takes note that a table is deleted, whose cells are judged no longer.
    pub(crate) fn add_deleted(&mut self, session: &Session<'_>, id: &str) {
        for line in compared_before(session, id).into_iter().flatten() {
            let field = |idx: usize| line[idx].as_deref().unwrap_or_default();
            let word = field(6);
            if Outcome::of_word(word).is_some_and(Outcome::is_counted) {
                self.gone(format!("{id} \"{}\".{}", field(0), field(1)), word);
            }
        }
    }

    /// A judged cell that is not there any more.
    fn gone(&mut self, name: String, word: &str) {
        self.no_longer_judged.push(name.clone());
        self.line(name, word, "", Vec::new());
    }

    fn line(&mut self, cell: String, from: &str, to: &str, changed: Vec<String>) {
        self.lines.push(Line {
            cell,
            from: from.to_owned(),
            to: to.to_owned(),
            changed,
        });
    }

    /// That a reason is given where one is asked for: words change, cells stop being compared, published
    /// values or tolerances change, or tables with judged cells are computed by other parameters.
    ///
    /// # Errors
    /// Exit code 2 with what asks for it.
    pub(crate) fn ask_why(&self, why: Option<&str>) -> Result<(), Answer> {
        if why.is_some_and(|why| !why.trim().is_empty()) {
            return Ok(());
        }
        let asking = [
            (
                &self.no_longer_judged,
                ["cell stops", "cells stop"],
                "being compared",
            ),
            (
                &self.other_published,
                ["cell has", "cells have"],
                "another published value",
            ),
            (
                &self.other_tolerance,
                ["compared cell has", "compared cells have"],
                "another tolerance",
            ),
            (
                &self.other_reading,
                ["table is", "tables are"],
                "computed by other parameters",
            ),
            (
                &self.other_word,
                ["cell has", "cells have"],
                "another outcome",
            ),
        ];
        let asking = asking.into_iter().filter(|(names, ..)| !names.is_empty());
        let told = asking.map(|(names, [one, many], what)| {
            let n = counted(names.len(), one, many);
            format!("{n} {what}, such as {}", names[0])
        });
        let told: Vec<String> = told.collect();
        if told.is_empty() {
            return Ok(());
        }
        let text = told.join("\n  = ");
        let text = format!("error: nothing was written: say why with --why\n  = {text}\n");
        Err(Answer::failed(Exit::BadInput, text))
    }

    /// Every change that is to be logged, in a line; new cells are not among them.
    pub(crate) fn told(&self) -> impl Iterator<Item = String> {
        let lines = self.lines.iter().filter(|line| !line.from.is_empty());
        lines.map(Line::told)
    }

    /// That changes are not in the log.
    fn unlogged(&self, program: &str) -> Diagnostics {
        let problem = |told: String| {
            let problem = Diagnostic::new(format!("{told}, and {PATH} has no line for it"));
            problem.with_note(format!("`{program} refresh --why …` writes it"))
        };
        self.told().map(problem).collect()
    }

    /// The file with the changes added.
    pub(crate) fn text(&self, session: &Session<'_>, why: Option<&str>) -> Result<LogText, Answer> {
        Ok(LogText {
            bytes: self.bytes(session, why)?,
            unlogged: self.unlogged(&session.lab.program),
        })
    }

    /// The file with the changes added; as it is if there are none, and `None` without a file.
    fn bytes(&self, session: &Session<'_>, why: Option<&str>) -> Result<Option<Vec<u8>>, Answer> {
        let found = std::fs::read(session.lab.root.join(PATH)).ok();
        if self.lines.is_empty() {
            return Ok(found);
        }
        let old = match &found {
            Some(bytes) => from_csv(PATH, bytes, &LOG)?,
            None => Vec::new(),
        };
        // The word before is the one that the log gave last, so that each cell has one history.
        let mut last = BTreeMap::new();
        for line in &old {
            last.insert(line[0].clone(), line[2].clone().unwrap_or_default());
        }
        let why = why.unwrap_or_default().trim();
        let new = self.lines.iter().filter_map(|line| {
            let from = last.get(&Some(line.cell.clone()));
            let from = from.unwrap_or(&line.from);
            let is_change = *from != line.to || !line.changed.is_empty();
            is_change
                .then(|| [&line.cell, from, &line.to, &line.why(why)].map(|it| Some(it.clone())))
        });
        let new: Vec<[Option<String>; 4]> = new.collect();
        if new.is_empty() {
            return Ok(found);
        }
        // A log grows at its end: what stands in it stays as it was written.
        let mut bytes = found.unwrap_or_else(|| to_csv(LOG, []));
        for line in new {
            let written = csv_line(&mut bytes, line.iter().map(Option::as_deref));
            written.map_err(|error| Answer::failed(Exit::Failed, format!("error: {error}\n")))?;
        }
        Ok(Some(bytes))
    }
}

impl Line {
    /// `demo/t "a".x: matches → differs (unexplained), published 31 → 27`
    fn told(&self) -> String {
        let Self { cell, from, to, .. } = self;
        let to = if to.is_empty() { "gone" } else { to };
        let word = (from != to).then(|| format!("{from} → {to}"));
        let parts = word.into_iter().chain(self.changed.iter().cloned());
        format!("{cell}: {}", parts.collect::<Vec<_>>().join(", "))
    }

    /// What changed besides the word, and why.
    fn why(&self, why: &str) -> String {
        let changed = self.changed.join(", ");
        match (changed.as_str(), why) {
            ("", why) => why.to_owned(),
            (_, "") => changed,
            (_, why) => format!("{changed}: {why}"),
        }
    }
}

/// The lines of a table's `compare.csv`: as it is or, where it is missing, as it was committed.
fn compared_before(session: &Session<'_>, id: &str) -> Option<Vec<Vec<Option<String>>>> {
    let root = &session.lab.root;
    let read = |bytes: Vec<u8>| from_csv("compare.csv", &bytes, &COMPARE).ok();
    let path = folder(&root.join("results"), id).join("compare.csv");
    if let Some(lines) = std::fs::read(path).ok().and_then(read) {
        return Some(lines);
    }
    let committed = format!("HEAD:./results/{id}/compare.csv");
    git_output(root, &["show", &committed]).and_then(|text| read(text.into_bytes()))
}
