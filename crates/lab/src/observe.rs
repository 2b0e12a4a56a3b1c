//! Events of a run for an observer. The engine itself never prints.

/// Something that happened during a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The plan is made; cells found in the cache are not counted.
    Planned {
        /// Tables selected.
        n_tables: usize,
        /// Runs of cells to do.
        n_cells: usize,
    },
    /// A worker began a cell.
    CellStarted {
        /// Worker, from zero.
        worker: usize,
        /// Name of the cell for people: table, cell, replicate.
        name: &'a str,
    },
    /// A cell said how far it is.
    CellProgress {
        /// Worker, from zero.
        worker: usize,
        /// `fold 3 of 5, about 40 s left`.
        progress: &'a str,
    },
    /// A cell has been running for long.
    CellSlow {
        /// Name of the cell for people.
        name: &'a str,
        /// Seconds so far.
        seconds: f64,
        /// How far it says it is; empty if it does not.
        progress: &'a str,
        /// Whether its time is over and it has not noticed yet.
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
        /// Why it yielded nothing, if so.
        error: Option<&'a str>,
    },
    /// All cells of a table are done; the line sums it up.
    TableFinished {
        /// One line for people.
        line: &'a str,
    },
}

/// Watches a run; called from several threads.
pub trait Observer: Sync {
    /// Takes note of an event.
    fn event(&self, event: &Event<'_>);
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _: &Event<'_>) {}
}

/// Seconds the way people say them.
pub(crate) fn duration(seconds: f64) -> String {
    if seconds < 60.0 {
        // The sum of no times is minus zero.
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
