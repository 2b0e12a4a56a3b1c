//! Development: minor pieces that have left their first squares, and the right to castle.

use kibitz_board::{Bitboard, Board, CastlingSide, Chess, Color, Position as _, Rank, Square};

/// Knights and bishops on the squares where they begin.
pub(super) fn at_home(board: &Board, color: Color) -> i16 {
    let rank = Bitboard::from_rank(color.fold_wb(Rank::First, Rank::Eighth));
    let own = board.by_color(color) & rank;
    let on = |squares: [Square; 4]| {
        let squares: Bitboard = squares.into_iter().collect();
        squares & own
    };
    let knights = board.knights() & on([Square::B1, Square::G1, Square::B8, Square::G8]);
    let bishops = board.bishops() & on([Square::C1, Square::F1, Square::C8, Square::F8]);
    super::whole((knights | bishops).0.count_ones())
}

/// Sides to which `color` may still castle.
pub(super) fn castling_rights(position: &Chess, color: Color) -> i16 {
    let castles = position.castles();
    let sides = CastlingSide::ALL.into_iter();
    sides.map(|side| i16::from(castles.has(color, side))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_first_nothing_is_developed() {
        let start = Chess::default();
        assert_eq!(at_home(start.board(), Color::Black), 4);
        assert_eq!(castling_rights(&start, Color::White), 2);
    }
}
