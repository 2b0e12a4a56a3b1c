//! Exact probabilities of mines.
//!
//! All arrangements of the mines that agree with the position are equally likely. They are counted
//! without being listed. The covered tiles that touch numbers are the [frontier]; tiles that touch
//! the same numbers are a group, and groups connected through numbers a constraint component. A
//! [forward] pass counts the arrangements of each component by dynamic programming; a [backward]
//! pass weighs them by the arrangements of the other components and by the hypergeometric weights of
//! the unconstrained tiles. Products of both are the probabilities. Frontiers too wide for that go to
//! variable [elimination], which looks for a better order.

mod backward;
mod elimination;
mod error;
mod forward;
mod frontier;
mod scale;

pub use error::NoProbabilities;

use crate::{
    grid::GridIndex,
    knowledge::{COVERED, Knowledge, MARKED, Views},
};

use backward::Backward;
use elimination::Constraint;
use forward::{Forward, MAX_STRIDE};
use frontier::Frontier;

/// The probability of a mine on each tile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Probabilities {
    /// Rows and columns.
    size: [usize; 2],
    views: Views,
    /// For each covered tile, the index of its value.
    value_of: Vec<u32>,
    values: Vec<f64>,
    ln_arrangements: f64,
}

impl Probabilities {
    /// The probability that a tile holds a mine: exactly 0 or 1 if no arrangement has one there, or
    /// all have.
    ///
    /// It is 1 for marked tiles and 0 for uncovered ones.
    ///
    /// # Panics
    /// If the tile is not on the board.
    #[inline]
    pub fn mine(&self, at: impl GridIndex) -> f64 {
        let tile = at.tile(self.size);
        if self.views.contains(COVERED, tile) {
            self.values[self.value_of[tile] as usize]
        } else {
            f64::from(u8::from(self.views.contains(MARKED, tile)))
        }
    }

    /// The least and the greatest probability of a covered tile.
    pub(crate) fn extremes(&self) -> (f64, f64) {
        let extremes = (f64::INFINITY, f64::NEG_INFINITY);
        self.values.iter().fold(extremes, |(least, most), value| {
            (least.min(*value), most.max(*value))
        })
    }

    /// The natural logarithm of the number of arrangements that agree with the position.
    pub fn ln_arrangements(&self) -> f64 {
        self.ln_arrangements
    }
}

/// Computes probabilities; keeps its memory from one position to the next.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    frontier: Frontier,
    forward: Forward,
    backward: Backward,
    result: Probabilities,
}

impl Solver {
    /// A solver.
    pub fn new() -> Self {
        Self::default()
    }

    /// The probabilities of a position; marks count as mines.
    ///
    /// # Errors
    /// [`NoProbabilities::Contradiction`] if no arrangement agrees with it;
    /// [`NoProbabilities::TooComplex`] if a limit on states is reached, which does not happen in play
    /// on the usual boards.
    pub fn solve(&mut self, knowledge: &Knowledge) -> Result<&Probabilities, NoProbabilities> {
        match self.count(knowledge) {
            Err(NoProbabilities::TooComplex) => self.eliminate(knowledge)?,
            counted => counted?,
        }
        Ok(&self.result)
    }

    /// Solves by variable elimination: slower, but for wider frontiers.
    fn eliminate(&mut self, knowledge: &Knowledge) -> Result<(), NoProbabilities> {
        let n_mines =
            usize::try_from(knowledge.mines_left()).map_err(|_| NoProbabilities::Contradiction)?;
        let result = &mut self.result;
        result.size = knowledge.grid().size();
        result.views.copy_from(knowledge.views());
        result.value_of.clear();
        result.value_of.resize(knowledge.grid().n_tiles(), 0);
        for (at, tile) in (0..).zip(knowledge.covered()) {
            result.value_of[tile] = at;
        }
        let constraints = knowledge.open_numbers().map(|set| {
            let tiles = knowledge.tiles(set);
            Ok(Constraint {
                tiles: tiles.map(|tile| result.value_of[tile] as usize).collect(),
                n_mines: usize::try_from(set.n_mines)
                    .map_err(|_| NoProbabilities::Contradiction)?,
            })
        });
        let constraints = constraints.collect::<Result<_, _>>()?;
        let marginals = elimination::marginals(knowledge.n_covered(), n_mines, constraints)?;
        let mine = marginals.mine.into_iter();
        result.values = mine
            .map(|mine| mine.unwrap_or(marginals.unconstrained))
            .collect();
        result.ln_arrangements = marginals.ln_arrangements;
        Ok(())
    }

    /// Solves by counting in the order in which numbers are met.
    fn count(&mut self, knowledge: &Knowledge) -> Result<(), NoProbabilities> {
        let mines_left =
            usize::try_from(knowledge.mines_left()).map_err(|_| NoProbabilities::Contradiction)?;
        let Self {
            frontier,
            forward,
            backward,
            result,
        } = self;
        result.size = knowledge.grid().size();
        result.views.copy_from(knowledge.views());
        let n_unconstrained = frontier.build(knowledge, &mut result.value_of)?;
        let stride = 1 + mines_left.min(knowledge.n_covered() - n_unconstrained);
        if stride > MAX_STRIDE {
            return Err(NoProbabilities::TooComplex);
        }
        forward.run(knowledge, frontier, &result.value_of, stride)?;
        let totals = backward.run(forward, frontier, mines_left, n_unconstrained)?;
        result.ln_arrangements = totals.ln_arrangements;
        let groups = frontier.groups.iter().map(|group| group.mine);
        // Without an unconstrained tile, any other value, so that the extremes are right.
        let unconstrained = if n_unconstrained > 0 {
            Some(totals.unconstrained)
        } else {
            groups.clone().next()
        };
        result.values.clear();
        result.values.push(unconstrained.unwrap_or(1.0));
        result.values.extend(groups);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Action, Board, Game, Grid};

    /// Both ways of counting, on a position after some clicks on safe tiles.
    fn both(width: usize, height: usize, order: &[usize], n_mines: usize, n_clicks: usize) {
        let grid = Grid::new(width, height).expect("a grid");
        let (mines, safe) = order.split_at(n_mines);
        let board = Board::new(&grid, mines.iter().copied());
        let mut game = Game::new(&board);
        for tile in &safe[..n_clicks] {
            game.act(Action::Uncover(*tile));
        }
        let knowledge = game.knowledge();
        let mut counted = Solver::new();
        let mut eliminated = Solver::new();
        eliminated.eliminate(knowledge).expect("simple enough");
        let tiles = || knowledge.covered();
        let sum: f64 = tiles().map(|tile| eliminated.result.mine(tile)).sum();
        assert!((sum - knowledge.mines_left() as f64).abs() < 1e-9, "{sum}");
        for tile in tiles().filter(|tile| !board.is_mine(*tile)) {
            assert!(
                eliminated.result.mine(tile) < 1.0,
                "a safe tile may be safe"
            );
        }
        if counted.count(knowledge).is_ok() {
            for tile in tiles() {
                let (one, other) = (counted.result.mine(tile), eliminated.result.mine(tile));
                assert!((one - other).abs() < 1e-12, "{tile}: {one} {other}");
                assert_eq!(one <= 0.0, other <= 0.0);
                assert_eq!(one >= 1.0, other >= 1.0);
            }
            let (one, other) = (&counted.result, &eliminated.result);
            let difference = one.ln_arrangements() - other.ln_arrangements();
            assert!(difference.abs() < 1e-9, "{difference}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn elimination_counts_the_same(
            order in Just((0..256).collect::<Vec<usize>>()).prop_shuffle(),
            n_clicks in 0..216_usize,
        ) {
            both(16, 16, &order, 40, n_clicks);
        }

        #[test]
        fn wide_frontiers_are_answered(
            order in Just((0..720).collect::<Vec<usize>>()).prop_shuffle(),
            n_clicks in 200..500_usize,
        ) {
            both(30, 24, &order, 160, n_clicks);
        }
    }

    #[test]
    fn what_nothing_agrees_with_is_a_contradiction() {
        let grid = Grid::new(3, 1).expect("a grid");
        let mut knowledge = Knowledge::new(&grid, 1);
        knowledge.uncover(1, 2);
        let mut solver = Solver::new();
        assert_eq!(
            solver.eliminate(&knowledge),
            Err(NoProbabilities::Contradiction)
        );
    }
}
