//! Heuristic 14: sacrifice vs. saved.

use kibitz_board::{Role, Square};

use super::{Interpretation, MoveContext};
use crate::Heuristic;

/// Pieces given up and pieces saved: minus the value of the most valuable own piece under damaging
/// attack after the move, times p14 times the largest parameter, plus the values of all pieces that
/// the move has taken out of one ([`Interpretation::SavedValue`]; without it these are multiplied alike).
///
/// A capturing piece is left out, since heuristic 12 has already weighed it against its capture, and so
/// is the king.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 14. The appendix leaves open whether a piece that moves out of a
/// damaging attack is saved; we say no, since it keeps moved and saved pieces apart and heuristic 2
/// scores that. It leaves open the value of a promoted piece given up; we take the pawn's.
#[derive(Clone, Copy, Debug)]
pub struct ExposedPieces;

impl Heuristic for ExposedPieces {
    fn name(&self) -> &'static str {
        "exposed-pieces"
    }

    fn description(&self) -> &'static str {
        "sacrifice vs. saved"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let value = |square: Square| {
            let role = if square == context.piece.to {
                Some(context.piece.role)
            } else {
                context.board.role_at(square)
            };
            role.map_or(0.0, |role| before.value(role))
        };
        let mut exposed = context.damaged & !context.board.by_role(Role::King);
        if context.captured.is_some() {
            exposed.discard(context.piece.to);
        }
        let lost = exposed.into_iter().map(value).fold(0.0, f64::max);
        let was_exposed = *before.damaged.get(before.us);
        let saved =
            was_exposed & context.unmoved() & !context.damaged & !context.board.by_role(Role::King);
        let saved: f64 = saved.into_iter().map(value).sum();
        let factor = before.p(14) * before.largest;
        if before.reads(Interpretation::SavedValue) {
            saved - lost * factor
        } else {
            (saved - lost) * factor
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn a_piece_left_under_attack_is_lost() {
        // 3 * 15 * 15 for the knight that the pawn e6 attacks.
        let fen = "4k3/8/4p3/3N4/8/8/8/R3K3 w - - 0 1";
        check(&ExposedPieces, fen, "a1b1", -675.0);
        check(&ExposedPieces, fen, "d5c3", 0.0);
        // With the rook a4 attacked by the pawn b5, too, the rook counts alone.
        check(
            &ExposedPieces,
            "4k3/8/4p3/1p1N4/R7/8/8/4K3 w - - 0 1",
            "e1e2",
            -1125.0,
        );
        // Saving the rook leaves the knight.
        check(
            &ExposedPieces,
            "4k3/8/4p3/1p1N4/R7/8/8/4K3 w - - 0 1",
            "a4a1",
            -675.0,
        );
    }

    #[test]
    fn a_piece_defended_is_saved() {
        check(
            &ExposedPieces,
            "3rk3/8/8/3N4/8/8/8/3BK3 w - - 0 1",
            "d1b3",
            675.0,
        );
    }

    #[test]
    fn a_sacrifice_costs_unless_it_captures() {
        check(
            &ExposedPieces,
            "4k3/8/4p3/8/8/2N5/8/4K3 w - - 0 1",
            "c3d5",
            -675.0,
        );
        check(
            &ExposedPieces,
            "4k3/8/4p3/3p4/8/2N5/8/4K3 w - - 0 1",
            "c3d5",
            0.0,
        );
    }

    #[test]
    fn a_saved_piece_may_add_its_bare_value() {
        let interpretations = [Interpretation::SavedValue];
        let fen = "3rk3/8/8/3N4/8/8/8/3BK3 w - - 0 1";
        check_read(&ExposedPieces, &interpretations, fen, "d1b3", 3.0);
        // What is exposed costs the same.
        let fen = "4k3/8/4p3/3N4/8/8/8/R3K3 w - - 0 1";
        check_read(&ExposedPieces, &interpretations, fen, "a1b1", -675.0);
    }
}
