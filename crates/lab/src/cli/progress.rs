//! Progress of a run: bars on a terminal, plain lines elsewhere.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::{Event, Observer};

/// Shows what happens on standard error.
pub(super) struct Progress {
    /// None where there is no terminal.
    bars: Option<Bars>,
    /// Whether finished tables are announced; not beside an answer for tools.
    lines: bool,
}

struct Bars {
    all: MultiProgress,
    total: ProgressBar,
    workers: Mutex<BTreeMap<usize, ProgressBar>>,
}

impl Progress {
    pub(super) fn new(lines: bool) -> Self {
        let bars = std::io::stderr().is_terminal().then(|| {
            let all = MultiProgress::new();
            let total = all.add(ProgressBar::new(0));
            total.set_style(style("{bar:30} {pos}/{len} runs  {elapsed} {msg}"));
            Bars {
                all,
                total,
                workers: Mutex::new(BTreeMap::new()),
            }
        });
        Self { bars, lines }
    }

    /// Leaves the terminal clean for the answer.
    pub(super) fn finish(&self) {
        if let Some(bars) = &self.bars {
            let _ = bars.all.clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.bars {
            Some(bars) => {
                // A terminal that went away needs no lines.
                let _ = bars.all.println(text);
            }
            None => super::say_error(&format!("{text}\n")),
        }
    }

    fn with_worker(&self, worker: usize, change: impl FnOnce(&ProgressBar)) {
        let Some(bars) = &self.bars else { return };
        let mut workers = bars.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = workers.entry(worker).or_insert_with(|| {
            let bar = bars
                .all
                .insert_before(&bars.total, ProgressBar::new_spinner());
            bar.set_style(style("{spinner} {elapsed:>4} {wide_msg}"));
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        change(bar);
    }
}

/// Work that is no run, such as reading a file: how far it is, on a terminal.
#[derive(Debug)]
pub struct Spinner(Option<ProgressBar>);

impl Spinner {
    /// Starts one; it is gone once it is dropped.
    pub fn new(message: impl Into<String>) -> Self {
        Self(std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            bar.set_style(style("{spinner} {elapsed:>4} {wide_msg}"));
            bar.set_message(message.into());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        }))
    }

    /// Tells how far it is.
    pub fn tell(&self, message: impl Into<String>) {
        if let Some(bar) = &self.0 {
            bar.set_message(message.into());
        }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Observer for Progress {
    fn event(&self, event: &Event<'_>) {
        match *event {
            Event::Planned { n_cells, .. } => {
                if let Some(bars) = &self.bars {
                    bars.total.set_length(n_cells as u64);
                }
            }
            Event::CellStarted { worker, name } => self.with_worker(worker, |bar| {
                bar.reset();
                bar.set_prefix(name.to_owned());
                bar.set_message(name.to_owned());
            }),
            Event::CellProgress { worker, progress } => self.with_worker(worker, |bar| {
                bar.set_message(format!("{}  {progress}", bar.prefix()));
            }),
            Event::CellSlow {
                name,
                seconds,
                progress,
                overdue,
            } => {
                let at = if progress.is_empty() { "" } else { ": " };
                let overdue = if overdue {
                    ", past its limit of processor time; it has not noticed yet"
                } else {
                    ""
                };
                self.line(&format!(
                    "slow: {name}, {seconds:.0} s so far{at}{progress}{overdue}"
                ));
            }
            Event::CellFinished { worker, .. } => {
                self.with_worker(worker, |bar| bar.set_message("idle"));
                if let Some(bars) = &self.bars {
                    bars.total.inc(1);
                }
            }
            Event::TableFinished { line } if self.lines => self.line(line),
            _ => {}
        }
    }
}
