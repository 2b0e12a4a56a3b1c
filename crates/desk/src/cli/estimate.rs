//! How far a run is, and the time that is left.

use std::collections::BTreeMap;

/// The work of a run: what its cells are expected to take, and what they took.
#[derive(Debug, Default)]
pub(super) struct Estimate {
    n_runs: usize,
    n_done: usize,
    jobs: usize,
    /// Expected seconds of all runs.
    expected: f64,
    /// Expected seconds of the finished ones, and what they took.
    done: f64,
    took: f64,
    /// The runs at work, by worker: their names, when they began, and their expected seconds.
    running: BTreeMap<usize, (String, f64, f64)>,
}

/// The expectations count as much as this share of the work: the first runs that are done change little.
const PRIOR: f64 = 0.1;

impl Estimate {
    pub(super) fn new(n_runs: usize, jobs: usize, expected: f64) -> Self {
        Self {
            n_runs,
            jobs: jobs.max(1),
            expected,
            ..Self::default()
        }
    }

    /// A worker began a run at this second.
    pub(super) fn start(&mut self, worker: usize, name: &str, expected: f64, now: f64) {
        let run = (name.to_owned(), now, expected);
        self.running.insert(worker, run);
    }

    /// A worker is done.
    pub(super) fn finish(&mut self, worker: usize, took: f64) {
        self.n_done += 1;
        if let Some((_, _, expected)) = self.running.remove(&worker) {
            self.done += expected;
            self.took += took;
        }
    }

    /// How many times longer runs take than expected.
    fn pace(&self) -> f64 {
        let prior = PRIOR * self.expected;
        let pace = (self.took + prior) / (self.done + prior);
        if pace.is_finite() { pace } else { 1.0 }
    }

    /// The share of the work that is done, from 0 to 1.
    pub(super) fn share(&self, now: f64) -> f64 {
        if self.expected <= 0.0 {
            return self.n_done as f64 / self.n_runs.max(1) as f64;
        }
        let pace = self.pace();
        let running = self.running.values();
        let running: f64 = running
            .map(|(_, began, expected)| ((now - began) / pace).clamp(0.0, *expected))
            .sum();
        ((self.done + running) / self.expected).clamp(0.0, 1.0)
    }

    /// The wall seconds that are left: those of all work on all workers, and no less than the longest run at
    /// work still needs.
    pub(super) fn left(&self, now: f64) -> f64 {
        let pace = self.pace();
        let running = self.running.values();
        let rest = running.map(|(_, began, expected)| (expected * pace - (now - began)).max(0.0));
        let at_work: f64 = self.running.values().map(|(_, _, expected)| expected).sum();
        let waiting = (self.expected - self.done - at_work).max(0.0) * pace;
        let longest = rest.clone().fold(0.0, f64::max);
        ((waiting + rest.sum::<f64>()) / self.jobs as f64).max(longest)
    }

    /// `12 of 140 runs`
    pub(super) fn counts(&self) -> String {
        let runs = if self.n_runs == 1 { "run" } else { "runs" };
        format!("{} of {} {runs}", self.n_done, self.n_runs)
    }

    /// The run that has been at work longest, with its seconds.
    pub(super) fn longest(&self, now: f64) -> Option<(&str, f64)> {
        let running = self.running.values();
        let first = running.min_by(|one, other| one.1.total_cmp(&other.1));
        first.map(|(name, began, _)| (name.as_str(), now - began))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_that_of_all_workers() {
        let mut estimate = Estimate::new(4, 2, 100.0);
        assert!((estimate.left(0.0) - 50.0).abs() < 1e-9);
        estimate.start(0, "long", 70.0, 0.0);
        estimate.start(1, "short", 10.0, 0.0);
        // Twice as many workers would not shorten the longest run.
        assert!((estimate.left(0.0) - 70.0).abs() < 1e-9);
        assert!((estimate.share(5.0) - 0.1).abs() < 1e-9);
        estimate.finish(1, 10.0);
        assert!((estimate.left(10.0) - 60.0).abs() < 1e-9);
        assert_eq!(estimate.counts(), "1 of 4 runs");
        assert_eq!(estimate.longest(12.0), Some(("long", 12.0)));
    }

    #[test]
    fn runs_that_take_longer_than_expected_move_the_end() {
        let mut estimate = Estimate::new(10, 1, 100.0);
        estimate.start(0, "run", 10.0, 0.0);
        estimate.finish(0, 30.0);
        // 90 s are left at a pace of (30 + 10) / (10 + 10).
        assert!((estimate.left(30.0) - 180.0).abs() < 1e-9);
    }

    #[test]
    fn a_run_of_unknown_cost_counts_runs() {
        let mut estimate = Estimate::new(2, 1, 0.0);
        estimate.start(0, "run", 0.0, 0.0);
        estimate.finish(0, 1.0);
        assert!((estimate.share(1.0) - 0.5).abs() < 1e-9);
        assert!(estimate.left(1.0).abs() < 1e-9);
    }
}
