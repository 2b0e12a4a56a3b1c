//! The only place that reads a clock: timings and timestamps of the volatile half of provenance.
//! Nothing here reaches a committed result.

use std::time::{Duration, Instant};

/// A running stopwatch.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts one.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    /// Time since the start in seconds.
    pub fn seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }
}

/// The current time as `2026-01-31T12:00:00Z`.
pub(crate) fn timestamp() -> String {
    #[allow(
        clippy::disallowed_methods,
        reason = "the log of a run says when it was; no result does"
    )]
    let now = std::time::SystemTime::now();
    humantime::format_rfc3339_seconds(now).to_string()
}
