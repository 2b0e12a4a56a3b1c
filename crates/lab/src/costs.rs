//! What runs took when they last ran: to expect what they will take.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cache::CachedCell;
use crate::files::{FileError, write_atomically};

/// What a cell took, by experiment and cell; whatever its inputs were then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Costs(BTreeMap<String, BTreeMap<String, Cost>>);

/// What a run of a cell took; the mean of its replicates, and the most memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cost {
    /// Seconds.
    pub(crate) seconds: f64,
    /// Bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) memory: Option<u64>,
}

/// The file's name in the folder of a cache.
const FILE: &str = "costs.json";

impl Costs {
    /// What is known in the folder of a cache; nothing where nothing can be read.
    pub(crate) fn read(folder: &Path) -> Self {
        let bytes = std::fs::read(folder.join(FILE)).ok();
        let costs = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        costs.unwrap_or_default()
    }

    /// What a cell took.
    pub(crate) fn of(&self, experiment: &str, cell: &str) -> Option<Cost> {
        self.0.get(experiment)?.get(cell).copied()
    }

    /// Takes note of finished runs of an experiment.
    pub(crate) fn learn(&mut self, experiment: &str, runs: &[CachedCell]) {
        let mut by_cell: BTreeMap<&str, Vec<&CachedCell>> = BTreeMap::new();
        for run in runs {
            by_cell.entry(&run.cell).or_default().push(run);
        }
        for (cell, runs) in by_cell {
            let seconds: f64 = runs.iter().map(|run| run.seconds).sum();
            let cost = Cost {
                seconds: seconds / runs.len() as f64,
                memory: runs.iter().filter_map(|run| run.memory).max(),
            };
            let known = self.0.entry(experiment.to_owned()).or_default();
            known.insert(cell.to_owned(), cost);
        }
    }

    /// Writes the file anew.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), FileError> {
        let path = folder.join(FILE);
        let json = serde_json::to_vec(self)
            .map_err(|error| FileError::new("write", &path, std::io::Error::other(error)))?;
        write_atomically(&path, &json)
    }
}
