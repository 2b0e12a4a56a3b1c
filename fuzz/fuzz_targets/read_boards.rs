//! Any bytes can be read as a board, an `mbf` file or a position, whose first line may be missing; what is
//! read is written and read back the same, and what a small position says of its mines is a probability.
#![no_main]

use kibitz_minesweeper::{Board, Density, Knowledge, Mines, Solver};
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
    let density = Mines::Density(Density::new(0.2).expect("within bounds"));
    for mines in [None, Some(Mines::Total(3)), Some(density)] {
        let position = match mines {
            None => Knowledge::from_text(text),
            Some(mines) => Knowledge::from_text_with(text, mines),
        };
        match position {
            Ok(position) => solve(&position),
            Err(errors) => assert!(
                errors
                    .0
                    .iter()
                    .all(|error| text.get(error.span.clone()).is_some())
            ),
        }
    }
});

/// Reads a position back from what is written, and asks for its probabilities.
fn solve(position: &Knowledge) {
    let again = match position.mines() {
        Mines::Total(_) => Knowledge::from_text(&position.to_text()),
        density => Knowledge::from_text_with(&position.to_text(), density),
    };
    assert_eq!(again.as_ref(), Ok(position));
    if position.n_covered() > 40 {
        return;
    }
    if let Ok(probabilities) = Solver::new().solve(position) {
        for tile in position.covered() {
            assert!((0.0..=1.0 + 1e-9).contains(&probabilities.mine(tile)));
        }
    }
}
