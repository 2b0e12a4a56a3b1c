//! Tasks: runs of cells, with everything they need.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use kibitz_command::input::Input;
use kibitz_experiment::{Cell, DataFile, Field, Output};

use crate::cache::{Cache, CachedCell};
use crate::clock::Clock;
use crate::config::entry::{Entry, PlannedExperiment};
use crate::measurement::Table;
use crate::observe::Observer;

/// One run of one cell.
#[derive(Debug)]
pub struct Task<'a> {
    /// Index of its table among those selected.
    pub table: usize,
    pub entry: &'a Entry,
    pub(crate) planned: &'a PlannedExperiment,
    pub cell: &'a Cell,
    pub replicate: u32,
    /// CPU seconds that it is expected to take.
    pub expected: f64,
    /// Inputs key: the content hash of everything its result depends on.
    pub key: String,
    /// Data files by the names that the cell uses.
    pub data: BTreeMap<String, DataFile>,
    /// Outputs of the cells it reads, as far as they are cached.
    pub known: BTreeMap<String, Output>,
    /// Its predecessors: the tasks whose cells it reads, of its own table or of others.
    pub after: Vec<usize>,
    /// The datasets and tables it reads under `from`.
    pub sources: Vec<TaskSource>,
}

/// A dataset or table that a task reads.
#[derive(Clone, Debug)]
pub struct TaskSource {
    pub name: String,
    pub fields: Vec<Field>,
    pub at: RecordsPlace,
}

/// Location of the records of a source.
#[derive(Clone, Debug)]
pub enum RecordsPlace {
    /// In the cache, under these inputs keys.
    Dataset(Vec<String>),
    /// In the values of the table of this index, which is finished before.
    Table(usize),
}

impl Task<'_> {
    /// Whether its work is that of another program.
    pub(super) fn runs_a_program(&self) -> bool {
        let mut inputs = self.cell.data.iter().map(|name| Input::of_name(name));
        inputs.any(|input| matches!(input, Some(Input::Version(_))))
    }

    /// Its name for people: `paper/table "cell" 3/20`.
    pub(super) fn name(&self) -> String {
        let replicates = self.entry.experiment.run.replicates();
        let mut name = self.entry.id().to_owned();
        if self.cell.id != name {
            name = format!("{name} \"{}\"", self.cell.id);
        }
        if replicates > 1 {
            name = format!("{name} {}/{replicates}", self.replicate + 1);
        }
        name
    }
}

/// Outcome of one run of a cell.
#[derive(Clone, Debug)]
pub enum CellOutcome {
    Done(Box<CachedCell>),
    /// It failed, panicked or timed out, with the message.
    Failed(String),
    /// A program that it starts is not installed, with the message.
    MissingProgram(String),
    /// Its records, or those it reads, cannot be written, with the message.
    Unwritable(String),
    /// It never started, or was interrupted, with the reason.
    NotRun(String),
}

/// Settings of a run.
#[derive(Clone, Copy)]
pub(crate) struct Settings<'a> {
    pub jobs: usize,
    /// The cache of finished cells; of quick runs, only parts of datasets are cached.
    pub cache: &'a Cache,
    pub quick: bool,
    /// The values of a finished table, by index.
    pub values: &'a (dyn Fn(usize) -> Option<Table> + Sync),
    pub fail_fast: bool,
    pub clock: Clock,
    pub interrupted: &'a AtomicBool,
    pub(crate) observer: &'a dyn Observer,
}
