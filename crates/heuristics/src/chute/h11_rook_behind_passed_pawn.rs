//! Heuristic 11: rook on own passed pawn file.

use kibitz_board::{AttackMap, Role, Square};

use super::{Interpretation, MoveContext, pawns::relative_rank};
use crate::Heuristic;

/// The move puts a rook behind an own passed pawn, and it was not behind one before: 4 times p11.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 11. The appendix leaves open whether pieces may stand between; we
/// ask that the rook sees the pawn. For leaving the file see [`Interpretation::LeavingPassedFile`].
#[derive(Clone, Copy, Debug)]
pub struct RookBehindPassedPawn;

impl Heuristic for RookBehindPassedPawn {
    fn name(&self) -> &'static str {
        "rook-behind-passed-pawn"
    }

    fn description(&self) -> &'static str {
        "rook on own passed pawn file"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let pawns = *before.passed_pawns.get(before.us);
        let is_behind = |attacks: &AttackMap, rook: Square| {
            (attacks.attacks_from(rook) & pawns)
                .into_iter()
                .any(|pawn| {
                    pawn.file() == rook.file()
                        && relative_rank(rook, before.us) < relative_rank(pawn, before.us)
                })
        };
        let Some(rook) = context.moved().find(|moved| moved.role == Role::Rook) else {
            return 0.0;
        };
        let was = is_behind(&before.attacks, rook.from);
        let is = is_behind(&context.attacks, rook.to);
        if is && !was {
            4.0 * before.p(11)
        } else if was && !is && before.reads(Interpretation::LeavingPassedFile) {
            -4.0 * before.p(11)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn a_rook_gets_behind_a_passed_pawn() {
        let fen = "4k3/8/8/8/1P6/8/8/R3K3 w - - 0 1";
        check(&RookBehindPassedPawn, fen, "a1b1", 40.0);
        check(&RookBehindPassedPawn, fen, "a1c1", 0.0);
        // The pawn a7 stops b4, which is not passed then.
        check(
            &RookBehindPassedPawn,
            "4k3/p7/8/8/1P6/8/8/R3K3 w - - 0 1",
            "a1b1",
            0.0,
        );
    }

    #[test]
    fn leaving_costs_nothing_as_it_is_written() {
        let fen = "4k3/8/8/8/1P6/8/8/1R2K3 w - - 0 1";
        check(&RookBehindPassedPawn, fen, "b1a1", 0.0);
        let interpretations = [Interpretation::LeavingPassedFile];
        check_read(&RookBehindPassedPawn, &interpretations, fen, "b1a1", -40.0);
        check_read(&RookBehindPassedPawn, &interpretations, fen, "b1b2", 0.0);
    }

    #[test]
    fn neither_staying_behind_nor_going_ahead_counts() {
        check(
            &RookBehindPassedPawn,
            "4k3/8/8/8/1P6/8/8/1R2K3 w - - 0 1",
            "b1b2",
            0.0,
        );
        check(
            &RookBehindPassedPawn,
            "R7/4k3/8/8/1P6/8/4K3/8 w - - 0 1",
            "a8b8",
            0.0,
        );
    }
}
