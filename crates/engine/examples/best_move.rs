//! The move that CHUTE would play: `cargo run --example best_move -- "<FEN>"`.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use std::{env, error::Error};

use kibitz_engine::{Transcript, converse};

fn main() -> Result<(), Box<dyn Error>> {
    let position = match env::args().nth(1) {
        Some(fen) => format!("fen {fen}"),
        None => "startpos moves e2e4 e7e5 g1f3".to_owned(),
    };
    let said = Transcript::default();
    converse(
        format!("position {position}\ngo depth 3\n").as_bytes(),
        said.clone(),
    )?;
    let text = said.text();
    let answer = text.lines().last().ok_or("an engine answers")?;
    println!("{}", answer.replace("bestmove ", "CHUTE plays "));
    Ok(())
}
