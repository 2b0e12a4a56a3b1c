//! Players, from random to look-ahead.

mod exact;
mod links;
mod named;
mod pgms;
mod rules;

pub use exact::{ExactPlayer, FirstTile, LookAhead, Ties};
pub use named::{PlayerName, UnknownPlayer};
pub use pgms::Pgms;
pub use rules::{Differences, Guess, RulePlayer, Sweep};

use rand_chacha::ChaCha8Rng;

use crate::{
    knowledge::Knowledge,
    player::{Action, Move, Player, Rule},
};

/// Uncovers any covered tile.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomPlayer;

impl Player for RandomPlayer {
    fn choose(&mut self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move> {
        let tile = rules::pick_covered(knowledge, rng);
        tile.map(|tile| Move::new(Action::Uncover(tile), Rule::Guess))
    }
}
