//! Guesses: random tiles, and tiles of least estimated risk.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::{
    grid::Tile,
    knowledge::Knowledge,
    player::{Action, Move, Player, Rule},
};

/// Uncovers random covered tiles.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomPlayer;

impl Player for RandomPlayer {
    fn choose(&mut self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move> {
        Guess::Uniform.choose(knowledge, rng)
    }
}

/// The guess when no rule applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Guess {
    /// A random covered tile that is not marked.
    #[default]
    Uniform,
    /// A tile of least risk: the greatest share of mines among the covered tiles around one of its
    /// numbers. Ties are broken at random.
    ///
    /// The paper leaves open tiles without an uncovered neighbor; their risk is the share of mines
    /// among all covered tiles.
    LeastRisk,
}

impl Guess {
    pub(super) fn choose(self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move> {
        let (rule, tile) = match self {
            Self::Uniform => (Rule::Guess, pick_covered(knowledge, rng)),
            Self::LeastRisk => (Rule::LeastRisk, pick(&least_risk(knowledge), rng).copied()),
        };
        tile.map(|tile| Move::new(Action::Uncover(tile), rule))
    }
}

/// A uniformly random item; draws nothing if there is none.
pub(super) fn pick<'a, T>(among: &'a [T], rng: &mut ChaCha8Rng) -> Option<&'a T> {
    (!among.is_empty()).then(|| &among[rng.random_range(0..among.len())])
}

/// A uniformly random covered tile.
fn pick_covered(knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Tile> {
    let n_covered = knowledge.n_covered();
    (n_covered > 0).then(|| knowledge.covered().nth(rng.random_range(0..n_covered)))?
}

/// The tiles of least risk, see [`Guess::LeastRisk`].
pub(super) fn least_risk(knowledge: &Knowledge) -> Vec<Tile> {
    let elsewhere = knowledge.share_of_mines();
    let risks = knowledge.covered().map(|tile| {
        let around = knowledge.uncovered_around(tile);
        let sets = knowledge.grid().masked(tile, around);
        let shares = sets.filter_map(|near| knowledge.constraint(near));
        let shares = shares.map(|set| f64::from(set.n_mines) / f64::from(set.len()));
        (tile, shares.reduce(f64::max).unwrap_or(elsewhere))
    });
    least(risks)
}

/// The tiles with the least value.
pub(super) fn least(values: impl Iterator<Item = (Tile, f64)>) -> Vec<Tile> {
    let mut best = f64::INFINITY;
    let mut tiles = Vec::new();
    for (tile, value) in values {
        if value < best {
            best = value;
            tiles.clear();
        }
        if value <= best {
            tiles.push(tile);
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_risk_is_the_greatest_share_around() {
        // The 1 has one mine on two tiles, the 2 two on two.
        let knowledge = Knowledge::from_text("6x1/2\n.1..2.\n").unwrap();
        assert_eq!(least_risk(&knowledge), [0, 2]);
    }
}
