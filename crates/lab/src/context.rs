//! What a running cell may ask of the runner.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::checkpoint::Checkpoints;
use crate::clock::Stopwatch;
use crate::seed::SeedName;
use crate::{CellError, DataFile};

/// The runner's side of a running cell: random numbers, data, checkpoints, progress, and the
/// question whether to stop.
///
/// All methods take `&self` and the type is [`Sync`], so that a cell may share it with the
/// threads it starts.
pub struct CellContext<'a> {
    pub(crate) experiment: &'a str,
    pub(crate) cell: &'a str,
    pub(crate) replicate: u32,
    pub(crate) seed: Option<u64>,
    pub(crate) data: &'a BTreeMap<String, DataFile>,
    pub(crate) threads: usize,
    pub(crate) control: Control<'a>,
    pub(crate) checkpoints: Option<Checkpoints>,
    pub(crate) on_progress: &'a (dyn Fn(u64, u64) + Sync),
    pub(crate) warnings: Mutex<Vec<String>>,
}

impl fmt::Debug for CellContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CellContext")
            .field("experiment", &self.experiment)
            .field("cell", &self.cell)
            .field("replicate", &self.replicate)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl CellContext<'_> {
    /// The cell's generator: the stream called `main`. Asked twice, it starts over.
    ///
    /// # Panics
    /// If the plan says that it draws no random numbers ([`Plan::random`](crate::Plan::random)).
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

    fn seed_name(&self) -> SeedName<'_> {
        SeedName {
            root: self
                .seed
                .expect("a plan that draws random numbers says so in Plan::random"),
            experiment: self.experiment,
            cell: self.cell,
            replicate: self.replicate,
        }
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
        self.data.get(name).cloned().ok_or_else(|| {
            CellError::new(format!(
                "cell `{}` reads data `{name}` without listing it in Cell::data",
                self.cell
            ))
        })
    }

    /// Tells the person waiting that `done` of `total` steps are done. Cheap enough to call often.
    pub fn progress(&self, done: u64, total: u64) {
        (self.on_progress)(done, total);
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
        if self.control.interrupted.load(Ordering::Relaxed) {
            Err(CellError::Interrupted)
        } else if self
            .control
            .timeout
            .is_some_and(|limit| self.control.started.elapsed() > limit)
        {
            Err(CellError::TimedOut)
        } else {
            Ok(())
        }
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
        match &self.checkpoints {
            Some(checkpoints) => checkpoints.get_or_compute(name, compute),
            None => compute(),
        }
    }

    /// How many threads the run may use (`--jobs`).
    ///
    /// rayon's global pool has this size. A cell may use it as long as its result does not
    /// depend on it: reduce in a fixed order.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// A running stopwatch, for [volatile](crate::Volatile) figures.
    pub fn stopwatch(&self) -> Stopwatch {
        Stopwatch::start()
    }

    /// A remark that belongs in `run.json` and below the summary, such as data that was skipped.
    pub fn warn(&self, message: impl Into<String>) {
        if let Ok(mut warnings) = self.warnings.lock() {
            warnings.push(message.into());
        }
    }
}

/// When a cell should stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Control<'a> {
    pub(crate) interrupted: &'a AtomicBool,
    pub(crate) started: Stopwatch,
    pub(crate) timeout: Option<Duration>,
}
