//! A search on its own thread.

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
    options::{Options, Strategy},
    output::Output,
    rules::Promise,
};

/// Room for the deepest line of any strategy.
const STACK_BYTES: usize = 32 << 20;

/// Most plies a search looks ahead.
pub(crate) const MAX_DEPTH: u32 = 64;

/// Points of the polynomial for what chess programs call a centipawn.
const POINTS_PER_CENTIPAWN: f64 = 2.25;

/// Moves of the mates that are looked for before any strategy begins.
const MATE_MOVES: u32 = 2;

/// Positions that this may take, unless a mate was asked for.
const MATE_POSITIONS: u64 = 5_000;

/// What is told of a pawn that will become a queen.
const QUEEN_CENTIPAWNS: i32 = 900;

/// What is to be searched.
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
    /// The moves of the mate that was asked for.
    pub(crate) mate: Option<u32>,
    pub(crate) nodes: Option<u64>,
    /// Whether the move is only to be told when the search is stopped, or the opponent has played
    /// what was expected.
    pub(crate) waits: bool,
    pub(crate) budget: Budget,
}

impl Task {
    /// The moves to choose among.
    fn allowed(&self) -> Vec<Move> {
        let legal = self.position.legal_moves().into_iter();
        legal
            .filter(|m| self.only.is_empty() || self.only.contains(m))
            .collect()
    }
}

/// What the session and the search say to each other.
#[derive(Debug)]
struct Signals {
    stop: AtomicBool,
    /// Whether the move is held back.
    waits: AtomicBool,
    is_done: AtomicBool,
    /// When the clock started: at the command, or when the opponent played the move expected.
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

/// A search that is or was under way.
#[derive(Debug)]
pub(crate) struct Thinking {
    signals: Arc<Signals>,
    thread: JoinHandle<()>,
}

impl Thinking {
    /// Starts a search, which says its move when it ends.
    pub(crate) fn start(task: Task, output: Output) -> io::Result<Thinking> {
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
        Ok(Thinking { signals, thread })
    }

    /// Whether the move is still to come.
    pub(crate) fn is_under_way(&self) -> bool {
        !self.signals.is_done.load(Ordering::Acquire)
    }

    /// Whether the search ends without being told to.
    pub(crate) fn ends_by_itself(&self) -> bool {
        !self.signals.waits.load(Ordering::Acquire)
    }

    /// The opponent has played the move expected: the clock starts.
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

    /// Tells the search to end.
    pub(crate) fn stop(&self) {
        self.signals.stop.store(true, Ordering::Release);
        self.signals.waits.store(false, Ordering::Release);
        self.thread.thread().unpark();
    }

    /// Waits for the end; the move has been said then.
    pub(crate) fn join(self) -> thread::Result<()> {
        self.thread.join()
    }
}

/// Searches and says the move.
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
    // The answer may be followed by the next command at once.
    signals.is_done.store(true, Ordering::Release);
    output.say(answer);
}

pub(crate) fn uci(m: Move) -> String {
    m.to_uci(CastlingMode::Standard).to_string()
}

fn search(task: &Task, signals: &Signals, output: &Output) -> Vec<Move> {
    let mut teller = Teller {
        signals,
        output,
        n_lines: task.options.n_lines,
        n_told: 0,
    };
    if let Some(first) = by_rules(task, &mut teller) {
        return vec![first];
    }
    let mates = forced_mates(task, &mut teller);
    let mut rest = task.allowed();
    rest.retain(|m| !mates.contains(m));
    if let Some(first) = mates.first()
        && (teller.n_told >= teller.n_lines || rest.is_empty())
    {
        return vec![*first];
    }
    let met = task.past.iter().chain([&task.position]);
    let game = ChuteGame::new(task.options.evaluation()).with_past(met);
    let root = game
        .root_after(&task.position, task.history)
        .with_only(rest);
    let result = match task.options.strategy {
        Strategy::AlphaBeta => by_depth(task, &game, &root, Fanout::FULL, &teller),
        Strategy::Forward => {
            let fanout = task.options.fanout.clone();
            by_depth(task, &game, &root, fanout, &teller)
        }
        Strategy::Ctw => by_bounds(task, &game, &root, &teller),
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

/// The first move by the rules of the endgame, if there are some and no mate was asked for.
fn by_rules(task: &Task, teller: &mut Teller<'_>) -> Option<Move> {
    let rules = task
        .options
        .rules
        .as_ref()
        .filter(|_| task.mate.is_none())?;
    let mut advice = match rules.advice(&task.position) {
        Ok(advice) => advice?,
        Err(fault) => {
            teller.output.note(format_args!("the rules fail: {fault}"));
            return None;
        }
    };
    let allowed = task.allowed();
    advice.moves.retain(|(m, _)| allowed.contains(m));
    let &(first, _) = advice.moves.first()?;
    for (m, promise) in advice.moves.iter().take(teller.n_lines) {
        let (depth, score) = match promise {
            Promise::Mate(moves) => {
                let plies = 2 * u32::from(*moves) - 1;
                (plies, UciScore::mate(moves_of(plies)))
            }
            Promise::Queen => (1, UciScore::cp(QUEEN_CENTIPAWNS)),
            Promise::Nothing => (1, UciScore::cp(0)),
        };
        teller.say(depth, score, Counts::default(), [*m]);
    }
    teller.output.note(advice.rule);
    Some(first)
}

/// The first moves of the shortest forced mates, as many as are to be told of: a strategy that leaves
/// moves aside may miss them.
fn forced_mates(task: &Task, teller: &mut Teller<'_>) -> Vec<Move> {
    let limits = Limits::of(task);
    let mut counts = Counts::default();
    let mut stop = |so_far: Counts| {
        counts = so_far;
        limits.are_reached(teller.signals, so_far)
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
        .take(teller.n_lines)
        .collect();
    let plies = 2 * mate.n_moves - 1;
    for m in &found {
        teller.say(plies, UciScore::mate(moves_of(plies)), counts, [*m]);
    }
    found
}

fn by_depth(
    task: &Task,
    game: &ChuteGame,
    root: &ChutePosition,
    fanout: Fanout,
    teller: &Teller<'_>,
) -> Result<Vec<ChuteMove>, SearchError> {
    let is_late = AtomicBool::new(false);
    let limits = Limits::of(task);
    // A depth takes several times as long as those before it.
    let no_new_depth = task.budget.share.map(|share| share / 2);
    let mut stop = |counts: Counts| {
        is_late.load(Ordering::Relaxed) || limits.are_reached(teller.signals, counts)
    };
    let mut report = |lines: &[Found<ChuteMove>]| {
        tell(lines, teller);
        let is_over = teller.signals.is_over(no_new_depth);
        is_late.store(is_over, Ordering::Relaxed);
    };
    let mut found = AlphaBeta::new(game).with_fanout(fanout).deepen_lines(
        root,
        teller.n_lines - teller.n_told,
        task.depth,
        &mut stop,
        &mut report,
    )?;
    if found[0].depth == 0 {
        tell(&found, teller);
    }
    Ok(found.swap_remove(0).line)
}

/// What ends a search, besides being told to.
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

fn tell(lines: &[Found<ChuteMove>], teller: &Teller<'_>) {
    let mut teller = teller.clone();
    for found in lines {
        let score = match Verdict::of(found.value) {
            Verdict::Wins(plies) => UciScore::mate(moves_of(plies)),
            Verdict::Loses(plies) => UciScore::mate(-moves_of(plies)),
            Verdict::Score(points) => UciScore::cp(centipawns(points)),
        };
        let line = found.line.iter().map(|m| m.m);
        teller.say(found.depth, score, lines[0].counts, line);
    }
}

fn by_bounds(
    task: &Task,
    game: &ChuteGame,
    root: &ChutePosition,
    teller: &Teller<'_>,
) -> Result<Vec<ChuteMove>, SearchError> {
    // A fifth of the time and of the nodes is kept for the replies to the move about to be played.
    let time = task.budget.share.or(task.budget.at_most);
    let early = Limits {
        time: time.map(|time| time * 4 / 5),
        nodes: task.nodes.map(|nodes| nodes - nodes / 5),
    };
    let mut stop = |counts: Counts| {
        counts.nodes() >= task.options.max_positions || early.are_reached(teller.signals, counts)
    };
    let last = Limits::of(task);
    let mut last_stop = |counts: Counts| last.are_reached(teller.signals, counts);
    let mut ctw = Ctw::new(game, task.options.style);
    let decision = ctw.choose_guarded(root, &mut stop, &mut last_stop)?;
    let mut lines = ctw.lines(root);
    if lines.is_empty() {
        lines.push((decision.line.clone(), decision.bounds));
    }
    lines.truncate(teller.n_lines - teller.n_told);
    tell_decision(task, &decision, &lines, teller);
    Ok(decision.line)
}

fn tell_decision(
    task: &Task,
    decision: &Decision<ChuteMove>,
    lines: &[(Vec<ChuteMove>, Bounds)],
    teller: &Teller<'_>,
) {
    let mut teller = teller.clone();
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
        teller.say(depth, score, decision.counts.work, line.iter().map(|m| m.m));
    }
    teller.output.note(format_args!(
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

/// Moves of the winning side in so many plies, the mate among them.
fn moves_of(plies: u32) -> i32 {
    i32::try_from(plies.div_ceil(2)).unwrap_or(i32::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "clamped")]
fn centipawns(points: f64) -> i32 {
    (points / POINTS_PER_CENTIPAWN).clamp(-30_000.0, 30_000.0) as i32
}

/// Tells of lines.
#[derive(Clone)]
struct Teller<'a> {
    signals: &'a Signals,
    output: &'a Output,
    /// Lines to tell of.
    n_lines: usize,
    /// Better lines that have been told of.
    n_told: usize,
}

impl Teller<'_> {
    fn say(
        &mut self,
        depth: u32,
        score: UciScore,
        counts: Counts,
        line: impl IntoIterator<Item = Move>,
    ) {
        self.n_told += 1;
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
            info = info.multipv(self.n_told);
        }
        self.output.say(UciResponse::info(info));
    }
}
