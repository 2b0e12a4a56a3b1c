//! Running the cells of a kind in memory, for tests of kinds.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use kibitz_experiment::{Cell, CellError, Context, DataFile, Kind, Output, Runner};

use crate::config::catalog::{Entry, load_entry};
use crate::diagnostic::{Diagnostics, SourceFile};

/// An experiment without a workspace: no cache, no results, data handed in.
#[derive(Debug)]
pub struct TestBench {
    entry: Entry,
    data: BTreeMap<String, DataFile>,
    quick: bool,
}

impl TestBench {
    /// Reads an experiment file of this kind under the given id.
    ///
    /// # Errors
    /// Everything wrong with the file.
    pub fn new(kind: Kind, id: &str, text: &str) -> Result<Self, Diagnostics> {
        let source = SourceFile::new(format!("experiments/{id}.toml"), text);
        let mut problems = Diagnostics::new();
        let entry = load_entry(id, &source, &[kind], None, &mut problems);
        match entry {
            Some(entry) => problems.into_result(Self {
                entry,
                data: BTreeMap::new(),
                quick: false,
            }),
            None => Err(problems),
        }
    }

    /// The same experiment with `[quick]` applied.
    #[must_use]
    pub fn quick(mut self) -> Self {
        self.quick = true;
        self
    }

    /// Hands in the bytes of the data the file knows by this name.
    #[must_use]
    pub fn with_data(mut self, name: &str, bytes: &[u8]) -> Self {
        let file = DataFile::new(name, PathBuf::from(name), Some(Arc::from(bytes)));
        self.data.insert(name.to_owned(), file);
        self
    }

    /// The planned cells.
    pub fn cells(&self) -> &[Cell] {
        &self.entry.planned(self.quick).cells
    }

    /// Runs one replicate of a cell, after those it reads.
    ///
    /// # Errors
    /// What the cell returns, or that there is no such cell.
    pub fn run(&self, cell: &str, replicate: u32) -> Result<Output, CellError> {
        let planned = self.entry.planned(self.quick);
        let cell = planned
            .cells
            .iter()
            .find(|planned| planned.id == cell)
            .ok_or_else(|| CellError::new(format!("there is no cell `{cell}`")))?;
        let mut running = TestCell::default();
        for name in cell
            .data
            .iter()
            .filter(|name| self.data.contains_key(*name))
        {
            running.data.insert(name.clone(), self.data[name].clone());
        }
        for read in &cell.after {
            running
                .finished
                .insert(read.clone(), self.run(read, replicate)?);
        }
        let seed = self.entry.seed(planned, cell, replicate);
        planned.run(&cell.id, &Context::new(&cell.id, replicate, seed, &running))
    }
}

/// A cell that runs without limits and keeps nothing.
#[derive(Default)]
struct TestCell {
    data: BTreeMap<String, DataFile>,
    finished: BTreeMap<String, Output>,
}

impl Runner for TestCell {
    fn data(&self, name: &str) -> Option<DataFile> {
        self.data.get(name).cloned()
    }

    fn finished(&self, cell: &str) -> Option<&Output> {
        self.finished.get(cell)
    }

    fn progress(&self, _: &str, _: u64, _: u64) {}

    fn check(&self) -> Result<(), CellError> {
        Ok(())
    }

    fn kept(&self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn keep(&self, _: &str, _: &[u8]) -> Result<(), CellError> {
        Ok(())
    }

    fn warn(&self, _: String) {}
}
