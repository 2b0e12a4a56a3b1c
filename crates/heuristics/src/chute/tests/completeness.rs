//! Completeness: whether undoing a move cancels its score.
//!
//! The report names heuristics that measure one aspect together and are incomplete alone (section
//! 4.1, p. 69): 2 to 5 (5 in parentheses) lines of attack and defense, 12 and 14 material, 17 and 19
//! pins.

use kibitz_board::{Move, Position, Role};
use proptest::{collection::vec, prelude::*};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::chute::{
    Context, History, MoveContext, MoveScores, N_HEURISTICS, Parameters, moved_pieces,
    tests::playout,
};

/// The heuristics that the report calls incomplete by design: they score the making of a feature
/// and not its loss.
///
/// # Source
/// Sugar 1975, section 4.1, pp. 67-69.
const INCOMPLETE_BY_DESIGN: [usize; 8] = [0, 1, 6, 10, 11, 15, 16, 18];

/// The heuristics whose running account depends on the order of the moves, so that the report does
/// not read their position scores; 21 to a lesser degree.
///
/// # Source
/// Sugar 1975, section 4.1, p. 66.
const NOT_CONVERTIBLE: [usize; 3] = [9, 20, 21];

/// The score of each heuristic that undoing a move does not cancel.
///
/// The move is played, the opponent passes, and the move is played backwards; the result is the sum
/// of the two scores. A heuristic that is complete leaves 0, so that its running account says the
/// same of the same position.
///
/// `None` if the move cannot be undone: captures, pawn moves, castling, moves that give up the right
/// to castle, and positions in which the opponent cannot pass, being in check.
///
/// On random positions only heuristic 8 always leaves 0. Heuristic 7, complete for the report,
/// leaves something where a queen moved too early, since her new development counts as 0 both ways.
/// Heuristic 5, which seems complete to the report, takes more for a defender lost than it gives for
/// one gained. All that the report calls incomplete or partial leave something, but for 12, 13 and
/// 18, of which undoing tells nothing: captures, castling and pawn moves cannot be undone, and after
/// a check the opponent cannot pass.
///
/// # Source
/// Sugar 1975, sections 2.1 and 4.1, where a heuristic is incomplete if it does not reflect every
/// change of the aspect it measures.
fn undo_residual(context: &Context<'_>, m: Move) -> Option<MoveScores> {
    if m.is_zeroing() || m.is_castle() {
        return None;
    }
    let position = context.position;
    let mut next = position.clone();
    next.play_unchecked(m);
    if next.castles().castling_rights() != position.castles().castling_rights() {
        return None;
    }
    // The opponent passes: the same side is to move again.
    let passed = next.swap_turn().ok()?;
    let piece = moved_pieces(m).0;
    let back = Move::Normal {
        role: piece.role,
        from: piece.to,
        capture: None,
        to: piece.from,
        promotion: None,
    };
    if !passed.is_legal(back) {
        return None;
    }
    let history = History {
        opponent: context.history.opponent,
        own: Some(m),
        ..History::default()
    };
    let passed = Context::with(&passed, history, context.parameters);
    let mut residual = MoveContext::new(context, m).scores();
    let undone = MoveContext::new(&passed, back).scores();
    for (sum, score) in residual.iter_mut().zip(undone) {
        *sum += score;
    }
    Some(residual)
}

/// Heuristics that the report has; others may have been added.
const N_REPORTED: usize = 22;

/// Completeness of a heuristic, by undoing moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    /// Never scored a move that can be undone.
    Silent,
    /// Scored such moves and always took the score back.
    Complete,
    /// Failed to take a score back.
    Incomplete,
}

fn findings() -> [Finding; N_HEURISTICS] {
    let mut rng = ChaCha8Rng::seed_from_u64(1975);
    let mut findings = [Finding::Silent; N_HEURISTICS];
    for _ in 0..400 {
        let choices: Vec<u16> = (0..rng.random_range(0..160))
            .map(|_| rng.random())
            .collect();
        let (position, history) = playout(&choices);
        let parameters = Parameters::PUBLISHED;
        let context = Context::with(&position, history, &parameters);
        for m in position.legal_moves() {
            let Some(residual) = undo_residual(&context, m) else {
                continue;
            };
            let scores = MoveContext::new(&context, m).scores();
            for n in 0..N_HEURISTICS {
                if residual[n].abs() > 1e-9 {
                    findings[n] = Finding::Incomplete;
                } else if scores[n] != 0.0 && findings[n] == Finding::Silent {
                    findings[n] = Finding::Complete;
                }
            }
        }
    }
    findings
}

#[test]
fn undoing_moves_tells_the_incomplete() {
    let findings = findings();
    let found = |finding| -> Vec<usize> {
        (0..N_REPORTED)
            .filter(|&n| findings[n] == finding)
            .collect()
    };
    assert_eq!(found(Finding::Complete), [8]);
    assert_eq!(found(Finding::Silent), [12, 13, 18]);
    assert_eq!(
        found(Finding::Incomplete),
        [
            0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 14, 15, 16, 17, 19, 20, 21
        ]
    );
    // The report's incomplete ones are among them, but for 18, which undoing cannot reach.
    let reported = INCOMPLETE_BY_DESIGN.into_iter().filter(|&n| n != 18);
    assert!(
        reported
            .chain(NOT_CONVERTIBLE)
            .all(|n| findings[n] == Finding::Incomplete)
    );
}

proptest! {
    #[test]
    fn freedom_and_development_are_restored(choices in vec(any::<u16>(), 0..200)) {
        let (position, history) = playout(&choices);
        let context = Context::with(&position, history, &Parameters::PUBLISHED);
        for m in position.legal_moves() {
            let Some(residual) = undo_residual(&context, m) else { continue };
            prop_assert!(residual[8].abs() < 1e-9, "{m}");
            // Only a queen that moves too early loses development for good.
            prop_assert!(residual[7].abs() < 1e-9 || m.role() == Role::Queen, "{m}");
        }
    }
}
