//! Heuristic 20: discourage successive moves with the same piece.

use kibitz_board::{Move, Position, Role, Square, attacks};

use super::{Context, Interpretation, MoveContext, ctw::Phase, moved_pieces};
use crate::Heuristic;

/// The move moves the piece that its side moved last time: minus a quarter of the maximum parameter
/// factor, in whole points.
///
/// Only for positions that have been reached on the board: in a search, whose positions have no
/// [`History`](super::History), the score is 0.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 20. The published means of this heuristic show 56, a quarter of
/// 225 without the fraction. For other interpretations see [`Interpretation::ThirdMove`], [`Interpretation::PieceNotPawn`],
/// [`Interpretation::OpeningRepeat`], [`Interpretation::KingAgain`] and [`Interpretation::CheckerAgain`].
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
        let is_exempt = (before.reads(Interpretation::ThirdMove) && !is_third())
            || (before.reads(Interpretation::PieceNotPawn) && context.piece.role == Role::Pawn)
            || (before.reads(Interpretation::OpeningRepeat) && phase(before) != Phase::Opening)
            || (before.reads(Interpretation::KingAgain) && context.piece.role != Role::King)
            || (before.reads(Interpretation::CheckerAgain)
                && !gave_check(before, context.piece.from));
        if is_second && !is_exempt {
            -(before.maximum_factor / 4.0).trunc()
        } else {
            0.0
        }
    }
}

/// Whether the own piece on `square` gave check with its last move: it attacks the square that the enemy
/// king stood on then. He has left it, or something stands between now, as it is our move again.
fn gave_check(before: &Context<'_>, square: Square) -> bool {
    let Some(reply) = before.history.opponent else {
        return false;
    };
    let Some(king) = before.board().king_of(before.them) else {
        return false;
    };
    let (replied, _) = moved_pieces(reply);
    let was_king = replied.role == Role::King;
    let stood = if was_king { replied.from } else { king };
    // Before the reply its target was empty, or held a piece of ours that it captured, and its origin was full.
    let mut occupied = before.board().occupied();
    occupied.discard(replied.to);
    occupied.add(replied.from);
    let Some(piece) = before.board().piece_at(square) else {
        return false;
    };
    attacks::attacks(square, piece, occupied).contains(stood)
}

/// Phase of the game by the number of the ply.
fn phase(before: &Context<'_>) -> Phase {
    let full_moves = before.position.fullmoves().get() as usize;
    Phase::of(2 * full_moves - usize::from(before.us.is_white()))
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
        let interpretations = [Interpretation::ThirdMove];
        check_read(&SamePiece, &interpretations, fen, "b1c3 e8e7 c3d5", 0.0);
        let moves = "b1c3 e8e7 c3d5 e7e8 d5c3";
        check_read(&SamePiece, &interpretations, fen, moves, -56.0);
        let moves = "e1e2 e8e7 b1c3 e7e8 c3d5";
        check_read(&SamePiece, &interpretations, fen, moves, 0.0);
    }

    #[test]
    fn the_king_may_be_all_that_counts() {
        let fen = "4k3/8/8/8/8/8/8/1N2K3 w - - 0 1";
        let interpretations = [Interpretation::KingAgain];
        check_read(&SamePiece, &interpretations, fen, "b1c3 e8e7 c3d5", 0.0);
        check_read(&SamePiece, &interpretations, fen, "e1e2 e8e7 e2e3", -56.0);
    }

    #[test]
    fn the_piece_that_gave_check_may_be_all_that_counts() {
        let interpretations = [Interpretation::CheckerAgain];
        let fen = "4k3/8/8/8/8/8/8/R3K3 w - - 0 1";
        // The king leaves the eighth rank, or the rook only moves along the first.
        check_read(&SamePiece, &interpretations, fen, "a1a8 e8e7 a8a1", -56.0);
        check_read(&SamePiece, &interpretations, fen, "a1b1 e8e7 b1b2", 0.0);
        check(&SamePiece, fen, "a1b1 e8e7 b1b2", -56.0);
        // Something is put between, or the checking rook's neighbor moves again.
        let fen = "4k3/8/8/8/8/2b5/8/R3K3 w - - 0 1";
        check_read(
            &SamePiece,
            &interpretations,
            "4k3/8/8/8/8/6b1/8/R2K4 w - - 0 1",
            "a1a8 g3b8 a8b8",
            -56.0,
        );
        check_read(&SamePiece, &interpretations, fen, "e1e2 e8e7 e2e3", 0.0);
    }

    #[test]
    fn pawns_may_be_no_pieces() {
        let fen = "4k3/8/8/8/8/8/P7/1N2K3 w - - 0 1";
        let interpretations = [Interpretation::PieceNotPawn];
        check(&SamePiece, fen, "a2a3 e8e7 a3a4", -56.0);
        check_read(&SamePiece, &interpretations, fen, "a2a3 e8e7 a3a4", 0.0);
        check_read(&SamePiece, &interpretations, fen, "b1c3 e8e7 c3d5", -56.0);
    }

    #[test]
    fn the_opening_may_be_all_that_counts() {
        let interpretations = [Interpretation::OpeningRepeat];
        // Plies 15 and 17.
        let opening = "4k3/8/8/8/8/8/8/1N2K3 w - - 0 7";
        let later = "4k3/8/8/8/8/8/8/1N2K3 w - - 0 8";
        check_read(
            &SamePiece,
            &interpretations,
            opening,
            "b1c3 e8e7 c3d5",
            -56.0,
        );
        check_read(&SamePiece, &interpretations, later, "b1c3 e8e7 c3d5", 0.0);
        check(&SamePiece, later, "b1c3 e8e7 c3d5", -56.0);
    }
}
