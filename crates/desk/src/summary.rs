//! The outcome of a run for tools, and the log of the run.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::options::Mode;
use crate::run_outcome::RunOutcome;
use kibitz_experiment::VolatileValue;
use kibitz_lab::cache::Toolchain;
use kibitz_lab::compare::Drift;
use kibitz_lab::files::{FileError, write_atomically};
use kibitz_lab::finished::FinishedTable;
use kibitz_lab::judge::JudgedCell;
use kibitz_lab::outcome::{Counts, Outcome};
use kibitz_lab::provenance::{Git, Machine};
use kibitz_lab::published::PublishedValue;
use kibitz_lab::timestamp;
use kibitz_text::Diagnostic;

impl RunOutcome<'_> {
    /// The summary for tools.
    pub(super) fn summary(&self) -> Summary<'_> {
        let left_out = self.selected.problems();
        let unshown = self.findings.unshown.iter();
        let problems = left_out
            .iter()
            .chain(unshown)
            .chain(self.findings.problems.iter());
        Summary {
            exit_code: self.exit().code(),
            n_runs: self
                .tables
                .iter()
                .map(|table| table.plan.n_all_runs())
                .sum(),
            outcomes: self.outcomes(),
            n_drifted: self.n_drifted(),
            tables: self.tables.iter().map(TableSummary::new).collect(),
            warnings: self.warnings(),
            written: self.findings.written.as_deref().unwrap_or_default(),
            problems: problems.map(Diagnostic::to_string).collect(),
        }
    }

    /// Writes `runs/<time>/run.json` below the state folder.
    pub(crate) fn write_log(&self, git: &Git, state: &Path) -> Result<(), FileError> {
        let options = self.options;
        let log = RunLog {
            finished_at: timestamp(),
            seconds: self.seconds,
            arguments: &options.arguments,
            mode: match options.mode {
                Mode::Run => "run",
                Mode::Check => "check",
                Mode::Bless { .. } => "bless",
            },
            quick: options.quick,
            jobs: options.jobs,
            unattended: options.unattended,
            git,
            machine: Machine::current(),
            toolchain: &self.session.lab.toolchain,
            summary: self.summary(),
            tables: self.tables.iter().map(TableLog::new).collect(),
        };
        // Colons are not allowed in file names everywhere.
        let time = log.finished_at.replace(':', "-");
        let path = state.join("runs").join(time).join("run.json");
        let json = serde_json::to_vec_pretty(&log)
            .map_err(|error| FileError::new("write", &path, std::io::Error::other(error)))?;
        write_atomically(&path, &json)
    }
}

/// The summary of a run for tools.
#[derive(Serialize)]
pub(super) struct Summary<'a> {
    exit_code: u8,
    n_runs: usize,
    outcomes: Counts,
    n_drifted: usize,
    tables: Vec<TableSummary<'a>>,
    warnings: Vec<String>,
    written: &'a [String],
    problems: Vec<String>,
}

#[derive(Serialize)]
struct TableSummary<'a> {
    id: &'a str,
    kind: &'static str,
    inputs_key: &'a str,
    outcomes: Counts,
    drift: BTreeMap<&'static str, usize>,
    cells: Vec<CellSummary<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    audit: Vec<&'a str>,
    errors: Vec<String>,
}

#[derive(Serialize)]
struct CellSummary<'a> {
    row: &'a str,
    column: &'a str,
    published: Option<String>,
    /// A number, or a text where the column has texts.
    reproduced: Option<serde_json::Value>,
    difference: Option<f64>,
    tolerance: String,
    outcome: Outcome,
    #[serde(skip_serializing_if = "str::is_empty")]
    baseline: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'a str,
    drift: Drift,
}

impl<'a> TableSummary<'a> {
    fn new(table: &'a FinishedTable<'_>) -> Self {
        let cell = |cell: &'a JudgedCell| CellSummary {
            row: &cell.row,
            column: &cell.column.name,
            published: cell.printed.as_ref().map(PublishedValue::to_string),
            reproduced: cell.ours.as_ref().map(|ours| match ours.number() {
                Some(number) => number.into(),
                None => ours.written().into(),
            }),
            difference: cell.difference,
            tolerance: cell.column.tolerance.to_string(),
            outcome: cell.outcome,
            baseline: &cell.baseline,
            reason: &cell.reason,
            drift: table.drift_of(cell),
        };
        let cells: Vec<CellSummary<'_>> = table.judged.iter().map(cell).collect();
        let mut drift = BTreeMap::new();
        for cell in &cells {
            *drift.entry(cell.drift.word()).or_insert(0) += 1;
        }
        let errors = table.failures.iter();
        Self {
            id: table.id(),
            kind: table.plan.entry.kind.name(),
            inputs_key: &table.plan.inputs.inputs_key,
            outcomes: table.counts,
            drift,
            cells,
            audit: table.audit(),
            errors: errors
                .map(|failure| format!("{}: {}", failure.cell, failure.reason))
                .collect(),
        }
    }
}

/// `run.json`: the volatile half of provenance. Never committed.
#[derive(Serialize)]
struct RunLog<'a> {
    finished_at: String,
    seconds: f64,
    arguments: &'a [String],
    mode: &'static str,
    quick: bool,
    jobs: usize,
    unattended: bool,
    git: &'a Git,
    machine: Machine,
    toolchain: &'a Toolchain,
    summary: Summary<'a>,
    tables: Vec<TableLog<'a>>,
}

/// Timings, remarks and machine-dependent figures of one table.
#[derive(Serialize)]
struct TableLog<'a> {
    id: &'a str,
    runs: Vec<CellLog<'a>>,
}

#[derive(Serialize)]
struct CellLog<'a> {
    cell: &'a str,
    replicate: u32,
    seconds: f64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    audit: &'a [String],
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    volatile: &'a BTreeMap<String, VolatileValue>,
}

impl<'a> TableLog<'a> {
    fn new(table: &'a FinishedTable<'_>) -> Self {
        let runs = table.runs.iter().map(|run| CellLog {
            cell: &run.cell,
            replicate: run.replicate,
            seconds: run.seconds,
            warnings: &run.warnings,
            audit: &run.audit,
            volatile: run.output.volatile(),
        });
        Self {
            id: table.id(),
            runs: runs.collect(),
        }
    }
}
