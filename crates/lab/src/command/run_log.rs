//! `run.json`: the volatile half of provenance. Never committed.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::Lab;
use super::reproduce::{Mode, ReproduceOptions};
use super::summary::Summary;
use super::tables::{FinishedTable, PlannedTable};
use crate::cache::Toolchain;
use crate::clock::timestamp;
use crate::files::{FileError, write_atomically};
use crate::provenance::{Git, Machine};
use kibitz_experiment::Volatile;

/// The log of one run.
#[derive(Debug, Serialize)]
pub(crate) struct RunLog<'a> {
    finished_at: String,
    seconds: f64,
    arguments: &'a [String],
    mode: &'static str,
    quick: bool,
    jobs: usize,
    unattended: bool,
    git: Git,
    machine: Machine,
    toolchain: &'a Toolchain,
    summary: &'a Summary,
    tables: Vec<TableLog>,
}

/// Timings, remarks and machine-dependent figures of one table.
#[derive(Debug, Serialize)]
pub(crate) struct TableLog {
    id: String,
    runs: Vec<CellLog>,
}

#[derive(Debug, Serialize)]
struct CellLog {
    cell: String,
    replicate: u32,
    seconds: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    volatile: BTreeMap<String, Volatile>,
}

impl TableLog {
    pub(crate) fn new(plan: &PlannedTable<'_>, finished: &FinishedTable) -> Self {
        Self {
            id: plan.entry.id().to_owned(),
            runs: finished
                .runs
                .iter()
                .map(|run| CellLog {
                    cell: run.cell.clone(),
                    replicate: run.replicate,
                    seconds: run.seconds,
                    warnings: run.warnings.clone(),
                    volatile: run.output.volatile().clone(),
                })
                .collect(),
        }
    }
}

impl<'a> RunLog<'a> {
    pub(crate) fn new(
        lab: &'a Lab,
        options: &'a ReproduceOptions,
        git: Git,
        seconds: f64,
        summary: &'a Summary,
        tables: Vec<TableLog>,
    ) -> Self {
        Self {
            finished_at: timestamp(),
            seconds,
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
            toolchain: &lab.toolchain,
            summary,
            tables,
        }
    }

    /// Writes `runs/<time>/run.json` below the state folder.
    pub(crate) fn write(&self, state: &Path) -> Result<(), FileError> {
        // Colons are not allowed in file names everywhere.
        let time = self.finished_at.replace(':', "-");
        let path = state.join("runs").join(time).join("run.json");
        let json = serde_json::to_vec_pretty(self)
            .map_err(|error| FileError::new("write", &path, std::io::Error::other(error)))?;
        write_atomically(&path, &json)
    }
}
