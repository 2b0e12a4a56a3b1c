//! Running one cell: sources in, output checked, records and result cached.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kibitz_experiment::{
    CellError, Context, DataFile, Output, Records, Resample, Runner, SharedValue, Source,
    Stopwatch, Value,
};

use crate::cache::CachedCell;
use crate::measurement::table_records;
use crate::part::{OpenPart, Part, PartError};
use crate::provenance::{forget_peak_memory, instructions, peak_memory};

use super::lock::lock;
use super::panics;
use super::shared::SharedValues;
use super::task::{CellOutcome, RecordsPlace, Settings, Task, TaskSource};

/// A running cell; as a [`Runner`], its access to everything outside it.
pub(super) struct RunningCell<'t, 'a> {
    task: &'t Task<'a>,
    settings: Settings<'t>,
    watch: Stopwatch,
    /// The CPU time that it has been charged.
    charged: &'t (dyn Fn() -> Duration + Sync),
    /// Outputs of the cells it reads.
    read: BTreeMap<String, Output>,
    sources: BTreeMap<String, Source>,
    shared: &'t SharedValues,
    /// Called with step, steps done and steps in all.
    progress: &'t (dyn Fn(&str, u64, u64) + Sync),
    warnings: Mutex<Vec<String>>,
    audit: Mutex<Vec<String>>,
    /// The records that it has added so far.
    part: Mutex<Option<OpenPart>>,
    /// Why records that it added are not kept.
    unwritable: Mutex<Option<String>>,
}

/// What tells how long a cell has been at work, what it has been charged, and takes its steps: step, steps
/// done and steps in all.
type Clocks<'t> = (
    Stopwatch,
    &'t (dyn Fn() -> Duration + Sync),
    &'t (dyn Fn(&str, u64, u64) + Sync),
);

impl<'t, 'a> RunningCell<'t, 'a> {
    /// Prepares a cell.
    ///
    /// # Errors
    /// If a source cannot be written to the cache.
    pub(super) fn new(
        task: &'t Task<'a>,
        settings: Settings<'t>,
        (watch, charged, progress): Clocks<'t>,
        read: BTreeMap<String, Output>,
        shared: &'t SharedValues,
    ) -> Result<Self, CellOutcome> {
        let sources = sources_of(task, settings)?;
        Ok(Self {
            task,
            settings,
            watch,
            charged,
            read,
            sources,
            shared,
            progress,
            warnings: Mutex::new(Vec::new()),
            audit: Mutex::new(Vec::new()),
            part: Mutex::new(None),
            unwritable: Mutex::new(None),
        })
    }

    /// Runs the cell, and caches its result.
    pub(super) fn run(self) -> CellOutcome {
        let task = self.task;
        let seed = task.entry.seed(task.planned, task.cell, task.replicate);
        if self.settings.jobs == 1 {
            forget_peak_memory();
        }
        let context = Context::new(&task.cell.id, task.replicate, seed, &self);
        let result = panics::catch(|| task.planned.run(&task.cell.id, &context));
        if let Some(why) = lock(&self.unwritable).take() {
            return CellOutcome::Unwritable(why);
        }
        let result = result.map_err(CellOutcome::Failed).and_then(|result| {
            let output = result.map_err(|error| outcome_of(&error, task))?;
            for file in task.data.values() {
                file.check_unchanged()
                    .map_err(|error| outcome_of(&error, task))?;
            }
            check_output(task, &output).map_err(CellOutcome::Failed)?;
            Ok(output)
        });
        let mut output = match result {
            Ok(output) => output,
            Err(outcome) => return outcome,
        };
        let part = match self.cache_records(output.take_records()) {
            Ok(part) => part,
            Err(outcome) => return outcome,
        };
        let [warnings, audit] = [self.warnings, self.audit].map(Mutex::into_inner);
        let mut cell = CachedCell {
            experiment: task.entry.experiment.id.clone(),
            cell: task.cell.id.clone(),
            replicate: task.replicate,
            seconds: self.watch.seconds(),
            cpu: (!task.runs_a_program()).then(|| (self.charged)().as_secs_f64()),
            memory: (self.settings.jobs == 1).then(peak_memory).flatten(),
            instructions: instructions(),
            warnings: warnings.unwrap_or_else(PoisonError::into_inner),
            audit: audit.unwrap_or_else(PoisonError::into_inner),
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

    /// Caches the cell's part of a dataset, whose columns must be those declared.
    fn cache_records(&self, records: Option<Records>) -> Result<Option<Part>, CellOutcome> {
        let declared = &self.task.planned.fields;
        let failed = |message: &str| Err(CellOutcome::Failed(message.to_owned()));
        let added = lock(&self.part).take();
        let Some(records) = records else {
            if let Some(part) = added {
                let part = self.settings.cache.end_part(&self.task.key, part);
                return part.map(Some).map_err(unkept);
            }
            return match declared.as_slice() {
                [] => Ok(None),
                _ => failed("it yields no records, although it declares columns"),
            };
        };
        if added.is_some() {
            return failed("it sets records beside those that it has added");
        }
        if !self.is_declared(&records) {
            return failed("its records have other columns than it declares");
        }
        let part = self.settings.cache.put_part(&self.task.key, records);
        part.map(Some).map_err(unkept)
    }
}

impl RunningCell<'_, '_> {
    /// Whether records have the columns that the experiment declares.
    fn is_declared(&self, records: &Records) -> bool {
        let columns = records.columns().map(|(field, _)| field);
        columns.eq(&self.task.planned.fields)
    }
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
        (self.progress)(step, done, total);
    }

    fn check(&self) -> Result<(), CellError> {
        let limit = self.task.entry.experiment.run.timeout;
        if self.settings.interrupted.load(Ordering::Relaxed) {
            return Err(CellError::Interrupted);
        }
        match limit {
            // The CPU time of another program is not that of this one: elapsed time counts there.
            Some(limit) if self.task.runs_a_program() && self.watch.elapsed() > limit => {
                let limit = humantime::format_duration(limit);
                Err(CellError::new(format!(
                    "exceeded its limit, `run.timeout`: {limit} of elapsed time"
                )))
            }
            Some(limit) if !self.task.runs_a_program() && (self.charged)() > limit => {
                Err(CellError::TimedOut)
            }
            _ => Ok(()),
        }
    }

    fn kept(&self, name: &str) -> Option<Vec<u8>> {
        let settings = self.settings;
        (!settings.quick).then(|| settings.cache.kept(&self.task.key, name))?
    }

    fn keep(&self, name: &str, value: &[u8]) -> Result<(), CellError> {
        let settings = self.settings;
        // Without its checkpoint a step is only repeated.
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
        let group = cell.shares.ok_or_else(|| {
            CellError::new(format!(
                "cell `{}` asks for the shared value `{name}` without Cell::sharing",
                cell.id
            ))
        })?;
        self.shared.get(group, name, make)
    }

    fn add_records(&self, records: Records) -> Result<(), CellError> {
        if !self.is_declared(&records) {
            return Err(CellError::new(
                "its records have other columns than it declares",
            ));
        }
        let mut part = lock(&self.part);
        let added = match part.as_mut() {
            Some(part) => part.add(records),
            None => self.settings.cache.begin_part(records).map(|begun| {
                *part = Some(begun);
            }),
        };
        added.map_err(|error| {
            let error = CellError::from(error);
            lock(&self.unwritable).get_or_insert_with(|| error.to_string());
            error
        })
    }

    fn warn(&self, message: String) {
        lock(&self.warnings).push(message);
    }

    fn audit(&self, line: String) {
        lock(&self.audit).push(line);
    }
}

/// The sources of a task, as Parquet files in the cache.
fn sources_of(
    task: &Task<'_>,
    settings: Settings<'_>,
) -> Result<BTreeMap<String, Source>, CellOutcome> {
    let cache = settings.cache;
    let mut sources = BTreeMap::new();
    for TaskSource { name, fields, at } in &task.sources {
        let parts = match at {
            RecordsPlace::Dataset(keys) => keys.iter().map(|key| cache.part(key)).collect(),
            RecordsPlace::Table(table) => {
                let values = (settings.values)(*table);
                let missing = || CellOutcome::Failed(format!("the values of `{name}` are unknown"));
                let records = table_records(&values.ok_or_else(missing)?);
                let key = format!("{} {name}", task.key);
                cache.put_part(&key, records).map_err(unkept)?;
                vec![cache.part(&key)]
            }
        };
        let fields = fields.clone();
        sources.insert(name.clone(), Source { fields, parts });
    }
    Ok(sources)
}

/// The outcome of a run whose records cannot be kept.
fn unkept(error: PartError) -> CellOutcome {
    let outcome = match error {
        PartError::Table(_) => CellOutcome::Failed,
        PartError::File(_) => CellOutcome::Unwritable,
    };
    outcome(CellError::from(error).to_string())
}

/// The outcome of a run that ended in this error.
fn outcome_of(error: &CellError, task: &Task<'_>) -> CellOutcome {
    match error {
        CellError::Failed(message) => CellOutcome::Failed(message.clone()),
        CellError::MissingProgram(message) => CellOutcome::MissingProgram(message.clone()),
        CellError::TimedOut => {
            let limit = task.entry.experiment.run.timeout.unwrap_or_default();
            let limit = humantime::format_duration(limit);
            CellOutcome::Failed(format!("timed out after {limit} of CPU time"))
        }
        CellError::Interrupted => CellOutcome::NotRun("interrupted".to_owned()),
    }
}

/// Checks that an output has only planned rows and columns, and finite numbers.
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
