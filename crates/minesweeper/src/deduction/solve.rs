//! Solves boards by deduction: single numbers first, then pairs, then all certain tiles.

use super::deducer::{Deducer, differences, proved};
use super::{Deduction, Difficulty};
use crate::{
    bit_sets::BitSets,
    board::Board,
    grid::{Grid, Tile},
    knowledge::{Constraint, Knowledge, View},
    probability::NoProbabilities,
};

/// Why a board is not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SolveError {
    /// A guess is needed, or a deduction that is too hard.
    Guess,
    /// A deduction has no reason within limits.
    TooComplex,
}

/// Solves boards without guessing; keeps its memory from one board to the next.
#[derive(Clone, Debug)]
pub(crate) struct NoGuessSolver {
    /// The hardest deductions that are allowed.
    pub(crate) hardest: Difficulty,
    /// Whether deductions by three numbers or more pass for such by the count of mines, which is faster.
    pub(crate) is_rough: bool,
    /// The position solved so far.
    pub(crate) knowledge: Knowledge,
    deducer: Deducer,
    /// Numbers to look at again, alone and in pairs.
    stale: BitSets<2>,
    found: Vec<(Constraint, Tile, bool)>,
    zeros: Vec<Tile>,
}

/// The sets of [`NoGuessSolver::stale`].
const ALONE: usize = 0;
const IN_PAIRS: usize = 1;

/// Where deductions are listed, if they are.
type Steps<'s> = Option<&'s mut Vec<Deduction>>;

impl NoGuessSolver {
    /// For boards of this shape and with so many mines.
    pub(crate) fn new(grid: &Grid, n_mines: usize, hardest: Difficulty) -> Self {
        Self {
            hardest,
            is_rough: false,
            knowledge: Knowledge::new(grid, n_mines),
            deducer: Deducer::new(),
            stale: BitSets::new(grid.n_tiles()),
            found: Vec::new(),
            zeros: Vec::new(),
        }
    }

    /// Solves a board from this first click, which must be safe; the difficulty of the hardest deduction.
    pub(crate) fn solve(
        &mut self,
        board: &Board,
        first: Tile,
        steps: Steps<'_>,
    ) -> Result<Difficulty, SolveError> {
        self.knowledge = Knowledge::new(board.grid(), board.n_mines());
        self.stale.clear(ALONE);
        self.stale.clear(IN_PAIRS);
        self.uncover(board, first);
        self.go_on(board, steps)
    }

    /// Makes every deduction, to the end of the board or until none is left, and lists them; the
    /// difficulty of the hardest one.
    pub(crate) fn go_on(
        &mut self,
        board: &Board,
        mut steps: Steps<'_>,
    ) -> Result<Difficulty, SolveError> {
        let mut hardest = Difficulty::Single;
        while !self.knowledge.is_won() {
            if self.look_at_numbers(board, steps.as_deref_mut()) {
                continue;
            }
            if self.hardest < Difficulty::Sets {
                return Err(SolveError::Guess);
            }
            if self.look_at_pairs(board, steps.as_deref_mut()) {
                hardest = hardest.max(Difficulty::Sets);
                continue;
            }
            if self.hardest < Difficulty::Numbers {
                return Err(SolveError::Guess);
            }
            hardest = hardest.max(self.look_at_all(board, steps.as_deref_mut())?);
        }
        Ok(hardest)
    }

    /// Uncovers a tile and its cascade.
    fn uncover(&mut self, board: &Board, tile: Tile) {
        self.show(board, tile);
        while let Some(zero) = self.zeros.pop() {
            let covered = self.knowledge.covered_around(zero);
            for near in board.grid().masked(zero, covered) {
                self.show(board, near);
            }
        }
    }

    fn show(&mut self, board: &Board, tile: Tile) {
        let number = board.number(tile);
        self.knowledge.uncover(tile, number);
        self.look_again(tile);
        if number == 0 {
            self.zeros.push(tile);
        }
    }

    /// Looks again at a tile and the numbers around it.
    fn look_again(&mut self, tile: Tile) {
        let near = self.knowledge.uncovered_around(tile);
        let around = self.knowledge.grid().masked(tile, near);
        for tile in around.chain([tile]) {
            self.stale.put(ALONE, tile, true);
            self.stale.put(IN_PAIRS, tile, true);
        }
    }

    /// Shows the number of an uncovered tile again, after the board has changed.
    pub(crate) fn correct(&mut self, board: &Board, tile: Tile) {
        if let View::Number(_) = self.knowledge.view(tile) {
            self.knowledge.cover(tile);
            self.knowledge.uncover(tile, board.number(tile));
            self.look_again(tile);
        }
    }

    /// Marks or uncovers a tile, if it is still covered: cascades uncover others.
    fn decide(&mut self, board: &Board, deduction: Deduction, steps: Steps<'_>) {
        let Deduction { tile, is_mine, .. } = deduction;
        if !self.knowledge.is_covered(tile) {
            return;
        }
        if is_mine {
            self.knowledge.mark(tile);
            self.look_again(tile);
        } else {
            self.uncover(board, tile);
        }
        if let Some(steps) = steps {
            steps.push(deduction);
        }
    }

    /// The same for the tiles of a set.
    fn decide_all(
        &mut self,
        board: &Board,
        set: Constraint,
        is_mine: bool,
        because: &[Tile],
        mut steps: Steps<'_>,
    ) {
        for tile in board.grid().masked(set.center, set.mask) {
            let deduction = Deduction {
                tile,
                is_mine,
                // Nobody reads the reasons where they are not listed.
                because: steps.as_ref().map_or(Vec::new(), |_| because.to_vec()),
                counts_mines: false,
            };
            self.decide(board, deduction, steps.as_deref_mut());
        }
    }

    /// Makes the deductions by single numbers; whether there were any.
    fn look_at_numbers(&mut self, board: &Board, mut steps: Steps<'_>) -> bool {
        let mut has_found = false;
        while let Some(number) = self.stale.iter(ALONE).next() {
            self.stale.put(ALONE, number, false);
            let Some(set) = self.knowledge.constraint(number) else {
                continue;
            };
            if set.n_mines == 0 || set.n_mines == set.len() {
                has_found = true;
                let steps = steps.as_deref_mut();
                self.decide_all(board, set, set.n_mines != 0, &[number], steps);
            }
        }
        has_found
    }

    /// Makes the deductions by pairs of numbers; whether there were any.
    fn look_at_pairs(&mut self, board: &Board, mut steps: Steps<'_>) -> bool {
        let mut found = std::mem::take(&mut self.found);
        for set in self.knowledge.constraints() {
            // A pair is new if one of its numbers is.
            let mut near = board.grid().near(set.center);
            if near.any(|(near, _)| self.stale.contains(IN_PAIRS, near)) {
                let rests = differences(&self.knowledge, set);
                found.extend(rests.map(|(second, rest, is_mine)| (rest, second, is_mine)));
            }
        }
        self.stale.clear(IN_PAIRS);
        let has_found = !found.is_empty();
        for (rest, second, is_mine) in found.drain(..) {
            let because = [rest.center, second];
            self.decide_all(board, rest, is_mine, &because, steps.as_deref_mut());
        }
        self.found = found;
        has_found
    }

    /// Makes all deductions by any numbers, or if there are none, with the count of mines; how hard they
    /// are.
    fn look_at_all(
        &mut self,
        board: &Board,
        mut steps: Steps<'_>,
    ) -> Result<Difficulty, SolveError> {
        let too_complex = |_: NoProbabilities| SolveError::TooComplex;
        let certain = self.deducer.certain(&self.knowledge).map_err(too_complex)?;
        if certain.is_empty() {
            return Err(SolveError::Guess);
        }
        let by_numbers = if self.is_rough && self.hardest == Difficulty::MineCount {
            Vec::new()
        } else {
            let by_numbers = self.deducer.certain_by_numbers(&self.knowledge);
            by_numbers.map_err(too_complex)?
        };
        let (certain, difficulty) = if by_numbers.is_empty() {
            (certain, Difficulty::MineCount)
        } else {
            (by_numbers, Difficulty::Numbers)
        };
        if difficulty > self.hardest {
            return Err(SolveError::Guess);
        }
        for (tile, is_mine) in certain {
            let counts_mines = difficulty == Difficulty::MineCount;
            let deduction = Deduction {
                tile,
                is_mine,
                because: Vec::new(),
                counts_mines,
            };
            // Only what is listed needs a reason.
            let deduction = match &steps {
                Some(_) if self.knowledge.is_covered(tile) => {
                    let proved = proved(&self.knowledge, tile, is_mine, counts_mines);
                    proved.ok_or(SolveError::TooComplex)?
                }
                _ => deduction,
            };
            self.decide(board, deduction, steps.as_deref_mut());
        }
        Ok(difficulty)
    }
}

/// The covered tiles of a position at which a solver is stuck, those that touch numbers first, and how
/// many these are.
pub(crate) fn undecided(knowledge: &Knowledge) -> (Vec<Tile>, usize) {
    let touches = |tile: &Tile| knowledge.uncovered_around(*tile) != 0;
    let (mut frontier, inside): (Vec<Tile>, Vec<Tile>) = knowledge.covered().partition(touches);
    let n_frontier = frontier.len();
    frontier.extend(inside);
    (frontier, n_frontier)
}
