//! Heuristic 21: endgame, get king into action.

use kibitz_board::Role;

use super::{MoveContext, MovedPiece, pawns::relative_rank};
use crate::Heuristic;

/// In the endgame, a king's move forward gives p21, and so does a king's move that attacks an enemy
/// piece he did not attack before.
///
/// # Source
/// Sugar 1975, Appendix 2, heuristic 21, says no more than that it encourages the king to advance and
/// attack; the amounts and their sum are ours.
#[derive(Clone, Copy, Debug)]
pub struct EndgameKing;

impl Heuristic for EndgameKing {
    fn name(&self) -> &'static str {
        "endgame-king"
    }

    fn description(&self) -> &'static str {
        "endgame, get king into action"
    }

    fn score(&self, context: &MoveContext<'_>) -> f64 {
        let before = context.before;
        let MovedPiece { from, to, role, .. } = context.piece;
        if role != Role::King || !before.is_endgame || context.castled_rook.is_some() {
            return 0.0;
        }
        let advances = relative_rank(to, before.us) > relative_rank(from, before.us);
        let new = context.attacked() & context.theirs() & !context.attacked_before();
        f64::from(u8::from(advances) + u8::from(new.any())) * before.p(21)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chute::{
        Interpretation,
        tests::{check, check_read},
    };

    #[test]
    fn the_king_advances_and_attacks() {
        let fen = "4k3/8/8/3p4/8/4K3/8/8 w - - 0 1";
        check(&EndgameKing, fen, "e3f4", 10.0);
        check(&EndgameKing, fen, "e3d4", 20.0);
        check(&EndgameKing, fen, "e3e2", 0.0);
    }

    #[test]
    fn only_in_the_endgame() {
        let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        check(&EndgameKing, fen, "e1e2", 0.0);
    }

    #[test]
    fn the_endgame_may_begin_later() {
        // A rook, a bishop and a pawn: 9 points.
        let fen = "4k3/8/8/8/8/4K3/P7/RB6 w - - 0 1";
        check(&EndgameKing, fen, "e3f4", 10.0);
        check_read(
            &EndgameKing,
            &[Interpretation::LateEndgame],
            fen,
            "e3f4",
            0.0,
        );
    }
}
