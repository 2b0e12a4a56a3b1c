//! Reports of search results (`info ... pv`).

use kibitz_board::{CastlingMode, Chess, Move, Position};
use kibitz_search::{
    chute::ChuteMove,
    ctw::{Bounds, Decision},
    fixed_depth::SearchResult,
    game::{Counts, Verdict},
};
use uci_parser::{UciInfo, UciResponse, UciScore};

use crate::{
    limits::MAX_DEPTH,
    output::Output,
    task::{Signals, Task},
};

/// Points of the polynomial per centipawn.
const POINTS_PER_CENTIPAWN: f64 = 2.25;

/// Largest score reported in centipawns.
const MAX_CENTIPAWNS: i32 = 30_000;

/// Reports the lines of a depth, the best first.
pub(crate) fn report_lines(
    task: &Task,
    lines: &[SearchResult<ChuteMove>],
    reporter: &Reporter<'_>,
) {
    let mut reporter = reporter.clone();
    for found in lines {
        let line: Vec<Move> = found.line.iter().map(|m| m.m).collect();
        let score = match Verdict::of(found.value) {
            Verdict::Wins(plies) => mate_score(&task.position, &line, plies, true),
            Verdict::Loses(plies) => mate_score(&task.position, &line, plies, false),
            Verdict::Score(points) => UciScore::cp(centipawns(points)),
        };
        reporter.say(found.depth, score, lines[0].counts, line);
    }
}

/// Reports the lines of a decision by Closeness To Win, and how it was made.
pub(crate) fn report_decision(
    task: &Task,
    decision: &Decision<ChuteMove>,
    lines: &[(Vec<ChuteMove>, Bounds)],
    reporter: &Reporter<'_>,
) {
    let mut reporter = reporter.clone();
    for (line, bounds) in lines {
        let line: Vec<Move> = line.iter().map(|m| m.m).collect();
        let depth = u32::try_from(line.len()).unwrap_or(MAX_DEPTH);
        let middle = f64::midpoint(bounds.low, bounds.high);
        let score = if bounds.is_exact() && middle != 0.0 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a distance in plies, limited by the longest line"
            )]
            let plies = (1.0 / middle.abs()).round() as u32;
            mate_score(&task.position, &line, plies, middle > 0.0)
        } else {
            let uncertainty = task.options.evaluation().uncertainty;
            UciScore::cp(centipawns(uncertainty.score(middle)))
        };
        reporter.say(depth, score, decision.counts.work, line);
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

/// The score of a mate for or against the side to move, which is reported with its full line. If the
/// line is incomplete, the score is the largest one in centipawns.
pub(crate) fn mate_score(position: &Chess, line: &[Move], plies: u32, is_won: bool) -> UciScore {
    let sign = if is_won { 1 } else { -1 };
    let mut last = position.clone();
    for m in line {
        last.play_unchecked(*m);
    }
    if line.len() == plies as usize && last.is_checkmate() {
        // The moves of the winning side; the one that mates counts.
        let n_moves = i32::try_from(plies.div_ceil(2)).unwrap_or(i32::MAX);
        UciScore::mate(sign * n_moves)
    } else {
        UciScore::cp(sign * MAX_CENTIPAWNS)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "clamped")]
fn centipawns(points: f64) -> i32 {
    let most = f64::from(MAX_CENTIPAWNS);
    (points / POINTS_PER_CENTIPAWN).clamp(-most, most) as i32
}

/// Reports lines.
#[derive(Clone)]
pub(crate) struct Reporter<'a> {
    pub(crate) signals: &'a Signals,
    pub(crate) output: &'a Output,
    /// Number of lines to report.
    pub(crate) n_lines: usize,
    /// Number of better lines already reported.
    pub(crate) n_reported: usize,
}

impl Reporter<'_> {
    /// Reports a line.
    pub(crate) fn say(
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

/// A move as UCI has it.
pub(crate) fn uci(m: Move) -> String {
    m.to_uci(CastlingMode::Standard).to_string()
}
