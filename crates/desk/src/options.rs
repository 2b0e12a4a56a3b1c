//! The options of `reproduce`.

use crate::Format;
use kibitz_lab::Selection;
use kibitz_lab::run_tables::RunOptions;

/// What to do with the values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Show them, keep them under the state folder, touch nothing in `results/`.
    #[default]
    Run,
    /// Write nothing there, and fail when anything committed is not what it should be.
    Check,
    /// Record them in `results/`.
    Bless {
        /// Also while files outside `results/` have uncommitted changes.
        allow_dirty: bool,
    },
}

/// The options of `reproduce`.
#[derive(Clone, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub struct ReproduceOptions {
    /// Which experiments.
    pub selection: Selection,
    /// What to do with the values.
    pub mode: Mode,
    /// Apply `[quick]`; prove that the path works, keep and judge nothing.
    pub quick: bool,
    /// How many cells at once, and the size of the thread pool.
    pub jobs: usize,
    /// Run cells although they are fresh.
    pub force: bool,
    /// Stop at the first cell that fails.
    pub fail_fast: bool,
    /// Only say what would run.
    pub dry_run: bool,
    /// How the answer is written.
    pub format: Format,
    /// Why outcomes change, for the log of a blessing.
    pub why: Option<String>,
    /// Whether this is an unattended run (`CI=true`), which never records anything.
    pub unattended: bool,
    /// The command line, for the run's log.
    pub arguments: Vec<String>,
}

impl ReproduceOptions {
    /// How its cells run.
    pub(crate) fn run(&self) -> RunOptions {
        RunOptions {
            jobs: self.jobs,
            quick: self.quick,
            fail_fast: self.fail_fast,
        }
    }
}

impl Default for ReproduceOptions {
    fn default() -> Self {
        Self {
            selection: Selection::default(),
            mode: Mode::Run,
            quick: false,
            jobs: 1,
            force: false,
            fail_fast: false,
            dry_run: false,
            format: Format::Text,
            why: None,
            unattended: false,
            arguments: Vec::new(),
        }
    }
}
