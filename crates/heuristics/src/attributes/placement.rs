//! Placement of pieces: near the center, and rooks on open files.

use kibitz_board::{Board, Color, Role, Square};

use crate::chute::pawns::{is_open, pawns_on};

/// Centrality of the pieces of a role: 0 in a corner to 6 on the four central squares, summed.
pub(super) fn centrality(board: &Board, color: Color, role: Role) -> i16 {
    let pieces = board.by_color(color) & board.by_role(role);
    super::whole(pieces.into_iter().map(of_square).sum())
}

fn of_square(square: Square) -> u32 {
    let from_edge = |coordinate: u32| coordinate.min(7 - coordinate);
    from_edge(square.file().to_u32()) + from_edge(square.rank().to_u32())
}

/// Rooks on files without own pawns: 2 on an open file, 1 on a half-open one.
pub(super) fn rook_files(board: &Board, color: Color) -> i16 {
    let rooks = (board.by_color(color) & board.rooks()).into_iter();
    let worth = |square: Square| {
        let file = square.file();
        i16::from(pawns_on(board, file, color).is_empty()) + i16::from(is_open(board, file))
    };
    rooks.map(worth).sum()
}

/// 1 with two bishops or more.
pub(super) fn bishop_pair(board: &Board, color: Color) -> i16 {
    i16::from((board.by_color(color) & board.bishops()).more_than_one())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_by_hand() {
        let board = Board::from_ascii_board_fen(b"4k3/p7/8/8/3N4/8/1P6/RR2K3").unwrap();
        assert_eq!(centrality(&board, Color::White, Role::Knight), 6);
        assert_eq!(centrality(&board, Color::White, Role::King), 3);
        // The a-file is half open, the b-file has an own pawn.
        assert_eq!(rook_files(&board, Color::White), 1);
        assert_eq!(bishop_pair(&board, Color::White), 0);
    }
}
