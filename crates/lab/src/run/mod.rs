//! Running cells: several at once, the costliest first, each as if it were alone.

mod panics;
mod queue;
mod store;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kibitz_experiment::{
    Cell, CellError, Context, DataFile, Field, Output, Records, Resample, Runner, SharedValue,
    Source, Stopwatch, Value,
};

use crate::cache::{Cache, CachedCell, Part};
use crate::config::entry::{Entry, Planned};
use crate::frame::table_records;
use crate::observe::{Event, Observer, duration};
use crate::table::Table;

use queue::Queue;
use store::Store;

/// Stack of a cell's thread: searches recurse.
const STACK_BYTES: usize = 256 << 20;
/// After how long a cell is called slow for the first time; every doubling is mentioned again.
const SLOW_SECONDS: f64 = 60.0;

/// One run of one cell.
#[derive(Debug)]
pub(crate) struct Task<'a> {
    /// Which of the selected tables it belongs to.
    pub(crate) table: usize,
    pub(crate) entry: &'a Entry,
    pub(crate) planned: &'a Planned,
    pub(crate) cell: &'a Cell,
    pub(crate) replicate: u32,
    /// Inputs key.
    pub(crate) key: String,
    /// Data by the names the cell knows.
    pub(crate) data: BTreeMap<String, DataFile>,
    /// What the cells it reads yielded, as far as that is known already.
    pub(crate) known: BTreeMap<String, Output>,
    /// The other tasks whose cells it reads, of its own table or of others.
    pub(crate) after: Vec<usize>,
    /// What it reads under `from`.
    pub(crate) sources: Vec<TaskSource>,
}

/// A dataset or table that a task reads.
#[derive(Clone, Debug)]
pub(crate) struct TaskSource {
    pub(crate) name: String,
    pub(crate) fields: Vec<Field>,
    pub(crate) at: Where,
}

/// Where the records are.
#[derive(Clone, Debug)]
pub(crate) enum Where {
    /// In the cache, under the inputs keys of these runs of cells.
    Dataset(Vec<String>),
    /// In the values of the table of this number, finished by then.
    Table(usize),
}

impl Task<'_> {
    /// `paper/table "cell" 3/20`.
    fn name(&self) -> String {
        let replicates = self.entry.experiment.run.replicates();
        let mut name = self.entry.id().to_owned();
        if self.cell.id != name {
            name = format!("{name} \"{}\"", self.cell.id);
        }
        if replicates > 1 {
            name = format!("{name} {}/{replicates}", self.replicate + 1);
        }
        name
    }
}

/// What came of one run of a cell.
#[derive(Clone, Debug)]
pub(crate) enum CellOutcome {
    Done(Box<CachedCell>),
    /// It failed, panicked or timed out: the sentence says which.
    Failed(String),
    /// It never started, or stopped because the run was interrupted.
    NotRun(String),
}

/// How to run.
#[derive(Clone, Copy)]
pub(crate) struct Settings<'a> {
    pub(crate) jobs: usize,
    /// Where finished cells are kept; those of quick runs are not, but for parts of datasets.
    pub(crate) cache: &'a Cache,
    pub(crate) quick: bool,
    /// The values of a finished table.
    pub(crate) values: &'a (dyn Fn(usize) -> Option<Table> + Sync),
    pub(crate) fail_fast: bool,
    pub(crate) interrupted: &'a AtomicBool,
    pub(crate) observer: &'a dyn Observer,
}

struct State {
    queue: Queue,
    outcomes: Vec<Option<CellOutcome>>,
    running: BTreeMap<usize, Running>,
    /// Tasks left per table.
    left: BTreeMap<usize, usize>,
    stop: bool,
}

/// A cell at work, for the watchdog.
struct Running {
    name: String,
    watch: Stopwatch,
    timeout: Option<Duration>,
    mention_at: f64,
    /// The step it is at, then the step within that, and so on.
    steps: Vec<Step>,
}

/// A step of a cell, as in `fold 3 of 5`.
struct Step {
    name: String,
    done: u64,
    total: u64,
}

impl Running {
    /// Takes note of a step; steps within the one before it are over.
    fn advance(&mut self, name: &str, done: u64, total: u64) {
        let known = self.steps.iter().position(|step| step.name == name);
        self.steps.truncate(known.unwrap_or(self.steps.len()));
        self.steps.push(Step {
            name: name.to_owned(),
            done,
            total,
        });
    }

    /// `fold 3 of 5, start 2 of 8, about 40 s left`; nothing if the cell says nothing.
    fn progress(&self) -> String {
        let mut parts = Vec::new();
        let (mut share, mut width) = (0.0, 1.0);
        for Step { name, done, total } in &self.steps {
            parts.push(format!("{name} {} of {total}", (done + 1).min(*total)));
            width /= (*total).max(1) as f64;
            share += *done as f64 * width;
        }
        if share > 0.0 {
            let left = self.watch.seconds() * (1.0 - share) / share;
            parts.push(format!("about {} left", duration(left)));
        }
        parts.join(", ")
    }
}

struct Shared<'t, 'a> {
    tasks: &'t [Task<'a>],
    settings: Settings<'t>,
    state: Mutex<State>,
    changed: Condvar,
    store: Store,
    on_table: &'t (dyn Fn(usize, Vec<(usize, CellOutcome)>) + Sync),
}

/// Runs all tasks; the result has their order. `on_table` is called once per table, as soon as
/// its last task is done, with the indices and outcomes of its tasks.
pub(crate) fn run_all(
    tasks: &[Task<'_>],
    settings: Settings<'_>,
    on_table: &(dyn Fn(usize, Vec<(usize, CellOutcome)>) + Sync),
) -> Vec<CellOutcome> {
    panics::install_hook();
    let mut left = BTreeMap::new();
    for task in tasks {
        *left.entry(task.table).or_insert(0) += 1;
    }
    let shared = Shared {
        tasks,
        settings,
        state: Mutex::new(State {
            queue: Queue::new(
                tasks
                    .iter()
                    .map(|task| (task.cell.cost, task.after.as_slice())),
            ),
            outcomes: vec![None; tasks.len()],
            running: BTreeMap::new(),
            left,
            stop: false,
        }),
        changed: Condvar::new(),
        store: Store::new(tasks.iter().filter_map(|task| task.cell.shares)),
        on_table,
    };
    let n_workers = settings.jobs.clamp(1, tasks.len().max(1));
    std::thread::scope(|scope| {
        for worker in 0..n_workers {
            let shared = &shared;
            let started = std::thread::Builder::new()
                .name(format!("cell-{worker}"))
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || shared.work(worker));
            if started.is_err() && worker == 0 {
                // Without a single thread of its own the work is done here.
                shared.work(worker);
            }
        }
        shared.watch();
    });
    let state = shared
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    state
        .outcomes
        .into_iter()
        .map(|outcome| outcome.unwrap_or_else(|| CellOutcome::NotRun("not reached".to_owned())))
        .collect()
}

impl Shared<'_, '_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn interrupted(&self) -> bool {
        self.settings.interrupted.load(Ordering::Relaxed)
    }

    fn work(&self, worker: usize) {
        let mut state = self.lock();
        loop {
            if self.interrupted() || state.stop {
                let reason = if self.interrupted() {
                    "interrupted"
                } else {
                    "stopped after the first failure"
                };
                while let Some(idx) = state.queue.take_any() {
                    self.finish(&mut state, idx, CellOutcome::NotRun(reason.to_owned()));
                }
                break;
            }
            let Some(idx) = state.queue.take() else {
                if state.queue.is_empty() {
                    break;
                }
                // Everything left waits for a cell that runs.
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let task = &self.tasks[idx];
            let name = task.name();
            let watch = Stopwatch::start();
            state.running.insert(
                worker,
                Running {
                    name: name.clone(),
                    watch,
                    timeout: task.entry.experiment.run.timeout,
                    mention_at: SLOW_SECONDS,
                    steps: Vec::new(),
                },
            );
            let read = self.read_by(task, &state);
            drop(state);
            let observer = self.settings.observer;
            observer.event(&Event::CellStarted {
                worker,
                name: &name,
            });
            let outcome = match read {
                Ok(read) => self.run_one(worker, task, read, watch),
                Err(failed) => CellOutcome::NotRun(format!("it reads {failed}, which failed")),
            };
            let error = match &outcome {
                CellOutcome::Done(_) => None,
                CellOutcome::Failed(reason) | CellOutcome::NotRun(reason) => Some(reason.as_str()),
            };
            observer.event(&Event::CellFinished {
                worker,
                name: &name,
                seconds: watch.seconds(),
                error,
            });
            state = self.lock();
            state.running.remove(&worker);
            state.queue.finish(idx);
            if self.settings.fail_fast && matches!(outcome, CellOutcome::Failed(_)) {
                state.stop = true;
            }
            self.finish(&mut state, idx, outcome);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Notes an outcome and, after the last of a table, reports the table.
    fn finish(&self, state: &mut State, idx: usize, outcome: CellOutcome) {
        state.outcomes[idx] = Some(outcome);
        if let Some(what) = self.tasks[idx].cell.shares {
            self.store.leave(what);
        }
        let table = self.tasks[idx].table;
        if let Some(left) = state.left.get_mut(&table) {
            *left -= 1;
            if *left == 0 {
                let outcomes = self
                    .tasks
                    .iter()
                    .enumerate()
                    .filter(|(_, task)| task.table == table)
                    .filter_map(|(idx, _)| Some((idx, state.outcomes[idx].clone()?)))
                    .collect();
                (self.on_table)(table, outcomes);
            }
        }
        self.changed.notify_all();
    }

    /// Mentions cells that take long, until all are done.
    fn watch(&self) {
        let mut state = self.lock();
        while state.outcomes.iter().any(Option::is_none) {
            let wait = Duration::from_millis(500);
            state = match self.changed.wait_timeout(state, wait) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
            for running in state.running.values_mut() {
                let seconds = running.watch.seconds();
                if seconds >= running.mention_at {
                    running.mention_at *= 2.0;
                    self.settings.observer.event(&Event::CellSlow {
                        name: &running.name,
                        seconds,
                        progress: &running.progress(),
                        overdue: running
                            .timeout
                            .is_some_and(|limit| seconds > limit.as_secs_f64()),
                    });
                }
            }
        }
    }

    /// What the cells that a task reads yielded; or which of them yielded nothing.
    fn read_by(&self, task: &Task<'_>, state: &State) -> Result<BTreeMap<String, Output>, String> {
        let mut read = task.known.clone();
        for idx in &task.after {
            let before = &self.tasks[*idx];
            let id = &before.cell.id;
            let is_own = before.table == task.table;
            let Some(CellOutcome::Done(cell)) = &state.outcomes[*idx] else {
                return Err(if is_own {
                    format!("cell `{id}`")
                } else {
                    format!("`{}`", before.entry.id())
                });
            };
            if !is_own {
                continue;
            }
            read.insert(id.clone(), cell.output.clone());
        }
        Ok(read)
    }

    fn run_one(
        &self,
        worker: usize,
        task: &Task<'_>,
        read: BTreeMap<String, Output>,
        watch: Stopwatch,
    ) -> CellOutcome {
        let experiment = &task.entry.experiment;
        let sources = match self.sources_of(task) {
            Ok(sources) => sources,
            Err(error) => return explain(&error, task),
        };
        let running = RunningCell {
            shared: self,
            task,
            settings: self.settings,
            worker,
            watch,
            read,
            sources,
            warnings: Mutex::new(Vec::new()),
        };
        let seed = task.entry.seed(task.planned, task.cell, task.replicate);
        let context = Context::new(&task.cell.id, task.replicate, seed, &running);
        let result =
            panics::catch(|| task.planned.run(&task.cell.id, &context)).and_then(|result| {
                let output = result.map_err(|error| explain(&error, task))?;
                check_output(task, &output).map_err(CellOutcome::Failed)?;
                Ok(output)
            });
        let mut output = match result {
            Ok(output) => output,
            Err(outcome) => return outcome,
        };
        let part = match self.keep_records(task, output.take_records()) {
            Ok(part) => part,
            Err(error) => return explain(&error, task),
        };
        let warnings = running
            .warnings
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut cell = CachedCell {
            experiment: experiment.id.clone(),
            cell: task.cell.id.clone(),
            replicate: task.replicate,
            seconds: watch.seconds(),
            warnings,
            part,
            output,
            unkept: None,
        };
        if !self.settings.quick || cell.part.is_some() {
            let kept = self.settings.cache.put(&task.key, &cell);
            cell.unkept = kept.err().map(|error| CellError::from(error).to_string());
        }
        CellOutcome::Done(Box::new(cell))
    }
}

impl Shared<'_, '_> {
    /// What a task reads under `from`, as Parquet files.
    fn sources_of(&self, task: &Task<'_>) -> Result<BTreeMap<String, Source>, CellError> {
        let cache = self.settings.cache;
        let mut sources = BTreeMap::new();
        for TaskSource { name, fields, at } in &task.sources {
            let parts = match at {
                Where::Dataset(keys) => keys.iter().map(|key| cache.part(key)).collect(),
                Where::Table(table) => {
                    let values = (self.settings.values)(*table);
                    let missing = || CellError::new(format!("what `{name}` yields is not known"));
                    let records = table_records(&values.ok_or_else(missing)?);
                    let key = format!("{} {name}", task.key);
                    cache.put_part(&key, records)?;
                    vec![cache.part(&key)]
                }
            };
            let fields = fields.clone();
            sources.insert(name.clone(), Source { fields, parts });
        }
        Ok(sources)
    }

    /// Keeps the part of a dataset that a cell yields, and it must be one of the declared columns.
    fn keep_records(
        &self,
        task: &Task<'_>,
        records: Option<Records>,
    ) -> Result<Option<Part>, CellError> {
        let declared = &task.planned.fields;
        let Some(records) = records else {
            return match declared.as_slice() {
                [] => Ok(None),
                _ => Err(CellError::new(
                    "it yields no records, although it declares columns",
                )),
            };
        };
        if !records.columns().map(|(field, _)| field).eq(declared) {
            return Err(CellError::new(
                "its records have other columns than it declares",
            ));
        }
        self.settings.cache.put_part(&task.key, records).map(Some)
    }
}

/// A running cell, as it sees the runner.
struct RunningCell<'t, 'a> {
    shared: &'t Shared<'t, 'a>,
    task: &'t Task<'a>,
    settings: Settings<'t>,
    worker: usize,
    watch: Stopwatch,
    read: BTreeMap<String, Output>,
    sources: BTreeMap<String, Source>,
    warnings: Mutex<Vec<String>>,
}

impl Runner for RunningCell<'_, '_> {
    fn data(&self, name: &str) -> Option<DataFile> {
        self.task.data.get(name).cloned()
    }

    fn finished(&self, cell: &str) -> Option<&Output> {
        self.read.get(cell)
    }

    fn sources(&self) -> &BTreeMap<String, Source> {
        &self.sources
    }

    fn resample(&self) -> Option<&Resample> {
        self.task.entry.experiment.resample()
    }

    fn progress(&self, step: &str, done: u64, total: u64) {
        let mut state = self.shared.lock();
        let Some(running) = state.running.get_mut(&self.worker) else {
            return;
        };
        running.advance(step, done, total);
        let progress = running.progress();
        drop(state);
        self.settings.observer.event(&Event::CellProgress {
            worker: self.worker,
            progress: &progress,
        });
    }

    fn check(&self) -> Result<(), CellError> {
        let limit = self.task.entry.experiment.run.timeout;
        if self.settings.interrupted.load(Ordering::Relaxed) {
            Err(CellError::Interrupted)
        } else if limit.is_some_and(|limit| self.watch.elapsed() > limit) {
            Err(CellError::TimedOut)
        } else {
            Ok(())
        }
    }

    fn kept(&self, name: &str) -> Option<Vec<u8>> {
        let settings = self.settings;
        (!settings.quick).then(|| settings.cache.kept(&self.task.key, name))?
    }

    fn keep(&self, name: &str, value: &[u8]) -> Result<(), CellError> {
        let settings = self.settings;
        // A step that is not kept is only done again.
        if !settings.quick && settings.cache.keep(&self.task.key, name, value).is_err() {
            self.warn(format!("the step `{name}` is not kept"));
        }
        Ok(())
    }

    fn shared(
        &self,
        name: &str,
        make: &mut dyn FnMut() -> Result<SharedValue, CellError>,
    ) -> Result<SharedValue, CellError> {
        let cell = &self.task.cell;
        let what = cell.shares.ok_or_else(|| {
            CellError::new(format!(
                "cell `{}` asks for the shared value `{name}` without Cell::sharing",
                cell.id
            ))
        })?;
        self.shared.store.get(what, name, make)
    }

    fn warn(&self, message: String) {
        lock(&self.warnings).push(message);
    }
}

/// Locks what a thread that panicked leaves usable: cells run outside of locks but for the making of a
/// shared value, which is not there then.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a cell's own error means.
fn explain(error: &CellError, task: &Task<'_>) -> CellOutcome {
    match error {
        CellError::Failed(message) => CellOutcome::Failed(message.clone()),
        CellError::TimedOut => {
            let limit = task.entry.experiment.run.timeout.unwrap_or_default();
            let limit = humantime::format_duration(limit);
            CellOutcome::Failed(format!("timed out after {limit}"))
        }
        CellError::Interrupted => CellOutcome::NotRun("interrupted".to_owned()),
    }
}

/// That a cell yields what its plan announced, and only finite numbers.
fn check_output(task: &Task<'_>, output: &Output) -> Result<(), String> {
    let columns = &task.planned.columns;
    for (row, column, value) in output.values() {
        if !task.cell.open && !task.cell.rows.iter().any(|planned| planned == row) {
            return Err(format!(
                "it yields row `{row}`, which its plan does not announce"
            ));
        }
        if !columns.iter().any(|planned| planned.name == column) {
            return Err(format!(
                "it yields column `{column}`, which its plan does not announce"
            ));
        }
        if let Value::Number(number) = value
            && !(number.value.is_finite() && number.std_error.is_none_or(f64::is_finite))
        {
            return Err(format!(
                "`{row}`.`{column}` is {}, not a finite number",
                number.value
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_says_which_step_of_which_it_is_at() {
        let mut running = Running {
            name: "cell".to_owned(),
            watch: Stopwatch::start(),
            timeout: None,
            mention_at: SLOW_SECONDS,
            steps: Vec::new(),
        };
        assert_eq!(running.progress(), "");
        running.advance("fold", 0, 5);
        assert_eq!(running.progress(), "fold 1 of 5");
        running.advance("start", 1, 8);
        let progress = running.progress();
        assert!(
            progress.starts_with("fold 1 of 5, start 2 of 8, about "),
            "{progress}"
        );
        running.advance("fold", 2, 5);
        let progress = running.progress();
        assert!(progress.starts_with("fold 3 of 5, about "), "{progress}");
        running.advance("fold", 5, 5);
        assert!(
            running
                .progress()
                .starts_with("fold 5 of 5, about 0.0 s left")
        );
    }
}
