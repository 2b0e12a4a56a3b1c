//! A search task, and the signals between the session and the search.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use kibitz_board::{Chess, Move, Position};
use kibitz_heuristics::chute::History;

use crate::{
    clock::Budget,
    options::{Options, Strategy},
};

/// Longest search that runs in the thread that reads commands: on a busy machine a new thread waits
/// for a processor for longer than that.
const QUICK: Duration = Duration::from_millis(50);

/// A search task.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) position: Chess,
    pub(crate) history: History,
    /// Positions of the game so far.
    pub(crate) past: Vec<Chess>,
    /// The only moves allowed; all if empty.
    pub(crate) only: Vec<Move>,
    pub(crate) options: Options,
    pub(crate) depth: u32,
    /// Requested mate, in moves.
    pub(crate) mate: Option<u32>,
    pub(crate) nodes: Option<u64>,
    /// The same for the search for mates before any strategy.
    pub(crate) nodes_for_mate: Option<u64>,
    /// Whether the move is held back until `stop` or `ponderhit`.
    pub(crate) waits: bool,
    pub(crate) budget: Budget,
    /// When the command was read: the clock has run since then.
    pub(crate) received: Instant,
}

impl Task {
    /// Whether the search is too short for a thread of its own; one with deep lines is not.
    pub(crate) fn is_quick(&self) -> bool {
        let is_short = self.budget.at_most.is_some_and(|time| time <= QUICK);
        is_short && !self.waits && self.options.strategy != Strategy::Ctw
    }

    /// The candidate moves.
    pub(crate) fn allowed(&self) -> Vec<Move> {
        let legal = self.position.legal_moves().into_iter();
        legal
            .filter(|m| self.only.is_empty() || self.only.contains(m))
            .collect()
    }
}

/// Signals between the session and the search.
#[derive(Debug)]
pub(crate) struct Signals {
    pub(crate) stop: AtomicBool,
    /// Whether the move is held back.
    pub(crate) waits: AtomicBool,
    pub(crate) is_done: AtomicBool,
    /// Start of the clock: when the command was read, or `ponderhit`.
    pub(crate) started: Mutex<Instant>,
}

impl Signals {
    pub(crate) fn of(task: &Task) -> Signals {
        Signals {
            stop: AtomicBool::new(false),
            waits: AtomicBool::new(task.waits),
            is_done: AtomicBool::new(false),
            started: Mutex::new(task.received),
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.elapsed()
    }

    pub(crate) fn is_over(&self, limit: Option<Duration>) -> bool {
        !self.waits.load(Ordering::Acquire) && limit.is_some_and(|limit| self.elapsed() >= limit)
    }
}
