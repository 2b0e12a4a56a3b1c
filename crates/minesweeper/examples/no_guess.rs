//! Boards without guessing: how many a second, how rare, how hard, and how repaired boards differ from
//! uniform ones.
//!
//! `cargo run --release -p kibitz-minesweeper --example no_guess -- 30x16/99 1000 [DIFFICULTY]`
//!
//! The first line draws boards uniformly, the second repairs every board that needs a guess.

#![allow(clippy::print_stdout, reason = "an example shows something")]

use std::collections::BTreeMap;
use std::time::Instant;

use kibitz_minesweeper::rand_chacha::{ChaCha8Rng, rand_core::SeedableRng as _};
use kibitz_minesweeper::{Difficulty, Level, Measures, NoGuess, NoGuessBoard, NoGuessError};

/// Boards drawn for one, at most.
const MAX_DRAWN: u64 = 20_000;

/// The mean of a measure and its standard error.
fn mean(boards: &[(NoGuessBoard, Measures)], of: impl Fn(&Measures) -> usize) -> String {
    let n = boards.len() as f64;
    let values = boards.iter().map(|(_, measures)| of(measures) as f64);
    let sum: f64 = values.clone().sum();
    let squares: f64 = values.map(|value| (value - sum / n).powi(2)).sum();
    format!("{:.2} ± {:.2}", sum / n, (squares / (n - 1.0) / n).sqrt())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let level = words.first().map_or("30x16/99", String::as_str);
    let level: Level = level.parse()?;
    let n_boards: u64 = words.get(1).map_or(Ok(1000), |word| word.parse())?;
    let hardest = words.get(2).map_or("all", String::as_str);
    let hardest: Difficulty = hardest.parse()?;
    let uniform = NoGuess::new(&level, hardest).uniform(MAX_DRAWN);
    let mut repaired = uniform.clone();
    (repaired.n_uniform, repaired.n_repaired) = (0, MAX_DRAWN);
    println!(
        "| boards of {level} | a second | drawn a second | drawn for one | swaps | 3BV | openings | clusters of mines | largest cluster | hardest deduction |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, mut draw) in [("uniform", uniform), ("repaired", repaired)] {
        let start = Instant::now();
        let mut boards = Vec::new();
        for number in 0..n_boards {
            let mut rng = ChaCha8Rng::seed_from_u64(number);
            match draw.draw((2, 3), &mut rng) {
                Ok(made) => boards.push((made.board.measures(), made)),
                Err(NoGuessError::NoneFound(_)) => break,
                Err(error) => return Err(error.into()),
            }
        }
        let seconds = start.elapsed().as_secs_f64();
        if boards.len() < 2 {
            println!("| {name} | none of {MAX_DRAWN} |  |  |  |  |  |  |  |  |");
            continue;
        }
        let boards: Vec<_> = boards
            .into_iter()
            .map(|(measures, made)| (made, measures))
            .collect();
        let mut by_difficulty = BTreeMap::new();
        for (made, _) in &boards {
            *by_difficulty.entry(made.difficulty).or_insert(0) += 1;
        }
        let n = boards.len() as f64;
        let n_drawn: u64 = boards.iter().map(|(made, _)| made.n_drawn).sum();
        let n_swaps: usize = boards.iter().map(|(made, _)| made.n_swaps).sum();
        let shares = by_difficulty.iter();
        let shares: Vec<_> = shares
            .map(|(difficulty, count)| {
                format!("{difficulty} {:.1} %", 100.0 * f64::from(*count) / n)
            })
            .collect();
        println!(
            "| {name} | {:.0} | {:.0} | {:.1} | {:.1} | {} | {} | {} | {} | {} |",
            n / seconds,
            n_drawn as f64 / seconds,
            n_drawn as f64 / n,
            n_swaps as f64 / n,
            mean(&boards, |measures| measures.three_bv),
            mean(&boards, |measures| measures.n_openings),
            mean(&boards, |measures| measures.n_clusters),
            mean(&boards, |measures| measures.largest_cluster),
            shares.join(", "),
        );
    }
    Ok(())
}
