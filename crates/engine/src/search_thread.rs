//! The search thread: strategies, limits, pondering and reports.

use std::{
    io,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use kibitz_board::Move;
use kibitz_search::{
    chute::{ChuteGame, ChuteMove, ChutePosition},
    ctw::Ctw,
    fixed_depth::{AlphaBeta, Fanout, SearchError, SearchResult},
    game::Counts,
    mates::MateSolver,
};
use uci_parser::{UciResponse, UciScore};

use crate::{
    endgame_rules::Promise,
    options::Strategy,
    output::Output,
    report::{Reporter, mate_score, report_decision, report_lines, uci},
    task::{Signals, Task},
};

/// Stack size, for the deepest line of any strategy.
const STACK_BYTES: usize = 32 << 20;

/// Longest mate, in moves, searched for before any strategy.
const MATE_MOVES: u32 = 2;

/// Limit of positions in that search, unless a mate was requested.
const MATE_POSITIONS: u64 = 5_000;

/// Longest wait for a search after the end of input, when it can no longer be stopped.
const LONGEST_AT_END: Duration = Duration::from_mins(1);

/// Reported score of a pawn that will promote.
const QUEEN_CENTIPAWNS: i32 = 900;

/// A search on a thread of its own.
#[derive(Debug)]
pub(crate) struct SearchThread {
    signals: Arc<Signals>,
    thread: JoinHandle<()>,
    /// Whether its time limit is at most this wait.
    is_short: bool,
}

impl SearchThread {
    /// Starts a search, which reports its move at the end.
    pub(crate) fn start(task: Task, output: Output) -> io::Result<SearchThread> {
        let signals = Arc::new(Signals::of(&task));
        let is_short = (task.budget.at_most).is_none_or(|time| time <= LONGEST_AT_END);
        let shared = Arc::clone(&signals);
        let thread = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || think(&task, &shared, &output))?;
        Ok(SearchThread {
            signals,
            thread,
            is_short,
        })
    }

    /// Whether the search is still running.
    pub(crate) fn is_under_way(&self) -> bool {
        !self.signals.is_done.load(Ordering::Acquire)
    }

    /// Whether the search ends without `stop`, and within a minute if it has a time limit.
    pub(crate) fn ends_by_itself(&self) -> bool {
        self.is_short && !self.signals.waits.load(Ordering::Acquire)
    }

    /// The opponent has played the expected move: starts the clock.
    pub(crate) fn ponder_hit(&self, received: Instant) {
        let mut started = self
            .signals
            .started
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *started = received;
        self.signals.waits.store(false, Ordering::Release);
        self.thread.thread().unpark();
    }

    /// Stops the search.
    pub(crate) fn stop(&self) {
        self.signals.stop.store(true, Ordering::Release);
        self.signals.waits.store(false, Ordering::Release);
        self.thread.thread().unpark();
    }

    /// Waits for the end, when the move has been reported.
    pub(crate) fn join(self) {
        // A panic has been caught before: there is nothing to learn here.
        let _ = self.thread.join();
    }
}

/// Searches in this thread, and reports the move.
pub(crate) fn search_at_once(task: &Task, output: &Output) {
    think(task, &Signals::of(task), output);
}

/// Searches, and reports the move: one in any case where there is one.
fn think(task: &Task, signals: &Signals, output: &Output) {
    let searched = panic::catch_unwind(AssertUnwindSafe(|| search(task, signals, output)));
    let line = searched.unwrap_or_else(|_| {
        output.note("the search has failed: any move is played");
        task.allowed().into_iter().take(1).collect()
    });
    while signals.waits.load(Ordering::Acquire) {
        thread::park();
    }
    let mut moves = line.into_iter().map(uci);
    let answer = UciResponse::BestMove {
        bestmove: moves.next(),
        ponder: moves.next(),
    };
    // The next command may follow the answer at once.
    signals.is_done.store(true, Ordering::Release);
    output.say(answer);
}

fn search(task: &Task, signals: &Signals, output: &Output) -> Vec<Move> {
    let mut reporter = Reporter {
        signals,
        output,
        n_lines: task.options.n_lines,
        n_reported: 0,
    };
    if let Some(first) = by_rules(task, &mut reporter) {
        return vec![first];
    }
    let mates = forced_mates(task, &mut reporter);
    let mut rest = task.allowed();
    rest.retain(|m| !mates.iter().any(|line| line[0] == *m));
    if let Some(first) = mates.first()
        && (reporter.n_reported >= reporter.n_lines || rest.is_empty())
    {
        return vec![first[0]];
    }
    let met = task.past.iter().chain([&task.position]);
    let game = ChuteGame::new(task.options.evaluation()).with_past(met);
    let root = game
        .root_after(&task.position, task.history)
        .with_only(rest);
    let result = match task.options.strategy {
        Strategy::AlphaBeta => by_depth(task, &game, &root, Fanout::FULL, &reporter),
        Strategy::Forward => {
            let fanout = task.options.fanout.clone();
            by_depth(task, &game, &root, fanout, &reporter)
        }
        Strategy::Ctw => by_bounds(task, &game, &root, &reporter),
    };
    match (mates.into_iter().next(), result) {
        (Some(first), _) => vec![first[0]],
        (None, Ok(line)) => line.into_iter().map(|m| m.m).collect(),
        (None, Err(reason)) => {
            output.note(format_args!("no move: {reason}"));
            Vec::new()
        }
    }
}

/// The move of the endgame rules, if they apply and no mate was requested.
fn by_rules(task: &Task, reporter: &mut Reporter<'_>) -> Option<Move> {
    let rules = task
        .options
        .rules
        .as_ref()
        .filter(|_| task.mate.is_none())?;
    let mut advice = match rules.advice(&task.position) {
        Ok(advice) => advice?,
        Err(fault) => {
            reporter
                .output
                .note(format_args!("the rules fail: {fault}"));
            return None;
        }
    };
    let allowed = task.allowed();
    advice.moves.retain(|(m, _)| allowed.contains(m));
    let &(first, _) = advice.moves.first()?;
    for &(m, promise) in advice.moves.iter().take(reporter.n_lines) {
        let (depth, score, line) = match promise {
            Promise::Mate(moves) => {
                let plies = 2 * u32::from(moves) - 1;
                let line = rules.line(&task.position, m);
                (plies, mate_score(&task.position, &line, plies, true), line)
            }
            Promise::Queen => (1, UciScore::cp(QUEEN_CENTIPAWNS), vec![m]),
            Promise::Nothing => (1, UciScore::cp(0), vec![m]),
        };
        reporter.say(depth, score, Counts::default(), line);
    }
    reporter.output.note(advice.rule);
    Some(first)
}

/// The lines of the shortest forced mates, one for each line to report: a strategy with forward
/// pruning may miss them.
fn forced_mates(task: &Task, reporter: &mut Reporter<'_>) -> Vec<Vec<Move>> {
    let mut limits = Limits::of(task);
    limits.nodes = task.nodes_for_mate;
    if task.mate.is_none() {
        // The strategy needs most of the time.
        limits.time = limits.time.map(|time| time / 4);
    }
    let mut counts = Counts::default();
    let mut stop = |so_far: Counts| {
        counts = so_far;
        limits.are_reached(reporter.signals, so_far)
            || (task.mate.is_none() && so_far.expanded >= MATE_POSITIONS)
    };
    let max_moves = task.mate.unwrap_or(MATE_MOVES);
    let mut solver = MateSolver::default();
    let Ok(Some(mate)) = solver.solve(&task.position, max_moves, &mut stop) else {
        return Vec::new();
    };
    let allowed = task.allowed();
    let first_moves = mate.first_moves.into_iter();
    let lines: Vec<Vec<Move>> = first_moves
        .filter(|m| allowed.contains(m))
        .take(reporter.n_lines)
        .filter_map(|m| solver.line(&task.position, m, mate.n_moves).ok())
        .collect();
    let plies = 2 * mate.n_moves - 1;
    for line in &lines {
        let score = mate_score(&task.position, line, plies, true);
        reporter.say(plies, score, counts, line.iter().copied());
    }
    lines
}

fn by_depth(
    task: &Task,
    game: &ChuteGame,
    root: &ChutePosition,
    fanout: Fanout,
    reporter: &Reporter<'_>,
) -> Result<Vec<ChuteMove>, SearchError> {
    let is_late = AtomicBool::new(false);
    let limits = Limits::of(task);
    // Each depth takes several times as long as all before it.
    let no_new_depth = task.budget.share.map(|share| share / 2);
    let mut stop = |counts: Counts| {
        is_late.load(Ordering::Relaxed) || limits.are_reached(reporter.signals, counts)
    };
    let mut report = |lines: &[SearchResult<ChuteMove>]| {
        report_lines(task, lines, reporter);
        let is_over = reporter.signals.is_over(no_new_depth);
        is_late.store(is_over, Ordering::Relaxed);
    };
    let mut search = AlphaBeta::new(game)
        .with_fanout(fanout)
        .with_complete_mates();
    let n_lines = reporter.n_lines - reporter.n_reported;
    let mut found = search.deepen_lines(root, n_lines, task.depth, &mut stop, &mut report)?;
    if found[0].depth == 0 {
        report_lines(task, &found, reporter);
    }
    Ok(found.swap_remove(0).line)
}

/// The limits of a search.
struct Limits {
    time: Option<Duration>,
    nodes: Option<u64>,
}

impl Limits {
    fn of(task: &Task) -> Limits {
        Limits {
            time: task.budget.at_most,
            nodes: task.nodes,
        }
    }

    fn are_reached(&self, signals: &Signals, counts: Counts) -> bool {
        signals.stop.load(Ordering::Acquire)
            || signals.is_over(self.time)
            || self.nodes.is_some_and(|nodes| counts.nodes() >= nodes)
    }
}

fn by_bounds(
    task: &Task,
    game: &ChuteGame,
    root: &ChutePosition,
    reporter: &Reporter<'_>,
) -> Result<Vec<ChuteMove>, SearchError> {
    // A fifth of the time and nodes is reserved for the replies to the chosen move.
    let time = task.budget.share.or(task.budget.at_most);
    let early = Limits {
        time: time.map(|time| time * 4 / 5),
        nodes: task.nodes.map(|nodes| nodes - nodes / 5),
    };
    let mut stop = |counts: Counts| {
        counts.nodes() >= task.options.max_positions || early.are_reached(reporter.signals, counts)
    };
    let last = Limits::of(task);
    let mut last_stop = |counts: Counts| last.are_reached(reporter.signals, counts);
    let mut ctw = Ctw::new(game, task.options.style);
    let decision = ctw.choose_guarded(root, &mut stop, &mut last_stop)?;
    let mut lines = ctw.lines(root);
    if lines.is_empty() {
        lines.push((decision.line.clone(), decision.bounds));
    }
    lines.truncate(reporter.n_lines - reporter.n_reported);
    report_decision(task, &decision, &lines, reporter);
    Ok(decision.line)
}
