//! The services of the runner for a running cell.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{CellError, DataFile, Output, Records, Resample, SeedName, Source, Stopwatch};

/// A value that several cells use.
pub type SharedValue = Arc<dyn Any + Send + Sync>;

/// The services of a runner to a running cell, for authors of runners; cells see [`Context`].
///
/// Every service is optional: without any, a cell has no data and no limits, and nothing is cached.
pub trait Runner: Sync {
    /// A data file by the name the experiment gives it, if the cell listed it.
    fn data(&self, _name: &str) -> Option<DataFile> {
        None
    }
    /// The datasets and tables that the experiment reads under `from`, by their names there.
    fn sources(&self) -> &BTreeMap<String, Source> {
        static NONE: BTreeMap<String, Source> = BTreeMap::new();
        &NONE
    }
    /// How figures are resampled.
    fn resample(&self) -> Option<&Resample> {
        None
    }
    /// The output of the named cell in this replicate, if the cell listed it in
    /// [`Cell::after`](crate::Cell::after).
    fn finished(&self, _cell: &str) -> Option<&Output> {
        None
    }
    /// Reports that `done` of `total` steps called `step` are done.
    fn progress(&self, _step: &str, _done: u64, _total: u64) {}
    /// Stops the cell when its CPU time is used up or the run was interrupted.
    ///
    /// # Errors
    /// [`CellError::TimedOut`] or [`CellError::Interrupted`].
    fn check(&self) -> Result<(), CellError> {
        Ok(())
    }
    /// A value kept by [`keep`](Self::keep), by an earlier run of the same cell perhaps.
    fn kept(&self, _name: &str) -> Option<Vec<u8>> {
        None
    }
    /// Keeps a value until the cell is done.
    ///
    /// # Errors
    /// [`CellError::Failed`] if it cannot be written.
    fn keep(&self, _name: &str, _value: &[u8]) -> Result<(), CellError> {
        Ok(())
    }
    /// The value that `make` made for another cell under this name, or makes now.
    ///
    /// # Errors
    /// Those of `make`.
    fn shared(
        &self,
        _name: &str,
        make: &mut dyn FnMut() -> Result<SharedValue, CellError>,
    ) -> Result<SharedValue, CellError> {
        make()
    }
    /// Adds records to the cell's part of a dataset.
    ///
    /// # Errors
    /// [`CellError::Failed`] if they cannot be kept, or have other columns than those before.
    fn add_records(&self, _records: Records) -> Result<(), CellError> {
        Err(CellError::new("this runner keeps no records"))
    }
    /// Records a warning.
    fn warn(&self, _message: String) {}
    /// Records an input of the cell.
    fn audit(&self, _line: String) {}
}

/// A running cell's random numbers, data, checkpoints, progress, and the question whether to stop.
///
/// All methods take `&self` and the type is [`Sync`], so that a cell may share it with the
/// threads it starts.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    cell: &'a str,
    replicate: u32,
    seed: Option<SeedName<'a>>,
    runner: &'a dyn Runner,
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("cell", &self.cell)
            .field("replicate", &self.replicate)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl<'a> Context<'a> {
    /// The context of a replicate of a cell; without a seed when it draws no random numbers.
    pub fn new(
        cell: &'a str,
        replicate: u32,
        seed: Option<SeedName<'a>>,
        runner: &'a dyn Runner,
    ) -> Self {
        Self {
            cell,
            replicate,
            seed,
            runner,
        }
    }

    /// The cell's random number generator: the stream called `main`. Every call restarts it.
    ///
    /// # Panics
    /// If the plan says that it draws no random numbers ([`Experiment::random`](crate::Experiment::random)).
    pub fn rng(&self) -> ChaCha8Rng {
        self.rng_for("main")
    }

    /// An independent generator for the named stream, for example one per game or per thread.
    ///
    /// # Panics
    /// If the plan says that it draws no random numbers.
    pub fn rng_for(&self, stream: &str) -> ChaCha8Rng {
        self.seed_name().rng(stream)
    }

    /// The 32 seed bytes of the named stream, derived from the root seed, the experiment, the
    /// cell, the replicate and the name.
    ///
    /// # Panics
    /// If the plan says that it draws no random numbers.
    pub fn seed(&self, stream: &str) -> [u8; 32] {
        self.seed_name().seed(stream)
    }

    /// The same as a number, for code that takes one.
    ///
    /// # Panics
    /// If the plan says that it draws no random numbers.
    pub fn seed_u64(&self, stream: &str) -> u64 {
        let [a, b, c, d, e, f, g, h, ..] = self.seed(stream);
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    fn seed_name(&self) -> SeedName<'a> {
        self.seed
            .expect("an experiment that draws random numbers says so in Experiment::random")
    }

    /// Id of the cell.
    pub fn cell(&self) -> &'a str {
        self.cell
    }

    /// Zero-based replicate of this run of the cell.
    pub fn replicate(&self) -> u32 {
        self.replicate
    }

    /// A data file by the name the experiment gives it; the cell must have listed it in
    /// [`Cell::data`](crate::Cell::data).
    ///
    /// # Errors
    /// [`CellError::Failed`] if the cell did not list it.
    pub fn data(&self, name: &str) -> Result<DataFile, CellError> {
        self.runner.data(name).ok_or_else(|| {
            CellError::new(format!(
                "cell `{}` reads data `{name}` without listing it in Cell::data",
                self.cell
            ))
        })
    }

    /// The datasets and tables that the experiment reads, by the names it gives them under `from`.
    pub fn sources(&self) -> &'a BTreeMap<String, Source> {
        self.runner.sources()
    }

    /// How figures are computed again for their standard errors, if the experiment asks for it.
    pub fn resample(&self) -> Option<&'a Resample> {
        self.runner.resample()
    }

    /// What another cell of the table yielded in the same replicate; this cell must have listed it
    /// in [`Cell::after`](crate::Cell::after).
    ///
    /// # Errors
    /// [`CellError::Failed`] if the cell did not list it.
    pub fn finished(&self, cell: &str) -> Result<&'a Output, CellError> {
        self.runner.finished(cell).ok_or_else(|| {
            CellError::new(format!(
                "cell `{}` reads cell `{cell}` without listing it in Cell::after",
                self.cell
            ))
        })
    }

    /// Reports progress: `done` of `total` steps, such as folds, are done.
    ///
    /// Steps within a step have another name: they are shown together, as in `fold 3 of 5, start
    /// 2 of 8`. `step` is one of them, in the singular.
    pub fn progress(&self, step: &str, done: usize, total: usize) {
        self.runner.progress(step, done as u64, total as u64);
    }

    /// Whether the cell should stop: its time is over or the run was interrupted.
    pub fn cancelled(&self) -> bool {
        self.check().is_err()
    }

    /// Stops the cell through `?` when its time is over or the run was interrupted.
    ///
    /// # Errors
    /// [`CellError::TimedOut`] or [`CellError::Interrupted`].
    pub fn check(&self) -> Result<(), CellError> {
        self.runner.check()
    }

    /// The value of `compute`, remembered on disk under the cell's key: when a run is killed in
    /// the middle of a cell, the next one takes it from there.
    ///
    /// `name` is unique within the cell. Remembered values are dropped once the cell is done, so
    /// this is for work that takes minutes. The value is always the one read back from its
    /// written form, so that a resumed run sees the same bytes.
    ///
    /// # Errors
    /// What `compute` returns, or [`CellError::Failed`] if the value cannot be written as JSON
    /// and read back.
    pub fn checkpoint<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        compute: impl FnOnce() -> Result<T, CellError>,
    ) -> Result<T, CellError> {
        if let Some(kept) = self.runner.kept(name)
            && let Ok(value) = serde_json::from_slice(&kept)
        {
            return Ok(value);
        }
        let failed = |error| CellError::new(format!("checkpoint `{name}`: {error}"));
        let bytes = serde_json::to_vec(&compute()?).map_err(failed)?;
        let value = serde_json::from_slice(&bytes).map_err(failed)?;
        self.runner.keep(name, &bytes)?;
        Ok(value)
    }

    /// The value of `make`, computed once for all cells of the run that use this name, of any table; the
    /// cell must declare it by [`Cell::sharing`](crate::Cell::sharing).
    ///
    /// The name must identify everything that the value depends on, including entries of the data
    /// manifest: cells of other tables rely on it. This is for large values that are expensive to
    /// compute. Other cells that need the value wait for it.
    ///
    /// # Errors
    /// Those of `make`, or [`CellError::Failed`] if the value of this name has another type.
    pub fn shared<T: Send + Sync + 'static>(
        &self,
        name: &str,
        mut make: impl FnMut() -> Result<T, CellError>,
    ) -> Result<Arc<T>, CellError> {
        let mut make = || Ok(Arc::new(make()?) as SharedValue);
        let value = self.runner.shared(name, &mut make)?;
        let other = |_| CellError::new(format!("the shared value `{name}` is of another type"));
        value.downcast().map_err(other)
    }

    /// Appends records to the cell's part of the dataset that its experiment yields. They are written
    /// immediately, so memory does not grow with their number. A cell that
    /// adds none, not even empty ones, has to [set](Output::set_records) them.
    ///
    /// # Errors
    /// [`CellError::Failed`] if they cannot be written, or have other columns than declared.
    pub fn add_records(&self, records: Records) -> Result<(), CellError> {
        self.runner.add_records(records)
    }

    /// A running stopwatch, for [volatile](crate::VolatileValue) figures.
    pub fn stopwatch(&self) -> Stopwatch {
        Stopwatch::start()
    }

    /// How much of its data the cell used, in a line: how many records count, are bad, or are left out.
    /// It is shown with the table and kept in `run.json`, whether anything is amiss or not.
    pub fn audit(&self, line: impl Into<String>) {
        self.runner.audit(line.into());
    }

    /// A remark that belongs in `run.json` and below the summary, such as data that was skipped.
    pub fn warn(&self, message: impl Into<String>) {
        self.runner.warn(message.into());
    }
}
