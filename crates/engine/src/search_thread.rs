//! The search thread: strategies, limits, pondering and reports.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use kibitz_board::{CastlingMode, Chess, Move, Position};
use kibitz_heuristics::chute::History;
use kibitz_search::{
    chute::{ChuteGame, ChuteMove, ChutePosition},
    ctw::{Bounds, Ctw, Decision},
    fixed_depth::{AlphaBeta, Fanout, Found, SearchError},
    game::{Counts, Verdict},
    mates::MateSolver,
};
use uci_parser::{UciInfo, UciResponse, UciScore};

use crate::{
    clock::Budget,
    endgame_rules::Promise,
    options::{Options, Strategy},
    output::Output,
};

/// Stack size, for the deepest line of any strategy.
const STACK_BYTES: usize = 32 << 20;

/// Largest search depth, in plies.
pub(crate) const MAX_DEPTH: u32 = 64;

/// Points of the polynomial per centipawn.
const POINTS_PER_CENTIPAWN: f64 = 2.25;

/// Longest mate, in moves, searched for before any strategy.
const MATE_MOVES: u32 = 2;

/// Limit of positions in that search, unless a mate was requested.
const MATE_POSITIONS: u64 = 5_000;

/// Reported score of a pawn that will promote.
const QUEEN_CENTIPAWNS: i32 = 900;

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
    /// Whether the move is held back until `stop` or `ponderhit`.
    pub(crate) waits: bool,
    pub(crate) budget: Budget,
}

impl Task {
    /// The candidate moves.
    fn allowed(&self) -> Vec<Move> {
        let legal = self.position.legal_moves().into_iter();
        legal
            .filter(|m| self.only.is_empty() || self.only.contains(m))
            .collect()
    }
}

/// Signals between the session and the search.
#[derive(Debug)]
struct Signals {
    stop: AtomicBool,
    /// Whether the move is held back.
    waits: AtomicBool,
    is_done: AtomicBool,
    /// Start of the clock: the command, or `ponderhit`.
    started: Mutex<Instant>,
}

impl Signals {
    fn elapsed(&self) -> Duration {
        let started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.elapsed()
    }

    fn is_over(&self, limit: Option<Duration>) -> bool {
        !self.waits.load(Ordering::Acquire) && limit.is_some_and(|limit| self.elapsed() >= limit)
    }
}

/// A search on a thread of its own.
#[derive(Debug)]
pub(crate) struct SearchThread {
    signals: Arc<Signals>,
    thread: JoinHandle<()>,
}

impl SearchThread {
    /// Starts a search, which reports its move at the end.
    pub(crate) fn start(task: Task, output: Output) -> io::Result<SearchThread> {
        let signals = Arc::new(Signals {
            stop: AtomicBool::new(false),
            waits: AtomicBool::new(task.waits),
            is_done: AtomicBool::new(false),
            started: Mutex::new(Instant::now()),
        });
        let shared = Arc::clone(&signals);
        let thread = thread::Builder::new()
            .name("search".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || think(&task, &shared, &output))?;
        Ok(SearchThread { signals, thread })
    }

    /// Whether the search is still running.
    pub(crate) fn is_under_way(&self) -> bool {
        !self.signals.is_done.load(Ordering::Acquire)
    }

    /// Whether the search ends without `stop`.
    pub(crate) fn ends_by_itself(&self) -> bool {
        !self.signals.waits.load(Ordering::Acquire)
    }

    /// The opponent has played the expected move: starts the clock.
    pub(crate) fn ponder_hit(&self) {
        let mut started = self
            .signals
            .started
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *started = Instant::now();
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
    pub(crate) fn join(self) -> thread::Result<()> {
        self.thread.join()
    }
}

/// Searches, and reports the move.
fn think(task: &Task, signals: &Signals, output: &Output) {
    let line = search(task, signals, output);
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

pub(crate) fn uci(m: Move) -> String {
    m.to_uci(CastlingMode::Standard).to_string()
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
    rest.retain(|m| !mates.contains(m));
    if let Some(first) = mates.first()
        && (reporter.n_reported >= reporter.n_lines || rest.is_empty())
    {
        return vec![*first];
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
    match (mates.first(), result) {
        (Some(first), _) => vec![*first],
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
    for (m, promise) in advice.moves.iter().take(reporter.n_lines) {
        let (depth, score) = match promise {
            Promise::Mate(moves) => {
                let plies = 2 * u32::from(*moves) - 1;
                (plies, UciScore::mate(moves_of(plies)))
            }
            Promise::Queen => (1, UciScore::cp(QUEEN_CENTIPAWNS)),
            Promise::Nothing => (1, UciScore::cp(0)),
        };
        reporter.say(depth, score, Counts::default(), [*m]);
    }
    reporter.output.note(advice.rule);
    Some(first)
}

/// First moves of the shortest forced mates, one per reported line: a strategy with forward pruning may
/// miss them.
fn forced_mates(task: &Task, reporter: &mut Reporter<'_>) -> Vec<Move> {
    let limits = Limits::of(task);
    let mut counts = Counts::default();
    let mut stop = |so_far: Counts| {
        counts = so_far;
        limits.are_reached(reporter.signals, so_far)
            || (task.mate.is_none() && so_far.expanded >= MATE_POSITIONS)
    };
    let max_moves = task.mate.unwrap_or(MATE_MOVES);
    let mate = MateSolver::default().solve(&task.position, max_moves, &mut stop);
    let Ok(Some(mate)) = mate else {
        return Vec::new();
    };
    let allowed = task.allowed();
    let first_moves = mate.first_moves.into_iter();
    let found: Vec<Move> = first_moves
        .filter(|m| allowed.contains(m))
        .take(reporter.n_lines)
        .collect();
    let plies = 2 * mate.n_moves - 1;
    for m in &found {
        reporter.say(plies, UciScore::mate(moves_of(plies)), counts, [*m]);
    }
    found
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
    let mut report = |lines: &[Found<ChuteMove>]| {
        report_lines(lines, reporter);
        let is_over = reporter.signals.is_over(no_new_depth);
        is_late.store(is_over, Ordering::Relaxed);
    };
    let mut found = AlphaBeta::new(game).with_fanout(fanout).deepen_lines(
        root,
        reporter.n_lines - reporter.n_reported,
        task.depth,
        &mut stop,
        &mut report,
    )?;
    if found[0].depth == 0 {
        report_lines(&found, reporter);
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

fn report_lines(lines: &[Found<ChuteMove>], reporter: &Reporter<'_>) {
    let mut reporter = reporter.clone();
    for found in lines {
        let score = match Verdict::of(found.value) {
            Verdict::Wins(plies) => UciScore::mate(moves_of(plies)),
            Verdict::Loses(plies) => UciScore::mate(-moves_of(plies)),
            Verdict::Score(points) => UciScore::cp(centipawns(points)),
        };
        let line = found.line.iter().map(|m| m.m);
        reporter.say(found.depth, score, lines[0].counts, line);
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

fn report_decision(
    task: &Task,
    decision: &Decision<ChuteMove>,
    lines: &[(Vec<ChuteMove>, Bounds)],
    reporter: &Reporter<'_>,
) {
    let mut reporter = reporter.clone();
    for (line, bounds) in lines {
        let depth = u32::try_from(line.len()).unwrap_or(MAX_DEPTH);
        let middle = f64::midpoint(bounds.low, bounds.high);
        let score = if bounds.is_exact() && middle != 0.0 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a distance in plies, limited by the longest line"
            )]
            let plies = (1.0 / middle.abs()).round() as u32;
            UciScore::mate(if middle > 0.0 {
                moves_of(plies)
            } else {
                -moves_of(plies)
            })
        } else {
            let uncertainty = task.options.evaluation().uncertainty;
            UciScore::cp(centipawns(uncertainty.score(middle)))
        };
        reporter.say(depth, score, decision.counts.work, line.iter().map(|m| m.m));
    }
    reporter.output.note(format_args!(
        "L {:.4} H {:.4}, {} candidates, {}",
        decision.bounds.low,
        decision.bounds.high,
        decision.candidates.len(),
        if decision.is_settled {
            "settled"
        } else {
            "by style"
        }
    ));
}

/// Moves of the winning side in `plies` plies, the mating move included.
fn moves_of(plies: u32) -> i32 {
    i32::try_from(plies.div_ceil(2)).unwrap_or(i32::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "clamped")]
fn centipawns(points: f64) -> i32 {
    (points / POINTS_PER_CENTIPAWN).clamp(-30_000.0, 30_000.0) as i32
}

/// Reports lines (`info ... pv`).
#[derive(Clone)]
struct Reporter<'a> {
    signals: &'a Signals,
    output: &'a Output,
    /// Number of lines to report.
    n_lines: usize,
    /// Number of better lines already reported.
    n_reported: usize,
}

impl Reporter<'_> {
    fn say(
        &mut self,
        depth: u32,
        score: UciScore,
        counts: Counts,
        line: impl IntoIterator<Item = Move>,
    ) {
        self.n_reported += 1;
        let elapsed = self.signals.elapsed();
        let per_second = counts.nodes() as f64 / elapsed.as_secs_f64().max(1e-3);
        let mut info = UciInfo::new()
            .depth(depth)
            .score(score)
            .time(elapsed.as_millis())
            .nodes(counts.nodes())
            .nps(format!("{per_second:.0}"))
            .pv(line.into_iter().map(uci));
        if self.n_lines > 1 {
            info = info.multipv(self.n_reported);
        }
        self.output.say(UciResponse::info(info));
    }
}
