//! Ctrl-C, while Rust works and Python waits.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How often Python is asked for signals.
const PATIENCE: Duration = Duration::from_millis(50);

/// What Python's handlers of signals raised, asked for now and then.
pub(crate) struct Signals {
    asked: Instant,
    raised: Option<PyErr>,
}

impl Default for Signals {
    fn default() -> Self {
        Self {
            asked: Instant::now(),
            raised: None,
        }
    }
}

impl Signals {
    /// Whether nothing was raised; cheap enough to be asked at every step.
    pub(crate) fn keep_going(&mut self) -> bool {
        if self.raised.is_none() && self.asked.elapsed() >= PATIENCE {
            self.asked = Instant::now();
            self.raised = Python::attach(|py| py.check_signals()).err();
        }
        self.raised.is_none()
    }

    /// What was raised.
    pub(crate) fn raised(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }

    /// Whether anything was.
    pub(crate) fn is_raised(&self) -> bool {
        self.raised.is_some()
    }
}
