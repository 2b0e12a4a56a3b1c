//! Time that passes, for figures that depend on the machine.

use std::time::{Duration, Instant};

/// A running stopwatch. Nothing it shows reaches a committed result.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts one.
    pub fn start() -> Self {
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
