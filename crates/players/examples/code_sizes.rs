//! Size and speed of games in the code of a model, beside the `chess-huffman` crate, which has a code
//! made from games of the Lichess server.
//!
//! ```console
//! RAYON_NUM_THREADS=1 cargo run --release -p kibitz-players --features codec --example code_sizes -- GAMES.pgn MODEL.toml
//! ```
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use chess_huffman::{EncodedGame, decode_game, encode_game};
use kibitz_board::{Game, open::open_games, pgn::Policy};
use kibitz_players::{
    Model,
    coder::{TaggedGame, decode, encode},
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [games, model] = arguments.as_slice() else {
        return Err("a file of games and a model were expected".into());
    };
    let model: Model = toml::from_str(&std::fs::read_to_string(model)?)?;
    let mut read = open_games(Path::new(games), Policy::default())?;
    let tagged = TaggedGame::read_all(&mut read)?;
    let games: Vec<&Game> = tagged.iter().map(TaggedGame::game).collect();
    let normal = games.iter().all(|game| game.starts_normally());
    if !normal {
        return Err("chess-huffman cannot code a game that starts elsewhere".into());
    }
    let moves: usize = games.iter().map(|game| game.n_plies()).sum();
    println!("{} games, {moves} moves", games.len());
    println!("code           bits per move  written games/s  read games/s");
    let told = |name: &str, bits: f64, seconds: [f64; 2]| {
        let [written, read] = seconds.map(|seconds| games.len() as f64 / seconds);
        let bits = bits / moves as f64;
        println!("{name:<13}  {bits:>13.3}  {written:>15.0}  {read:>12.0}");
    };
    let start = Instant::now();
    let coded = encode(&model, &tagged)?;
    let written = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let again = decode(&model, &coded.bytes)?;
    let seconds = [written, start.elapsed().as_secs_f64()];
    if again != tagged {
        return Err("the games did not come back".into());
    }
    told("the model", 8.0 * coded.move_bytes as f64, seconds);
    let start = Instant::now();
    let coded = games.iter().map(|game| encode_game(game.moves()));
    let coded: Vec<EncodedGame> = coded.collect::<Result<_, _>>()?;
    let written = start.elapsed().as_secs_f64();
    let start = Instant::now();
    for (coded, game) in coded.iter().zip(&games) {
        let (moves, _) = decode_game(coded).map_err(|_| "chess-huffman cannot read its code")?;
        if moves != game.moves() {
            return Err("the games did not come back from chess-huffman".into());
        }
    }
    let seconds = [written, start.elapsed().as_secs_f64()];
    // Without the bytes that fill up each game.
    let bits: usize = coded.iter().map(|game| game.bit_index).sum();
    told("chess-huffman", bits as f64, seconds);
    Ok(())
}
