//! Pawn structure: passed, isolated and doubled pawns, and the advance of pawns.

use kibitz_board::{Bitboard, Board, Color, File};

use crate::chute::pawns::{passed_pawns, pawns_on, relative_rank};

/// Advance of the passed pawns, in squares from the first rank.
pub(super) fn passed(board: &Board, color: Color) -> i16 {
    steps(passed_pawns(board, color), color)
}

/// Advance of all pawns, in squares from the first rank.
pub(super) fn advance(board: &Board, color: Color) -> i16 {
    steps(board.pawns() & board.by_color(color), color)
}

fn steps(pawns: Bitboard, color: Color) -> i16 {
    let ranks = pawns.into_iter().map(|square| relative_rank(square, color));
    super::whole(ranks.map(|rank| rank - 1).sum())
}

/// Pawns without a pawn of their color on a neighboring file.
pub(super) fn isolated(board: &Board, color: Color) -> i16 {
    let files = on_files(board, color);
    let alone = |index: usize| {
        let left = index.checked_sub(1).map_or(0, |index| files[index]);
        let right = files.get(index + 1).copied().unwrap_or(0);
        left == 0 && right == 0
    };
    (0..8)
        .filter(|&index| alone(index))
        .map(|index| files[index])
        .sum()
}

/// Pawns behind another of their color on its file.
pub(super) fn doubled(board: &Board, color: Color) -> i16 {
    on_files(board, color)
        .into_iter()
        .map(|pawns| (pawns - 1).max(0))
        .sum()
}

fn on_files(board: &Board, color: Color) -> [i16; 8] {
    File::ALL.map(|file| super::whole(pawns_on(board, file, color).0.count_ones()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_file() {
        let board = Board::from_ascii_board_fen(b"4k3/8/8/3p4/8/P7/P4PP1/4K3").unwrap();
        assert_eq!(isolated(&board, Color::White), 2);
        assert_eq!(doubled(&board, Color::White), 1);
        // a2, a3, f2 and g2 are passed: no pawn of Black on their files or beside them.
        assert_eq!(passed(&board, Color::White), 1 + 2 + 1 + 1);
        assert_eq!(advance(&board, Color::Black), 3);
        assert_eq!(isolated(&board, Color::Black), 1);
    }
}
