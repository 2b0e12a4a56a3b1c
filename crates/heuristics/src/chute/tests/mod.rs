//! Helpers of the tests in this folder.

use kibitz_board::{CastlingMode, Chess, Move, Position, fen::Fen, uci::UciMove};

use super::{Context, History, Interpretation, Interpretations, MoveContext, Parameters};
use crate::Heuristic;

mod completeness;

pub(super) fn position(fen: &str) -> Chess {
    fen.parse::<Fen>()
        .unwrap()
        .into_position(CastlingMode::Standard)
        .unwrap()
}

pub(super) fn legal_move(position: &Chess, uci: &str) -> Move {
    uci.parse::<UciMove>().unwrap().to_move(position).unwrap()
}

/// Score of the last of some moves, given in UCI notation and separated by blanks.
fn score(
    heuristic: &dyn Heuristic,
    fen: &str,
    moves: &str,
    interpretations: Interpretations,
) -> f64 {
    let parameters = Parameters::read(interpretations);
    let mut position = position(fen);
    let mut history = History::default();
    let mut moves = moves.split(' ').peekable();
    while let Some(uci) = moves.next() {
        let m = legal_move(&position, uci);
        if moves.peek().is_none() {
            let context = Context::with(&position, history, &parameters);
            return heuristic.score(&MoveContext::new(&context, m));
        }
        position.play_unchecked(m);
        history = history.after(m);
    }
    panic!("no move to score");
}

/// Checks a score as every sentence was first read.
pub(super) fn check(heuristic: &dyn Heuristic, fen: &str, moves: &str, expected: f64) {
    check_read(heuristic, &[], fen, moves, expected);
}

/// Checks a score by some interpretations.
pub(super) fn check_read(
    heuristic: &dyn Heuristic,
    interpretations: &[Interpretation],
    fen: &str,
    moves: &str,
    expected: f64,
) {
    let interpretations = interpretations.iter().copied().collect();
    let score = score(heuristic, fen, moves, interpretations);
    assert!(
        (score - expected).abs() < 1e-9,
        "{} of {moves} in {fen}: {score}, expected {expected}",
        heuristic.name()
    );
}

/// The position after random legal moves from the start, and its history.
pub(super) fn playout(choices: &[u16]) -> (Chess, History) {
    let mut position = Chess::default();
    let mut history = History::default();
    for &choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[usize::from(choice) % moves.len()];
        position.play_unchecked(m);
        history = history.after(m);
    }
    (position, history)
}
