//! Players by exact probabilities.

mod endgame;
mod look_ahead;

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::guess::{Guess, pick};
use crate::{
    grid::{Grid, Tile},
    knowledge::{Constraint, Knowledge},
    player::{Action, Move, Player, Rule},
    probability::{Probabilities, Solver},
};
use endgame::Endgame;
use look_ahead::EQUAL;

pub use look_ahead::LookAhead;

/// The tie-break among the tiles of least probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The first, row by row.
    #[default]
    First,
    /// A random one.
    Random,
    /// The first with the fewest neighbors: corners, then edges, then the interior.
    FewestNeighbors,
}

/// The first tile to uncover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstTile {
    /// A random one.
    Random,
    /// The top left corner.
    #[default]
    Corner,
    /// The tile in this row and column, from zero; the nearest on smaller boards.
    At(usize, usize),
}

/// Uncovers certainly safe tiles, or else a tile of least probability of a mine.
///
/// With [`LookAhead`] it compares the numbers that a tile may show: with many arrangements left, it
/// takes the tile with the greatest probability that it and the best tile after it are safe; with
/// few left, it searches the endgame completely.
#[derive(Clone, Debug, Default)]
pub struct ExactPlayer {
    /// The tie-break.
    pub ties: Ties,
    /// The first tile to uncover.
    pub first_tile: FirstTile,
    /// The look-ahead, if there is one.
    pub look_ahead: Option<LookAhead>,
    solver: Solver,
    endgame: Endgame,
    /// Certain moves still to be made.
    pending: Vec<Action>,
}

impl Ties {
    /// A tile of least probability.
    fn least(
        self,
        knowledge: &Knowledge,
        probabilities: &Probabilities,
        rng: &mut ChaCha8Rng,
    ) -> Option<Tile> {
        let (least, _) = probabilities.extremes();
        let is_least = |tile: &Tile| probabilities.mine(*tile) <= least + EQUAL;
        let mut among = knowledge.covered().filter(is_least);
        match self {
            Self::First => among.next(),
            Self::Random => pick(&among.collect::<Vec<_>>(), rng).copied(),
            Self::FewestNeighbors => among.min_by_key(|tile| knowledge.grid().n_neighbors(*tile)),
        }
    }
}

impl FirstTile {
    /// The number of the tile.
    pub fn choose(self, grid: &Grid, rng: &mut ChaCha8Rng) -> Tile {
        match self {
            Self::Random => rng.random_range(0..grid.n_tiles()),
            Self::Corner => 0,
            Self::At(row, column) => {
                row.min(grid.height() - 1) * grid.width() + column.min(grid.width() - 1)
            }
        }
    }
}

impl ExactPlayer {
    /// A player with this first tile, tie-break and look-ahead.
    pub fn new(first_tile: FirstTile, ties: Ties, look_ahead: Option<LookAhead>) -> Self {
        Self {
            ties,
            first_tile,
            look_ahead,
            ..Self::default()
        }
    }

    /// The next certain move that still changes something.
    fn next_pending(&mut self, knowledge: &Knowledge) -> Option<Move> {
        while let Some(action) = self.pending.pop() {
            if knowledge.is_covered(action.tile()) {
                return Some(Move::new(action, Rule::Certain));
            }
        }
        None
    }

    /// Finds the certain moves by single numbers.
    fn look_at_numbers(&mut self, knowledge: &Knowledge) {
        for set in knowledge.constraints() {
            if set.n_mines == 0 {
                self.pending
                    .extend(knowledge.tiles(set).map(Action::Uncover));
            } else if set.n_mines == set.len() {
                self.pending.extend(knowledge.tiles(set).map(Action::Mark));
            }
        }
    }

    /// Finds the certain moves by pairs of numbers that touch.
    ///
    /// If the excess of mines of one over the other equals the number of tiles that only the first
    /// has, all of these are mines, and the tiles that only the other has are safe.
    fn look_at_pairs(&mut self, knowledge: &Knowledge) {
        for first in knowledge.constraints() {
            for (second, offset) in knowledge.constraints_after(first.center) {
                let only_first = Constraint {
                    mask: first.mask & !first.common(second, offset.back()),
                    ..first
                };
                let only_second = Constraint {
                    mask: second.mask & !second.common(first, offset),
                    ..second
                };
                let excess = first.n_mines - second.n_mines;
                let (mines, safe) = if excess == only_first.len() {
                    (only_first, only_second)
                } else if -excess == only_second.len() {
                    (only_second, only_first)
                } else {
                    continue;
                };
                self.pending
                    .extend(knowledge.tiles(mines).map(Action::Mark));
                self.pending
                    .extend(knowledge.tiles(safe).map(Action::Uncover));
            }
        }
    }
}

impl Player for ExactPlayer {
    fn start(&mut self) {
        self.pending.clear();
    }

    fn choose(&mut self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move> {
        self.next_pending(knowledge)
            .or_else(|| self.think(knowledge, rng))
    }
}

impl ExactPlayer {
    /// The next move when no certain one is pending.
    fn think(&mut self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move> {
        if knowledge.n_covered() == knowledge.grid().n_tiles() {
            let tile = self.first_tile.choose(knowledge.grid(), rng);
            return Some(Move {
                risk: Some(knowledge.n_mines() as f64 / knowledge.n_covered() as f64),
                ..Move::new(Action::Uncover(tile), Rule::Guess)
            });
        }
        self.look_at_numbers(knowledge);
        if let Some(next) = self.next_pending(knowledge) {
            return Some(next);
        }
        self.look_at_pairs(knowledge);
        if let Some(next) = self.next_pending(knowledge) {
            return Some(next);
        }
        let Ok(probabilities) = self.solver.solve(knowledge) else {
            return Guess::LeastRisk.choose(knowledge, rng);
        };
        let (least, most) = probabilities.extremes();
        if least <= 0.0 || most >= 1.0 {
            for tile in knowledge.covered() {
                let risk = probabilities.mine(tile);
                if risk <= 0.0 {
                    self.pending.push(Action::Uncover(tile));
                } else if risk >= 1.0 {
                    self.pending.push(Action::Mark(tile));
                }
            }
        }
        if let Some(action) = self.pending.pop() {
            return Some(Move::new(action, Rule::Certain));
        }
        let Some(look_ahead) = self.look_ahead else {
            let tile = self.ties.least(knowledge, probabilities, rng)?;
            return Some(Move {
                risk: Some(probabilities.mine(tile)),
                ..Move::new(Action::Uncover(tile), Rule::LeastProbability)
            });
        };
        let probabilities = probabilities.clone();
        let n_max = look_ahead.max_arrangements;
        let endgame = self.endgame.best(knowledge, &probabilities, n_max);
        let (tile, rule) = if let Some(tile) = endgame {
            (tile, Rule::Endgame)
        } else {
            let tile = look_ahead.best(knowledge, &probabilities, &mut self.solver)?;
            (tile, Rule::LookAhead)
        };
        Some(Move {
            risk: Some(probabilities.mine(tile)),
            ..Move::new(Action::Uncover(tile), rule)
        })
    }
}
