//! Running cells on a thread pool: several at once, the costliest first, each isolated from the rest.

mod cell;
mod lock;
mod meter;
mod panics;
mod progress;
mod queue;
mod shared;
mod task;

pub(crate) use task::{CellOutcome, Task};
pub(crate) use task::{RecordsPlace, Settings, TaskSource};

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kibitz_experiment::{Output, Stopwatch};

use crate::observe::Event;

use cell::RunningCell;
use lock::lock;
use meter::{CellStart, Meter};
use progress::CellProgress;
use queue::Queue;
use shared::SharedValues;

/// Stack of a cell's thread: searches recurse.
const STACK_BYTES: usize = 256 << 20;

/// The state of the pool, behind its lock.
struct State {
    queue: Queue,
    outcomes: Vec<Option<CellOutcome>>,
    /// The cells at work, by worker.
    running: BTreeMap<usize, CellProgress>,
    /// Number of tasks left, by table.
    left: BTreeMap<usize, usize>,
    /// Whether a failure stops the run.
    stop: bool,
}

/// The thread pool: the tasks, and the state that the workers share.
struct Pool<'t, 'a> {
    tasks: &'t [Task<'a>],
    settings: Settings<'t>,
    state: Mutex<State>,
    changed: Condvar,
    shared: SharedValues,
    meter: Meter,
    on_table: &'t (dyn Fn(usize, Vec<(usize, CellOutcome)>) + Sync),
}

/// Runs all tasks on a pool of threads; the outcomes are in the order of the tasks. `on_table` is
/// called once per table, as soon as its last task is done, with the indices and outcomes of its
/// tasks.
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
    let pool = Pool {
        tasks,
        settings,
        state: Mutex::new(State {
            queue: Queue::new(
                tasks
                    .iter()
                    .map(|task| (task.expected, task.after.as_slice())),
            ),
            outcomes: vec![None; tasks.len()],
            running: BTreeMap::new(),
            left,
            stop: false,
        }),
        changed: Condvar::new(),
        shared: SharedValues::new(tasks.iter().filter_map(|task| task.cell.shares)),
        meter: Meter::new(settings.clock),
        on_table,
    };
    let n_workers = settings.jobs.clamp(1, tasks.len().max(1));
    std::thread::scope(|scope| {
        for worker in 0..n_workers {
            let pool = &pool;
            let started = std::thread::Builder::new()
                .name(format!("cell-{worker}"))
                .stack_size(STACK_BYTES)
                .spawn_scoped(scope, move || pool.work(worker));
            if started.is_err() && worker == 0 {
                // If no thread can be started, this one does the work.
                pool.work(worker);
            }
        }
        pool.watch();
    });
    let state = pool
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    state
        .outcomes
        .into_iter()
        .map(|outcome| outcome.unwrap_or_else(|| CellOutcome::NotRun("not reached".to_owned())))
        .collect()
}

impl Pool<'_, '_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn interrupted(&self) -> bool {
        self.settings.interrupted.load(Ordering::Relaxed)
    }

    /// The loop of a worker: takes tasks until none is left.
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
                // Every waiting task has a predecessor that is running.
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let read = self.read_by(&self.tasks[idx], &state);
            let (name, watch, begun) = self.start(&mut state, worker, idx);
            drop(state);
            let outcome = self.run(worker, idx, &name, (watch, begun), read);
            self.meter.end();
            state = self.lock();
            state.running.remove(&worker);
            state.queue.finish(idx);
            let is_failure = !matches!(outcome, CellOutcome::Done(_) | CellOutcome::NotRun(_));
            if self.settings.fail_fast && is_failure {
                state.stop = true;
            }
            self.finish(&mut state, idx, outcome);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Registers a task as running.
    fn start(
        &self,
        state: &mut State,
        worker: usize,
        idx: usize,
    ) -> (String, Stopwatch, CellStart) {
        let task = &self.tasks[idx];
        let (name, watch, begun) = (task.name(), Stopwatch::start(), self.meter.begin());
        let timeout = task.entry.experiment.run.timeout;
        let measured = (!task.runs_a_program()).then_some(begun);
        let running =
            CellProgress::new(name.clone(), watch, timeout.map(|limit| (limit, measured)));
        state.running.insert(worker, running);
        (name, watch, begun)
    }

    /// Runs a task, unless a cell that it reads failed.
    fn run(
        &self,
        worker: usize,
        idx: usize,
        name: &str,
        (watch, begun): (Stopwatch, CellStart),
        read: Result<BTreeMap<String, Output>, String>,
    ) -> CellOutcome {
        let observer = self.settings.observer;
        let expected = self.tasks[idx].expected;
        observer.event(&Event::CellStarted {
            worker,
            name,
            expected,
        });
        let progress = |step: &str, done, total| self.progress(worker, step, done, total);
        let outcome = match read {
            Ok(read) => {
                let (task, shared) = (&self.tasks[idx], &self.shared);
                let charged = || self.meter.charged(begun);
                let context = (watch, &charged as _, &progress as _);
                let cell = RunningCell::new(task, self.settings, context, read, shared);
                cell.map_or_else(|outcome| outcome, RunningCell::run)
            }
            Err(failed) => CellOutcome::NotRun(format!("it reads {failed}, which failed")),
        };
        let error = match &outcome {
            CellOutcome::Done(_) => None,
            CellOutcome::Failed(reason)
            | CellOutcome::MissingProgram(reason)
            | CellOutcome::Unwritable(reason)
            | CellOutcome::NotRun(reason) => Some(reason.as_str()),
        };
        observer.event(&Event::CellFinished {
            worker,
            name,
            seconds: watch.seconds(),
            error,
        });
        outcome
    }

    /// Reports a step of a worker's cell.
    fn progress(&self, worker: usize, step: &str, done: u64, total: u64) {
        let mut state = self.lock();
        let Some(running) = state.running.get_mut(&worker) else {
            return;
        };
        running.advance(step, done, total);
        let progress = running.progress();
        drop(state);
        self.settings.observer.event(&Event::CellProgress {
            worker,
            progress: &progress,
        });
    }

    /// Records an outcome and, after the last of a table, reports the table.
    fn finish(&self, state: &mut State, idx: usize, outcome: CellOutcome) {
        state.outcomes[idx] = Some(outcome);
        if let Some(group) = self.tasks[idx].cell.shares {
            self.shared.leave(group);
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

    /// The watchdog: reports slow cells, until all tasks are done.
    fn watch(&self) {
        let mut state = self.lock();
        while state.outcomes.iter().any(Option::is_none) {
            let wait = Duration::from_millis(500);
            state = match self.changed.wait_timeout(state, wait) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
            self.settings.observer.event(&Event::Beat);
            for running in state.running.values_mut() {
                let seconds = running.watch.seconds();
                if seconds >= running.report_at {
                    running.report_at *= 2.0;
                    self.settings.observer.event(&Event::CellSlow {
                        name: &running.name,
                        seconds,
                        progress: &running.progress(),
                        overdue: running.timeout.is_some_and(|(limit, begun)| match begun {
                            Some(begun) => self.meter.charged(begun) > limit,
                            None => running.watch.elapsed() > limit,
                        }),
                    });
                }
            }
        }
    }

    /// Outputs of the cells that a task reads.
    ///
    /// # Errors
    /// The name of one that has no output.
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
}
