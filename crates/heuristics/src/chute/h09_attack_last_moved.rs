//! Heuristic 9: attack last moved piece.

use super::{Interpretation, MoveContext, moved_pieces};
use crate::Heuristic;

/// The move attacks the piece last moved by the opponent: half its development value times p9.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 9. The appendix leaves open which piece castling moved last; we
/// take the king. To capture the piece is not to attack it, but see [`Interpretation::LastMovedCaptured`] and
/// [`Interpretation::LastMovedValue`].
#[derive(Clone, Copy, Debug)]
pub struct AttackLastMoved;

impl Heuristic for AttackLastMoved {
    fn name(&self) -> &'static str {
        "attack-last-moved"
    }

    fn description(&self) -> &'static str {
        "attack last moved piece"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let Some(last) = before.history.opponent else {
            return 0.0;
        };
        let square = moved_pieces(last).0.to;
        let is_captured = before.reads(Interpretation::LastMovedCaptured)
            && context.captured.is_some_and(|(from, _)| from == square);
        if !is_captured && !(context.attacked() & context.theirs()).contains(square) {
            return 0.0;
        }
        let value = if before.reads(Interpretation::LastMovedValue) {
            before.value_on(square)
        } else {
            before.development(square) / 2.0
        };
        value * before.p(9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn the_piece_moved_last_is_attacked() {
        // The pawn d4 has c3, e3 and d3: 3 / 2 * 5.
        let fen = "4k3/8/8/3p4/8/8/8/4K1N1 b - - 0 1";
        check(&AttackLastMoved, fen, "d5d4 g1f3", 7.5);
        check(&AttackLastMoved, fen, "d5d4 g1h3", 0.0);
        // Now the king moved last.
        check(
            &AttackLastMoved,
            "4k3/8/8/8/3p4/8/8/4K1N1 b - - 0 1",
            "e8e7 g1f3",
            0.0,
        );
    }

    #[test]
    fn without_history_nothing_is_scored() {
        check(
            &AttackLastMoved,
            "4k3/8/8/8/3p4/8/8/4K1N1 w - - 0 1",
            "g1f3",
            0.0,
        );
    }

    #[test]
    fn capturing_it_is_no_attack() {
        check(
            &AttackLastMoved,
            "4k3/8/8/3p4/8/5N2/8/4K3 b - - 0 1",
            "d5d4 f3d4",
            0.0,
        );
    }

    #[test]
    fn value_and_capture_are_other_readings() {
        let fen = "4k3/8/8/3p4/8/5N2/8/4K3 b - - 0 1";
        let both = [
            Interpretation::LastMovedValue,
            Interpretation::LastMovedCaptured,
        ];
        check_read(&AttackLastMoved, &both, fen, "d5d4 f3d4", 5.0);
        check_read(&AttackLastMoved, &both[..1], fen, "d5d4 f3d4", 0.0);
        // The pawn d4 has c3, e3 with no piece, and d3: 3 / 2 * 5.
        check_read(&AttackLastMoved, &both[1..], fen, "d5d4 f3d4", 7.5);
    }
}
