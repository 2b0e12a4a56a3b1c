//! Heuristic 20: discourage successive moves with the same piece.

use kibitz_board::Move;

use super::{MoveContext, Reading, moved_pieces};
use crate::Heuristic;

/// The move moves the piece that its side moved last time: minus a quarter of the maximum parameter
/// factor, in whole points.
///
/// Only for positions that have been reached on the board: in a search, whose positions have no
/// [`History`](super::History), the score is 0.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 20. The published means of this heuristic show 56, a quarter of
/// 225 without the fraction. For the third move in a row see [`Reading::ThirdMove`].
#[derive(Clone, Copy, Debug)]
pub struct SamePiece;

impl Heuristic for SamePiece {
    fn name(&self) -> &'static str {
        "same-piece"
    }

    fn description(&self) -> &'static str {
        "discourage successive moves with the same piece"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let is_moved_by = |m: Option<Move>, to| m.is_some_and(|m| moved_pieces(m).0.to == to);
        let history = before.history;
        let is_second = is_moved_by(history.own, context.piece.from);
        let is_third = || {
            let last = history.own.map(|last| moved_pieces(last).0.from);
            last.is_some_and(|from| is_moved_by(history.own_before, from))
        };
        if is_second && (!before.reads(Reading::ThirdMove) || is_third()) {
            -(before.maximum_factor / 4.0).trunc()
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
    fn the_same_piece_twice_is_discouraged() {
        let fen = "4k3/8/8/8/8/8/8/1N2K3 w - - 0 1";
        check(&SamePiece, fen, "b1c3 e8e7 c3d5", -56.0);
        check(&SamePiece, fen, "b1c3 e8e7 e1e2", 0.0);
        check(&SamePiece, fen, "b1c3", 0.0);
    }

    #[test]
    fn castling_is_a_move_of_the_king() {
        let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        check(&SamePiece, fen, "e1g1 e8e7 g1g2", -56.0);
        check(&SamePiece, fen, "e1g1 e8e7 f1f2", 0.0);
    }

    #[test]
    fn the_third_move_in_a_row_is_another_reading() {
        let fen = "4k3/8/8/8/8/8/8/1N2K3 w - - 0 1";
        let readings = [Reading::ThirdMove];
        check_read(&SamePiece, &readings, fen, "b1c3 e8e7 c3d5", 0.0);
        let moves = "b1c3 e8e7 c3d5 e7e8 d5c3";
        check_read(&SamePiece, &readings, fen, moves, -56.0);
        let moves = "e1e2 e8e7 b1c3 e7e8 c3d5";
        check_read(&SamePiece, &readings, fen, moves, 0.0);
    }
}
