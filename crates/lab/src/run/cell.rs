//! A running cell, as it sees the runner.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use kibitz_experiment::{
    CellError, DataFile, Output, Resample, Runner, SharedValue, Source, Stopwatch,
};

use super::state::State;
use super::store::Store;
use super::sync::lock;
use super::task::{Settings, Task};
use crate::observe::Event;

/// A running cell, as it sees the runner.
pub(super) struct RunningCell<'t, 'a> {
    pub(super) state: &'t Mutex<State>,
    pub(super) store: &'t Store,
    pub(super) task: &'t Task<'a>,
    pub(super) settings: Settings<'t>,
    pub(super) worker: usize,
    pub(super) watch: Stopwatch,
    pub(super) read: BTreeMap<String, Output>,
    pub(super) sources: BTreeMap<String, Source>,
    pub(super) warnings: Mutex<Vec<String>>,
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
        let mut state = lock(self.state);
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
        self.store.get(what, name, make)
    }

    fn warn(&self, message: String) {
        lock(&self.warnings).push(message);
    }
}
