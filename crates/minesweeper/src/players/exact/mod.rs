//! Players who know the probability of every mine.

mod endgame;
mod look_ahead;

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::rules::{least_risk, pick};
use crate::{
    grid::{Grid, Tile},
    knowledge::{Knowledge, TileSet},
    player::{Action, Move, Player, Rule},
    probability::{Probabilities, Solver},
};
use endgame::Endgame;

/// Probabilities that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// Which of the tiles of least probability is uncovered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// The first, row by row.
    #[default]
    First,
    /// Any.
    Random,
    /// The first with the fewest neighbors: corners, then edges, then the interior.
    FewestNeighbors,
}

/// Which tile is uncovered first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstTile {
    /// Any.
    Random,
    /// The top left corner.
    #[default]
    Corner,
    /// The tile in this row and column, from zero; the nearest on smaller boards.
    At(usize, usize),
}

/// How far a player looks ahead where he must guess.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAhead {
    /// Tiles that are tried, those of least probability first.
    pub n_tiles: usize,
    /// Arrangements up to which all ways to play on are searched.
    pub max_arrangements: usize,
}

impl Default for LookAhead {
    fn default() -> Self {
        Self {
            n_tiles: 16,
            max_arrangements: 128,
        }
    }
}

/// Uncovers what is certainly safe, or else what is least likely a mine.
///
/// With [`LookAhead`] it weighs what a tile may show: where many arrangements are left, it takes
/// the tile with the best chance that it and the best tile after it are safe; where few are left,
/// it searches all ways to play on and takes the best.
#[derive(Clone, Debug, Default)]
pub struct ExactPlayer {
    /// Which of several tiles of least probability.
    pub ties: Ties,
    /// Which tile first.
    pub first_tile: FirstTile,
    /// Whether and how far to look ahead.
    pub look_ahead: Option<LookAhead>,
    solver: Solver,
    endgame: Endgame,
    /// Certain moves that are still to be made.
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
    /// The tile.
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
    /// A player who begins, breaks ties and looks ahead like this.
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
            let (Action::Uncover(tile) | Action::Mark(tile) | Action::Unmark(tile)) = action;
            if knowledge.is_covered(tile) {
                return Some(Move::new(action, Rule::Certain));
            }
        }
        None
    }

    /// What single numbers determine.
    fn look_at_numbers(&mut self, knowledge: &Knowledge) {
        for set in knowledge.sets() {
            if set.n_mines == 0 {
                self.pending
                    .extend(knowledge.tiles(set).map(Action::Uncover));
            } else if set.n_mines == set.len() {
                self.pending.extend(knowledge.tiles(set).map(Action::Mark));
            }
        }
    }

    /// What pairs of numbers that touch determine.
    ///
    /// If one has as many mines more than the other as tiles that the other lacks, all of these
    /// are mines, and none of what only the other has.
    fn look_at_pairs(&mut self, knowledge: &Knowledge) {
        for first in knowledge.sets() {
            for (second, offset) in knowledge.sets_after(first.center) {
                let only_first = TileSet {
                    mask: first.mask & !first.common(second, offset.back()),
                    ..first
                };
                let only_second = TileSet {
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
    /// The next move when no certain one is left over.
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
            let tile = *pick(&least_risk(knowledge), rng)?;
            return Some(Move::new(Action::Uncover(tile), Rule::LeastRisk));
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
