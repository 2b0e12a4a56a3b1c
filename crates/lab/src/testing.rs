//! A test bench for kinds: runs their cells in memory.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use kibitz_experiment::{
    Cell, CellError, Context, DataFile, Kind, Output, Records, Resample, Runner, Source,
};

use crate::config::entry::Entry;
use crate::config::load::{KnownNames, load_entry};
use crate::measurement::{Summary, Table, table_records};
use crate::parquet::to_parquet;
use kibitz_text::{Diagnostics, SourceFile};

/// An experiment without a workspace: without cache or results, with data from memory.
#[derive(Debug)]
pub struct TestBench {
    entry: Entry,
    data: BTreeMap<String, DataFile>,
    sources: BTreeMap<String, Records>,
    quick: bool,
}

impl TestBench {
    /// Reads an experiment file of this kind under the given id.
    ///
    /// # Errors
    /// Everything wrong with the file.
    pub fn new(kind: Kind, id: &str, text: &str) -> Result<Self, Diagnostics> {
        Self::load(kind, id, text, None)
    }

    /// The same with records in place of the experiments under `from`, by id.
    ///
    /// # Errors
    /// Everything wrong with the file.
    pub fn reading(
        kind: Kind,
        id: &str,
        text: &str,
        sources: BTreeMap<String, Records>,
    ) -> Result<Self, Diagnostics> {
        let fields = |id: &str| {
            let records = sources.get(id);
            let missing = || (format!("unknown experiment `{id}`"), None);
            let records = records.ok_or_else(missing)?;
            Ok(records.columns().map(|(field, _)| field.clone()).collect())
        };
        let known = KnownNames {
            ids: &[],
            papers: &[],
            manifest: None,
            source: &fields,
        };
        let mut bench = Self::load(kind, id, text, Some(known))?;
        bench.sources = sources;
        Ok(bench)
    }

    fn load(
        kind: Kind,
        id: &str,
        text: &str,
        known: Option<KnownNames<'_>>,
    ) -> Result<Self, Diagnostics> {
        let source = SourceFile::new(format!("experiments/{id}.toml"), text);
        let mut problems = Diagnostics::new();
        let entry = load_entry(id, &source, &[kind], known, &mut problems);
        match entry {
            Some(entry) => problems.into_result(Self {
                entry,
                data: BTreeMap::new(),
                sources: BTreeMap::new(),
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

    /// Adds the bytes of a data file, by the name that the experiment uses.
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

    /// The records that others read under `from`: its dataset, or the values of its table.
    ///
    /// # Errors
    /// The error of a cell.
    pub fn records(&self) -> Result<Records, CellError> {
        let mut dataset: Option<Records> = None;
        let mut table = Table::default();
        for cell in self.cells() {
            let mut output = self.run(&cell.id, 0)?;
            match (output.take_records(), &mut dataset) {
                (Some(part), Some(whole)) => whole.append(part).map_err(CellError::new)?,
                (Some(part), None) => dataset = Some(part),
                (None, _) => table.add_cell(&[&output], |_| Summary::Mean),
            }
        }
        Ok(dataset.unwrap_or_else(|| table_records(&table)))
    }

    /// Runs one replicate of a cell, after the cells it reads.
    ///
    /// # Errors
    /// The error of a cell, or that there is no such cell.
    pub fn run(&self, cell: &str, replicate: u32) -> Result<Output, CellError> {
        let planned = self.entry.planned(self.quick);
        let cell = planned
            .cells
            .iter()
            .find(|planned| planned.id == cell)
            .ok_or_else(|| CellError::new(format!("unknown cell `{cell}`")))?;
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
        let folder = tempfile::tempdir()?;
        for used in &self.entry.experiment.from {
            let path = folder.path().join(&used.name);
            std::fs::write(&path, to_parquet(self.sources[&used.entry].clone())?)?;
            let records = self.sources[&used.entry].columns();
            let source = Source {
                fields: records.map(|(field, _)| field.clone()).collect(),
                parts: vec![path],
            };
            running.sources.insert(used.name.clone(), source);
        }
        running.resample = self.entry.experiment.resample().cloned();
        let seed = self.entry.seed(planned, cell, replicate);
        let context = Context::new(&cell.id, replicate, seed, &running);
        let mut output = planned.run(&cell.id, &context)?;
        let added = running.added.into_inner();
        if let Some(records) = added.unwrap_or_else(PoisonError::into_inner) {
            output.set_records(records);
        }
        Ok(output)
    }
}

/// A running cell without limits or checkpoints.
#[derive(Default)]
struct TestCell {
    data: BTreeMap<String, DataFile>,
    finished: BTreeMap<String, Output>,
    sources: BTreeMap<String, Source>,
    resample: Option<Resample>,
    added: Mutex<Option<Records>>,
}

impl Runner for TestCell {
    fn data(&self, name: &str) -> Option<DataFile> {
        self.data.get(name).cloned()
    }

    fn finished(&self, cell: &str) -> Option<&Output> {
        self.finished.get(cell)
    }

    fn sources(&self) -> &BTreeMap<String, Source> {
        &self.sources
    }

    fn resample(&self) -> Option<&Resample> {
        self.resample.as_ref()
    }

    fn add_records(&self, records: Records) -> Result<(), CellError> {
        let mut added = self.added.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(whole) = &mut *added {
            return whole.append(records).map_err(CellError::new);
        }
        *added = Some(records);
        Ok(())
    }
}
