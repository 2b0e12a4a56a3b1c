//! `results/verdicts.csv`: every word that changed, and why.

use std::collections::BTreeMap;

use super::session::Session;
use super::{Answer, Exit};
use crate::files::write_atomically;
use crate::frame::{from_csv, to_csv};
use crate::judge::Judged;
use crate::outcome::Outcome;
use crate::results::{COMPARE, folder};
use kibitz_text::counted;

/// From the root.
pub(super) const PATH: &str = "results/verdicts.csv";

/// Its columns: `paper/table "row".column`, the word before, the word now, and why.
pub(super) const LOG: [&str; 4] = ["cell", "from", "to", "why"];

/// Words that change, before they are written.
#[derive(Debug, Default)]
pub(crate) struct OutcomeLog {
    lines: Vec<[String; 4]>,
    /// Cells that were judged and are so no longer.
    no_longer_judged: Vec<String>,
    /// Judged cells with another tolerance.
    other_tolerance: Vec<String>,
    /// Tables with other parameters.
    other_reading: Vec<String>,
}

impl OutcomeLog {
    /// Takes note of the words of a table; `has_other_params` if it was computed by other parameters
    /// than before.
    pub(crate) fn add(
        &mut self,
        session: &Session<'_>,
        id: &str,
        judged: &[Judged],
        has_other_params: bool,
    ) {
        let path = folder(&session.lab.root.join("results"), id).join("compare.csv");
        let lines = std::fs::read(path).ok();
        let lines = lines.and_then(|bytes| from_csv(&bytes, &COMPARE).ok());
        let Some(lines) = lines else {
            return;
        };
        // What a damaged file said is as nothing.
        let before = lines.into_iter().filter_map(|line| {
            let field = |idx: usize| line[idx].clone().unwrap_or_default();
            let outcome = Outcome::of_word(&field(6))?;
            Some(((field(0), field(1)), (field(5), outcome)))
        });
        let mut before: BTreeMap<(String, String), (String, Outcome)> = before.collect();
        let was_judged = before.values().any(|(_, outcome)| outcome.is_counted());
        if has_other_params && was_judged {
            self.other_reading.push(id.to_owned());
        }
        for cell in judged {
            let name = format!("{id} \"{}\".{}", cell.row, cell.column.name);
            let old = before.remove(&(cell.row.clone(), cell.column.name.clone()));
            match old {
                Some((tolerance, from)) => {
                    if from != cell.outcome {
                        self.line(&name, from.word(), cell.outcome.word());
                    }
                    if from.is_counted() && !cell.outcome.is_counted() {
                        self.no_longer_judged.push(name);
                    } else if from.is_counted() && tolerance != cell.column.tolerance.to_string() {
                        self.other_tolerance.push(name);
                    }
                }
                None if cell.outcome.is_counted() => self.line(&name, "", cell.outcome.word()),
                None => {}
            }
        }
        for ((row, column), (_, from)) in before {
            if from.is_counted() {
                let name = format!("{id} \"{row}\".{column}");
                self.line(&name, from.word(), "");
                self.no_longer_judged.push(name);
            }
        }
    }

    /// Takes note that a table is deleted, whose cells are judged no longer.
    pub(crate) fn add_deleted(&mut self, session: &Session<'_>, id: &str) {
        let path = folder(&session.lab.root.join("results"), id).join("compare.csv");
        let lines = std::fs::read(path).ok();
        let lines = lines.and_then(|bytes| from_csv(&bytes, &COMPARE).ok());
        for line in lines.into_iter().flatten() {
            let field = |idx: usize| line[idx].as_deref().unwrap_or_default();
            let word = field(6);
            if Outcome::of_word(word).is_some_and(Outcome::is_counted) {
                self.line(&format!("{id} \"{}\".{}", field(0), field(1)), word, "");
            }
        }
    }

    fn line(&mut self, name: &str, from: &str, to: &str) {
        self.lines.push([name, from, to, ""].map(str::to_owned));
    }

    /// That a reason is given where one is asked for: cells stop being compared, tolerances change, or
    /// tables with judged cells are computed by other parameters.
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
                "cell stops",
                "cells stop",
                "being compared",
            ),
            (
                &self.other_tolerance,
                "compared cell has",
                "compared cells have",
                "another tolerance",
            ),
            (
                &self.other_reading,
                "table is",
                "tables are",
                "computed by other parameters",
            ),
        ];
        let told: Vec<String> = asking
            .iter()
            .filter(|(names, ..)| !names.is_empty())
            .map(|(names, one, many, what)| {
                let n = counted(names.len(), one, many);
                format!("{n} {what}, such as {}", names[0])
            })
            .collect();
        if told.is_empty() {
            return Ok(());
        }
        let text = told.join("\n  = ");
        let text = format!("error: nothing was recorded: say why with --why\n  = {text}\n");
        Err(Answer::failed(Exit::BadInput, text))
    }

    /// Adds the words to the file; gives its name if there are any.
    pub(crate) fn write(
        mut self,
        session: &Session<'_>,
        why: Option<&str>,
    ) -> Result<Option<String>, Answer> {
        if self.lines.is_empty() {
            return Ok(None);
        }
        for line in &mut self.lines {
            why.unwrap_or_default().trim().clone_into(&mut line[3]);
        }
        let path = session.lab.root.join(PATH);
        let old = match std::fs::read(&path) {
            Ok(bytes) => from_csv(&bytes, &LOG)?,
            Err(_) => Vec::new(),
        };
        // The word before is the one that the log gave last, so that each cell has one history.
        let mut last = BTreeMap::new();
        for line in &old {
            last.insert(line[0].clone(), line[2].clone().unwrap_or_default());
        }
        let new = self.lines.into_iter().filter_map(|[cell, from, to, why]| {
            let from = last.get(&Some(cell.clone())).cloned().unwrap_or(from);
            (from != to).then(|| [cell, from, to, why].map(Some).to_vec())
        });
        let new: Vec<Vec<Option<String>>> = new.collect();
        if new.is_empty() {
            return Ok(None);
        }
        let lines = old.into_iter().chain(new).map(|line| {
            let [cell, from, to, why] = [0, 1, 2, 3].map(|idx| line[idx].clone());
            [cell, from, to, why]
        });
        write_atomically(&path, &to_csv(LOG, lines)?)?;
        Ok(Some(PATH.to_owned()))
    }
}
