//! Players by exact probabilities.

mod look_ahead;

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::guess::{Guess, pick};
use crate::{
    board::FirstClick,
    endgame::{Endgame, SearchLimits},
    grid::Tile,
    knowledge::{Constraint, Knowledge},
    player::{Action, Move, Player, Rule},
    probability::{Probabilities, Solver},
};
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

/// The row and the column, from zero, at which [`FirstTile::Best`] opens a board with few mines, and with
/// many.
const OPENING: [usize; 2] = [2, 3];

/// The share of mines from which a board has many.
const MANY_MINES: f64 = 0.18;

/// The shortest side of a board that is opened inside.
const OPENED_INSIDE: usize = 4;

/// The first tile to uncover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstTile {
    /// A random one.
    Random,
    /// The tile that wins most by the protection of the first click: the top left corner, or where the
    /// first click is an opening, a tile inside.
    ///
    /// That is row 2 and column 2 from zero, or 3 and 3 where 18% or more are mines, and the middle of
    /// smaller boards; of boards with a side of less than 4, the corner. Of those tried from the corner to
    /// the middle these won most of 10,000 openings each on boards from 5x5/5 to 30x24/160.
    #[default]
    Best,
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
    /// The number of the tile in a position with nothing uncovered.
    pub fn choose(self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Tile {
        let grid = knowledge.grid();
        match self {
            Self::Random => rng.random_range(0..grid.n_tiles()),
            Self::Best
                if knowledge.first_click() == Some(FirstClick::Opening)
                    && grid.height().min(grid.width()) >= OPENED_INSIDE =>
            {
                let has_many = knowledge.share_of_mines() >= MANY_MINES;
                let within = |side: usize| OPENING[usize::from(has_many)].min(side / 2);
                within(grid.height()) * grid.width() + within(grid.width())
            }
            Self::Best => 0,
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
        if knowledge.first_click().is_some() {
            let tile = self.first_tile.choose(knowledge, rng);
            let tile = Some(tile).filter(|tile| knowledge.is_covered(*tile));
            let tile = tile.or_else(|| knowledge.covered().next())?;
            let risk = if knowledge.is_protected() {
                0.0
            } else {
                knowledge.share_of_mines()
            };
            return Some(Move {
                risk: Some(risk),
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
        let probabilities = match self.solver.solve(knowledge) {
            Ok(probabilities) => probabilities,
            Err(problem) => {
                let guess = Guess::LeastRisk.choose(knowledge, rng)?;
                return Some(Move::new(guess.action, Rule::Fallback(problem)));
            }
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
        let limits = SearchLimits::of_player(look_ahead.max_arrangements);
        let endgame = self.endgame.best(knowledge, &probabilities, limits);
        let (tile, rule) = if let Some(tile) = endgame {
            (tile, Rule::Endgame)
        } else {
            match look_ahead.best(knowledge, &probabilities, &mut self.solver) {
                Ok(tile) => (tile?, Rule::LookAhead),
                Err(problem) => {
                    let least = self.ties.least(knowledge, &probabilities, rng);
                    (least?, Rule::Fallback(problem))
                }
            }
        };
        Some(Move {
            risk: Some(probabilities.mine(tile)),
            ..Move::new(Action::Uncover(tile), rule)
        })
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::{Board, Game, Grid, NoProbabilities, PlayerName};

    fn first_move(name: PlayerName, first_click: FirstClick) -> Move {
        let grid = Grid::new(9, 5).expect("a grid");
        let empty = Knowledge::new(&grid, 9).with_first_click(first_click);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let next = name.player().choose(&empty, &mut rng);
        next.expect("a move")
    }

    /// A board of which every other tile of every other row is uncovered: one component, and wide.
    fn tangled(width: usize, height: usize) -> Knowledge {
        let grid = Grid::new(width, height).expect("a grid");
        let board = Board::new(&grid, (0..grid.n_tiles()).filter(|tile| tile % 5 == 3));
        let mut game = Game::new(&board).without_cascade();
        for tile in 0..grid.n_tiles() {
            let (row, column) = grid.row_and_column(tile);
            if (row % 2, column % 2) == (0, 0) && !board.is_mine(tile) {
                game.uncover(tile);
            }
        }
        game.knowledge().clone()
    }

    #[test]
    fn the_first_move_knows_the_rule_of_the_first_click() {
        let exact = [
            PlayerName::Exact,
            PlayerName::ExactCorners,
            PlayerName::LookAhead,
        ];
        for name in exact {
            let moves = [
                FirstClick::Unprotected,
                FirstClick::Safe,
                FirstClick::Opening,
            ]
            .map(|first_click| first_move(name, first_click));
            let tiles = moves.each_ref().map(|next| next.action.tile());
            assert_eq!(tiles, [0, 0, 2 * 9 + 3], "{name}");
            assert_eq!(
                moves.map(|next| next.risk),
                [Some(0.2), Some(0.0), Some(0.0)]
            );
        }
        let risks = [FirstClick::Unprotected, FirstClick::Opening]
            .map(|first_click| first_move(PlayerName::Pgms, first_click).risk);
        assert_eq!(risks, [Some(0.2), Some(0.0)]);
    }

    #[test]
    fn moves_without_probabilities_say_so() {
        let knowledge = tangled(99, 99);
        let too_complex = Rule::Fallback(NoProbabilities::TooComplex);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for name in PlayerName::ALL {
            let next = name.player().choose(&knowledge, &mut rng).expect("a move");
            let lacks = name.exact().is_some() && !next.rule.is_certain();
            assert_eq!(next.rule == too_complex, lacks, "{name}: {}", next.rule);
        }
    }
}
