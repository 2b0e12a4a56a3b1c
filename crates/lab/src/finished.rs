//! A table after its cells have run: its values, their outcomes, and its files.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::origin::Origin;
use crate::plan::{PlannedCell, PlannedTable};

use crate::cache::CachedCell;
use crate::compare::{Drift, DriftedValue, drift};
use crate::figure::Others;
use crate::judge::{JudgedCell, MissingReason, judge};
use crate::measurement::Table;
use crate::outcome::{Counts, Outcome};
use crate::run::CellOutcome;
use kibitz_text::Diagnostic;

/// A run of a cell that failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The id of the cell.
    pub cell: String,
    /// Which replicate it is, from 0.
    pub replicate: u32,
    /// What went wrong.
    pub reason: String,
    /// Whether it did its work, and only the records could not be written.
    pub is_unwritable: bool,
    /// Whether its program is not there.
    pub lacks_program: bool,
}

/// A table after its cells have run.
#[derive(Debug)]
pub struct FinishedTable<'a> {
    /// Its plan.
    pub plan: &'a PlannedTable<'a>,
    /// Its values.
    pub table: Table,
    /// Why rows have no values, by row.
    pub missing: BTreeMap<String, MissingReason>,
    /// Its values beside the published ones; none of a quick run.
    pub judged: Vec<JudgedCell>,
    /// How many cells have which outcome.
    pub counts: Counts,
    /// The values that are not those recorded.
    pub drifted: Vec<DriftedValue>,
    /// The runs that failed.
    pub failures: Vec<Failure>,
    /// Every finished run of a cell, with its timing and remarks.
    pub runs: Vec<CachedCell>,
    /// Deviations whose figure has no value: where they name it, and the figure.
    pub unshown: Vec<(Range<usize>, String)>,
}

/// Gives the outcome of a replicate of a cell that had to be run.
pub type Outcomes<'o> = &'o dyn Fn(&str, u32) -> Option<CellOutcome>;

/// The replicates of a cell that are done, and why the cell has no values if one is not.
#[derive(Default)]
struct Replicates {
    done: Vec<CachedCell>,
    absent: Option<MissingReason>,
    failures: Vec<Failure>,
}

impl Replicates {
    /// Takes the finished replicates from the cache, and the others from this run.
    fn of(cell: &PlannedCell<'_>, outcomes: Outcomes<'_>) -> Self {
        let mut replicates = Self::default();
        match &cell.origin {
            Origin::Committed | Origin::Recorded => {}
            Origin::NoData(reason) | Origin::ChangedData(reason) | Origin::Skipped(reason) => {
                replicates.absent = Some(MissingReason::NotRun(reason.clone()));
            }
            Origin::Cached(cached) => replicates.done.clone_from(cached),
            Origin::Run(cached) => {
                for (replicate, cached) in (0u32..).zip(cached) {
                    let outcome = match cached {
                        Some(cell) => CellOutcome::Done(Box::new(cell.clone())),
                        None => outcomes(&cell.cell.id, replicate)
                            .unwrap_or_else(|| CellOutcome::NotRun("not reached".to_owned())),
                    };
                    replicates.add(cell, replicate, outcome);
                }
            }
        }
        replicates
    }

    fn add(&mut self, cell: &PlannedCell<'_>, replicate: u32, outcome: CellOutcome) {
        let is_unwritable = matches!(outcome, CellOutcome::Unwritable(_));
        let lacks_program = matches!(outcome, CellOutcome::MissingProgram(_));
        match outcome {
            CellOutcome::Done(cell) => self.done.push(*cell),
            CellOutcome::Failed(reason)
            | CellOutcome::MissingProgram(reason)
            | CellOutcome::Unwritable(reason) => {
                self.failures.push(Failure {
                    cell: cell.cell.id.clone(),
                    replicate,
                    reason: reason.clone(),
                    is_unwritable,
                    lacks_program,
                });
                self.absent = Some(MissingReason::Error(reason));
            }
            CellOutcome::NotRun(reason) => {
                self.absent.get_or_insert(MissingReason::NotRun(reason));
            }
        }
    }
}

impl<'a> FinishedTable<'a> {
    /// Puts a table together once all of its runs are done.
    pub fn new(
        plan: &'a PlannedTable<'a>,
        quick: bool,
        outcomes: Outcomes<'_>,
        others: &Others,
    ) -> Self {
        let mut table = Table::default();
        let mut missing = BTreeMap::new();
        let mut failures = Vec::new();
        let mut runs = Vec::new();
        for cell in &plan.cells {
            let mut rows = plan.entry.rows_of(cell.cell);
            if cell.cell.open
                && let Some(committed) = &plan.committed
            {
                rows = plan.entry.rows(&committed.table);
            }
            if let Origin::Committed | Origin::Recorded = cell.origin {
                if let Some(committed) = &plan.committed {
                    table.add_rows_of(&committed.table, &rows);
                }
                continue;
            }
            let replicates = Replicates::of(cell, outcomes);
            failures.extend(replicates.failures);
            if let Some(absent) = replicates.absent {
                // A table whose rows only its values tell may have none yet.
                rows.extend(cell.cell.open.then(|| cell.cell.id.clone()));
                missing.extend(rows.into_iter().map(|row| (row, absent.clone())));
            } else {
                let outputs: Vec<_> = replicates.done.iter().map(|cell| &cell.output).collect();
                table.add_cell(&outputs, |column| plan.entry.summary(column));
            }
            runs.extend(replicates.done);
        }
        let judged = if quick {
            Vec::new()
        } else {
            judge(plan.entry, &table, &missing, others)
        };
        let drifted = match &plan.committed {
            Some(committed) => drift(&committed.table, &table, &missing),
            None => Vec::new(),
        };
        Self {
            plan,
            counts: judged.iter().map(|cell| cell.outcome).collect(),
            table,
            missing,
            judged,
            drifted,
            failures,
            runs,
            unshown: Vec::new(),
        }
    }
}

impl FinishedTable<'_> {
    /// `paper/name`.
    pub fn id(&self) -> &str {
        self.plan.entry.id()
    }

    /// Judges it again, now that all other tables are known.
    pub(crate) fn judge_again(&mut self, others: &Others) {
        self.judged = judge(self.plan.entry, &self.table, &self.missing, others);
        self.counts = self.judged.iter().map(|cell| cell.outcome).collect();
    }

    /// The deviations whose figure has no value, and which do not say what would decide them.
    pub fn unshown(&self) -> impl Iterator<Item = Diagnostic> {
        self.unshown.iter().map(|(at, name)| {
            let message = format!("`{name}` has no value: nothing shows the reason");
            let experiment = &self.plan.entry.experiment;
            let problem = experiment.error_at(at.clone(), message);
            let label = "add `decided-by = \"…\"`, or record the table that has the figure first";
            problem.with_label(label)
        })
    }

    /// Whether a cell failed, or yielded less than it should.
    pub fn failed(&self) -> bool {
        !self.failures.is_empty() || self.counts.of(Outcome::Error) > 0
    }

    /// Whether all that failed is a program that is not there.
    pub fn lacks_programs_only(&self) -> bool {
        let is_missing = |failure: &Failure| failure.lacks_program;
        let lacks = |cell: &JudgedCell| self.lacks_value(cell);
        !self.failures.is_empty()
            && self.failures.iter().all(is_missing)
            && !self.judged.iter().any(lacks)
    }

    /// Whether a cell differs, and no deviation that holds is declared.
    pub fn has_undeclared(&self) -> bool {
        self.judged.iter().any(|cell| cell.is_undeclared)
    }

    /// How much of their data its cells used, each line once.
    pub fn audit(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = Vec::new();
        for line in self.runs.iter().flat_map(|run| &run.audit) {
            if !lines.contains(&line.as_str()) {
                lines.push(line);
            }
        }
        lines
    }

    /// Whether records could not be written.
    pub fn is_unwritable(&self) -> bool {
        self.failures.iter().any(|failure| failure.is_unwritable)
    }

    /// Whether it is a table that was asked for, whose values are kept and recorded.
    pub fn has_values(&self) -> bool {
        self.plan.is_selected && !self.plan.entry.is_dataset()
    }

    /// Whether a place lacks its value although its cell did run.
    pub fn lacks_value(&self, cell: &JudgedCell) -> bool {
        cell.outcome == Outcome::Error && !self.missing.contains_key(&cell.row)
    }

    /// Published rows of which there is no value at all, although their cells did run.
    pub fn rows_without_values(&self) -> Vec<String> {
        let found: BTreeSet<&str> = self.table.iter().map(|(row, _, _)| row).collect();
        let lacking = self.judged.iter().filter(|cell| self.lacks_value(cell));
        let mut rows: Vec<String> = lacking.map(|cell| cell.row.clone()).collect();
        rows.dedup();
        rows.retain(|row| !found.contains(row.as_str()));
        rows
    }

    /// How a value stands to the committed one.
    pub fn drift_of(&self, cell: &JudgedCell) -> Drift {
        let is_here =
            |drifted: &&DriftedValue| drifted.row == cell.row && drifted.column == cell.column.name;
        let none = match self.plan.committed {
            Some(_) => Drift::Same,
            None => Drift::New,
        };
        let drifted = self.drifted.iter().find(is_here);
        drifted.map_or(none, |drifted| drifted.drift)
    }
}
