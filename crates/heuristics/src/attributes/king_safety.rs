//! King safety: pawns before the king, attacks around it, checks.

use kibitz_board::{
    AttackMap, Bitboard, Board, Chess, Color, Position as _, Rank, attacks::king_attacks,
};

use crate::chute::pawns::relative_rank;

/// Own pawns on the two ranks before the king, on its file and the adjacent files.
pub(super) fn shelter(board: &Board, color: Color) -> i16 {
    let Some(king) = board.king_of(color) else {
        return 0;
    };
    let ranks = relative_rank(king, color) + 1..=relative_rank(king, color) + 2;
    let ranks = ranks.filter(|rank| *rank <= 8).map(|rank| {
        let rank = Rank::new(rank - 1);
        Bitboard::from_rank(color.fold_wb(rank, rank.flip_vertical()))
    });
    let before = ranks.fold(Bitboard::EMPTY, |all, rank| all | rank);
    let files = (king_attacks(king).with(king)).into_iter();
    let files = files.fold(Bitboard::EMPTY, |all, square| {
        all | Bitboard::from_file(square.file())
    });
    size(board.pawns() & board.by_color(color) & before & files)
}

/// Attacks of `color` on the enemy king and the squares around it, one for each pair of attacker and
/// square.
pub(super) fn king_attack(board: &Board, attacks: &AttackMap, color: Color) -> i16 {
    let Some(king) = board.king_of(!color) else {
        return 0;
    };
    let around = king_attacks(king).with(king).into_iter();
    around
        .map(|square| size(attacks.attackers(board, square, color)))
        .sum()
}

/// 1 if `color` gives check.
pub(super) fn check(position: &Chess, color: Color) -> i16 {
    i16::from(position.turn() != color && position.is_check())
}

fn size(squares: Bitboard) -> i16 {
    super::whole(squares.0.count_ones())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pawns_before_a_castled_king() {
        let board = Board::from_ascii_board_fen(b"6k1/5p1p/6p1/8/8/8/5PPP/R5K1").unwrap();
        assert_eq!(shelter(&board, Color::White), 3);
        assert_eq!(shelter(&board, Color::Black), 3);
        let attacks = AttackMap::new(&board);
        assert_eq!(king_attack(&board, &attacks, Color::White), 0);
        let board = Board::from_ascii_board_fen(b"6k1/5p1p/6p1/8/8/8/5PPP/R5K1").unwrap();
        assert_eq!(check(&Chess::default(), Color::White), 0);
        assert_eq!(king_attack(&board, &attacks, Color::Black), 0);
    }
}
