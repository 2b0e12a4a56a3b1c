//! Text diagrams of positions.

use std::fmt::Write as _;

use crate::Position;

/// A text diagram of a position: white pieces in capital letters, files and ranks by number.
pub fn draw(position: &Position) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        let _ = write!(text, "{} ", rank + 1);
        for file in 0..8 {
            let square = kibitz_board::Square::from_coords(
                kibitz_board::File::new(file),
                kibitz_board::Rank::new(rank),
            );
            let piece = position.board().piece_at(square);
            let _ = write!(text, " {}", piece.map_or('.', kibitz_board::Piece::char));
        }
        text.push('\n');
    }
    text.push_str("   1 2 3 4 5 6 7 8\n");
    text
}
