//! Heuristic 11: rook on own passed pawn file.

use kibitz_board::{AttackMap, Role, Square};

use super::{MoveContext, Moved, pawns::relative_rank};
use crate::Heuristic;

/// The move puts a rook behind an own passed pawn, and it was not behind one before: 4 times p11.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 11. The appendix leaves open whether pieces may stand between; we
/// ask that the rook sees the pawn.
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
        let gets_behind = |moved: Moved| {
            moved.role == Role::Rook
                && is_behind(&context.attacks, moved.to)
                && !is_behind(&before.attacks, moved.from)
        };
        if context.moved().any(gets_behind) {
            4.0 * before.p(11)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::check;

    #[test]
    fn a_rook_gets_behind_a_passed_pawn() {
        let fen = "4k3/8/8/8/1P6/8/8/R3K3 w - - 0 1";
        check(&RookBehindPassedPawn, fen, "a1b1", 60.0);
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
