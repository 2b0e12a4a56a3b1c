//! Every player on the same boards: share of games won, and boards per second.
//!
//! `cargo run --release -p kibitz-minesweeper --example tournament -- 8x8/10 10000 [PLAYER ...]`

#![allow(clippy::print_stdout, reason = "an example shows something")]

use std::collections::BTreeMap;
use std::time::Instant;

use kibitz_minesweeper::{Level, PlayerName, Series};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (Some(level), Some(n_games)) = (words.first(), words.get(1)) else {
        return Err("wanted: LEVEL GAMES [PLAYER ...]".into());
    };
    let level: Level = level.parse()?;
    let n_games: u32 = n_games.parse()?;
    let mut players = PlayerName::ALL.to_vec();
    if words.len() > 2 {
        let names = words[2..].iter().map(|name| name.parse());
        players = names.collect::<Result<_, _>>()?;
    }
    let series = Series::new(&level, [1; 32]);
    for name in players {
        let mut player = name.player();
        let mut by_rule = BTreeMap::new();
        let mut n_won = 0;
        let start = Instant::now();
        for number in 0..n_games {
            let outcome = series.play(u64::from(number), player.as_mut(), |_, next| {
                *by_rule.entry(next.rule).or_insert(0) += 1;
            })?;
            n_won += u32::from(outcome.is_won);
        }
        let seconds = start.elapsed().as_secs_f64();
        let won = 100.0 * f64::from(n_won) / f64::from(n_games);
        let rate = f64::from(n_games) / seconds;
        println!("{name:<17} {won:6.2} % {rate:9.0} boards/s");
        let moves = by_rule.iter().map(|(rule, n)| format!("{rule} {n}"));
        println!("    {}", moves.collect::<Vec<_>>().join(", "));
    }
    Ok(())
}
