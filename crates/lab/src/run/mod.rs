//! Running cells: several at once, the costliest first, each as if it were alone.

mod panics;
mod queue;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kibitz_experiment::{Cell, CellError, Context, DataFile, Output, Runner, Stopwatch, Value};

use crate::cache::{Cache, CachedCell};
use crate::config::catalog::{Entry, Planned};
use crate::observe::{Event, Observer, duration};

use queue::Queue;

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
    /// The other tasks whose cells it reads.
    pub(crate) after: Vec<usize>,
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
    /// Where finished cells are kept; none for quick runs.
    pub(crate) cache: Option<&'a Cache>,
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
        // Cells run outside the lock; a panic elsewhere leaves the state usable.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
                Err(failed) => {
                    CellOutcome::NotRun(format!("it reads cell `{failed}`, which failed"))
                }
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
            let id = &self.tasks[*idx].cell.id;
            let Some(CellOutcome::Done(cell)) = &state.outcomes[*idx] else {
                return Err(id.clone());
            };
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
        let running = RunningCell {
            shared: self,
            task,
            settings: self.settings,
            worker,
            watch,
            read,
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
        let output = match result {
            Ok(output) => output,
            Err(outcome) => return outcome,
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
            output,
            unkept: None,
        };
        let kept = self
            .settings
            .cache
            .map_or(Ok(()), |cache| cache.put(&task.key, &cell));
        cell.unkept = kept.err().map(|error| CellError::from(error).to_string());
        CellOutcome::Done(Box::new(cell))
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
    warnings: Mutex<Vec<String>>,
}

impl Runner for RunningCell<'_, '_> {
    fn data(&self, name: &str) -> Option<DataFile> {
        self.task.data.get(name).cloned()
    }

    fn finished(&self, cell: &str) -> Option<&Output> {
        self.read.get(cell)
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
        self.settings.cache?.kept(&self.task.key, name)
    }

    fn keep(&self, name: &str, value: &[u8]) -> Result<(), CellError> {
        match self.settings.cache {
            // A step that is not kept is only done again.
            Some(cache) if cache.keep(&self.task.key, name, value).is_err() => {
                self.warn(format!("the step `{name}` is not kept"));
            }
            _ => {}
        }
        Ok(())
    }

    fn warn(&self, message: String) {
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        warnings.push(message);
    }
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
    let columns = task.planned.plan.columns();
    for (row, column, value) in output.values() {
        if !task.cell.rows.iter().any(|planned| planned == row) {
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
