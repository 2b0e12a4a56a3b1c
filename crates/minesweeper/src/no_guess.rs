//! Boards that are solved without guessing.

use rand::{Rng, RngExt as _};
use thiserror::Error;

use crate::{
    board::{Board, FirstClick, TooManyMines},
    deduction::{Difficulty, NoGuessSolver, SolveError, undecided},
    grid::{Grid, GridIndex, Tile},
    knowledge::{Knowledge, View},
    level::Level,
};

/// Limit on the changes of one board, in its tiles, until another one is drawn.
const CHANGES_PER_TILE: usize = 2;

/// Generates boards that deduction alone solves from the first click.
///
/// Rejection sampling: boards are drawn uniformly until one is solvable. If these are too rare, boards are
/// repaired: where deduction is stuck, a tile next to a number is swapped with another one, a mine with a
/// safe tile. Repaired boards are not uniformly distributed; `examples/no_guess.rs` measures the bias.
#[derive(Clone, Debug)]
pub struct NoGuess {
    /// Size and mines.
    pub level: Level,
    /// Protection of the first click.
    pub first_click: FirstClick,
    /// The boards drawn before boards are repaired.
    pub n_uniform: u64,
    /// The boards drawn for repair before giving up.
    pub n_repaired: u64,
    solve: NoGuessSolver,
}

/// A board that needs no guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoGuessBoard {
    /// The board.
    pub board: Board,
    /// The first click.
    pub first: Tile,
    /// The hardest deduction that it needs.
    pub difficulty: Difficulty,
    /// The boards drawn, this one included.
    pub n_drawn: u64,
    /// The tiles swapped to repair it; 0 if it was drawn uniformly.
    pub n_swaps: usize,
}

/// Why there is no board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoGuessError {
    /// There is no room for the mines.
    #[error(transparent)]
    Mines(#[from] TooManyMines),
    /// None was found.
    #[error("none of {0} boards is solved without guessing")]
    NoneFound(u64),
}

impl NoGuess {
    /// Boards of a level with an opening at the first click, solved by deductions of at most this
    /// difficulty: 500 are drawn before 500 are repaired.
    pub fn new(level: &Level, hardest: Difficulty) -> Self {
        Self {
            level: level.clone(),
            first_click: FirstClick::Opening,
            n_uniform: 500,
            n_repaired: 500,
            solve: NoGuessSolver::new(&level.grid, level.n_mines, hardest),
        }
    }

    /// Only boards that are drawn uniformly among those that need no guess, at most so many.
    #[must_use]
    pub fn uniform(self, n_uniform: u64) -> Self {
        Self {
            n_uniform,
            n_repaired: 0,
            ..self
        }
    }

    /// The next board for this first click.
    ///
    /// # Errors
    /// [`NoGuessError`] without room for the mines, or if none is found.
    ///
    /// # Panics
    /// If the first click is not on the board.
    pub fn draw(
        &mut self,
        first: impl GridIndex,
        rng: &mut impl Rng,
    ) -> Result<NoGuessBoard, NoGuessError> {
        let Level { grid, n_mines } = &self.level;
        let first = first.tile(grid.size());
        let n_most = self.n_uniform + self.n_repaired;
        for n_drawn in 1..=n_most {
            let mut board = Board::random(grid, *n_mines, self.first_click, first, rng)?;
            if board.is_mine(first) {
                continue;
            }
            let mut n_swaps = 0;
            self.solve.is_rough = true;
            let is_solved = match self.solve.solve(&board, first, None) {
                Err(SolveError::Guess) if n_drawn > self.n_uniform => {
                    let repaired = repair(&mut self.solve, &mut board, first, rng);
                    n_swaps = repaired.unwrap_or(0);
                    repaired.is_some()
                }
                solved => solved.is_ok(),
            };
            self.solve.is_rough = false;
            let found = if is_solved {
                self.solve.solve(&board, first, None).ok()
            } else {
                None
            };
            if let Some(difficulty) = found {
                return Ok(NoGuessBoard {
                    board,
                    first,
                    difficulty,
                    n_drawn,
                    n_swaps,
                });
            }
        }
        Err(NoGuessError::NoneFound(n_most))
    }
}

/// Repairs a board at which a solver is stuck; the number of swaps.
fn repair(
    solve: &mut NoGuessSolver,
    board: &mut Board,
    first: Tile,
    rng: &mut impl Rng,
) -> Option<usize> {
    for n_swaps in 1..=CHANGES_PER_TILE * board.grid().n_tiles() {
        swap(solve, board, rng)?;
        let mut solved = solve.go_on(board, None);
        if solved.is_ok() {
            // Swaps may have undone what was deduced before them: from the beginning again.
            solved = solve.solve(board, first, None);
        }
        match solved {
            Ok(_) => return Some(n_swaps),
            Err(SolveError::Guess) => {}
            Err(SolveError::TooComplex) => return None,
        }
    }
    None
}

/// Swaps a mine with a safe tile, one of them where the solver is stuck.
fn swap(solve: &mut NoGuessSolver, board: &mut Board, rng: &mut impl Rng) -> Option<()> {
    let (tiles, n_frontier) = undecided(&solve.knowledge);
    let (frontier, inside) = tiles.split_at(n_frontier);
    let wall;
    let near = if frontier.is_empty() {
        // Certain mines part what is left from the rest.
        wall = walls(&solve.knowledge);
        &wall
    } else {
        frontier
    };
    let near = *near.get(rng.random_range(0..near.len().max(1)))?;
    let is_other = |tile: &&Tile| board.is_mine(**tile) != board.is_mine(near);
    let mut among: Vec<Tile> = inside.iter().filter(is_other).copied().collect();
    if among.is_empty() {
        among = frontier.iter().filter(is_other).copied().collect();
    }
    let far = *among.get(rng.random_range(0..among.len().max(1)))?;
    let (mine, safe) = if board.is_mine(near) {
        (near, far)
    } else {
        (far, near)
    };
    solve.knowledge.unmark(mine);
    board.lift(mine);
    board.lay(safe);
    let grid: Grid = board.grid().clone();
    for tile in grid.neighbors(mine).chain(grid.neighbors(safe)) {
        solve.correct(board, tile);
    }
    Some(())
}

/// The marked tiles beside covered ones.
fn walls(knowledge: &Knowledge) -> Vec<Tile> {
    let is_wall =
        |tile: &Tile| knowledge.view(*tile) == View::Marked && knowledge.covered_around(*tile) != 0;
    (0..knowledge.grid().n_tiles()).filter(is_wall).collect()
}
