//! Pawn structure: passed pawns, open files, and ranks relative to a side.

use kibitz_board::{Bitboard, Board, Color, File, Rank, Role, Square};

/// Passed pawns of `color`: no enemy pawn stands ahead on their own file or a neighboring one.
pub(crate) fn passed_pawns(board: &Board, color: Color) -> Bitboard {
    const NOT_A_FILE: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_H_FILE: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let enemies = board.pawns() & board.by_color(!color);
    // Every square ahead of an enemy pawn, as it moves.
    let mut ahead = enemies.0;
    for distance in [8, 16, 32] {
        ahead |= if color.is_white() {
            ahead >> distance
        } else {
            ahead << distance
        };
    }
    ahead = if color.is_white() {
        ahead >> 8
    } else {
        ahead << 8
    };
    let guarded = ahead | (ahead & NOT_H_FILE) << 1 | (ahead & NOT_A_FILE) >> 1;
    board.pawns() & board.by_color(color) & !Bitboard(guarded)
}

/// Rank of a square relative to `color`, from 1 to 8.
pub(crate) fn relative_rank(square: Square, color: Color) -> u32 {
    1 + color
        .fold_wb(square.rank(), square.rank().flip_vertical())
        .to_u32()
}

/// The square on `file` and on `rank` relative to `color`, from 1 to 8.
pub(crate) fn relative_square(file: File, rank: u32, color: Color) -> Square {
    let rank = Rank::new(rank - 1);
    Square::from_coords(file, color.fold_wb(rank, rank.flip_vertical()))
}

/// The square in front of `square` for `color`, if any.
pub(crate) fn in_front(square: Square, color: Color) -> Option<Square> {
    square.offset(color.fold_wb(8, -8))
}

/// Pawns of `color` on `file`.
pub(crate) fn pawns_on(board: &Board, file: File, color: Color) -> Bitboard {
    board.by_color(color) & board.by_role(Role::Pawn) & Bitboard::from_file(file)
}

/// Whether `file` is open: without pawns.
///
/// The report leaves open whether enemy pawns count; we take the usual meaning, no pawn at all.
pub(crate) fn is_open(board: &Board, file: File) -> bool {
    (board.pawns() & Bitboard::from_file(file)).is_empty()
}

#[cfg(test)]
mod tests {
    use kibitz_board::Position;

    use super::*;
    use crate::chute::tests::position;

    #[test]
    fn passed_pawns_have_no_enemy_pawn_ahead() {
        // The pawn b4 stands ahead of a2 on the neighboring file, f6 ahead of e5; g4 is behind h6.
        let position = position("4k3/8/5p1P/4P3/1p4p1/8/P7/4K3 w - - 0 1");
        let board = position.board();
        assert_eq!(passed_pawns(board, Color::White), Square::H6.into());
        // Black: b4 meets a2, f6 meets e5, g4 is passed.
        assert_eq!(passed_pawns(board, Color::Black), Square::G4.into());
    }

    #[test]
    fn squares_are_counted_from_the_players_side() {
        assert_eq!(relative_rank(Square::E2, Color::White), 2);
        assert_eq!(relative_rank(Square::E2, Color::Black), 7);
        assert_eq!(relative_square(File::E, 2, Color::Black), Square::E7);
        assert_eq!(in_front(Square::E8, Color::White), None);
        assert_eq!(in_front(Square::E8, Color::Black), Some(Square::E7));
    }
}
