//! `cells`: every run of a cell with its key, what it is expected to take, and what it waits for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use kibitz_text::counted;
use serde::Serialize;

use crate::Answer;
use crate::Desk;
use crate::Format;
use crate::render::aligned;
use kibitz_lab::Selection;
use kibitz_lab::cache::CachedCell;
use kibitz_lab::config::entry::Entry;
use kibitz_lab::costs::Costs;
use kibitz_lab::observe::duration;
use kibitz_lab::origin::{Origin, state};
use kibitz_lab::plan::{PlannedTable, View, plan_all};
use kibitz_lab::selection::SelectedExperiments;
use kibitz_lab::session::Session;
use kibitz_lab::trouble::DataTrouble;
use kibitz_text::Exit;

/// One run of one cell.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Run<'a> {
    /// What `cell` runs it by: the hash of its inputs and of the toolchain.
    pub(crate) key: String,
    pub(crate) experiment: &'a str,
    pub(crate) cell: &'a str,
    /// From zero.
    pub(crate) replicate: u32,
    /// `fresh`, `recorded`, `stale`, or why it cannot run: `no data`,
    /// `changed data`, `skipped`.
    pub(crate) state: &'static str,
    /// Whether it is still to do: it is not in the cache, and can run.
    pub(crate) to_do: bool,
    /// CPU seconds it took when it last ran, or its cell did on average; none if it never did.
    pub(crate) seconds: Option<f64>,
    /// Its cost as its kind expects it, relative to the other cells of its table.
    pub(crate) cost: f64,
    /// Bytes of memory that it needed then, where it ran alone.
    pub(crate) memory: Option<u64>,
    /// Keys of the runs that it waits for: what it reads and is not cached.
    pub(crate) after: Vec<String>,
}

impl Run<'_> {
    /// `paper/table "cell" 3`.
    fn name(&self) -> String {
        let mut name = self.experiment.to_owned();
        if self.cell != name {
            name = format!("{name} \"{}\"", self.cell);
        }
        if self.replicate > 0 {
            name = format!("{name} {}", self.replicate + 1);
        }
        name
    }
}

/// The selected tables, and what their stale cells read, before anything runs.
pub(crate) fn planned<'a>(
    session: &'a Session<'_>,
    selected: &SelectedExperiments<'a>,
    troubles: &mut Vec<DataTrouble<'a>>,
) -> Result<Vec<PlannedTable<'a>>, Answer> {
    session.refuse_if_outdated(&selected.entries)?;
    let store = session.store();
    let entries = selected.entries.clone();
    Ok(plan_all(
        session,
        entries,
        &store,
        View::default(),
        troubles,
    )?)
}

/// The runs of planned tables, in their order.
pub(crate) fn runs_of<'a>(
    session: &Session<'_>,
    planned: &'a [PlannedTable<'a>],
    costs: &Costs,
) -> Vec<Run<'a>> {
    let stale: BTreeMap<&str, BTreeSet<&str>> = planned
        .iter()
        .map(|table| (table.entry.id(), table.stale_keys().collect()))
        .collect();
    let mut runs = Vec::new();
    for table in planned {
        let own = &stale[table.entry.id()];
        let sources = table.entry.experiment.from.iter();
        let sources = sources.filter_map(|used| stale.get(used.entry.as_str()));
        let of_sources: Vec<String> = sources
            .flatten()
            .map(|key| session.cache.key(key))
            .collect();
        let keys: BTreeMap<&str, &Vec<String>> = table
            .cells
            .iter()
            .map(|cell| (cell.cell.id.as_str(), &cell.keys))
            .collect();
        for cell in &table.cells {
            for (replicate, key) in (0..).zip(&cell.keys) {
                let cached = cell.cached(replicate);
                let state = match cached {
                    Some(_) => state::FRESH,
                    None => cell.state(),
                };
                let to_do = cached.is_none() && matches!(cell.origin, Origin::Run(_));
                let mut after = Vec::new();
                if to_do {
                    let read = cell.cell.after.iter();
                    let read = read.filter_map(|id| keys.get(id.as_str())?.get(replicate as usize));
                    let read = read.filter(|key| own.contains(key.as_str()));
                    after.extend(read.map(|key| session.cache.key(key)));
                    after.extend(of_sources.iter().cloned());
                }
                let id = table.entry.id();
                let cost = costs.of(id, &cell.cell.id);
                runs.push(Run {
                    key: session.cache.key(key),
                    experiment: id,
                    cell: &cell.cell.id,
                    replicate,
                    state,
                    to_do,
                    seconds: cached
                        .map(CachedCell::cpu_seconds)
                        .or(cost.map(|cost| cost.seconds)),
                    cost: cell.cell.cost,
                    memory: cached
                        .and_then(|cached| cached.memory)
                        .or(cost.and_then(|cost| cost.memory)),
                    after,
                });
            }
        }
    }
    runs
}

impl Desk {
    /// Lists the runs of the selected experiments, and of what they read where that is not cached;
    /// with `stale` only those that are not cached.
    pub fn cells(&self, selection: &Selection, stale: bool, format: Format) -> Answer {
        self.try_cells(selection, stale, format)
            .unwrap_or_else(|answer| answer)
    }

    fn try_cells(
        &self,
        selection: &Selection,
        stale: bool,
        format: Format,
    ) -> Result<Answer, Answer> {
        let session = Session::open(&self.lab)?;
        let selected = selection.apply(&session.catalog, &self.lab)?;
        let mut troubles = Vec::new();
        let planned = planned(&session, &selected, &mut troubles)?;
        let costs = session.costs();
        let mut runs = runs_of(&session, &planned, &costs);
        let n_all = runs.len();
        runs.retain(|run| !stale || run.state != state::FRESH);
        let answer = Answer {
            out: match format {
                Format::Json => format!(
                    "{}\n",
                    serde_json::to_string_pretty(&runs).unwrap_or_default()
                ),
                _ => written(&runs, n_all, self.width),
            },
            err: told(&troubles),
            exit: if troubles.is_empty() {
                Exit::Done
            } else {
                Exit::Missing
            },
        };
        Ok(answer.beside_left_out(&selected))
    }
}

/// The data that runs lack.
pub(crate) fn told(troubles: &[DataTrouble<'_>]) -> String {
    let mut text = String::new();
    for trouble in troubles {
        let _ = writeln!(text, "{}", trouble.describe(0));
    }
    text
}

fn written(runs: &[Run<'_>], n_all: usize, width: Option<usize>) -> String {
    let header = ["key", "state", "CPU s", "MiB", "waits for", "run"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    let known = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    rows.extend(runs.iter().map(|run| {
        vec![
            run.key.clone(),
            run.state.to_owned(),
            known(run.seconds.map(|seconds| format!("{seconds:.2}"))),
            known(run.memory.map(|bytes| (bytes >> 20).to_string())),
            run.after.len().to_string(),
            run.name(),
        ]
    }));
    let stale = runs.iter().filter(|run| run.to_do);
    let n_stale = stale.clone().count();
    let expected: f64 = stale.filter_map(|run| run.seconds).sum();
    let to_do = match n_stale {
        0 => "none to do".to_owned(),
        n => format!("{n} to do, at least {} of CPU time", duration(expected)),
    };
    let listed = counted(n_all, "run", "runs");
    format!("{}{listed}, {to_do}\n", aligned(&rows, width))
}

/// The run that a key names: the experiment, the place of the cell, and the replicate.
pub(crate) struct KeyedRun<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) cell: &'a str,
    pub(crate) replicate: u32,
    pub(crate) inputs_key: String,
}

impl KeyedRun<'_> {
    /// `paper/table "cell" 3/20`.
    pub(crate) fn name(&self) -> String {
        let replicates = self.entry.experiment.run.replicates();
        let mut name = format!("{} \"{}\"", self.entry.id(), self.cell);
        if replicates > 1 {
            name = format!("{name} {}/{replicates}", self.replicate + 1);
        }
        name
    }
}

/// All runs that this program knows, by key.
pub(crate) fn all_runs<'a>(session: &'a Session<'_>) -> BTreeMap<String, KeyedRun<'a>> {
    let mut named = BTreeMap::new();
    for entry in &session.catalog.entries {
        for cell in &entry.full.cells {
            let keys = session.keys(entry, false, cell);
            for (replicate, inputs_key) in (0..).zip(keys) {
                let run = KeyedRun {
                    entry,
                    cell: &cell.id,
                    replicate,
                    inputs_key,
                };
                named.insert(session.cache.key(&run.inputs_key), run);
            }
        }
    }
    named
}
