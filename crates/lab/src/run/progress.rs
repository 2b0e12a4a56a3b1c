//! Progress of running cells: steps, and the time left.

use std::time::Duration;

use kibitz_experiment::Stopwatch;

use super::meter::CellStart;
use crate::observe::duration;

/// After these seconds a cell is reported as slow for the first time; then at every doubling.
const SLOW_SECONDS: f64 = 60.0;

/// A cell at work, for the watchdog.
pub(super) struct CellProgress {
    pub(super) name: String,
    pub(super) watch: Stopwatch,
    /// Its limit, and when it began if that is one of CPU time.
    pub(super) timeout: Option<(Duration, Option<CellStart>)>,
    /// The seconds at which it is reported as slow next.
    pub(super) report_at: f64,
    /// Its current step, the step within that, and so on.
    steps: Vec<Step>,
    /// The seconds at which it told its first step, and what share of it was done already: what came
    /// before, such as reading, says nothing of the steps.
    first: Option<(f64, f64)>,
}

/// A step of a cell, as in `fold 3 of 5`.
struct Step {
    name: String,
    done: u64,
    total: u64,
}

impl CellProgress {
    pub(super) fn new(
        name: String,
        watch: Stopwatch,
        timeout: Option<(Duration, Option<CellStart>)>,
    ) -> Self {
        Self {
            name,
            watch,
            timeout,
            report_at: SLOW_SECONDS,
            steps: Vec::new(),
            first: None,
        }
    }

    /// Enters a step; steps within the one before it are over.
    pub(super) fn advance(&mut self, name: &str, done: u64, total: u64) {
        let known = self.steps.iter().position(|step| step.name == name);
        self.steps.truncate(known.unwrap_or(self.steps.len()));
        self.steps.push(Step {
            name: name.to_owned(),
            done,
            total,
        });
        if self.first.is_none() {
            self.first = Some((self.watch.seconds(), self.share()));
        }
    }

    /// The share of its steps that is done.
    fn share(&self) -> f64 {
        let (mut share, mut width) = (0.0, 1.0);
        for Step { done, total, .. } in &self.steps {
            width /= (*total).max(1) as f64;
            share += *done as f64 * width;
        }
        share
    }

    /// `fold 3 of 5, start 2 of 8, about 40 s left`; empty for a cell that reports no steps.
    pub(super) fn progress(&self) -> String {
        self.progress_at(self.watch.seconds())
    }

    fn progress_at(&self, seconds: f64) -> String {
        let steps = self.steps.iter();
        let step = |Step { name, done, total }: &Step| {
            format!("{name} {} of {total}", (done + 1).min(*total))
        };
        let mut parts: Vec<String> = steps.map(step).collect();
        let share = self.share();
        if let Some((began, before)) = self.first
            && share > before
        {
            let left = (seconds - began) * (1.0 - share) / (share - before);
            parts.push(format!("about {} left", duration(left)));
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_names_nested_steps() {
        let mut running = CellProgress::new("cell".to_owned(), Stopwatch::start(), None);
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

    #[test]
    fn the_time_left_is_that_of_steps() {
        let mut running = CellProgress::new("cell".to_owned(), Stopwatch::start(), None);
        running.advance("game", 20, 100);
        // A minute of reading, and 20 games of an earlier run.
        running.first = running.first.map(|(_, share)| (60.0, share));
        running.advance("game", 40, 100);
        assert_eq!(
            running.progress_at(70.0),
            "game 41 of 100, about 30.0 s left"
        );
    }
}
