//! Collections of games: telling games apart, selecting them, and merging records of one game.

mod near;
mod select;

use std::collections::BTreeSet;

pub use near::{NearDuplicates, PlayerRecord, Share};
pub use select::{NamePattern, Selection};

use crate::{Game, GameKey};

/// Tells games apart by their moves: keeps the keys of the games it has seen.
///
/// # Examples
///
/// ```
/// use kibitz_board::{collection::Distinct, pgn};
///
/// let text = "[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. e4 *\n\n1. d4 *\n";
/// let mut distinct = Distinct::default();
/// let n_games = pgn::read_games("three", text.as_bytes(), pgn::Policy::default())
///     .filter_map(Result::ok)
///     .filter(|game| distinct.insert(game))
///     .count();
/// assert_eq!((n_games, distinct.n_repeated()), (2, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Distinct {
    keys: BTreeSet<GameKey>,
    n_repeated: u64,
}

impl Distinct {
    /// Whether this is the first game with its moves.
    pub fn insert(&mut self, game: &Game) -> bool {
        let is_new = self.keys.insert(game.key());
        self.n_repeated += u64::from(!is_new);
        is_new
    }

    /// Number of distinct games seen.
    pub fn n_distinct(&self) -> usize {
        self.keys.len()
    }

    /// Number of games seen that repeated an earlier one.
    pub fn n_repeated(&self) -> u64 {
        self.n_repeated
    }
}
