//! How long the longest win of a small endgame takes, and how many positions are won in how many
//! moves: `cargo run --release --example mate_distances -- KBNvK`; king and rook against king if
//! nothing is said.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use std::{collections::BTreeMap, env, time::Instant};

use kibitz_board::{Color, Endgame, Position};
use kibitz_search::retrograde::{Tablebase, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let material = env::args().nth(1).unwrap_or_else(|| "KRvK".to_owned());
    let endgame: Endgame = material.parse()?;
    let before = Instant::now();
    let tables = Tablebase::new([endgame.clone()]);
    let taken = before.elapsed();
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
    println!("analyzed in {:.2} s", taken.as_secs_f64());
    Ok(())
}
