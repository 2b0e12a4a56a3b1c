//! Heuristic 12: value for captured piece.

use super::{Interpretation, MoveContext, static_exchange};
use crate::Heuristic;

/// The value of a capture.
///
/// If the enemy can take back, an exchange begins: the development value of the piece captured less
/// that of the piece moved, times p12. If moreover the attack on the piece moved is damaging, not
/// counting the piece captured: the difference of their values, of either sign, times the largest
/// parameter times p12. If it is not, nothing has to be given back, and the value of the piece captured
/// counts alone.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 12. The appendix leaves open the score of a capture without
/// recapture; we score the whole value of the captured piece, the same difference with nothing lost. It
/// leaves open on which squares development values are taken; we take those before the move. For the
/// whole exchange see [`Interpretation::ExchangedValues`], for a capture that cannot be punished
/// [`Interpretation::CapturedDevelopment`], and for less to be given back [`Interpretation::LosingExchange`],
/// [`Interpretation::EvenHalf`], [`Interpretation::Recapture`], [`Interpretation::EvenRecapture`] and
/// [`Interpretation::EveryCapture`].
#[derive(Clone, Copy, Debug)]
pub struct Capture;

impl Heuristic for Capture {
    fn name(&self) -> &'static str {
        "capture"
    }

    fn description(&self) -> &'static str {
        "value for captured piece"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let Some((square, role)) = context.captured else {
            return 0.0;
        };
        let piece = context.piece;
        let (own, won) = (before.value(piece.role), before.value(role));
        let last = before.history.opponent.map(kibitz_board::Move::to);
        let goes_on = last == Some(square)
            && (before.reads(Interpretation::Recapture)
                || before.reads(Interpretation::EvenRecapture) && won >= own);
        let gives_back = !goes_on && !before.reads(Interpretation::EveryCapture);
        let exchange = if gives_back && context.enemies_attacking(piece.to).any() {
            before.development(square) - before.development(piece.from)
        } else if before.reads(Interpretation::CapturedDevelopment) {
            before.development(square)
        } else {
            0.0
        };
        let lost = if !gives_back {
            0.0
        } else if before.reads(Interpretation::ExchangedValues) {
            let (board, attacks) = (&context.board, &context.attacks);
            static_exchange(board, attacks, piece.to, before.them, |role| {
                before.parameters.value(role)
            })
        } else if !context.is_damaged(piece.to)
            || before.reads(Interpretation::LosingExchange) && won >= own
        {
            0.0
        } else if before.reads(Interpretation::EvenHalf) && won.total_cmp(&own).is_eq() {
            own / 2.0
        } else {
            own
        };
        (exchange + (won - lost) * before.largest) * before.p(12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::tests::{check, check_read};

    #[test]
    fn captures_without_recapture_count_in_full() {
        check(&Capture, "4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d5", 225.0);
        check(&Capture, "4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d4", 0.0);
        // En passant.
        check(&Capture, "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 225.0);
    }

    #[test]
    fn a_losing_exchange_counts_against() {
        // Pawn d5: c4 and twice d4 and e4, 5. Rook d1: d2, d3, twice d4, twice d5 and the pawn, three
        // squares of the rank and the king 11: 21. Then (1 - 5) * 15 * 15.
        let fen = "4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1";
        check(&Capture, fen, "d1d5", (5.0 - 21.0) * 15.0 - 900.0);
    }

    #[test]
    fn an_even_exchange_counts_development() {
        // Knight d5: 7 empty squares and c3 with a knight, 11. Knight c3: 6 squares, twice e4, and
        // twice d5 with a knight, 13.
        let fen = "4k3/8/4p3/3n4/8/2N5/8/4K3 w - - 0 1";
        check(&Capture, fen, "c3d5", (11.0 - 13.0) * 15.0);
    }

    #[test]
    fn a_protected_capture_gives_nothing_back() {
        // Pawn d5: c4 with a pawn 2, twice e4 with a pawn 3, twice d4: 7. Pawn e4: 3, f5, twice e5: 6.
        // The rook could take back but would be lost.
        let fen = "3rk3/8/8/3p4/2P1P3/8/8/4K3 w - - 0 1";
        check(&Capture, fen, "e4d5", 15.0 + 225.0);
    }

    #[test]
    fn the_whole_exchange_may_count() {
        // Knight d5: c3, f4, b4, e3, b6, f6, c7 and twice e7 a pawn; knight c3: thirteen with the knight
        // on d5. The pawn c6 takes back, and the pawn c4 takes it: a pawn is given for a knight.
        let fen = "4k3/8/2p5/3n4/2P5/2N5/8/4K3 w - - 0 1";
        let plain = (11.0 - 13.0) * 15.0;
        check(&Capture, fen, "c3d5", plain);
        let interpretations = [Interpretation::ExchangedValues];
        check_read(&Capture, &interpretations, fen, "c3d5", plain + 225.0);
    }

    #[test]
    fn what_is_given_back_may_be_less() {
        // Knight takes knight, and the pawn takes back; a rook for a pawn; a pawn for a knight.
        let even = "4k3/8/4p3/3n4/8/2N5/8/4K3 w - - 0 1";
        let losing = "4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1";
        let (development, lost) = ((11.0 - 13.0) * 15.0, (5.0 - 21.0) * 15.0 - 900.0);
        for (interpretation, of_even, of_losing) in [
            (Interpretation::LosingExchange, development + 675.0, lost),
            (Interpretation::EvenHalf, development + 337.5, lost),
            (Interpretation::EveryCapture, 675.0, 225.0),
            // Nobody has moved before.
            (Interpretation::EvenRecapture, development, lost),
            (Interpretation::Recapture, development, lost),
        ] {
            check_read(&Capture, &[interpretation], even, "c3d5", of_even);
            check_read(&Capture, &[interpretation], losing, "d1d5", of_losing);
        }
    }

    #[test]
    fn a_piece_won_may_count_its_development() {
        // Pawn d5: c4, twice e4 and d4: 5.
        let fen = "4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1";
        let interpretations = [Interpretation::CapturedDevelopment];
        check_read(&Capture, &interpretations, fen, "d1d5", 225.0 + 5.0 * 15.0);
    }

    #[test]
    fn pieces_may_have_other_values() {
        let fen = "4k3/8/8/3q4/8/8/8/3RK3 w - - 0 1";
        let interpretations = [Interpretation::GreenblattValues];
        check(&Capture, fen, "d1d5", 9.0 * 225.0);
        check_read(&Capture, &interpretations, fen, "d1d5", 9.75 * 225.0);
    }
}
