//! Exact probabilities of mines.
//!
//! All arrangements of the mines that agree with the position are equally likely. They are counted
//! without being listed. The covered tiles that touch numbers are the [frontier]; tiles that touch
//! the same numbers are a group, and groups connected through numbers a constraint component. A
//! [forward] pass counts the arrangements of each component by dynamic programming; a [backward]
//! pass weighs them by the arrangements of the other components and by the hypergeometric weights of
//! the unconstrained tiles. Products of both are the probabilities.

mod backward;
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
        Ok(result)
    }
}
