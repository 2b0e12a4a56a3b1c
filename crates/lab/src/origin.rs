//! Where the values of a cell come from, and the words for it.

use crate::cache::CachedCell;

/// Where the values of a cell come from.
#[derive(Debug)]
pub enum Origin {
    /// The committed table: its inputs key still matches.
    Committed,
    /// The cache, one entry per replicate.
    Cached(Vec<CachedCell>),
    /// Some replicates are cached; the others have to be run.
    Run(Vec<Option<CachedCell>>),
    /// The committed table, whose inputs key still matches: its data are an optional collection that
    /// is not available.
    Recorded,
    /// Nowhere: its data are an optional collection that is not available, and what was recorded
    /// rests on other inputs.
    Skipped(String),
    /// Its data are missing.
    NoData(String),
    /// Its data are not those declared.
    ChangedData(String),
}

/// Why cells that read something cannot run: of that, the data are an optional collection that is not at
/// hand, or missing, or not those declared.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lack {
    Optional,
    Data,
    SameData,
}

/// The fate of a cell or a table without its optional collection; the worse is larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Absence {
    /// Its recorded values are shown.
    Recorded,
    /// It is stale, and nothing is shown.
    Skipped,
}

impl Origin {
    /// The data of a cell are missing, or changed.
    pub(super) fn without_data(reason: String, is_changed: bool) -> Self {
        if is_changed {
            Self::ChangedData(reason)
        } else {
            Self::NoData(reason)
        }
    }

    /// What keeps the readers of a cell from running; `is_dataset` if it is one of a dataset.
    pub(super) fn lacks(&self, is_dataset: bool) -> Option<Lack> {
        match self {
            Self::Skipped(_) => Some(Lack::Optional),
            Self::Recorded if is_dataset => Some(Lack::Optional),
            Self::NoData(_) => Some(Lack::Data),
            Self::ChangedData(_) => Some(Lack::SameData),
            _ => None,
        }
    }

    /// The cell's fate without its optional collection.
    pub(super) fn absence(&self) -> Option<Absence> {
        match self {
            Self::Recorded => Some(Absence::Recorded),
            Self::Skipped(_) => Some(Absence::Skipped),
            _ => None,
        }
    }
}

/// The states of cells and tables: the words of every command, the best first.
pub mod state {
    /// Its values are in the cache.
    pub const FRESH: &str = "fresh";
    /// Its values are not in the cache; the committed ones rest on the same inputs.
    pub const RECORDED: &str = "recorded";
    /// Its values are neither in the cache nor recorded from these inputs.
    pub const STALE: &str = "stale";
    /// It is stale, and needs an optional collection that is not here.
    pub(crate) const SKIPPED: &str = "skipped";
    /// Its data are missing.
    pub const NO_DATA: &str = "no data";
    /// Its data are not those declared.
    pub const CHANGED_DATA: &str = "changed data";

    /// All of them.
    pub const ALL: [&str; 6] = [FRESH, RECORDED, STALE, SKIPPED, NO_DATA, CHANGED_DATA];
}
