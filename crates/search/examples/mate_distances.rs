//! How long the longest win with king and rook against king takes, and how many positions are won in
//! how many moves.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use std::collections::BTreeMap;

use kibitz_board::{Color, Endgame, Position};
use kibitz_search::retrograde::{Tablebase, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let endgame: Endgame = "KRvK".parse()?;
    let tables = Tablebase::new([endgame.clone()]);
    let table = tables.table(&endgame).ok_or("the table was asked for")?;
    let mut by_moves: BTreeMap<u32, u32> = BTreeMap::new();
    for (position, value) in table.positions() {
        if let (Color::White, Value::Won(plies)) = (position.turn(), value) {
            *by_moves.entry(u32::from(plies).div_ceil(2)).or_default() += 1;
        }
    }
    for (n_moves, n_positions) in &by_moves {
        println!("mate in {n_moves:2}: {n_positions:6} positions");
    }
    assert_eq!(by_moves.keys().next_back(), Some(&16));
    Ok(())
}
