//! Heuristic 17: create/avoid pin on to-square.

use kibitz_board::Bitboard;

use super::{Interpretation, MoveContext, pins::pin_targets, pins::pinners_of};
use crate::Heuristic;

/// On the square it moves to, the piece pins an enemy piece, or is pinned: plus or minus its own
/// value times p17 ([`Interpretation::OwnPinValue`]). Without that interpretation plus the value of the piece it
/// pins, minus the value of the piece that pins it.
///
/// The color of the piece between is ignored, so that the piece at the far end of the line counts as
/// the one pinned.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 17: "the value of the pinner or pinee is added or subtracted
/// (respectively)", and the piece moved is the one or the other. A piece that pins and is pinned
/// scores nothing.
/// For the definition of a pin see [`Pin`](super::Pin).
#[derive(Clone, Copy, Debug)]
pub struct PinOnTargetSquare;

impl Heuristic for PinOnTargetSquare {
    fn name(&self) -> &'static str {
        "pin-on-target-square"
    }

    fn description(&self) -> &'static str {
        "create/avoid pin on to-square"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let to = context.piece.to;
        let value = |squares: Bitboard| -> f64 {
            squares
                .into_iter()
                .map(|square| before.value_on(square))
                .sum()
        };
        let pinned = pin_targets(&context.board, &context.attacks, to, before.parameters);
        let pinners = pinners_of(&context.board, to, &before.cheaper);
        if before.reads(Interpretation::OwnPinValue) {
            let own = before.value(context.piece.becomes);
            let sign = f64::from(u8::from(pinned.any())) - f64::from(u8::from(pinners.any()));
            return own * sign * before.p(17);
        }
        (value(pinned) - value(pinners)) * before.p(17)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn pinning_gives_the_value_of_the_pinned() {
        // The bishop holds the knight c6 before the king.
        let fen = "4k3/8/2n5/8/8/8/8/4KB2 w - - 0 1";
        check(&PinOnTargetSquare, fen, "f1b5", 100.0);
        check(&PinOnTargetSquare, fen, "f1a6", 0.0);
        // Through an own piece, the knight e4, to the queen: 9 * 10.
        let fen = "7k/4q3/8/8/4N3/8/8/R4K2 w - - 0 1";
        check(&PinOnTargetSquare, fen, "a1e1", 90.0);
        check(&PinOnTargetSquare, fen, "a1d1", 0.0);
    }

    #[test]
    fn being_pinned_costs_the_value_of_the_pinner() {
        // The bishop a5 looks through the pawn c3 at the queen on d2.
        check(
            &PinOnTargetSquare,
            "4k3/8/8/b7/8/2P5/8/K2Q4 w - - 0 1",
            "d1d2",
            -30.0,
        );
        // A pawn before a rook is no pin: the knight behind is worth less.
        check(
            &PinOnTargetSquare,
            "3rk3/8/8/8/3P4/8/8/1N2K3 w - - 0 1",
            "b1d2",
            0.0,
        );
    }

    #[test]
    fn the_value_may_be_the_movers_own() {
        let interpretations = [Interpretation::OwnPinValue];
        // The bishop pins: plus its 3; the queen is pinned: minus her 9.
        let fen = "4k3/8/2n5/8/8/8/8/4KB2 w - - 0 1";
        check_read(&PinOnTargetSquare, &interpretations, fen, "f1b5", 30.0);
        let fen = "4k3/8/8/b7/8/2P5/8/K2Q4 w - - 0 1";
        check_read(&PinOnTargetSquare, &interpretations, fen, "d1d2", -90.0);
    }
}
