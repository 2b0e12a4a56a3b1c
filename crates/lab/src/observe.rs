//! Events of a run, for observers. The engine itself never prints.

/// An event of a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The plan is complete; cached cells do not count.
    Planned {
        /// Number of tables selected.
        n_tables: usize,
        /// Number of runs of cells to do.
        n_cells: usize,
        /// CPU seconds that they are expected to take.
        seconds: f64,
        /// How many run at once.
        jobs: usize,
    },
    /// A worker began a cell.
    CellStarted {
        /// Worker, from zero.
        worker: usize,
        /// Name of the cell for people: table, cell, replicate.
        name: &'a str,
        /// CPU seconds that it is expected to take.
        expected: f64,
    },
    /// A cell reported its progress.
    CellProgress {
        /// Worker, from zero.
        worker: usize,
        /// `fold 3 of 5, about 40 s left`.
        progress: &'a str,
    },
    /// A cell is slow.
    CellSlow {
        /// Name of the cell for people.
        name: &'a str,
        /// Seconds so far.
        seconds: f64,
        /// Its progress; empty for a cell that reports none.
        progress: &'a str,
        /// Whether it has exceeded its time limit without noticing.
        overdue: bool,
    },
    /// A worker is done with a cell.
    CellFinished {
        /// Worker, from zero.
        worker: usize,
        /// Name of the cell for people.
        name: &'a str,
        /// Seconds it took.
        seconds: f64,
        /// Why it has no result, if so.
        error: Option<&'a str>,
    },
    /// About half a second has passed while cells are at work.
    Beat,
    /// All cells of a table are done.
    TableFinished {
        /// The outcome, in one line for people.
        line: &'a str,
    },
}

/// An observer of a run; called from several threads.
pub trait Observer: Sync {
    /// Handles an event.
    fn event(&self, event: &Event<'_>);
}

/// Ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct SilentObserver;

impl Observer for SilentObserver {
    fn event(&self, _: &Event<'_>) {}
}

/// A duration for people: `3.2 s`, `4 min 46 s`, `1 h 10 min`.
pub fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        // The sum of no durations is -0.0, which would print its sign.
        return format!("{:.1} s", seconds + 0.0);
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a run lasts less than an age"
    )]
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
