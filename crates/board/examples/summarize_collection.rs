//! Reads a collection of games, plain or zstd, and says what is in it:
//! `cargo run --example summarize_collection -- games.pgn`. Without a path it reads three games of its own.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use std::{collections::BTreeMap, env, error::Error, io::Read, path::Path};

use kibitz_board::{
    open::open,
    pgn::{Policy, read_games},
};

const GAMES: &str = "\
[White \"Tal\"]\n[Black \"Botvinnik\"]\n\n1. e4 c6 2. d4 d5 1-0\n
[White \"Botvinnik\"]\n[Black \"Tal\"]\n\n1. c4 Nf6 1/2-1/2\n
1. e4 e5 2. Ke3 *\n";

fn main() -> Result<(), Box<dyn Error>> {
    match env::args_os().nth(1) {
        Some(path) => summarize(&path.display().to_string(), open(Path::new(&path))?),
        None => summarize("three games", GAMES.as_bytes()),
    }
}

fn summarize(name: &str, reader: impl Read) -> Result<(), Box<dyn Error>> {
    let mut games = read_games(name, reader, Policy::default());
    let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
    let mut n_plies = 0;
    for game in games.by_ref() {
        let game = game?;
        *outcomes.entry(game.outcome().to_string()).or_default() += 1;
        n_plies += game.n_plies();
    }
    let tally = games.tally();
    println!("{} games of {n_plies} plies: {outcomes:?}", tally.n_games);
    for repaired in &tally.repairs {
        println!("repaired: {repaired}");
    }
    for bad in &tally.bad_games {
        println!("left out: {bad}");
    }
    Ok(())
}
