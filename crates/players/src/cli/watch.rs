//! Progress on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use kibitz_players::{Error, SeededSession, Session};
use kibitz_text::{Diagnostic, note};

/// A session with a bar on the error stream, which is drawn on a terminal only.
pub(super) struct TerminalSession {
    bar: ProgressBar,
    seeds: SeededSession,
}

impl TerminalSession {
    pub(super) fn new(seed: u64) -> Self {
        let bar = ProgressBar::new(0);
        if let Ok(style) = ProgressStyle::with_template("{msg} {pos} of {len} {elapsed}") {
            bar.set_style(style);
        }
        Self {
            bar,
            seeds: SeededSession { seed },
        }
    }

    /// Says what is being done.
    pub(super) fn say(&self, what: &'static str) {
        self.bar.set_message(what);
        self.bar.tick();
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Session for TerminalSession {
    type Error = Error;

    fn progress(&self, step: &str, done: usize, total: usize) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        self.bar.set_message(step.to_owned());
    }

    fn note(&self, told: &Diagnostic) {
        self.bar.suspend(|| note(&told.render(true)));
    }

    fn seed(&self, stream: &str) -> u64 {
        self.seeds.seed(stream)
    }
}
