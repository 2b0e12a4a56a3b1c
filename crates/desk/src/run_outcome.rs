//! The outcome of a run: its tables, troubles and findings, and the exit code that follows.

use crate::options::ReproduceOptions;
use crate::{Answer, Desk};
use kibitz_lab::finished::FinishedTable;
use kibitz_lab::outcome::Counts;
use kibitz_lab::selection::SelectedExperiments;
use kibitz_lab::session::Session;
use kibitz_lab::trouble::DataTrouble;
use kibitz_text::Exit;
use kibitz_text::{Diagnostics, counted};

/// The outcome of a run.
pub(crate) struct RunOutcome<'a> {
    pub(crate) desk: &'a Desk,
    pub(crate) session: &'a Session<'a>,
    pub(crate) options: &'a ReproduceOptions,
    pub(crate) tables: &'a [FinishedTable<'a>],
    pub(crate) troubles: &'a [DataTrouble<'a>],
    pub(crate) interrupted: bool,
    /// What `--check` or `--bless` found and did.
    pub(crate) findings: Findings,
    pub(crate) selected: &'a SelectedExperiments<'a>,
    pub(crate) seconds: f64,
}

/// Faults of the committed files, or the files that were written.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// What `--check` guards and is out of date.
    pub(crate) problems: Diagnostics,
    /// Deviations whose figure has no value, and which do not say what would decide them.
    pub(crate) unshown: Diagnostics,
    /// Remarks; no reason to fail.
    pub(crate) warnings: Vec<String>,
    /// What recording changes, in words.
    pub(crate) changes: Vec<String>,
    /// Files that were written; `None` unless values were recorded.
    pub(crate) written: Option<Vec<String>>,
    /// What kept the files from being read or written.
    pub(crate) failed: Option<Answer>,
}

impl RunOutcome<'_> {
    /// The exit code of the worst thing that happened.
    pub(crate) fn exit(&self) -> Exit {
        let drifted = self.findings.written.is_none() && self.n_drifted() > 0;
        let failed = |lacks_programs_only: bool| {
            let mut failed = self.tables.iter().filter(|table| table.failed());
            failed.any(|table| table.lacks_programs_only() == lacks_programs_only)
        };
        let mut exits = vec![Exit::Done];
        let reasons = [
            (self.interrupted, Exit::Interrupted),
            (!self.selected.broken.is_empty(), Exit::BadInput),
            (!self.findings.unshown.is_empty(), Exit::BadInput),
            (!self.troubles.is_empty(), Exit::Missing),
            (
                drifted || !self.findings.problems.is_empty(),
                Exit::Negative,
            ),
            (self.unkept().next().is_some(), Exit::Unwritable),
            (
                self.tables.iter().any(FinishedTable::is_unwritable),
                Exit::Unwritable,
            ),
            (
                self.judged().any(FinishedTable::has_undeclared),
                Exit::Negative,
            ),
            (failed(true), Exit::Missing),
            (failed(false), Exit::Failed),
        ];
        exits.extend(
            reasons
                .into_iter()
                .filter(|(holds, _)| *holds)
                .map(|(_, exit)| exit),
        );
        exits.extend(self.findings.failed.iter().map(|failed| failed.exit));
        exits.into_iter().max().unwrap_or(Exit::Done)
    }

    pub(super) fn outcomes(&self) -> Counts {
        let mut outcomes = Counts::default();
        for table in self.judged() {
            outcomes.merge(&table.counts);
        }
        outcomes
    }

    /// Why results are not kept, once for each table.
    pub(super) fn unkept(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tables.iter().filter_map(|table| {
            let unkept = table.runs.iter().find_map(|run| run.unkept.as_deref())?;
            Some((table.id(), unkept))
        })
    }

    pub(super) fn n_drifted(&self) -> usize {
        self.judged().map(|table| table.drifted.len()).sum()
    }

    /// The tables that were asked for: not the datasets, and not what they read besides.
    pub(super) fn judged(&self) -> impl Iterator<Item = &FinishedTable<'_>> {
        self.tables.iter().filter(|table| table.has_values())
    }

    /// The table or dataset that was asked for, if it is one.
    pub(super) fn only_one(&self) -> Option<&FinishedTable<'_>> {
        let mut selected = self.tables.iter().filter(|table| table.plan.is_selected);
        selected.next().filter(|_| selected.next().is_none())
    }

    /// The table that was asked for, if it is one.
    pub(super) fn only_table(&self) -> Option<&FinishedTable<'_>> {
        let mut tables = self.judged();
        tables.next().filter(|_| tables.next().is_none())
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings = self.findings.warnings.clone();
        let program = &self.session.lab.program;
        let broken = self.session.catalog.broken.iter();
        for (id, problems) in broken.filter(|(id, _)| !self.selected.broken.contains(&id.as_str()))
        {
            warnings.push(format!(
                "experiments/{id}.toml has {}; `{program} explain {id}` shows them",
                counted(problems.len(), "problem", "problems")
            ));
        }
        for table in self.tables {
            for cell in &table.plan.cells {
                if let Some(damage) = cell.damage {
                    warnings.push(format!(
                        "{} \"{}\": {damage} in the cache; it was run again",
                        table.id(),
                        cell.cell.id
                    ));
                }
            }
            // What several cells remark, such as of a file they all read, is said once.
            let mut said: Vec<&str> = Vec::new();
            for run in &table.runs {
                for text in &run.warnings {
                    if !said.contains(&text.as_str()) {
                        said.push(text);
                        warnings.push(format!("{} \"{}\": {text}", table.id(), run.cell));
                    }
                }
            }
        }
        warnings
    }
}
