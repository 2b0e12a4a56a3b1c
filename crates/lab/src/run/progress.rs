//! Progress of running cells: steps, and the time left.

use std::time::Duration;

use kibitz_experiment::Stopwatch;

use crate::observe::duration;

/// After these seconds a cell is reported as slow for the first time; then at every doubling.
const SLOW_SECONDS: f64 = 60.0;

/// A cell at work, for the watchdog.
pub(super) struct Running {
    pub(super) name: String,
    pub(super) watch: Stopwatch,
    pub(super) timeout: Option<Duration>,
    /// The seconds at which it is reported as slow next.
    pub(super) report_at: f64,
    /// Its current step, the step within that, and so on.
    steps: Vec<Step>,
}

/// A step of a cell, as in `fold 3 of 5`.
struct Step {
    name: String,
    done: u64,
    total: u64,
}

impl Running {
    pub(super) fn new(name: String, watch: Stopwatch, timeout: Option<Duration>) -> Self {
        Self {
            name,
            watch,
            timeout,
            report_at: SLOW_SECONDS,
            steps: Vec::new(),
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
    }

    /// `fold 3 of 5, start 2 of 8, about 40 s left`; empty for a cell that reports no steps.
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
    fn progress_names_nested_steps() {
        let mut running = Running::new("cell".to_owned(), Stopwatch::start(), None);
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
