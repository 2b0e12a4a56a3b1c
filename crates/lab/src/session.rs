//! What all commands need: the catalog, the hashes of the code, and the keys they give.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::cache::Cache;
use crate::code::{CodeHashes, KindCode, of_kinds};
use crate::config::catalog::Catalog;
use crate::config::entry::Entry;
use crate::config::experiment::DataUse;
use crate::costs::Costs;
use crate::data::{DataProblem, DataStore, FoundInput};
use crate::error::{LabError, error_chain};
use crate::figure::Others;
use crate::key::{KEY_FORMAT, KeyParts, canonical, combined};
use crate::lab::Lab;
use crate::measurement::Summary;
use crate::results::{DataInput, Inputs, SourceInput, json_to_toml, read_committed};
use kibitz_code::Sources;
use kibitz_command::input::Input;
use kibitz_experiment::{Cell, DataFile};
use kibitz_text::Exit;
use kibitz_text::{Diagnostic, Diagnostics, counted};

/// A workspace that has been read.
#[derive(Debug)]
pub struct Session<'l> {
    /// The workspace.
    pub lab: &'l Lab,
    /// Its experiments.
    pub catalog: Catalog,
    /// By kind.
    code: BTreeMap<&'static str, KindCode>,
    /// The finished cells.
    pub cache: Cache,
    /// Keys computed so far, by experiment and whether it is the quick one.
    keys: RefCell<BTreeMap<(String, bool), Rc<TableKeys>>>,
    /// The inputs that no manifest declares, as they were when the first key needed them.
    inputs: RefCell<BTreeMap<String, Result<FoundInput, DataProblem>>>,
}

/// By cell, the inputs keys of its replicates.
type TableKeys = BTreeMap<String, Vec<String>>;

impl<'l> Session<'l> {
    /// Reads everything.
    ///
    /// # Errors
    /// Exit code 2 with all problems.
    pub fn open(lab: &'l Lab) -> Result<Self, LabError> {
        let catalog =
            Catalog::load(&lab.root, &lab.kinds).map_err(|problems| bad_config(&problems))?;
        let code = of_kinds(&lab.kinds, &mut Sources::below(&lab.root)).map_err(|error| {
            bad_config(&Diagnostics::from(Diagnostic::new(error_chain(&error))))
        })?;
        let folder = lab.cache.clone();
        let folder = folder.unwrap_or_else(|| lab.state.join("cache"));
        Ok(Self {
            lab,
            catalog,
            code,
            cache: Cache::open(folder, lab.toolchain.clone())?,
            keys: RefCell::default(),
            inputs: RefCell::default(),
        })
    }

    fn code_of(&self, entry: &Entry) -> &CodeHashes {
        // The session knows the code of every kind.
        &self.code[entry.kind.name()].hashes
    }

    /// The recorded values of all tables that outcomes need.
    ///
    /// # Errors
    /// [`LabError`] if committed values cannot be read.
    pub fn others(&self) -> Result<Others, LabError> {
        let mut others = Others::new();
        let entries = self.catalog.entries.iter();
        for id in entries.flat_map(|entry| entry.experiment.named_tables()) {
            if !others.contains_key(id)
                && let Some(committed) = read_committed(&self.lab.root.join("results"), id)?
            {
                others.insert(id.to_owned(), committed.table);
            }
        }
        Ok(others)
    }

    /// The same, without those that are damaged.
    pub fn intact_others(&self) -> Others {
        let entries = self.catalog.entries.iter();
        let named = entries.flat_map(|entry| entry.experiment.named_tables());
        let named: BTreeSet<&str> = named.collect();
        let results = self.lab.root.join("results");
        let read = named.into_iter().filter_map(|id| {
            let committed = read_committed(&results, id).ok()??;
            committed.intact.then(|| (id.to_owned(), committed.table))
        });
        read.collect()
    }

    /// What cells took here, or where their results were recorded.
    pub fn costs(&self) -> Costs {
        Costs::with_recorded(self.cache.folder(), &self.lab.root)
    }

    /// The data files, to be found and verified when asked for.
    pub fn store(&self) -> DataStore<'_> {
        let Lab {
            root,
            data_folders,
            state,
            program,
            ..
        } = self.lab;
        DataStore::new(root, data_folders, &self.catalog.manifest, program, state)
    }

    /// The verified data of an entry. An input that no manifest declares is the one that keys rest on.
    ///
    /// # Errors
    /// [`DataProblem`] if it is missing or not the one declared.
    pub(crate) fn data(&self, store: &DataStore<'_>, name: &str) -> Result<DataFile, DataProblem> {
        match Input::of_name(name) {
            Some(input) => self.input(&input).map(|found| found.file),
            None => store.get(name),
        }
    }

    fn input(&self, input: &Input) -> Result<FoundInput, DataProblem> {
        let name = input.name();
        if let Some(known) = self.inputs.borrow().get(&name) {
            return known.clone();
        }
        let found = self.store().input(input);
        self.inputs.borrow_mut().insert(name, found.clone());
        found
    }

    /// The hash of an entry, and what people see of it. Without one there is no such file.
    fn hash_of(&self, name: &str) -> Option<(blake3::Hash, String)> {
        if let Some(input) = Input::of_name(name) {
            let found = self.input(&input).ok()?;
            return Some((found.hash, found.shown));
        }
        let declared = self.catalog.manifest.entries.get(name)?;
        Some((declared.blake3, name.to_owned()))
    }

    /// The data files that the experiments below this one read, through datasets and tables, with the
    /// experiment that names each; those that it reads itself are not among them.
    pub fn data_below<'c>(&'c self, entry: &Entry) -> Vec<(&'c Entry, &'c DataUse)> {
        let mut below = Vec::new();
        let mut known = BTreeSet::from([entry.id()]);
        let mut waiting: Vec<&DataUse> = entry.experiment.from.iter().collect();
        while let Some(used) = waiting.pop() {
            let Some(source) = self.catalog.entry(&used.entry) else {
                continue;
            };
            if known.insert(source.id()) {
                waiting.extend(&source.experiment.from);
                below.extend(source.experiment.data.iter().map(|used| (source, used)));
            }
        }
        below
    }

    /// What has changed on disk of the code behind an experiment, and behind what it reads, since
    /// the program was built.
    pub fn outdated(&self, entry: &Entry) -> BTreeSet<&str> {
        let own = &self.code[entry.kind.name()].outdated;
        let mut outdated: BTreeSet<&str> = own.iter().map(String::as_str).collect();
        for used in &entry.experiment.from {
            let source = self.catalog.entry(&used.entry);
            outdated.extend(source.into_iter().flat_map(|source| self.outdated(source)));
        }
        outdated
    }

    /// That the program is not older than the sources of the selected experiments: what it
    /// computes must neither be kept as theirs nor compared with what was recorded of them.
    ///
    /// # Errors
    /// Exit code 2 with what has changed.
    pub fn refuse_if_outdated(&self, selected: &[&Entry]) -> Result<(), LabError> {
        let outdated: BTreeSet<&str> = selected
            .iter()
            .flat_map(|entry| self.outdated(entry))
            .collect();
        if outdated.is_empty() {
            return Ok(());
        }
        let outdated: Vec<&str> = outdated.into_iter().collect();
        let diagnostic = Diagnostic::new(format!(
            "this program is older than its sources: {} changed since it was built",
            outdated.join(", ")
        ));
        Err(bad_config(&Diagnostics::from(
            diagnostic.with_note(format!("build `{}` again", self.lab.program)),
        )))
    }

    /// The inputs key of each replicate of a cell.
    pub fn keys(&self, entry: &Entry, quick: bool, cell: &Cell) -> Vec<String> {
        self.table_keys(entry, quick)[&cell.id].clone()
    }

    /// The inputs keys of all cells of a table or dataset, one for each replicate.
    fn table_keys(&self, entry: &Entry, quick: bool) -> Rc<TableKeys> {
        let name = (entry.id().to_owned(), quick);
        if let Some(known) = self.keys.borrow().get(&name) {
            return Rc::clone(known);
        }
        let from = entry.experiment.from.iter();
        let from: Vec<(&str, String)> = from
            .filter_map(|used| {
                let source = self.catalog.entry(&used.entry)?;
                Some((used.name.as_str(), self.table_key(source, quick)))
            })
            .collect();
        let planned = entry.planned(quick);
        let params = canonical(&planned.params);
        let columns = entry.columns.iter();
        let medians = columns.filter(|column| column.summary == Summary::Median);
        let medians: Vec<&str> = medians.map(|column| column.name.as_str()).collect();
        let mut keys = TableKeys::new();
        // A cell stands behind those it reads.
        for cell in &planned.cells {
            let read = planned.cells.iter().map(|read| &read.id);
            let read = read.filter(|id| !cell.after.is_empty() && cell.after.contains(id));
            let read: Vec<(&String, &Vec<String>)> =
                read.filter_map(|id| keys.get_key_value(id)).collect();
            let data = entry.data_of(cell).into_iter().filter_map(|used| {
                let (hash, _) = self.hash_of(&used.entry)?;
                Some((used.name.as_str(), hash))
            });
            let data: Vec<(&str, blake3::Hash)> = data.collect();
            let key = |replicate: u32| {
                let seed = entry.seed(planned, cell, replicate);
                let after = read.iter();
                let parts = KeyParts {
                    kind: entry.kind.name(),
                    params: &params,
                    cell: &cell.id,
                    replicate,
                    seed: seed.map(|name| name.seed("main")),
                    data: &data,
                    after: after
                        .map(|(id, keys)| (id.as_str(), keys[replicate as usize].as_str()))
                        .collect(),
                    from: &from,
                    resample: entry.experiment.resample(),
                    medians: &medians,
                    code: self.code_of(entry),
                };
                parts.key()
            };
            let replicates = 0..entry.experiment.run.replicates();
            let replicates: Vec<String> = replicates.map(key).collect();
            keys.insert(cell.id.clone(), replicates);
        }
        let keys = Rc::new(keys);
        self.keys.borrow_mut().insert(name, Rc::clone(&keys));
        keys
    }

    /// The inputs key of each cell, all replicates together.
    fn cell_keys(&self, entry: &Entry, quick: bool) -> BTreeMap<String, String> {
        let keys = self.table_keys(entry, quick);
        let one = |keys: &Vec<String>| combined(keys.iter().map(String::as_str));
        keys.iter()
            .map(|(id, keys)| (id.clone(), one(keys)))
            .collect()
    }

    /// The inputs key of a table or dataset.
    fn table_key(&self, entry: &Entry, quick: bool) -> String {
        let cells = self.cell_keys(entry, quick);
        combined(cells.values().map(String::as_str))
    }

    /// The stable provenance of a full table, but for the hash of its values.
    pub fn inputs(&self, entry: &Entry) -> Inputs {
        let cells = self.cell_keys(entry, false);
        let data = entry
            .experiment
            .data
            .iter()
            .filter_map(|used| {
                let (hash, entry) = self.hash_of(&used.entry)?;
                let input = DataInput {
                    entry,
                    blake3: hash.to_hex().to_string(),
                };
                Some((used.name.clone(), input))
            })
            .collect();
        let from = entry.experiment.from.iter();
        let from = from.filter_map(|used| {
            let source = self.catalog.entry(&used.entry)?;
            let input = SourceInput {
                experiment: used.entry.clone(),
                inputs_key: self.table_key(source, false),
            };
            Some((used.name.clone(), input))
        });
        let run = &entry.experiment.run;
        Inputs {
            experiment: entry.id().to_owned(),
            kind: entry.kind.name().to_owned(),
            inputs_key: combined(cells.values().map(String::as_str)),
            key_format: KEY_FORMAT,
            runner: env!("CARGO_PKG_VERSION").to_owned(),
            toolchain: self.pinned_toolchain(),
            seed: run.seed.as_ref().map(|seed| *seed.get_ref()),
            replicates: run.replicates(),
            table: String::new(),
            params: json_to_toml(&entry.full.params),
            data,
            from: from.collect(),
            resample: entry.experiment.resample().cloned(),
            code: self.code_of(entry).clone(),
            cells,
        }
    }

    /// `toolchain.channel` of `rust-toolchain.toml`.
    fn pinned_toolchain(&self) -> Option<String> {
        let text = std::fs::read_to_string(self.lab.root.join("rust-toolchain.toml")).ok()?;
        let value: toml::Value = toml::from_str(&text).ok()?;
        Some(value.get("toolchain")?.get("channel")?.as_str()?.to_owned())
    }
}

/// Problems of so many experiments, which a command goes on without.
pub fn left_out(problems: &Diagnostics, n_experiments: usize) -> String {
    let n = counted(problems.len(), "problem", "problems");
    let left_out = counted(n_experiments, "experiment is", "experiments are");
    format!("{problems}\n{n}; {left_out} left out\n")
}

/// The answer to a workspace with problems.
pub fn bad_config(problems: &Diagnostics) -> LabError {
    let n = counted(problems.len(), "problem", "problems");
    LabError::new(
        Exit::BadInput,
        format!("{problems}\n{n}; nothing was run\n"),
    )
}
