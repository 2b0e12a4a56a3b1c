//! The CPU seconds of earlier runs: what runs are expected to take.
//!
//! The folder of the cache has the costs of this machine. `results/costs.csv` has those of the machine that
//! recorded the results, for clones that have run nothing yet. No check reads either.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cache::CachedCell;
use crate::config::catalog::Catalog;
use crate::config::entry::Entry;
use crate::csv::{from_csv, to_csv};
use crate::files::{FileError, write_atomically};
use kibitz_experiment::Cell;

/// What a cell took, by experiment and cell; whatever its inputs were then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Costs {
    own: BTreeMap<String, BTreeMap<String, Cost>>,
    #[serde(skip)]
    recorded: RecordedCosts,
}

/// What a run of a cell took; the mean of its replicates, and the most memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// CPU seconds.
    pub seconds: f64,
    /// Bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
}

/// The file's name in the folder of a cache.
const FILE: &str = "costs.json";

/// CPU seconds that a run is expected to take if its cell never ran.
pub const UNKNOWN_SECONDS: f64 = 10.0;

impl Costs {
    /// What is known in the folder of a cache; nothing where nothing can be read.
    pub fn read(folder: &Path) -> Self {
        let bytes = std::fs::read(folder.join(FILE)).ok();
        let costs = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        costs.unwrap_or_default()
    }

    /// The same, with the recorded costs of the workspace at `root` for other cells.
    pub(crate) fn with_recorded(folder: &Path, root: &Path) -> Self {
        Self {
            recorded: RecordedCosts::read(root),
            ..Self::read(folder)
        }
    }

    /// What a cell took.
    pub fn of(&self, experiment: &str, cell: &str) -> Option<Cost> {
        let own = self.own.get(experiment).and_then(|own| own.get(cell));
        let recorded = || {
            Some(Cost {
                seconds: self.recorded.of(experiment, cell)?,
                memory: None,
            })
        };
        own.copied().or_else(recorded)
    }

    /// The CPU seconds that a run of a cell is expected to take; without an earlier run, in proportion to
    /// what its kind says of the cells of the table.
    pub fn expected(&self, experiment: &str, cell: &Cell, cells: &[Cell]) -> f64 {
        if let Some(cost) = self.of(experiment, &cell.id) {
            return cost.seconds;
        }
        let total: f64 = cells.iter().map(|cell| cell.cost).sum();
        let share = cell.cost * cells.len() as f64 / total;
        UNKNOWN_SECONDS * if share.is_finite() { share } else { 1.0 }
    }

    /// The CPU seconds of all runs of an experiment, as far as they are known, and whether all are.
    pub fn of_all(&self, entry: &Entry) -> (f64, bool) {
        let cells = entry.full.cells.iter();
        let known: Vec<Option<f64>> = cells
            .map(|cell| Some(self.of(entry.id(), &cell.id)?.seconds))
            .collect();
        let seconds: f64 = known.iter().flatten().sum();
        let replicates = f64::from(entry.experiment.run.replicates());
        (seconds * replicates, known.iter().all(Option::is_some))
    }

    /// Takes note of finished runs of an experiment.
    pub fn learn(&mut self, experiment: &str, runs: &[CachedCell]) {
        for (cell, runs) in by_cell(runs) {
            let seconds: f64 = runs.iter().map(|run| run.cpu_seconds()).sum();
            let cost = Cost {
                seconds: seconds / runs.len() as f64,
                memory: runs.iter().filter_map(|run| run.memory).max(),
            };
            let known = self.own.entry(experiment.to_owned()).or_default();
            known.insert(cell.to_owned(), cost);
        }
    }

    /// Rewrites the file of the cache.
    ///
    /// # Errors
    /// [`FileError`] if it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), FileError> {
        let path = folder.join(FILE);
        let json = serde_json::to_vec(self)
            .map_err(|error| FileError::new("write", &path, std::io::Error::other(error)))?;
        write_atomically(&path, &json)
    }
}

fn by_cell(runs: &[CachedCell]) -> BTreeMap<&str, Vec<&CachedCell>> {
    let mut by_cell: BTreeMap<&str, Vec<&CachedCell>> = BTreeMap::new();
    for run in runs {
        by_cell.entry(&run.cell).or_default().push(run);
    }
    by_cell
}

/// The costs in `results/costs.csv`: CPU seconds of a run, by experiment and cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedCosts(BTreeMap<(String, String), f64>);

/// From the root.
const RECORDED: &str = "results/costs.csv";

/// Its columns.
const COLUMNS: [&str; 3] = ["experiment", "cell", "seconds"];

/// Less is recorded as this much: below it a time says nothing.
const LEAST_SECONDS: f64 = 0.02;

impl RecordedCosts {
    /// What is recorded; nothing where nothing can be read, since these are no more than expectations.
    pub fn read(root: &Path) -> Self {
        let bytes = std::fs::read(root.join(RECORDED)).unwrap_or_default();
        let lines = from_csv(RECORDED, &bytes, &COLUMNS).unwrap_or_default();
        let costs = lines.into_iter().filter_map(|line| {
            let [experiment, cell, seconds] = <[Option<String>; 3]>::try_from(line).ok()?;
            let seconds: f64 = seconds?.parse().ok()?;
            let is_time = seconds.is_finite() && seconds > 0.0;
            is_time.then_some(((experiment?, cell?), seconds))
        });
        Self(costs.collect())
    }

    fn of(&self, experiment: &str, cell: &str) -> Option<f64> {
        let name = (experiment.to_owned(), cell.to_owned());
        self.0.get(&name).copied()
    }

    /// Takes note of the measured runs of an experiment. A cell keeps its cost unless the new one is more
    /// than twice or less than half of it, so that the file changes where the work did.
    pub fn learn(&mut self, entry: &Entry, runs: &[CachedCell]) {
        let has_cell = |id: &str| entry.full.cells.iter().any(|cell| cell.id == id);
        self.0
            .retain(|(experiment, cell), _| experiment != entry.id() || has_cell(cell));
        for (cell, runs) in by_cell(runs) {
            let measured: Option<f64> = runs.iter().map(|run| run.cpu).sum();
            let Some(all) = measured else { continue };
            let seconds = two_digits((all / runs.len() as f64).max(LEAST_SECONDS));
            let name = (entry.id().to_owned(), cell.to_owned());
            let known = self.0.entry(name).or_insert(seconds);
            *known = kept(*known, seconds);
        }
    }

    /// Writes the file, without the experiments that are no more; gives its name if it changed.
    ///
    /// # Errors
    /// [`FileError`] if it cannot be written.
    pub fn write(mut self, root: &Path, catalog: &Catalog) -> Result<Option<String>, FileError> {
        self.0
            .retain(|(experiment, _), _| catalog.has_file(experiment));
        let path = root.join(RECORDED);
        let lines = self
            .0
            .into_iter()
            .map(|((experiment, cell), seconds)| [experiment, cell, seconds.to_string()].map(Some));
        let bytes = to_csv(COLUMNS, lines);
        if std::fs::read(&path).is_ok_and(|found| found == bytes) {
            return Ok(None);
        }
        write_atomically(&path, &bytes)?;
        Ok(Some(RECORDED.to_owned()))
    }
}

/// The known cost, unless the measured one is more than twice or less than half of it.
fn kept(known: f64, measured: f64) -> f64 {
    if measured > 2.0 * known || measured < known / 2.0 {
        measured
    } else {
        known
    }
}

/// Rounded to two significant digits.
fn two_digits(seconds: f64) -> f64 {
    let written = format!("{seconds:.1e}");
    written.parse().unwrap_or(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_changes_no_recorded_cost() {
        let recorded = |known, measured| kept(known, two_digits(measured)).to_string();
        assert_eq!(recorded(1.2, 1.234), "1.2");
        assert_eq!(recorded(1.2, 2.4), "1.2");
        assert_eq!(recorded(1.2, 0.61), "1.2");
        assert_eq!(recorded(1.2, 2.46), "2.5");
        assert_eq!(recorded(1.2, 0.59), "0.59");
        assert_eq!(recorded(1.2, 12_345.0), "12000");
    }

    #[test]
    fn a_damaged_record_expects_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(RecordedCosts::read(folder.path()), RecordedCosts::default());
        std::fs::create_dir(folder.path().join("results")).unwrap();
        let path = folder.path().join(RECORDED);
        std::fs::write(&path, "not a table\n\"").unwrap();
        assert_eq!(RecordedCosts::read(folder.path()), RecordedCosts::default());
        let text = "experiment,cell,seconds\na/b,c,1.5\na/b,d,-1\na/b,e,soon\na/b,f,inf\n";
        std::fs::write(&path, text).unwrap();
        let costs = RecordedCosts::read(folder.path());
        assert_eq!(costs.of("a/b", "c"), Some(1.5));
        assert_eq!(costs.0.len(), 1);
    }

    #[test]
    fn a_cell_that_never_ran_costs_its_share() {
        let cells = [("a", 1.0), ("b", 3.0)].map(|(id, cost)| Cell::row(id, ()).costing(cost));
        let costs = Costs::default();
        let expected = |cell| costs.expected("p/t", cell, &cells).to_string();
        assert_eq!(cells.each_ref().map(expected), ["5", "15"]);
    }
}
