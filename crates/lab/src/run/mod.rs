//! Running cells: several at once, the costliest first, each as if it were alone.

mod cell;
mod panics;
mod queue;
mod state;
mod store;
mod sync;
mod task;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kibitz_experiment::{CellError, Context, Output, Records, Source, Stopwatch};

use crate::cache::{CachedCell, Part};
use crate::frame::table_records;
use crate::observe::Event;

use cell::RunningCell;
use queue::Queue;
use state::{Running, SLOW_SECONDS, State};
use store::Store;
use sync::lock;
pub(crate) use task::{CellOutcome, Settings, Task, TaskSource, Where};
use task::{check_output, explain};

/// Stack of a cell's thread: searches recurse.
const STACK_BYTES: usize = 256 << 20;
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

    /// The outputs of the cells that a task reads; or which of them yielded nothing.
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
            state: &self.state,
            store: &self.store,
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
    /// The records that a task reads under `from`, as Parquet files.
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
