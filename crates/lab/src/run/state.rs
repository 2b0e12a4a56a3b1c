//! How far a run is: tasks that wait, cells at work with their steps, outcomes.

use std::collections::BTreeMap;
use std::time::Duration;

use kibitz_experiment::Stopwatch;

use super::queue::Queue;
use super::task::CellOutcome;
use crate::observe::duration;

/// After how long a cell is called slow for the first time; every doubling is mentioned again.
pub(super) const SLOW_SECONDS: f64 = 60.0;

/// The state that workers and watchdog share under a lock.
pub(super) struct State {
    pub(super) queue: Queue,
    pub(super) outcomes: Vec<Option<CellOutcome>>,
    pub(super) running: BTreeMap<usize, Running>,
    /// Tasks left per table.
    pub(super) left: BTreeMap<usize, usize>,
    pub(super) stop: bool,
}

/// A cell at work, for the watchdog.
pub(super) struct Running {
    pub(super) name: String,
    pub(super) watch: Stopwatch,
    pub(super) timeout: Option<Duration>,
    pub(super) mention_at: f64,
    /// The step it is at, then the step within that, and so on.
    pub(super) steps: Vec<Step>,
}

/// A step of a cell, as in `fold 3 of 5`.
pub(super) struct Step {
    name: String,
    done: u64,
    total: u64,
}

impl Running {
    /// Takes note of a step; steps within the one before it are over.
    pub(super) fn advance(&mut self, name: &str, done: u64, total: u64) {
        let known = self.steps.iter().position(|step| step.name == name);
        self.steps.truncate(known.unwrap_or(self.steps.len()));
        self.steps.push(Step {
            name: name.to_owned(),
            done,
            total,
        });
    }

    /// `fold 3 of 5, start 2 of 8, about 40 s left`; nothing if the cell says nothing.
    pub(super) fn progress(&self) -> String {
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
