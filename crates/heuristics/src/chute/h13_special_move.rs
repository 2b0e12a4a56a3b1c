//! Heuristic 13: specials (castling, en passant, etc.).

use super::{
    Interpretation, MoveContext,
    context::shelter_files,
    pawns::{pawns_on, relative_rank},
};
use crate::Heuristic;

/// The move gives check, castles, captures en passant, or moves a passed pawn: the largest parameter
/// times p13, unless the piece moved comes under damaging attack; half if it comes under any attack.
///
/// Castling counts only into a suitable pawn structure.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 13. The appendix leaves open which pawn structure suits castling;
/// we ask that two of the three pawns that shelter the king stand on their second or third rank. It
/// leaves open whether a move that is special twice counts twice; we count it once. For checks that
/// another piece gives see [`Interpretation::OwnCheck`], for a shelter of three [`Interpretation::WholeShelter`].
#[derive(Clone, Copy, Debug)]
pub struct SpecialMove;

impl Heuristic for SpecialMove {
    fn name(&self) -> &'static str {
        "special-move"
    }

    fn description(&self) -> &'static str {
        "specials (castling, en passant, etc.)"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let piece = context.piece;
        let checking = if before.reads(Interpretation::OwnCheck) {
            context.ours() & !context.unmoved()
        } else {
            context.ours()
        };
        let is_check = context
            .board
            .king_of(before.them)
            .is_some_and(|king| (context.attacks.attackers_to(king) & checking).any());
        let is_special = is_check
            || (context.castled_rook.is_some() && has_shelter(context))
            || context.m.is_en_passant()
            || before.passed_pawns.get(before.us).contains(piece.from);
        if !is_special || context.is_damaged(piece.to) {
            return 0.0;
        }
        let score = before.largest * before.p(13);
        if context.enemies_attacking(piece.to).any() {
            score / 2.0
        } else {
            score
        }
    }
}

/// Whether at least two of the three pawns that shelter the castled king stand near him, or all.
fn has_shelter(context: &MoveContext<'_>) -> bool {
    let us = context.before.us;
    let stands = |file| {
        let pawns = pawns_on(&context.board, file, us);
        pawns.into_iter().any(|pawn| relative_rank(pawn, us) <= 3)
    };
    let n_enough = if context.before.reads(Interpretation::WholeShelter) {
        3
    } else {
        2
    };
    shelter_files(context.piece.to.file())
        .is_some_and(|files| files.into_iter().filter(|&file| stands(file)).count() >= n_enough)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn checks_count_by_their_safety() {
        check(
            &SpecialMove,
            "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
            "a1a8",
            225.0,
        );
        // On b5 the pawn a4 defends the bishop against the queen.
        check(
            &SpecialMove,
            "1q2k3/8/8/8/P7/8/4B3/4K3 w - - 0 1",
            "e2b5",
            112.5,
        );
        check(
            &SpecialMove,
            "1q2k3/8/8/8/8/8/4B3/4K3 w - - 0 1",
            "e2b5",
            0.0,
        );
    }

    #[test]
    fn castling_needs_a_shelter() {
        check(
            &SpecialMove,
            "4k3/8/8/8/8/6P1/5P1P/4K2R w K - 0 1",
            "e1g1",
            225.0,
        );
        check(&SpecialMove, "4k3/8/8/8/8/8/7P/4K2R w K - 0 1", "e1g1", 0.0);
    }

    #[test]
    fn a_shelter_may_need_three_pawns() {
        let interpretations = [Interpretation::WholeShelter];
        let two = "4k3/8/8/8/8/6P1/5P1P/4K2R w K - 0 1";
        let broken = "4k3/8/8/8/8/8/5P1P/4K2R w K - 0 1";
        check_read(&SpecialMove, &interpretations, two, "e1g1", 225.0);
        check(&SpecialMove, broken, "e1g1", 225.0);
        check_read(&SpecialMove, &interpretations, broken, "e1g1", 0.0);
    }

    #[test]
    fn an_uncovered_check_may_be_left_to_heuristic_3() {
        // The knight uncovers the rook.
        let fen = "4k3/8/8/8/4N3/8/8/K3R3 w - - 0 1";
        check(&SpecialMove, fen, "e4c5", 225.0);
        check_read(&SpecialMove, &[Interpretation::OwnCheck], fen, "e4c5", 0.0);
        check_read(
            &SpecialMove,
            &[Interpretation::OwnCheck],
            fen,
            "e4d6",
            225.0,
        );
    }

    #[test]
    fn pawns_may_be_special() {
        check(
            &SpecialMove,
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "e5d6",
            225.0,
        );
        check(
            &SpecialMove,
            "4k3/8/8/8/P7/8/8/4K3 w - - 0 1",
            "a4a5",
            225.0,
        );
        // The pawn b7 stops a4.
        check(
            &SpecialMove,
            "4k3/1p6/8/8/P7/8/8/4K3 w - - 0 1",
            "a4a5",
            0.0,
        );
    }
}
