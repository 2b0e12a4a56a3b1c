//! Any bytes can be read as a board, an `mbf` file or a position; what is read is written and read
//! back the same, and what a small position says of its mines is a probability.
#![no_main]

use kibitz_minesweeper::{Board, Knowledge, Solver};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(board) = Board::from_mbf(bytes) {
        let written = board.to_mbf().expect("it came from there");
        assert_eq!(Board::from_mbf(&written), Ok(board));
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Ok(board) = Board::from_text(text) {
        assert_eq!(Board::from_text(&board.to_text()), Ok(board));
    }
    let Ok(position) = Knowledge::from_text(text) else {
        return;
    };
    if position.n_covered() > 40 {
        return;
    }
    if let Ok(probabilities) = Solver::new().solve(&position) {
        for tile in position.covered() {
            assert!((0.0..=1.0 + 1e-9).contains(&probabilities.mine(tile)));
        }
    }
});
