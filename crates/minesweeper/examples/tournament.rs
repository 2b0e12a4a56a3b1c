//! Players on the same boards: share of games won, beside the first of them, and boards per second.
//!
//! `cargo run --release -p kibitz-minesweeper --example tournament -- 8x8/10 10000 [WORD ...]`
//!
//! A word is a player, all where none is named; `safe` or `opening`, a protection of the first click;
//! `3,3`, a row and a column from zero that the player before it uncovers first, which asks for
//! a player by exact probabilities; or `16-tiles`, among which the player before it looks ahead. A player may
//! be named several times.

#![allow(clippy::print_stdout, reason = "an example shows something")]

use std::collections::BTreeMap;
use std::time::Instant;

use kibitz_minesweeper::{FirstClick, FirstTile, Level, Player, PlayerName, Series};

/// A player, with the tile that it uncovers first and the tiles of its look-ahead if they are not its own
/// choice.
struct Entry {
    name: PlayerName,
    first: Option<(usize, usize)>,
    n_tiles: Option<usize>,
}

impl Entry {
    fn player(&self) -> Result<Box<dyn Player>, String> {
        if self.first.is_none() && self.n_tiles.is_none() {
            return Ok(self.name.player());
        }
        let exact = self.name.exact();
        let mut exact = exact.ok_or_else(|| format!("{} has no exact probabilities", self.name))?;
        if let Some((row, column)) = self.first {
            exact.first_tile = FirstTile::At(row, column);
        }
        if let Some(n_tiles) = self.n_tiles {
            let look_ahead = exact.look_ahead.as_mut();
            look_ahead
                .ok_or("only `look-ahead` compares tiles")?
                .n_tiles = n_tiles;
        }
        Ok(Box::new(exact))
    }

    /// Its name, with what is not its own choice.
    fn title(&self) -> String {
        let first = self
            .first
            .map(|(row, column)| format!(" at {row},{column}"));
        let n_tiles = self.n_tiles.map(|n_tiles| format!(" of {n_tiles} tiles"));
        let [first, n_tiles] = [first, n_tiles].map(Option::unwrap_or_default);
        format!("{}{first}{n_tiles}", self.name)
    }
}

/// A row and a column, as `3,3`.
fn tile(word: &str) -> Option<(usize, usize)> {
    let (row, column) = word.split_once(',')?;
    Some((row.parse().ok()?, column.parse().ok()?))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [level, n_games, words @ ..] = words.as_slice() else {
        return Err("wanted: LEVEL GAMES [PLAYER | safe | opening | ROW,COLUMN ...]".into());
    };
    let level: Level = level.parse()?;
    let n_games: u32 = n_games.parse()?;
    let mut series = Series::new(&level, [1; 32]);
    let mut entries: Vec<Entry> = Vec::new();
    for word in words {
        let n_tiles = word.strip_suffix("-tiles").map(str::parse).transpose()?;
        match (word.as_str(), tile(word), n_tiles) {
            ("safe", ..) => series.first_click = FirstClick::Safe,
            ("opening", ..) => series.first_click = FirstClick::Opening,
            (name, None, None) => entries.push(Entry {
                name: name.parse()?,
                first: None,
                n_tiles: None,
            }),
            (_, first, n_tiles) => {
                let entry = entries.last_mut().ok_or("a player comes first")?;
                entry.first = first.or(entry.first);
                entry.n_tiles = n_tiles.or(entry.n_tiles);
            }
        }
    }
    if entries.is_empty() {
        entries.extend(PlayerName::ALL.map(|name| Entry {
            name,
            first: None,
            n_tiles: None,
        }));
    }
    let mut first_won: Vec<bool> = Vec::new();
    for entry in &entries {
        let mut player = entry.player()?;
        let mut by_rule = BTreeMap::new();
        let mut won = Vec::new();
        let mut n_fallbacks = 0;
        let start = Instant::now();
        for number in 0..n_games {
            let outcome = series.play(u64::from(number), player.as_mut(), |_, next| {
                *by_rule.entry(next.rule).or_insert(0) += 1;
            })?;
            won.push(outcome.is_won);
            n_fallbacks += outcome.n_fallbacks;
        }
        let seconds = start.elapsed().as_secs_f64();
        let n_won = won.iter().filter(|won| **won).count();
        let n = f64::from(n_games);
        let name = entry.title();
        let share = 100.0 * n_won as f64 / n;
        println!("{name:<22} {share:6.2} % {:9.0} boards/s", n / seconds);
        if first_won.is_empty() {
            first_won = won;
        } else {
            let more = won
                .iter()
                .zip(&first_won)
                .filter(|(won, first)| **won && !**first);
            let less = won
                .iter()
                .zip(&first_won)
                .filter(|(won, first)| !**won && **first);
            let (more, less) = (more.count() as f64, less.count() as f64);
            let mean = (more - less) / n;
            let error = ((more + less) / n - mean * mean).sqrt() / n.sqrt();
            let (mean, error) = (100.0 * mean, 100.0 * error);
            println!("    {mean:+.2} points (standard error {error:.2}) beside the first player");
        }
        if n_fallbacks > 0 {
            println!("    {n_fallbacks} moves without probabilities");
        }
        let moves = by_rule.iter().map(|(rule, n)| format!("{rule} {n}"));
        println!("    {}", moves.collect::<Vec<_>>().join(", "));
    }
    Ok(())
}
