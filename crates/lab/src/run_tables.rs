//! The cells of planned tables as tasks, and the tables put together as their last task is done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use crate::cache::CachedCell;
use crate::costs::Costs;
use crate::figure::Others;
use crate::finished::FinishedTable;
use crate::judge::unshown;
use crate::measurement::table_fields;
use crate::observe::{Event, Observer, duration};
use crate::origin::Origin;
use crate::plan::PlannedTable;
use crate::run::{CellOutcome, RecordsPlace, Settings, Task, TaskSource, run_all};
use crate::session::Session;
use kibitz_text::counted;

/// How cells run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// How many at once.
    pub jobs: usize,
    /// Whether the plans are the quick ones, whose values are neither kept nor judged.
    pub quick: bool,
    /// Whether nothing new starts once a cell has failed.
    pub fail_fast: bool,
}

/// The runs of planned tables that are still to do: all, or those that are wanted.
pub fn tasks_of<'a>(
    session: &Session<'_>,
    planned: &'a [PlannedTable<'a>],
    quick: bool,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<Task<'a>> {
    let costs = session.costs();
    let mut tasks: Vec<Task<'a>> = Vec::new();
    for (table, plan) in planned.iter().enumerate() {
        add_tasks(table, plan, (quick, &costs), is_wanted, &mut tasks);
    }
    add_sources(session, planned, quick, &mut tasks);
    tasks
}

/// Runs what has to be run and puts all tables together, reporting each as it is done.
///
/// # Panics
/// If a table is never finished, which would be a fault of the queue.
pub fn run_tables<'a>(
    session: &Session<'_>,
    planned: &'a [PlannedTable<'a>],
    tasks: &[Task<'a>],
    options: RunOptions,
    observer: &dyn Observer,
    interrupted: &AtomicBool,
    mut others: Others,
) -> Vec<FinishedTable<'a>> {
    observer.event(&Event::Planned {
        n_tables: planned.len(),
        n_cells: tasks.len(),
        seconds: tasks.iter().map(|task| task.expected).sum(),
        jobs: options.jobs,
    });
    let finished: Vec<OnceLock<FinishedTable<'a>>> =
        planned.iter().map(|_| OnceLock::new()).collect();
    let finish = |table: usize, outcomes: Vec<(usize, CellOutcome)>| {
        let outcomes: BTreeMap<(&str, u32), &CellOutcome> = outcomes
            .iter()
            .map(|(task, outcome)| {
                let task = &tasks[*task];
                ((task.cell.id.as_str(), task.replicate), outcome)
            })
            .collect();
        let outcome = |cell: &str, replicate| {
            outcomes
                .get(&(cell, replicate))
                .map(|outcome| (*outcome).clone())
        };
        let result = FinishedTable::new(&planned[table], options.quick, &outcome, &others);
        let result = finished[table].get_or_init(|| result);
        let n = finished
            .iter()
            .filter(|table| table.get().is_some())
            .count();
        let line = table_line(n, planned.len(), result, options.quick);
        observer.event(&Event::TableFinished { line: &line });
    };
    // Tables without a task have all their values already. They are finished first, since others
    // may read them.
    let at_work: BTreeSet<usize> = tasks.iter().map(|task| task.table).collect();
    for table in (0..planned.len()).filter(|table| !at_work.contains(table)) {
        finish(table, Vec::new());
    }
    let values = |table: usize| Some(finished[table].get()?.table.clone());
    let settings = Settings {
        jobs: options.jobs,
        cache: &session.cache,
        quick: options.quick,
        values: &values,
        fail_fast: options.fail_fast,
        clock: session.lab.clock,
        interrupted,
        observer,
    };
    run_all(tasks, settings, &finish);
    let all = finished.into_iter().map(|table| {
        let table = table.into_inner();
        table.expect("every table was finished: at once, or after its last task")
    });
    let mut all: Vec<FinishedTable<'a>> = all.collect();
    // Some columns are judged by the values of another table, which may have been finished later
    // than this one.
    if !options.quick {
        for table in all.iter().filter(|table| table.missing.is_empty()) {
            others.insert(table.id().to_owned(), table.table.clone());
        }
        for table in &mut all {
            if !table.plan.entry.experiment.named_tables().is_empty() {
                table.judge_again(&others);
            }
            let (entry, judged) = (table.plan.entry, &table.judged);
            table.unshown = unshown(entry, judged, &table.table, &table.missing, &others);
        }
    }
    all
}

/// Adds the runs of cells that are still to do.
fn add_tasks<'a>(
    table: usize,
    plan: &'a PlannedTable<'a>,
    (quick, costs): (bool, &Costs),
    is_wanted: &dyn Fn(&str) -> bool,
    tasks: &mut Vec<Task<'a>>,
) {
    let first_task = tasks.len();
    for cell in &plan.cells {
        let Origin::Run(cached) = &cell.origin else {
            continue;
        };
        let id = plan.entry.id();
        let expected = costs.expected(id, cell.cell, &plan.entry.planned(quick).cells);
        let reads = |id: &String| !cell.cell.after.is_empty() && cell.cell.after.contains(id);
        for ((replicate, cached), key) in (0u32..).zip(cached).zip(&cell.keys) {
            if cached.is_some() || !is_wanted(key) {
                continue;
            }
            let comes_before =
                |task: &Task<'_>| task.replicate == replicate && reads(&task.cell.id);
            let after = (first_task..tasks.len()).filter(|idx| comes_before(&tasks[*idx]));
            let known = plan.cells.iter().filter(|known| reads(&known.cell.id));
            let known = known.filter_map(|known| {
                let output = known.cached(replicate)?.output.clone();
                Some((known.cell.id.clone(), output))
            });
            let task = Task {
                table,
                entry: plan.entry,
                planned: plan.entry.planned(quick),
                cell: cell.cell,
                replicate,
                expected,
                key: key.clone(),
                data: cell.data.clone(),
                known: known.collect(),
                after: after.collect(),
                sources: Vec::new(),
            };
            tasks.push(task);
        }
    }
}

/// Lets tasks wait for the datasets and tables they read, and tells them where those are.
fn add_sources(
    session: &Session<'_>,
    planned: &[PlannedTable<'_>],
    quick: bool,
    tasks: &mut [Task<'_>],
) {
    let tables: Vec<usize> = tasks.iter().map(|task| task.table).collect();
    for task in tasks {
        for used in &task.entry.experiment.from {
            let found = planned
                .iter()
                .position(|plan| plan.entry.id() == used.entry);
            // What running cells read was planned with them.
            let Some(source) = found else { continue };
            let entry = planned[source].entry;
            let before = (0..tables.len()).filter(|idx| tables[*idx] == source);
            task.after.extend(before);
            let keys = entry.planned(quick).cells.iter();
            let keys = keys.flat_map(|cell| session.keys(entry, quick, cell));
            let (fields, at) = if entry.is_dataset() {
                let fields = entry.planned(quick).fields.clone();
                (fields, RecordsPlace::Dataset(keys.collect()))
            } else {
                (table_fields(), RecordsPlace::Table(source))
            };
            let name = used.name.clone();
            task.sources.push(TaskSource { name, fields, at });
        }
    }
}

/// `[12/14] pena2003/table2-play   2 runs   8.1 s CPU   2 match, no drift`
fn table_line(n: usize, of: usize, table: &FinishedTable<'_>, quick: bool) -> String {
    let plan = table.plan;
    let time = match table.runs.first() {
        _ if plan.n_runs() == 0 => plan.state().to_owned(),
        // How long a run took that failed is not known.
        None => String::new(),
        Some(run) => {
            let seconds = table.runs.iter().map(CachedCell::cpu_seconds).sum();
            format!("{} {}", duration(seconds), run.measures())
        }
    };
    let outcome = match (quick, table.failures.len()) {
        (true, 0) if table.missing.is_empty() => "works".to_owned(),
        (true, 0) => "not run".to_owned(),
        (true, failures) => counted(failures, "error", "errors"),
        (false, 0) if plan.entry.is_dataset() => {
            let parts = || table.runs.iter().filter_map(|run| run.part.as_ref());
            let records: usize = parts().map(|part| part.records).sum();
            let megabytes = parts().map(|part| part.bytes).sum::<u64>() as f64 / 1e6;
            let records = counted(records, "record", "records");
            format!("{records}, {megabytes:.1} MB")
        }
        (false, _) => {
            let drift = match (&plan.committed, table.drifted.len()) {
                (None, _) => "new".to_owned(),
                (Some(_), 0) => "no drift".to_owned(),
                (Some(_), n) => format!("{n} drifted"),
            };
            format!("{}, {drift}", table.counts.in_words())
        }
    };
    format!(
        "[{n:>width$}/{of}] {:<32} {:>10} {time:>12}   {outcome}",
        table.id(),
        counted(plan.n_all_runs(), "run", "runs"),
        width = of.to_string().len(),
    )
}
