//! Reads a game in English descriptive notation, as chess books had it until about 1980, and writes
//! it in both notations.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use kibitz_board::{Chess, Position, san::SanPlus};
use kibitz_chute_library::descriptive::{describe, read_moves};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let moves = read_moves("1. P-K4 P-K4 2. Q-R5 Kt-QB3 3. B-B4 P-KKt3 ? 4. QxKPch")?;
    let mut position = Chess::default();
    for described in moves {
        println!(
            "{:8} {:8}{}",
            describe(&position, described.m),
            SanPlus::from_move(position.clone(), described.m),
            if described.is_doubtful() {
                " doubtful"
            } else {
                ""
            }
        );
        position.play_unchecked(described.m);
    }
    Ok(())
}
