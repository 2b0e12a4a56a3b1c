//! Heuristic 20: discourage successive moves with the same piece.

use super::{MoveContext, moved_pieces};
use crate::Heuristic;

/// The move moves the piece that its side moved last time: minus a quarter of the maximum parameter
/// factor, in whole points.
///
/// Only for positions that have been reached on the board: in a search, whose positions have no
/// [`History`](super::History), the score is 0.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 20. The published means of this heuristic show 56, a quarter of
/// 225 without the fraction.
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
        let moved_last = before.history.own.map(|last| moved_pieces(last).0.to);
        if moved_last == Some(context.piece.from) {
            -(before.maximum_factor / 4.0).trunc()
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
}
