//! Progress of a run: a bar on a terminal, a line now and then in a log.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use kibitz_experiment::Stopwatch;

use super::estimate::Estimate;
use kibitz_lab::observe::duration;
use kibitz_lab::{Event, Observer};

/// Shows what happens on standard error.
pub(super) struct Progress {
    /// None where there is no terminal.
    bars: Option<Bars>,
    /// Whether finished tables are announced; not beside an answer for tools.
    lines: bool,
    /// Since the run began.
    watch: Stopwatch,
    work: Mutex<Work>,
}

#[derive(Default)]
struct Work {
    estimate: Estimate,
    /// The second of the last line in a log.
    last_line: f64,
    /// Lines of finished tables, which a log shows at the end.
    tables: Vec<String>,
}

struct Bars {
    all: MultiProgress,
    total: ProgressBar,
    workers: Mutex<BTreeMap<usize, ProgressBar>>,
}

/// A log gets at most one line in so many seconds while cells run.
const LOG_SECONDS: f64 = 30.0;

/// Steps of the bar.
const STEPS: u16 = 1000;

impl Progress {
    pub(super) fn new(lines: bool) -> Self {
        let bars = std::io::stderr().is_terminal().then(|| {
            let all = MultiProgress::new();
            let total = all.add(ProgressBar::new(u64::from(STEPS)));
            total.set_style(style("{bar:30} {percent:>3}%  {msg}"));
            Bars {
                all,
                total,
                workers: Mutex::new(BTreeMap::new()),
            }
        });
        Self {
            bars,
            lines,
            watch: Stopwatch::start(),
            work: Mutex::default(),
        }
    }

    /// Leaves the terminal clean for the answer; a log gets the lines of its tables.
    pub(super) fn finish(&self) {
        if let Some(bars) = &self.bars {
            let _ = bars.all.clear();
        }
        for line in std::mem::take(&mut self.work().tables) {
            self.line(&line);
        }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Shows how far the run is: in the bar, or in a line of the log if the last is long enough ago.
    fn show(&self) {
        let now = self.watch.seconds();
        let mut work = self.work();
        match &self.bars {
            Some(bars) => {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a share is from 0 to 1"
                )]
                bars.total
                    .set_position((work.estimate.share(now) * f64::from(STEPS)) as u64);
                bars.total.set_message(told(&work.estimate, now));
            }
            None => {
                if let Some(line) = work.log_line(now) {
                    drop(work);
                    self.line(&line);
                }
            }
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

    /// Takes the line of a worker away until its next cell.
    fn without_worker(&self, worker: usize) {
        let Some(bars) = &self.bars else { return };
        let mut workers = bars.workers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = workers.remove(&worker) {
            bar.finish_and_clear();
            bars.all.remove(&bar);
        }
    }
}

/// `12 of 140 runs, 1 min 3 s so far, about 4 min 10 s left (wall)`
fn told(estimate: &Estimate, now: f64) -> String {
    format!(
        "{}, {} so far, about {} left (wall)",
        estimate.counts(),
        duration(now),
        duration(estimate.left(now)),
    )
}

impl Work {
    /// How far the run is and what it is at, unless the log had a line not long ago.
    fn log_line(&mut self, now: f64) -> Option<String> {
        if now < self.last_line + LOG_SECONDS {
            return None;
        }
        self.last_line = now;
        let mut line = told(&self.estimate, now);
        if let Some((name, seconds)) = self.estimate.longest(now) {
            line = format!("{line}; longest at work: {name}, {}", duration(seconds));
        }
        Some(line)
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
            Event::Planned {
                n_cells,
                seconds,
                jobs,
                ..
            } => self.work().estimate = Estimate::new(n_cells, jobs, seconds),
            Event::CellStarted {
                worker,
                name,
                expected,
            } => {
                let now = self.watch.seconds();
                self.work().estimate.start(worker, name, expected, now);
                self.with_worker(worker, |bar| {
                    bar.reset();
                    bar.set_prefix(name.to_owned());
                    bar.set_message(name.to_owned());
                });
            }
            Event::CellProgress { worker, progress } => self.with_worker(worker, |bar| {
                bar.set_message(format!("{}  {progress}", bar.prefix()));
            }),
            // How long a cell has been at work is shown anyway.
            Event::CellSlow {
                name,
                seconds,
                overdue: true,
                ..
            } => self.line(&format!(
                "slow: {name}, {seconds:.0} s so far, past its limit of CPU time; it has not noticed yet"
            )),
            Event::CellFinished {
                worker, seconds, ..
            } => {
                self.work().estimate.finish(worker, seconds);
                self.without_worker(worker);
                self.show();
            }
            Event::Beat => self.show(),
            Event::TableFinished { line } if self.lines => match &self.bars {
                Some(_) => self.line(line),
                None => self.work().tables.push(line.to_owned()),
            },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_a_line_in_thirty_seconds_at_most() {
        let mut work = Work {
            estimate: Estimate::new(3, 1, 90.0),
            ..Work::default()
        };
        work.estimate.start(0, "paper/table \"cell\"", 30.0, 1.0);
        let seconds = [1.0, 10.0, 31.0, 32.0, 60.0, 61.5];
        let lines: Vec<String> = seconds
            .into_iter()
            .filter_map(|now| work.log_line(now))
            .collect();
        assert_eq!(
            lines,
            [
                "0 of 3 runs, 31.0 s so far, about 1 min 0 s left (wall); longest at work: \
                 paper/table \"cell\", 30.0 s",
                "0 of 3 runs, 1 min 2 s so far, about 1 min 0 s left (wall); longest at work: \
                 paper/table \"cell\", 1 min 1 s",
            ]
        );
    }
}
