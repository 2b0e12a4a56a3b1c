//! Running the cells of a kind in memory, for tests of kinds.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use crate::DataFile;
use crate::clock::Stopwatch;
use crate::config::catalog::{Entry, load_entry};
use crate::context::{CellContext, Control};
use crate::data::DataUses;
use crate::diagnostic::{Diagnostics, SourceFile};
use crate::kind::{Cell, CellError, Kind};
use crate::value::CellOutput;

/// An experiment without a workspace: no cache, no results, data handed in.
#[derive(Debug)]
pub struct TestBench<'k> {
    entry: Entry<'k>,
    data: BTreeMap<String, DataFile>,
    quick: bool,
}

/// Accepts any data entry: tests hand in the bytes themselves.
struct AnyData;

impl DataUses for AnyData {
    fn has(&self, _: &str) -> bool {
        true
    }

    fn names(&self) -> Vec<&str> {
        Vec::new()
    }
}

impl<'k> TestBench<'k> {
    /// Reads an experiment file of this kind under the given id.
    ///
    /// # Errors
    /// Everything wrong with the file.
    pub fn new(kind: &'k dyn Kind, id: &str, text: &str) -> Result<Self, Diagnostics> {
        let source = SourceFile::new(format!("experiments/{id}.toml"), text);
        let mut problems = Diagnostics::new();
        let entry = load_entry(id, &source, &[kind], &[], &AnyData, &mut problems);
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

    /// Runs one replicate of a cell.
    ///
    /// # Errors
    /// What the cell returns, or that there is no such cell.
    pub fn run(&self, cell: &str, replicate: u32) -> Result<CellOutput, CellError> {
        let planned = self.entry.planned(self.quick);
        let cell = planned
            .cells
            .iter()
            .find(|planned| planned.id == cell)
            .ok_or_else(|| CellError::new(format!("there is no cell `{cell}`")))?;
        let data = self
            .data
            .iter()
            .filter(|(name, _)| cell.data.contains(name))
            .map(|(name, file)| (name.clone(), file.clone()))
            .collect();
        let interrupted = AtomicBool::new(false);
        let context = CellContext {
            experiment: self.entry.id(),
            cell: &cell.id,
            replicate,
            seed: self
                .entry
                .experiment
                .run
                .seed
                .as_ref()
                .map(|seed| *seed.get_ref()),
            data: &data,
            threads: 1,
            control: Control {
                interrupted: &interrupted,
                started: Stopwatch::start(),
                timeout: None,
            },
            checkpoints: None,
            on_progress: &|_, _| {},
            warnings: Mutex::new(Vec::new()),
        };
        planned.plan.run(cell, &context)
    }
}
