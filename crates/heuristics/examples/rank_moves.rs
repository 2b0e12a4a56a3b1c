//! The five moves that CHUTE likes best, and which heuristics speak for them:
//! `cargo run --example rank_moves -- "<FEN>"`.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use std::{env, error::Error};

use kibitz_board::{CastlingMode, Chess, fen::Fen};
use kibitz_heuristics::chute::{CHUTE, Context, Polynomial, rank_moves};

const ITALIAN: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";

fn main() -> Result<(), Box<dyn Error>> {
    let fen: Fen = env::args().nth(1).as_deref().unwrap_or(ITALIAN).parse()?;
    let position: Chess = fen.into_position(CastlingMode::Standard)?;
    for ranked in rank_moves(&Context::new(&position), &Polynomial::default())
        .iter()
        .take(5)
    {
        println!("{} {:.0}", ranked.m, ranked.total);
        for (heuristic, score) in CHUTE.iter().zip(ranked.scores) {
            if score.abs() > 0.0 {
                println!("    {:6.0} {}", score, heuristic.name());
            }
        }
    }
    Ok(())
}
