//! The watch on a run: its end in time, interrupts, and what it shows on the way.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use kibitz_ilp::learn::{Progress, Remark, RemarkKind};
use kibitz_ilp::{Study as _, Task};
use kibitz_prolog::{Clause, SymbolTable, print_clause};
use kibitz_text::{Exit, Failure, note};

/// When an interrupt was noticed.
static INTERRUPTED: OnceLock<Instant> = OnceLock::new();

/// How long what was learned is verified after a limit on time or an interrupt.
const TIME_TO_VERIFY: Duration = Duration::from_millis(500);

pub(super) fn is_interrupted() -> bool {
    INTERRUPTED.get().is_some()
}

/// Notes from now on an interrupt or a request to end; a second one ends the program. Without this the
/// first would, and what was found so far would be lost.
pub(super) fn notice_interrupts() -> Result<(), Failure> {
    let handled = ctrlc::set_handler(|| {
        if INTERRUPTED.set(Instant::now()).is_err() {
            std::process::exit(Exit::Interrupted.code().into());
        }
    });
    handled.map_err(|error| Failure::failed(format!("an interrupt would not be noticed: {error}")))
}

/// When a search that starts now reaches its time limit; `None` without a limit.
pub(super) fn end(time_limit: Option<f64>) -> Result<Option<Instant>, Failure> {
    let Some(seconds) = time_limit else {
        return Ok(None);
    };
    let limit = Duration::try_from_secs_f64(seconds)
        .map_err(|_| Failure::usage("--time-limit takes a number of seconds of at least 0"))?;
    Ok(Instant::now().checked_add(limit))
}

/// Stops at a point in time, and shows clauses if asked.
pub(super) struct Watch<'t> {
    task: &'t Task,
    told: Vec<Remark>,
    end: Option<Instant>,
    show: bool,
    over: bool,
}

impl<'t> Watch<'t> {
    pub(super) fn new(task: &'t Task, show: bool, end: Option<Instant>) -> Self {
        Self {
            task,
            told: Vec::new(),
            end,
            show,
            over: false,
        }
    }
}

impl Progress for Watch<'_> {
    fn remark(&mut self, remark: &Remark) {
        // Learners that take turns meet the same bounds again, more or less often.
        let is_same = |own: &Remark| {
            let are_cut_short =
                [own, remark].map(|it| matches!(it.reason, RemarkKind::CutShort(_)));
            own == remark || (are_cut_short == [true; 2] && own.predicate == remark.predicate)
        };
        if !self.told.iter().any(is_same) {
            note(&self.task.diagnostic_of(remark).to_string());
            self.told.push(remark.clone());
        }
    }

    fn clause(&mut self, clause: &Clause, symbols: &SymbolTable, positive: usize, negative: usize) {
        if self.show {
            let clause = print_clause(clause, symbols);
            note(&format!("found {clause}  % tp {positive} fp {negative}"));
        }
    }

    fn keep_going(&mut self) -> bool {
        self.over |= self.end.is_some_and(|end| Instant::now() >= end);
        !self.over && !is_interrupted()
    }

    fn keep_verifying(&mut self) -> bool {
        let ends = [self.end, INTERRUPTED.get().copied()];
        let mut passed = ends.iter().flatten().map(Instant::elapsed);
        passed.all(|own| own < TIME_TO_VERIFY)
    }

    fn tried(&mut self, learner: &'static str, n_right: usize, n: usize) {
        if self.show {
            note(&format!(
                "{learner} is right about {n_right} of {n} examples to choose by"
            ));
        }
    }
}
