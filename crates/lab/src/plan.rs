//! The selected tables of a run before their cells run: where the values of each cell come from.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::cache::{CacheLookup, CachedCell};
use crate::config::entry::Entry;
use crate::config::experiment::DataUse;
use crate::data::DataStore;
use crate::error::{LabError, error_chain};
use crate::origin::{Absence, Lack, Origin, state};
use crate::results::{CommittedTable, Inputs, ResultsError, read_committed};
use crate::session::{Session, bad_config};
use crate::trouble::{DataTrouble, tell};
use kibitz_command::input::Input;
use kibitz_experiment::{Cell, DataFile};
use kibitz_text::{Diagnostic, Diagnostics};

/// How to look at the tables of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct View<'v> {
    /// Whether the quick plans are meant.
    pub quick: bool,
    /// Whether cells run although they are fresh.
    pub force: bool,
    /// Committed results whose inputs key still matches are believed.
    pub trust_committed: bool,
    /// Of the selected tables that no other one reads, only the cells with these inputs keys count,
    /// and those that they read.
    pub only: Option<&'v BTreeSet<String>>,
}

/// A cell of a selected table.
#[derive(Debug)]
pub struct PlannedCell<'a> {
    /// The cell.
    pub cell: &'a Cell,
    /// Inputs keys of its replicates.
    pub keys: Vec<String>,
    /// The data files it reads, by the names of the kind.
    pub data: BTreeMap<String, DataFile>,
    /// What is wrong with a run of it in the cache, which runs again.
    pub damage: Option<&'static str>,
    /// Where its values come from.
    pub origin: Origin,
    /// Whether all of its runs are in the cache.
    is_cached: bool,
    /// Whether its committed values rest on the inputs of now.
    is_recorded: bool,
}

/// A selected table before its cells are run.
#[derive(Debug)]
pub struct PlannedTable<'a> {
    /// The experiment.
    pub entry: &'a Entry,
    /// What decides its values.
    pub inputs: Inputs,
    /// What is recorded of it.
    pub committed: Option<CommittedTable>,
    /// Its cells, in the order of the plan.
    pub cells: Vec<PlannedCell<'a>>,
    /// Whether it was asked for; if not, a selected one reads it.
    pub is_selected: bool,
}

/// The selected tables, and the datasets and tables that their running cells read.
///
/// # Errors
/// Committed results that cannot be read, all of them.
pub fn plan_all<'a>(
    session: &'a Session<'_>,
    selected: Vec<&'a Entry>,
    store: &DataStore<'_>,
    view: View<'_>,
    troubles: &mut Vec<DataTrouble<'a>>,
) -> Result<Vec<PlannedTable<'a>>, LabError> {
    let mut planned: Vec<PlannedTable<'a>> = Vec::new();
    let mut errors = Vec::new();
    // Of a dataset nothing is recorded that could be out of order.
    let is_wanted = |entry: &&Entry| !(view.trust_committed && entry.is_dataset());
    let (selected, datasets): (Vec<&Entry>, Vec<&Entry>) =
        selected.into_iter().partition(is_wanted);
    for dataset in datasets {
        let own = dataset.experiment.data.iter().map(|used| (dataset, used));
        for (entry, used) in own.chain(session.data_below(dataset)) {
            match store.check(&used.entry) {
                Err(problem) if problem.is_changed || !problem.external => {
                    let trouble = DataTrouble {
                        entry,
                        used,
                        problem,
                    };
                    tell(troubles, trouble);
                }
                _ => {}
            }
        }
    }
    let sources = selected.iter().flat_map(|entry| &entry.experiment.from);
    let read_by_others: BTreeSet<&str> = sources.map(|used| used.entry.as_str()).collect();
    let selected = selected.into_iter();
    let mut waiting: VecDeque<(&Entry, bool)> = selected.map(|entry| (entry, true)).collect();
    let mut known = BTreeSet::new();
    while let Some((entry, is_selected)) = waiting.pop_front() {
        if !known.insert(entry.id()) {
            continue;
        }
        let is_whole = !is_selected || read_by_others.contains(entry.id());
        let view = View {
            only: view.only.filter(|_| !is_whole),
            ..view
        };
        match PlannedTable::plan(session, entry, store, view, troubles) {
            Ok(table) => {
                if table.n_runs() > 0 {
                    let read = entry.experiment.from.iter();
                    let read = read.filter_map(|used| session.catalog.entry(&used.entry));
                    waiting.extend(read.map(|entry| (entry, false)));
                }
                planned.push(PlannedTable {
                    is_selected,
                    ..table
                });
            }
            Err(error) => errors.push(error),
        }
    }
    if !errors.is_empty() {
        return Err(unreadable(errors));
    }
    // What reads something that cannot be had cannot run either.
    loop {
        let out_of_reach = |used: &DataUse| {
            let table = planned
                .iter()
                .find(|table| table.entry.id() == used.entry)?;
            let mut cells = table.cells.iter();
            let lacks = cells.find_map(|cell| cell.origin.lacks(table.entry.is_dataset()));
            lacks.map(|lacks| (used.entry.clone(), lacks))
        };
        let blocked = planned.iter().enumerate().find_map(|(at, table)| {
            let mut from = table.entry.experiment.from.iter();
            let reason = from.find_map(out_of_reach).filter(|_| table.n_runs() > 0)?;
            Some((at, reason))
        });
        let Some((at, (source, lacks))) = blocked else {
            return Ok(planned);
        };
        planned[at].block(&source, lacks);
    }
}

/// The answer to committed results that cannot be read.
fn unreadable(errors: Vec<ResultsError>) -> LabError {
    let mut problems = Diagnostics::new();
    for error in errors {
        match error {
            ResultsError::File(error) => return error.into(),
            error => problems.push(
                Diagnostic::new(error_chain(&error))
                    .with_note("restore the file, or delete the folder and bless it again"),
            ),
        }
    }
    bad_config(&problems)
}

/// A table on its way to a plan.
struct Planner<'p, 'a, 'l> {
    session: &'a Session<'l>,
    entry: &'a Entry,
    store: &'p DataStore<'p>,
    view: View<'p>,
    inputs: Inputs,
    committed: Option<CommittedTable>,
}

impl<'a> Planner<'_, 'a, '_> {
    /// Whether the values of a cell were recorded from the inputs of now.
    fn is_recorded(&self, cell: &Cell) -> bool {
        let mut committed = self.committed.iter();
        committed.any(|committed| committed.intact && committed.rests_on(&self.inputs, cell))
    }

    /// Whether its recorded values are believed.
    fn is_trusted(&self, cell: &Cell) -> bool {
        self.view.trust_committed && !self.view.force && self.is_recorded(cell)
    }

    /// The origin of a cell that needs something optional that is not available.
    fn absent(&self, cell: &Cell, what: &str) -> Origin {
        if self.is_recorded(cell) {
            Origin::Recorded
        } else {
            Origin::Skipped(format!("stale, needs {what}"))
        }
    }

    /// The finished runs of a cell, by replicate, and what is wrong with one that is kept.
    fn cached(&self, keys: &[String]) -> (Vec<Option<CachedCell>>, Option<&'static str>) {
        if self.view.force || self.view.quick && !self.entry.is_dataset() {
            return (vec![None; keys.len()], None);
        }
        let mut damage = None;
        let cached = keys.iter().map(|key| match self.session.cache.find(key) {
            CacheLookup::Done(cell) => Some(*cell),
            CacheLookup::Absent => None,
            CacheLookup::Damaged(what) => {
                damage = Some(what);
                None
            }
        });
        (cached.collect(), damage)
    }

    /// The cells that count.
    fn cells(&self) -> Vec<&'a Cell> {
        let View { quick, only, .. } = self.view;
        let all: Vec<&Cell> = self.entry.planned(quick).cells.iter().collect();
        let Some(only) = only else { return all };
        let is_wanted = |cell: &&&Cell| {
            let mut keys = self.session.keys(self.entry, quick, cell).into_iter();
            keys.any(|key| only.contains(&key))
        };
        let wanted = all.iter().filter(is_wanted);
        let wanted = wanted.flat_map(|cell| cell.after.iter().chain([&cell.id]));
        let wanted: BTreeSet<&String> = wanted.collect();
        let cells = all.into_iter();
        cells.filter(|cell| wanted.contains(&cell.id)).collect()
    }

    /// Finds out where the values of a cell come from; `before` are the cells planned so far.
    fn cell(
        &self,
        cell: &'a Cell,
        before: &[PlannedCell<'a>],
        troubles: &mut Vec<DataTrouble<'a>>,
    ) -> PlannedCell<'a> {
        let keys = self.session.keys(self.entry, self.view.quick, cell);
        let (cached, damage) = self.cached(&keys);
        let is_complete = cached.iter().all(Option::is_some);
        let mut data = BTreeMap::new();
        let mut elsewhere = None;
        for used in self.entry.data_of(cell) {
            match self.session.data(self.store, &used.entry) {
                Ok(file) => {
                    data.insert(used.name.clone(), file);
                }
                // Values that are known already need no external data.
                Err(problem)
                    if problem.external
                        && !problem.is_changed
                        && (is_complete || self.is_trusted(cell)) => {}
                Err(problem) if problem.optional => {
                    elsewhere = Some(self.absent(cell, &format!("`{}` by --data", used.entry)));
                }
                Err(problem) => {
                    let reason = format!("{}, {}", shown(used), problem.what);
                    elsewhere = Some(Origin::without_data(reason, problem.is_changed));
                    let entry = self.entry;
                    let trouble = DataTrouble {
                        entry,
                        used,
                        problem,
                    };
                    tell(troubles, trouble);
                }
            }
        }
        let elsewhere = elsewhere.or_else(|| self.changed_below(troubles));
        let origin = match elsewhere {
            Some(origin) => origin,
            None if self.is_trusted(cell) => Origin::Committed,
            None if is_complete => Origin::Cached(cached.into_iter().flatten().collect()),
            None => {
                // What cannot be rerun cannot be read either.
                let mut read = before
                    .iter()
                    .filter(|read| cell.after.contains(&read.cell.id));
                match read.find(|read| read.origin.absence().is_some()) {
                    Some(read) => self.absent(cell, &format!("cell `{}`", read.cell.id)),
                    None => Origin::Run(cached),
                }
            }
        };
        PlannedCell {
            cell,
            keys,
            data,
            damage: damage.filter(|_| matches!(origin, Origin::Run(_))),
            origin,
            is_cached: is_complete,
            is_recorded: self.is_recorded(cell),
        }
    }
}

impl<'a> Planner<'_, 'a, '_> {
    /// What keeps all cells from being run, or believed: data that something they read rests on are not
    /// those declared. Of external data that are absent the plan of their reader tells.
    fn changed_below(&self, troubles: &mut Vec<DataTrouble<'a>>) -> Option<Origin> {
        let mut found = None;
        for (entry, used) in self.session.data_below(self.entry) {
            let Err(problem) = self.store.check(&used.entry) else {
                continue;
            };
            if problem.external && !problem.is_changed {
                continue;
            }
            let reason = format!(
                "it reads `{}`, which needs {}, {}",
                entry.id(),
                shown(used),
                problem.what
            );
            found.get_or_insert(Origin::without_data(reason, problem.is_changed));
            let trouble = DataTrouble {
                entry,
                used,
                problem,
            };
            tell(troubles, trouble);
        }
        found
    }
}

/// Data or another input, for messages.
fn shown(used: &DataUse) -> String {
    match Input::of_name(&used.entry) {
        Some(input) => format!("`{}`", input.shown()),
        None => format!("data `{}`", used.entry),
    }
}

/// Lets committed cells be read from the cache, or run, where a cell that runs reads them: it needs
/// the exact values, which the table has rounded.
fn read_exactly(cells: &mut [PlannedCell<'_>], session: &Session<'_>) {
    for idx in (0..cells.len()).rev() {
        if !matches!(cells[idx].origin, Origin::Run(_)) {
            continue;
        }
        let after = &cells[idx].cell.after;
        let before = cells[..idx].iter_mut();
        for read in before.filter(|read| after.contains(&read.cell.id)) {
            if matches!(read.origin, Origin::Committed) {
                let cached = read.keys.iter().map(|key| session.cache.get(key));
                read.origin = Origin::Run(cached.collect());
            }
        }
    }
}

impl<'a> PlannedTable<'a> {
    /// Finds out where the values of each cell come from.
    ///
    /// # Errors
    /// [`ResultsError`] if the committed files of the table cannot be read.
    pub fn plan(
        session: &'a Session<'_>,
        entry: &'a Entry,
        store: &DataStore<'_>,
        view: View<'_>,
        troubles: &mut Vec<DataTrouble<'a>>,
    ) -> Result<Self, ResultsError> {
        let results = session.lab.root.join("results");
        let committed = if view.quick {
            None
        } else {
            read_committed(&results, entry.id())?
        };
        let planning = Planner {
            session,
            entry,
            store,
            view,
            inputs: session.inputs(entry),
            committed,
        };
        let mut cells: Vec<PlannedCell<'a>> = Vec::new();
        for cell in planning.cells() {
            let planned = planning.cell(cell, &cells, troubles);
            cells.push(planned);
        }
        read_exactly(&mut cells, session);
        Ok(Self {
            entry,
            inputs: planning.inputs,
            committed: planning.committed,
            cells,
            is_selected: true,
        })
    }

    /// Takes note that the cells that would run read something that cannot be had.
    fn block(&mut self, source: &str, lacks: Lack) {
        for cell in &mut self.cells {
            if !matches!(cell.origin, Origin::Run(_)) {
                continue;
            }
            let mut committed = self.committed.iter();
            let mut is_recorded = || {
                committed.any(|committed| {
                    committed.intact && committed.rests_on(&self.inputs, cell.cell)
                })
            };
            cell.origin = match lacks {
                Lack::Data => Origin::NoData(format!("it reads `{source}`, which lacks its data")),
                Lack::SameData => {
                    Origin::ChangedData(format!("it reads `{source}`, whose data changed"))
                }
                Lack::Optional if is_recorded() => Origin::Recorded,
                Lack::Optional => Origin::Skipped(format!("stale, needs `{source}`")),
            };
        }
    }

    /// Runs of cells still to do.
    pub fn n_runs(&self) -> usize {
        self.cells.iter().map(PlannedCell::n_runs).sum()
    }

    /// Runs of cells in all, those that are known already included.
    pub fn n_all_runs(&self) -> usize {
        self.cells.iter().map(|cell| cell.keys.len()).sum()
    }

    /// Its state: the worst of its cells.
    pub fn state(&self) -> &'static str {
        let of = |word: &&str| self.cells.iter().any(|cell| cell.state() == *word);
        let worst = state::ALL.into_iter().rev().find(of);
        worst.unwrap_or(state::FRESH)
    }

    /// The table's fate without its optional collection.
    pub fn absence(&self) -> Option<Absence> {
        let absences = self.cells.iter().filter_map(|cell| cell.origin.absence());
        absences.max()
    }
}

impl PlannedTable<'_> {
    /// The inputs keys of the runs still to do.
    pub fn stale_keys(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().flat_map(|cell| {
            let is_stale = |replicate: &u32| {
                matches!(cell.origin, Origin::Run(_)) && cell.cached(*replicate).is_none()
            };
            let keys = (0..).zip(&cell.keys);
            keys.filter(move |(replicate, _)| is_stale(replicate))
                .map(|(_, key)| key.as_str())
        })
    }
}

impl PlannedCell<'_> {
    /// Its state, in the word that every command has for it.
    pub fn state(&self) -> &'static str {
        match self.origin {
            Origin::NoData(_) => state::NO_DATA,
            Origin::ChangedData(_) => state::CHANGED_DATA,
            Origin::Skipped(_) => state::SKIPPED,
            _ if self.is_cached => state::FRESH,
            _ if self.is_recorded => state::RECORDED,
            _ => state::STALE,
        }
    }

    /// The finished run of a replicate, if it is in the cache.
    pub fn cached(&self, replicate: u32) -> Option<&CachedCell> {
        match &self.origin {
            Origin::Cached(cached) => cached.get(replicate as usize),
            Origin::Run(cached) => cached.get(replicate as usize)?.as_ref(),
            _ => None,
        }
    }

    /// Why it cannot run, if so.
    pub fn unavailable(&self) -> Option<&str> {
        match &self.origin {
            Origin::NoData(reason) | Origin::ChangedData(reason) | Origin::Skipped(reason) => {
                Some(reason)
            }
            Origin::Recorded => Some("its data are not here"),
            Origin::Committed | Origin::Cached(_) | Origin::Run(_) => None,
        }
    }

    /// Runs that are still to do.
    pub fn n_runs(&self) -> usize {
        match &self.origin {
            Origin::Run(cached) => cached.iter().filter(|cached| cached.is_none()).count(),
            _ => 0,
        }
    }
}
