//! Certificates: lists of deductions that solve a board from its first click.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::solve::{NoGuessSolver, SolveError};
use super::{Deduction, Difficulty, ProofError};
use crate::{
    board::Board,
    game::Game,
    grid::{GridIndex, Tile},
    player::Action,
};

/// How a board is solved without guessing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// The first click, which must be known to be safe.
    pub first: Tile,
    /// Deductions from the numbers uncovered so far, in order. A tile that a cascade uncovers needs none.
    pub steps: Vec<Deduction>,
}

/// Why a certificate does not solve a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CertificateError {
    /// The first click meets a mine.
    #[error("the first click, tile {0}, meets a mine")]
    First(Tile),
    /// A tile is not on the board.
    #[error("step {number}: tile {tile} is not on the board")]
    Outside {
        /// Number of the step, from one; 0 for the first click.
        number: usize,
        /// The tile.
        tile: Tile,
    },
    /// A deduction does not hold.
    #[error("step {number}, tile {tile}: {problem}")]
    Step {
        /// Number of the step, from one.
        number: usize,
        /// Its tile.
        tile: Tile,
        /// What is wrong.
        problem: ProofError,
    },
    /// Safe tiles are covered at the end.
    #[error("the board is not solved after {0} steps")]
    Unsolved(usize),
}

impl Certificate {
    /// The deductions that solve a board from this first click, by none harder than `hardest`; `None` if
    /// there are none, or if one has no reason within limits.
    ///
    /// # Panics
    /// If the first click is not on the board.
    pub fn find(board: &Board, first: impl GridIndex, hardest: Difficulty) -> Option<Self> {
        let first = first.tile(board.grid().size());
        if board.is_mine(first) {
            return None;
        }
        let mut steps = Vec::new();
        let mut solve = NoGuessSolver::new(board.grid(), board.n_mines(), hardest);
        match solve.solve(board, first, Some(&mut steps)) {
            Ok(_) => Some(Self { first, steps }),
            Err(SolveError::Guess | SolveError::TooComplex) => None,
        }
    }

    /// The difficulty of the hardest step.
    pub fn difficulty(&self) -> Difficulty {
        let steps = self.steps.iter().map(Deduction::difficulty);
        steps.max().unwrap_or(Difficulty::Single)
    }

    /// Plays the board by these steps, each of which must be shown by the numbers it names; what found
    /// the steps has no part in it.
    ///
    /// # Errors
    /// [`CertificateError`] at the first step that does not hold, or if safe tiles are left.
    pub fn check(&self, board: &Board) -> Result<(), CertificateError> {
        let n_tiles = board.grid().n_tiles();
        let outside = |number, tile| CertificateError::Outside { number, tile };
        if self.first >= n_tiles {
            return Err(outside(0, self.first));
        }
        if board.is_mine(self.first) {
            return Err(CertificateError::First(self.first));
        }
        let mut game = Game::new(board);
        game.uncover(self.first);
        for (number, step) in (1..).zip(&self.steps) {
            let mut tiles = step.because.iter().chain([&step.tile]);
            if let Some(tile) = tiles.find(|tile| **tile >= n_tiles) {
                return Err(outside(number, *tile));
            }
            let tile = step.tile;
            let problem = |problem| CertificateError::Step {
                number,
                tile,
                problem,
            };
            step.check(game.knowledge()).map_err(problem)?;
            game.act(if step.is_mine {
                Action::Mark(tile)
            } else {
                Action::Uncover(tile)
            });
        }
        if game.knowledge().is_won() {
            Ok(())
        } else {
            Err(CertificateError::Unsolved(self.steps.len()))
        }
    }
}
