//! Material balance.

use kibitz_board::{Board, Color, Move, Role};

/// Piece values in pawns; 0 for the king.
///
/// # Source
/// Jansen, Dowe and Farr 2000, section 2.1: queen 9, rook 5, bishop and knight 3, pawn 1.
#[derive(Debug, Clone, Copy)]
pub struct PieceValues;

impl PieceValues {
    /// The value of a piece of `role`, in pawns.
    pub const fn of(role: Role) -> i16 {
        match role {
            Role::Pawn => 1,
            Role::Knight | Role::Bishop => 3,
            Role::Rook => 5,
            Role::Queen => 9,
            Role::King => 0,
        }
    }

    /// Change of the mover's material balance by a move, in pawns: the captured piece, and the promotion
    /// piece less the pawn.
    #[inline]
    pub fn gain(played: Move) -> i16 {
        let captured = played.capture().map_or(0, Self::of);
        let promoted = played
            .promotion()
            .map_or(0, |role| Self::of(role) - Self::of(Role::Pawn));
        captured + promoted
    }
}

/// Material balance: the value of `player`'s pieces minus the opponent's, in pawns.
pub fn material_balance(board: &Board, player: Color) -> i16 {
    let total = |color: Color| -> i16 {
        board
            .material_side(color)
            .zip_role()
            .into_iter()
            .map(|(role, count)| PieceValues::of(role) * i16::from(count))
            .sum()
    };
    total(player) - total(!player)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitz_board::{CastlingMode, Chess, Position, fen::Fen};
    use proptest::prelude::*;

    #[test]
    fn counts_by_the_papers_values() {
        let fen: Fen = "rnbqkbnr/8/8/8/8/8/PPPPPPPP/4K3 w - - 0 1".parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        // Black: queen 9, two rooks 10, four minor pieces 12. White: eight pawns.
        assert_eq!(material_balance(position.board(), Color::White), 8 - 31);
    }

    proptest! {
        #[test]
        fn gain_of_a_move_is_the_change_of_the_balance(
            choices in prop::collection::vec(any::<u16>(), 1..250),
        ) {
            let mut position = Chess::default();
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let played = moves[choice as usize % moves.len()];
                let player = position.turn();
                let before = material_balance(position.board(), player);
                position.play_unchecked(played);
                let after = material_balance(position.board(), player);
                prop_assert_eq!(before + PieceValues::gain(played), after);
            }
        }
    }
}
