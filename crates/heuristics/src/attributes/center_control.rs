//! The center, for [`Attribute::CenterControl`](super::Attribute::CenterControl).

use kibitz_board::{Bitboard, Board, ByColor, Color};

use super::balance;

/// What counts as control of the center.
///
/// The paper leaves it open ("control of the centre 16 squares", section 3.1); the experiment
/// `jansen2000/readings` compares these with its Table 4.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum CenterConvention {
    /// Every piece counts once for each center square that it attacks, without regard to pins.
    #[default]
    Attackers,
    /// Center squares that a side attacks at all.
    AttackedSquares,
    /// Pieces in the center.
    Occupation,
}

impl CenterConvention {
    /// Every convention.
    pub const ALL: [CenterConvention; 3] = [
        CenterConvention::Attackers,
        CenterConvention::AttackedSquares,
        CenterConvention::Occupation,
    ];
}

/// Center control of `player` under the conventions that count squares or pieces, each once.
pub(super) fn balance_of_squares(board: &Board, player: Color, occupied: bool) -> i16 {
    let controlled = ByColor::new_with(|color| {
        let pieces = board.by_color(color);
        let squares = if occupied {
            pieces
        } else {
            pieces
                .into_iter()
                .fold(Bitboard::EMPTY, |all, from| all | board.attacks_from(from))
        };
        (squares & CENTER).0.count_ones()
    });
    balance(controlled, player)
}

/// The 16 squares c3 to f6.
///
/// # Source
/// Jansen, Dowe and Farr 2000, section 3.1: "the centre 16 squares".
pub(super) const CENTER: Bitboard = Bitboard(0x0000_3c3c_3c3c_0000);

#[cfg(test)]
mod tests {
    use crate::attributes::PositionCounts;
    use kibitz_board::{CastlingMode, Chess, Color, Position, Square, fen::Fen};
    use proptest::prelude::*;

    fn balance(fen: &str) -> i16 {
        let fen: Fen = fen.parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let counts = PositionCounts::of(&position);
        counts.attacks().center_control_balance(Color::White)
    }

    #[test]
    fn every_man_counts_for_every_square() {
        // White: pawn e4 attacks d5 and f5; rook d1 attacks d3 to d6; knight g1 attacks f3.
        // Black: pawn e6 attacks d5 and f5.
        let fen = "4k3/8/4p3/8/4P3/8/8/3RK1N1 w - - 0 1";
        assert_eq!(balance(fen), 2 + 4 + 1 - 2);
    }

    #[test]
    fn conventions_differ_where_they_should() {
        let fen: Fen = "4k3/8/4p3/8/4P3/8/8/3RK1N1 w - - 0 1".parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let balance =
            |occupied| super::balance_of_squares(position.board(), Color::White, occupied);
        // White attacks d3 to d6, f5 and f3; Black d5 and f5. A pawn of each stands in the center.
        assert_eq!(balance(false), 6 - 2);
        assert_eq!(balance(true), 0);
    }

    #[test]
    fn the_start_is_balanced() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(balance(fen), 0);
    }

    proptest! {
        /// Counting by men agrees with counting by squares.
        #[test]
        fn attackers_agree_with_a_count_by_squares(
            choices in prop::collection::vec(any::<u16>(), 1..150),
        ) {
            let mut position = Chess::default();
            for choice in choices {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.play_unchecked(moves[choice as usize % moves.len()]);
            }
            let board = position.board();
            let mut expected = 0;
            for rank in 2..6 {
                for file in 2..6 {
                    let square = Square::new(8 * rank + file);
                    for (color, sign) in [(Color::White, 1), (Color::Black, -1)] {
                        let attackers = board.attacks_to(square, color, board.occupied());
                        expected += sign * i16::try_from(attackers.into_iter().count()).unwrap();
                    }
                }
            }
            let counts = PositionCounts::of(&position);
            let found = counts.attacks().center_control_balance(Color::White);
            prop_assert_eq!(found, expected);
        }
    }
}
