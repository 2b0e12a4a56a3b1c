//! The selected tables of a run: what each cell needs, and what came of it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Lab;
use super::session::Session;
use crate::cache::CachedCell;
use crate::compare::{Drift, Drifted, Judged, Missing, drift, judge};
use crate::config::entry::Entry;
use crate::config::experiment::DataUse;
use crate::data::{DataProblem, DataStore};
use crate::frame::FrameError;
use crate::render::derived;
use crate::results::{Committed, Inputs, ResultsError, read_committed, table_csv};
use crate::run::CellOutcome;
use crate::table::Table;
use crate::verdict::{Counts, Verdict};
use kibitz_experiment::{Cell, DataFile};
use kibitz_text::Diagnostic;

/// How to look at the tables of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) quick: bool,
    pub(crate) force: bool,
    /// Committed results whose inputs key still matches are believed.
    pub(crate) trust_committed: bool,
}

/// Where the values of a cell come from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// The committed table: its inputs key still matches.
    Committed,
    /// The cache, one entry per replicate.
    Cached(Vec<CachedCell>),
    /// Some replicates are cached; the others have to be run.
    Run(Vec<Option<CachedCell>>),
    /// The committed table, whose inputs key still matches: its data are an optional collection that
    /// is not at hand.
    Recorded,
    /// Nowhere: its data are an optional collection that is not at hand, and what was recorded
    /// rests on other inputs.
    Skipped(String),
    /// Its data cannot be used.
    NoData(String),
}

/// What becomes of a cell or a table if an optional collection is not at hand; the worse is larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Absence {
    /// Its recorded values are shown.
    Recorded,
    /// It is stale, and nothing is shown.
    Skipped,
}

impl Absence {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Skipped => "skipped",
        }
    }
}

impl Origin {
    /// What becomes of the cell if an optional collection is not at hand.
    fn absence(&self) -> Option<Absence> {
        match self {
            Self::Recorded => Some(Absence::Recorded),
            Self::Skipped(_) => Some(Absence::Skipped),
            _ => None,
        }
    }
}

/// A cell of a selected table.
#[derive(Debug)]
pub(crate) struct PlannedCell<'a> {
    pub(crate) cell: &'a Cell,
    /// Inputs keys of its replicates.
    pub(crate) keys: Vec<String>,
    pub(crate) data: BTreeMap<String, DataFile>,
    pub(crate) origin: Origin,
}

/// A selected table before its cells are run.
#[derive(Debug)]
pub(crate) struct PlannedTable<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) inputs: Inputs,
    pub(crate) committed: Option<Committed>,
    pub(crate) cells: Vec<PlannedCell<'a>>,
    /// Whether it was asked for; if not, a selected one reads it.
    pub(crate) is_selected: bool,
}

/// The selected tables, and the datasets and tables that their running cells read.
///
/// # Errors
/// Committed results that cannot be read, one problem each.
pub(crate) fn plan_all<'a>(
    session: &'a Session<'_>,
    selected: Vec<&'a Entry>,
    store: &DataStore<'_>,
    view: View,
    troubles: &mut Vec<DataTrouble<'a>>,
) -> Result<Vec<PlannedTable<'a>>, Vec<ResultsError>> {
    let mut planned: Vec<PlannedTable<'a>> = Vec::new();
    let mut errors = Vec::new();
    // Of a dataset nothing is recorded that could be out of order.
    let is_wanted = |entry: &&Entry| !(view.trust_committed && entry.is_dataset());
    let selected = selected.into_iter().filter(is_wanted);
    let mut waiting: VecDeque<(&Entry, bool)> = selected.map(|entry| (entry, true)).collect();
    let mut known = BTreeSet::new();
    while let Some((entry, is_selected)) = waiting.pop_front() {
        if !known.insert(entry.id()) {
            continue;
        }
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
        return Err(errors);
    }
    // What reads something that cannot be had cannot run either.
    loop {
        let out_of_reach = |used: &DataUse| {
            let table = planned
                .iter()
                .find(|table| table.entry.id() == used.entry)?;
            let mut cells = table.cells.iter();
            cells.find_map(|cell| match &cell.origin {
                Origin::Skipped(_) => Some((used.entry.clone(), true)),
                Origin::Recorded if table.entry.is_dataset() => Some((used.entry.clone(), true)),
                Origin::NoData(_) => Some((used.entry.clone(), false)),
                _ => None,
            })
        };
        let blocked = planned.iter().enumerate().find_map(|(at, table)| {
            let mut from = table.entry.experiment.from.iter();
            let reason = from.find_map(out_of_reach).filter(|_| table.n_runs() > 0)?;
            Some((at, reason))
        });
        let Some((at, (source, is_optional))) = blocked else {
            return Ok(planned);
        };
        planned[at].block(&source, is_optional);
    }
}

/// A data file that cannot be used, and who asked for it.
#[derive(Debug)]
pub(crate) struct DataTrouble<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) used: &'a DataUse,
    pub(crate) problem: DataProblem,
}

impl DataTrouble<'_> {
    /// What is wrong with the file; `others` selected experiments do not need it.
    pub(crate) fn describe(&self, others: usize) -> Diagnostic {
        let DataUse { name, entry, span } = self.used;
        let message = format!("`{name}` needs `{entry}`, {}", self.problem.what);
        let mut diagnostic = self.entry.experiment.error_at(span.clone(), message);
        diagnostic.notes.clone_from(&self.problem.notes);
        if self.problem.external {
            diagnostic = diagnostic.with_note("say where it is with --data DIR");
        }
        match others {
            0 => diagnostic,
            1 => diagnostic.with_note("the other experiment does not need it and runs"),
            n => diagnostic.with_note(format!("the other {n} experiments do not need it and run")),
        }
    }
}

impl<'a> PlannedTable<'a> {
    /// Finds out where the values of each cell come from.
    pub(crate) fn plan(
        session: &'a Session<'_>,
        entry: &'a Entry,
        store: &DataStore<'_>,
        view: View,
        troubles: &mut Vec<DataTrouble<'a>>,
    ) -> Result<Self, ResultsError> {
        let results = session.lab.root.join("results");
        let committed = if view.quick {
            None
        } else {
            read_committed(&results, entry.id())?
        };
        let inputs = session.inputs(entry);
        let recorded = |cell: &Cell| {
            committed
                .as_ref()
                .is_some_and(|committed| committed.intact && committed.rests_on(&inputs, cell))
        };
        let trusted = |cell: &Cell| view.trust_committed && !view.force && recorded(cell);
        let planned = entry.planned(view.quick);
        let mut known = BTreeSet::new();
        let mut cells: Vec<PlannedCell<'a>> = Vec::new();
        for cell in &planned.cells {
            let keys = session.keys(entry, view.quick, cell);
            let cached: Vec<Option<CachedCell>> = keys
                .iter()
                .map(|key| {
                    let is_anew = view.quick && !entry.is_dataset();
                    if is_anew || view.force {
                        None
                    } else {
                        session.cache.get(key)
                    }
                })
                .collect();
            let complete = cached.iter().all(Option::is_some);
            let mut data = BTreeMap::new();
            let absent = |what: &str| {
                if recorded(cell) {
                    Origin::Recorded
                } else {
                    Origin::Skipped(format!("stale, needs {what}"))
                }
            };
            let mut elsewhere = None;
            for used in entry.data_of(cell) {
                match store.get(&used.entry) {
                    Ok(file) => {
                        data.insert(used.name.clone(), file);
                    }
                    // External data need not be at hand for what is known already.
                    Err(problem) if problem.external && (complete || trusted(cell)) => {}
                    Err(problem) if problem.optional => {
                        elsewhere = Some(absent(&format!("`{}` by --data", used.entry)));
                    }
                    Err(problem) => {
                        let reason = format!("data `{}`, {}", used.entry, problem.what);
                        elsewhere = Some(Origin::NoData(reason));
                        if known.insert(used.name.clone()) {
                            troubles.push(DataTrouble {
                                entry,
                                used,
                                problem,
                            });
                        }
                    }
                }
            }
            let origin = match elsewhere {
                Some(origin) => origin,
                None if trusted(cell) => Origin::Committed,
                None if complete => Origin::Cached(cached.into_iter().flatten().collect()),
                None => {
                    // What cannot be rerun cannot be read either.
                    let mut read = cells
                        .iter()
                        .filter(|read| cell.after.contains(&read.cell.id));
                    match read.find(|read| read.origin.absence().is_some()) {
                        Some(read) => absent(&format!("cell `{}`", read.cell.id)),
                        None => Origin::Run(cached),
                    }
                }
            };
            cells.push(PlannedCell {
                cell,
                keys,
                data,
                origin,
            });
        }
        // A cell that runs needs the exact values of those it reads, which the table has rounded.
        for idx in (0..cells.len()).rev() {
            if matches!(cells[idx].origin, Origin::Run(_)) {
                let after = &cells[idx].cell.after;
                for read in cells[..idx]
                    .iter_mut()
                    .filter(|read| after.contains(&read.cell.id))
                {
                    if matches!(read.origin, Origin::Committed) {
                        let cached = read.keys.iter().map(|key| session.cache.get(key));
                        read.origin = Origin::Run(cached.collect());
                    }
                }
            }
        }
        Ok(Self {
            entry,
            inputs,
            committed,
            cells,
            is_selected: true,
        })
    }

    /// Takes note that the cells that would run read something that cannot be had.
    fn block(&mut self, source: &str, is_optional: bool) {
        for cell in &mut self.cells {
            if !matches!(cell.origin, Origin::Run(_)) {
                continue;
            }
            let mut committed = self.committed.iter();
            cell.origin = if !is_optional {
                Origin::NoData(format!("it reads `{source}`, which lacks its data"))
            } else if committed
                .any(|committed| committed.intact && committed.rests_on(&self.inputs, cell.cell))
            {
                Origin::Recorded
            } else {
                Origin::Skipped(format!("stale, needs `{source}`"))
            };
        }
    }

    /// Runs of cells still to do.
    pub(crate) fn n_runs(&self) -> usize {
        self.cells.iter().map(PlannedCell::n_runs).sum()
    }

    /// Runs of cells in all, those that are known already included.
    pub(crate) fn n_all_runs(&self) -> usize {
        self.cells.iter().map(|cell| cell.keys.len()).sum()
    }

    /// What becomes of the table if an optional collection is not at hand.
    pub(crate) fn absence(&self) -> Option<Absence> {
        let absences = self.cells.iter().filter_map(|cell| cell.origin.absence());
        absences.max()
    }

    /// Puts the table together once all of its runs are done. `outcome` gives the outcome of a
    /// replicate of a cell that had to be run.
    pub(crate) fn finish(
        &'a self,
        quick: bool,
        outcome: &dyn Fn(&str, u32) -> Option<CellOutcome>,
    ) -> FinishedTable<'a> {
        let mut table = Table::default();
        let mut missing = BTreeMap::new();
        let mut failures = Vec::new();
        let mut runs = Vec::new();
        for cell in &self.cells {
            let mut rows = self.entry.rows_of(cell.cell);
            if cell.cell.open
                && let Some(committed) = &self.committed
            {
                rows = self.entry.rows(&committed.table);
            }
            let mut done = Vec::new();
            let mut absent = None;
            match &cell.origin {
                Origin::Committed | Origin::Recorded => {
                    if let Some(committed) = &self.committed {
                        table.add_rows_of(&committed.table, &rows);
                    }
                    continue;
                }
                Origin::NoData(reason) | Origin::Skipped(reason) => {
                    absent = Some(Missing::NotRun(reason.clone()));
                }
                Origin::Cached(cached) => done.extend(cached.iter().cloned()),
                Origin::Run(cached) => {
                    for (replicate, cached) in (0u32..).zip(cached) {
                        let outcome = match cached {
                            Some(cell) => CellOutcome::Done(Box::new(cell.clone())),
                            None => outcome(&cell.cell.id, replicate)
                                .unwrap_or_else(|| CellOutcome::NotRun("not reached".to_owned())),
                        };
                        match outcome {
                            CellOutcome::Done(cell) => done.push(*cell),
                            CellOutcome::Failed(reason) => {
                                failures.push(Failure {
                                    cell: cell.cell.id.clone(),
                                    replicate,
                                    reason: reason.clone(),
                                });
                                absent = Some(Missing::Error(reason));
                            }
                            CellOutcome::NotRun(reason) => {
                                absent.get_or_insert(Missing::NotRun(reason));
                            }
                        }
                    }
                }
            }
            if let Some(absent) = absent {
                // A table whose rows only its values tell may have none yet.
                rows.extend(cell.cell.open.then(|| cell.cell.id.clone()));
                missing.extend(rows.into_iter().map(|row| (row, absent.clone())));
            } else {
                let outputs: Vec<_> = done.iter().map(|cell| &cell.output).collect();
                table.add_cell(&outputs, |column| self.entry.summary(column));
            }
            runs.extend(done);
        }
        let judged = if quick {
            Vec::new()
        } else {
            judge(self.entry, &table, &missing)
        };
        let drifted = match &self.committed {
            Some(committed) => drift(&committed.table, &table, &missing),
            None => Vec::new(),
        };
        FinishedTable {
            plan: self,
            counts: judged.iter().map(|cell| cell.verdict).collect(),
            table,
            missing,
            judged,
            drifted,
            failures,
            runs,
        }
    }
}

impl PlannedCell<'_> {
    /// The finished run of a replicate, if it is in the cache.
    pub(crate) fn cached(&self, replicate: u32) -> Option<&CachedCell> {
        match &self.origin {
            Origin::Cached(cached) => cached.get(replicate as usize),
            Origin::Run(cached) => cached.get(replicate as usize)?.as_ref(),
            _ => None,
        }
    }

    pub(crate) fn n_runs(&self) -> usize {
        match &self.origin {
            Origin::Run(cached) => cached.iter().filter(|cached| cached.is_none()).count(),
            _ => 0,
        }
    }
}

/// A run of a cell that failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) cell: String,
    pub(crate) replicate: u32,
    pub(crate) reason: String,
}

/// A table after its cells have run.
#[derive(Debug)]
pub(crate) struct FinishedTable<'a> {
    pub(crate) plan: &'a PlannedTable<'a>,
    pub(crate) table: Table,
    pub(crate) missing: BTreeMap<String, Missing>,
    pub(crate) judged: Vec<Judged>,
    pub(crate) counts: Counts,
    pub(crate) drifted: Vec<Drifted>,
    pub(crate) failures: Vec<Failure>,
    /// Every finished run of a cell, with its timing and remarks.
    pub(crate) runs: Vec<CachedCell>,
}

impl FinishedTable<'_> {
    pub(crate) fn id(&self) -> &str {
        self.plan.entry.id()
    }

    /// Whether a cell failed, or yielded less than it should.
    pub(crate) fn failed(&self) -> bool {
        !self.failures.is_empty() || self.counts.of(Verdict::Error) > 0
    }

    /// Whether it is a table that was asked for, whose values are kept and recorded.
    pub(crate) fn has_values(&self) -> bool {
        self.plan.is_selected && !self.plan.entry.is_dataset()
    }

    /// Whether a place lacks its value although its cell did run.
    pub(crate) fn lacks_value(&self, cell: &Judged) -> bool {
        cell.verdict == Verdict::Error && !self.missing.contains_key(&cell.row)
    }

    /// How a value stands to the committed one.
    pub(crate) fn drift_of(&self, cell: &Judged) -> Drift {
        let is_here =
            |drifted: &&Drifted| drifted.row == cell.row && drifted.column == cell.column.name;
        let none = match self.plan.committed {
            Some(_) => Drift::Same,
            None => Drift::New,
        };
        let drifted = self.drifted.iter().find(is_here);
        drifted.map_or(none, |drifted| drifted.drift)
    }

    /// The files that hold values.
    pub(crate) fn files(&self, lab: &Lab) -> Result<Vec<(&'static str, Vec<u8>)>, FrameError> {
        let entry = self.plan.entry;
        let mut files = vec![("table.csv", table_csv(entry, &self.table)?)];
        files.extend(derived(entry, &self.table, &self.judged, lab)?);
        Ok(files)
    }
}
