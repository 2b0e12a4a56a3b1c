//! Heuristic 15: double up pieces.

use kibitz_board::{AttackMap, Bitboard, Board, Role, Square};

use super::{Interpretation, MoveContext, MovedPiece};
use crate::Heuristic;

/// The move doubles a rook with another rook or the queen on a file: 8 times p15.
///
/// Only if the piece moved was not doubled before. Doubling on ranks gives nothing, doubling queen and
/// bishop is switched off, and opening the line between two pieces is left to heuristic 3.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 15. For undoubling see [`Interpretation::Undoubling`].
#[derive(Clone, Copy, Debug)]
pub struct DoublePieces;

impl Heuristic for DoublePieces {
    fn name(&self) -> &'static str {
        "double-pieces"
    }

    fn description(&self) -> &'static str {
        "double up pieces"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let is_doubled = |board: &Board, attacks: &AttackMap, moved: MovedPiece, square: Square| {
            let partners = match moved.becomes {
                Role::Rook => board.rooks_and_queens(),
                Role::Queen => board.rooks(),
                _ => return false,
            };
            let on_file = Bitboard::from_file(square.file()) & board.by_color(before.us);
            (attacks.attacks_from(square) & on_file & partners).any()
        };
        let was =
            |moved: MovedPiece| is_doubled(before.board(), &before.attacks, moved, moved.from);
        let is = |moved: MovedPiece| is_doubled(&context.board, &context.attacks, moved, moved.to);
        if context.moved().any(|moved| is(moved) && !was(moved)) {
            8.0 * before.p(15)
        } else if before.reads(Interpretation::Undoubling)
            && context.moved().any(|moved| was(moved) && !is(moved))
        {
            -8.0 * before.p(15)
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
    fn rooks_and_queen_double_on_a_file() {
        check(
            &DoublePieces,
            "4k3/8/8/8/8/8/3R4/R3K3 w - - 0 1",
            "a1d1",
            80.0,
        );
        check(
            &DoublePieces,
            "4k3/8/8/8/8/8/3Q4/R3K3 w - - 0 1",
            "a1d1",
            80.0,
        );
        check(
            &DoublePieces,
            "4k3/8/8/8/8/8/Q7/3RK3 w - - 0 1",
            "a2d2",
            80.0,
        );
    }

    #[test]
    fn ranks_and_blocked_files_do_not_count() {
        check(
            &DoublePieces,
            "4k3/8/8/8/8/8/R7/4K2R w - - 0 1",
            "h1h2",
            0.0,
        );
        check(
            &DoublePieces,
            "4k3/8/8/8/3R4/3P4/8/R3K3 w - - 0 1",
            "a1d1",
            0.0,
        );
    }

    #[test]
    fn staying_doubled_does_not_count() {
        check(
            &DoublePieces,
            "4k3/8/8/8/8/3R4/8/3RK3 w - - 0 1",
            "d3d5",
            0.0,
        );
    }

    #[test]
    fn undoubling_costs_nothing_as_it_is_written() {
        let fen = "4k3/8/8/8/8/8/3R4/3RK3 w - - 0 1";
        check(&DoublePieces, fen, "d2a2", 0.0);
        check_read(
            &DoublePieces,
            &[Interpretation::Undoubling],
            fen,
            "d2a2",
            -80.0,
        );
    }
}
