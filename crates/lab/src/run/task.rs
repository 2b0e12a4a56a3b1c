//! Runs of cells, what they need, and how they end.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use kibitz_experiment::{Cell, CellError, DataFile, Field, Output, Value};

use crate::cache::{Cache, CachedCell};
use crate::config::catalog::{Entry, Planned};
use crate::observe::Observer;
use crate::table::Table;

/// One run of one cell.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    /// Which of the selected tables it belongs to.
    pub(crate) table: usize,
    pub(crate) entry: &'a Entry,
    pub(crate) planned: &'a Planned,
    pub(crate) cell: &'a Cell,
    pub(crate) replicate: u32,
    /// Inputs key.
    pub(crate) key: String,
    /// Data by the names the cell knows.
    pub(crate) data: BTreeMap<String, DataFile>,
    /// Outputs of the cells it reads, as far as they are known already.
    pub(crate) known: BTreeMap<String, Output>,
    /// The other tasks whose cells it reads, of its own table or of others.
    pub(crate) after: Vec<usize>,
    /// The datasets and tables it reads under `from`.
    pub(crate) sources: Vec<TaskSource>,
}

/// A dataset or table that a task reads.
#[derive(Clone, Debug)]
pub(crate) struct TaskSource {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) at: Where,
}

/// Where the records are.
#[derive(Clone, Debug)]
pub(crate) enum Where {
    /// In the cache, under the inputs keys of these runs of cells.
    Dataset(Vec<String>),
    /// In the values of the table of this number, finished by then.
    Table(usize),
}

impl Task<'_> {
    /// `paper/table "cell" 3/20`.
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

/// The outcome of one run of a cell.
#[derive(Clone, Debug)]
pub(crate) enum CellOutcome {
    Done(Box<CachedCell>),
    /// It failed, panicked or timed out: the sentence says which.
    Failed(String),
    /// It never started, or stopped because the run was interrupted.
    NotRun(String),
}

/// How to run.
#[derive(Clone, Copy)]
pub(crate) struct Settings<'a> {
    pub(crate) jobs: usize,
    /// Where finished cells are kept; those of quick runs are not, but for parts of datasets.
    pub(crate) cache: &'a Cache,
    pub(crate) quick: bool,
    /// The values of a finished table.
    pub(crate) values: &'a (dyn Fn(usize) -> Option<Table> + Sync),
    pub(crate) fail_fast: bool,
    pub(crate) interrupted: &'a AtomicBool,
    pub(crate) observer: &'a dyn Observer,
}

/// The outcome that a cell's own error means.
pub(super) fn explain(error: &CellError, task: &Task<'_>) -> CellOutcome {
    match error {
        CellError::Failed(message) => CellOutcome::Failed(message.clone()),
        CellError::TimedOut => {
            let limit = task.entry.experiment.run.timeout.unwrap_or_default();
            let limit = humantime::format_duration(limit);
            CellOutcome::Failed(format!("timed out after {limit}"))
        }
        CellError::Interrupted => CellOutcome::NotRun("interrupted".to_owned()),
    }
}

/// Checks that a cell yields what its plan announced, and only finite numbers.
pub(super) fn check_output(task: &Task<'_>, output: &Output) -> Result<(), String> {
    let columns = &task.planned.columns;
    for (row, column, value) in output.values() {
        if !task.cell.open && !task.cell.rows.iter().any(|planned| planned == row) {
            return Err(format!(
                "it yields row `{row}`, which its plan does not announce"
            ));
        }
        if !columns.iter().any(|planned| planned.name == column) {
            return Err(format!(
                "it yields column `{column}`, which its plan does not announce"
            ));
        }
        if let Value::Number(number) = value
            && !(number.value.is_finite() && number.std_error.is_none_or(f64::is_finite))
        {
            return Err(format!(
                "`{row}`.`{column}` is {}, not a finite number",
                number.value
            ));
        }
    }
    Ok(())
}
