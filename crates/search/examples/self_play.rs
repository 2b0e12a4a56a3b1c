//! A player that values material and mobility plays itself, with probabilities instead of certainty.
#![allow(clippy::print_stdout, reason = "an example speaks")]

use kibitz_board::{Chess, Position, san::SanPlus};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_search::{
    one_ply::{OnePly, WeightedOnePly},
    self_play::{EndPolicy, play},
};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

fn main() {
    let model = OnePly::new(AttributeSet::new(Attribute::SIMPLE));
    let mut player = WeightedOnePly::new(model, vec![5.0, 0.2]);
    let policy = EndPolicy {
        max_plies: Some(60),
        ..EndPolicy::default()
    };
    let mut rng = ChaCha8Rng::seed_from_u64(2000);
    let game = play(&mut player, &Chess::default(), &policy, &mut rng);
    let mut position = Chess::default();
    for m in &game.moves {
        if position.turn().is_white() {
            print!("{}. ", position.fullmoves());
        }
        print!(
            "{} ",
            SanPlus::from_move_and_play_unchecked(&mut position, *m)
        );
    }
    println!("\nended by {:?}", game.end);
}
