//! Material, mobility, center control and attacks after every move of a short game, from White's side.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use kibitz_board::{
    Color, Position,
    pgn::{Policy, read_games},
};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0";
    let set = AttributeSet::new(Attribute::PAPER);
    println!(
        "move      {}",
        Attribute::PAPER.map(Attribute::short_name).join("   ")
    );
    for game in read_games("Légal's mate", text.as_bytes(), Policy::strict()) {
        for (position, m) in game?.plies() {
            let mut next = position.clone();
            next.play_unchecked(m);
            let row: Vec<f64> = set
                .values(&next, Color::White)
                .iter()
                .zip(set.scales())
                .map(|(&units, scale)| f64::from(units) * scale)
                .collect();
            println!("{:8} {row:5.1?}", m.to_string());
        }
    }
    Ok(())
}
