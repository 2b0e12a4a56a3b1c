//! The time that positions of random play take, at all stages of the game.
//!
//! `cargo run --release -p kibitz-minesweeper --example positions -- [POSITIONS] [LEVEL ...]`
//!
//! Ends with an error if a position has no probabilities, or if they do not sum to the mines left.

#![allow(clippy::print_stdout, reason = "an example shows something")]

use std::error::Error;
use std::time::{Duration, Instant};

use kibitz_minesweeper::{Level, Solver};

#[path = "../tests/positions/mod.rs"]
mod positions;

use positions::{LEVELS, position};

/// Times that a position is solved; the least time counts, which other work on the machine disturbs
/// least.
const REPETITIONS: u32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let n_positions: u64 = words.first().map_or(Ok(1000), |word| word.parse())?;
    let levels: Vec<&str> = match words.get(1..) {
        Some(levels @ [_, ..]) => levels.iter().map(String::as_str).collect(),
        _ => LEVELS.to_vec(),
    };
    println!("| level | positions | median | 99 % | slowest | over 50 ms | error of the sum |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for name in levels {
        let level: Level = name.parse()?;
        let mut solver = Solver::new();
        let mut times = Vec::new();
        let mut greatest = 0.0_f64;
        for number in 0..n_positions {
            let knowledge = position(&level, number)?;
            let mut least = Duration::MAX;
            for _ in 0..REPETITIONS {
                let start = Instant::now();
                // The answer is looked at below.
                let _ = solver.solve(&knowledge);
                least = least.min(start.elapsed());
            }
            times.push((least, number));
            let found = solver.solve(&knowledge);
            let found = found.map_err(|problem| {
                format!("{problem}: position {number}\n{}", knowledge.to_text())
            })?;
            let sum: f64 = knowledge.covered().map(|tile| found.mine(tile)).sum();
            let left = knowledge.mines_left().unwrap_or(0) as f64;
            greatest = greatest.max((sum - left).abs());
            if (sum - left).abs() > 1e-9 {
                let text = knowledge.to_text();
                return Err(format!("{sum} mines for {left}: position {number}\n{text}").into());
            }
        }
        times.sort_unstable();
        let at = |percent: usize| {
            let time = times.get(percent * times.len() / 100);
            time.or(times.last()).copied().unwrap_or_default().0
        };
        let n_slow = times
            .iter()
            .filter(|(time, _)| *time > Duration::from_millis(50));
        let slowest = times.last().map_or(0, |(_, number)| *number);
        println!(
            "| {name} | {n_positions} | {:.1?} | {:.1?} | {:.1?} (number {slowest}) | {} | {greatest:.0e} |",
            at(50),
            at(99),
            at(100),
            n_slow.count()
        );
    }
    Ok(())
}
