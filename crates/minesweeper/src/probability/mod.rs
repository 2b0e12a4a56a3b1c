//! Exact probabilities of mines.
//!
//! All arrangements of the mines that agree with the position are equally likely. They are counted
//! without being listed. The covered tiles that touch numbers are the [frontier]; tiles that touch
//! the same numbers are a group, and groups connected through numbers a constraint component. A
//! [forward] pass counts the arrangements of each component by dynamic programming; a [backward]
//! pass weighs them by the arrangements of the other components and by the hypergeometric weights of
//! the unconstrained tiles. Products of both are the probabilities. Frontiers too wide for that go to
//! variable [elimination], which looks for a better order. Counts are `f64` while none of them can leave
//! its range; on larger boards each has an [exponent of its own](count).

mod backward;
mod count;
mod elimination;
mod error;
mod forward;
mod frontier;

pub use error::NoProbabilities;

use crate::{
    grid::GridIndex,
    knowledge::{COVERED, Knowledge, MARKED, Views},
    mines::Mines,
};

use backward::BackwardPass;
use count::{LnFactorials, MAX_PLAIN_TILES, Wide};
use elimination::Constraint;
use forward::{ForwardPass, MAX_STRIDE};
use frontier::Frontier;

/// Binomial coefficients `CHOOSE[n][k]`.
static CHOOSE: [[f64; 9]; 9] = {
    let mut table = [[0.0; 9]; 9];
    let mut n = 0;
    while n < 9 {
        table[n][0] = 1.0;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// Covered tiles that no number touches.
#[derive(Clone, Copy, Debug)]
struct Rest {
    /// The mines on covered tiles; with a density, the most there can be.
    n_mines: usize,
    density: Option<f64>,
    /// Tiles that touch no number.
    n_unconstrained: usize,
}

/// The greatest range of the weights of unconstrained tiles, as a natural logarithm, with which arrangements
/// are counted in `f64`: `2^700`, since the counts themselves take up to `2^300`.
const MAX_PLAIN_RANGE: f64 = 700.0 * std::f64::consts::LN_2;

impl Rest {
    /// The natural logarithm of the weight of the unconstrained tiles, where so many mines are elsewhere: of
    /// the ways to lay the others on them, or of the odds of those that are used.
    fn ln_weight(&self, used: usize, ln_factorials: &mut LnFactorials) -> f64 {
        match self.density {
            Some(_) => used as f64 * ln_odds(self.density),
            None => ln_factorials.choose(self.n_unconstrained, self.n_mines - used),
        }
    }

    /// The natural logarithm of the greatest weight over the least one that is not zero, where fewer than
    /// `stride` mines are elsewhere.
    fn ln_range(&self, stride: usize, ln_factorials: &mut LnFactorials) -> f64 {
        let mut ln_weight = |used| self.ln_weight(used, ln_factorials);
        // Binomial coefficients have one maximum, in the middle.
        let least = match self.density {
            Some(_) => 0,
            None => self.n_mines.saturating_sub(self.n_unconstrained),
        };
        let most = stride - 1;
        let middle = self.n_mines.saturating_sub(self.n_unconstrained / 2);
        if least > most {
            return 0.0;
        }
        let ends = [ln_weight(least), ln_weight(most)];
        let greatest = ends[0]
            .max(ends[1])
            .max(ln_weight(middle.clamp(least, most)));
        greatest - ends[0].min(ends[1])
    }
}

/// The natural logarithm of the odds of a mine; 0 where mines are not weighed.
fn ln_odds(density: Option<f64>) -> f64 {
    density.map_or(0.0, |density| (density / (1.0 - density)).ln())
}

/// The mines on covered tiles, or the most there can be, and their density where only that is known.
fn mines_left(knowledge: &Knowledge) -> Result<(usize, Option<f64>), NoProbabilities> {
    match knowledge.mines() {
        Mines::Density(density) => Ok((knowledge.n_covered(), Some(density.get()))),
        Mines::Total(n_mines) => {
            let left = n_mines.checked_sub(knowledge.n_marked());
            Ok((left.ok_or(NoProbabilities::Contradiction)?, None))
        }
    }
}

/// The natural logarithm of the probability that so many tiles are safe where mines have this density; 0
/// where mines are not weighed.
fn ln_safe(density: Option<f64>, n_tiles: usize) -> f64 {
    density.map_or(0.0, |density| n_tiles as f64 * (-density).ln_1p())
}

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
    /// It is 1 for marked tiles and 0 for uncovered ones. Before a protected first click, it is the
    /// probability that the click meets one there: 0.
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

    /// The natural logarithm of the number of arrangements that agree with the position; where only the
    /// density of mines is known, that of the probability that mines laid so on the covered tiles agree.
    pub fn ln_arrangements(&self) -> f64 {
        self.ln_arrangements
    }
}

/// Computes probabilities; keeps its memory from one position to the next.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    frontier: Frontier,
    forward: ForwardPass,
    backward: BackwardPass<f64>,
    /// The same beyond the range of `f64`.
    wide: BackwardPass<Wide>,
    ln_factorials: LnFactorials,
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
        if knowledge.is_protected() {
            // Some tile has no mine, and whichever is clicked is one.
            if self.result.extremes().0 >= 1.0 {
                return Err(NoProbabilities::Contradiction);
            }
            self.result.values.fill(0.0);
        }
        Ok(&self.result)
    }

    /// Solves by variable elimination: slower, but for wider frontiers.
    fn eliminate(&mut self, knowledge: &Knowledge) -> Result<(), NoProbabilities> {
        let (n_mines, density) = mines_left(knowledge)?;
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
        let n_tiles = knowledge.n_covered();
        let marginals = elimination::marginals(
            n_tiles,
            n_mines,
            density,
            constraints,
            &mut self.ln_factorials,
        )?;
        let mine = marginals.mine.into_iter();
        result.values = mine
            .map(|mine| mine.unwrap_or(marginals.unconstrained))
            .collect();
        let n_constrained = result.values.len() - marginals.n_unconstrained;
        result.ln_arrangements = marginals.ln_arrangements + ln_safe(density, n_constrained);
        Ok(())
    }

    /// Solves by counting in the order in which numbers are met.
    fn count(&mut self, knowledge: &Knowledge) -> Result<(), NoProbabilities> {
        let (mines_left, density) = mines_left(knowledge)?;
        let Self {
            frontier,
            forward,
            backward,
            wide,
            ln_factorials,
            result,
        } = self;
        result.size = knowledge.grid().size();
        result.views.copy_from(knowledge.views());
        let n_unconstrained = frontier.build(knowledge, &mut result.value_of)?;
        let n_constrained = knowledge.n_covered() - n_unconstrained;
        let stride = 1 + mines_left.min(n_constrained);
        if stride > MAX_STRIDE {
            return Err(NoProbabilities::TooComplex);
        }
        forward.run(knowledge, frontier, &result.value_of, stride)?;
        let rest = Rest {
            n_mines: mines_left,
            density,
            n_unconstrained,
        };
        let is_plain = n_constrained <= MAX_PLAIN_TILES
            && rest.ln_range(forward.stride, ln_factorials) < MAX_PLAIN_RANGE;
        let totals = if is_plain {
            backward.run((forward, &forward.ways), frontier, rest, ln_factorials)?
        } else {
            let ways = forward.recount(frontier);
            wide.run((forward, &ways), frontier, rest, ln_factorials)?
        };
        result.ln_arrangements = totals.ln_arrangements + ln_safe(density, n_constrained);
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
    use crate::{Action, Board, Density, Game, Grid};

    /// Both ways of counting, on a position after some clicks on safe tiles.
    fn both(width: usize, height: usize, order: &[usize], n_mines: usize, n_clicks: usize) {
        let board = Board::new(
            &Grid::new(width, height).expect("a grid"),
            order[..n_mines].iter().copied(),
        );
        let mut game = Game::new(&board);
        for tile in &order[n_mines..][..n_clicks] {
            game.act(Action::Uncover(*tile));
        }
        let knowledge = game.knowledge();
        let sum = compare(&board, knowledge);
        let left = knowledge.mines_left().expect("it is known") as f64;
        assert!((sum - left).abs() < 1e-9, "{sum}");
        let text = knowledge.to_text();
        let (_, rows) = text.split_once('\n').expect("a first line");
        let density = Density::new(n_mines as f64 / order.len() as f64).expect("within bounds");
        let unsaid = Knowledge::from_text_with(rows, Mines::Density(density));
        compare(&board, &unsaid.expect("it was written"));
    }

    /// Both ways of counting; gives the mines expected.
    fn compare(board: &Board, knowledge: &Knowledge) -> f64 {
        let mut counted = Solver::new();
        let mut eliminated = Solver::new();
        eliminated.eliminate(knowledge).expect("simple enough");
        let tiles = || knowledge.covered();
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
        tiles().map(|tile| eliminated.result.mine(tile)).sum()
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

    /// Numbers with and without an exponent of their own, on the same small position.
    fn wide_and_plain(order: &[usize], n_mines: usize, n_clicks: usize) {
        let board = Board::new(
            &Grid::new(16, 16).expect("a grid"),
            order[..n_mines].iter().copied(),
        );
        let mut game = Game::new(&board);
        for tile in &order[n_mines..][..n_clicks] {
            game.act(Action::Uncover(*tile));
        }
        let mut solver = Solver::new();
        let plain = solver.solve(game.knowledge()).cloned();
        let (n_left, density) = mines_left(game.knowledge()).expect("no marks");
        let mut value_of = Vec::new();
        let Solver {
            frontier, forward, ..
        } = &mut solver;
        let n_unconstrained = frontier.build(game.knowledge(), &mut value_of);
        let n_unconstrained = n_unconstrained.expect("the board agrees");
        let stride = 1 + n_left.min(game.knowledge().n_covered() - n_unconstrained);
        let counted = forward.run(game.knowledge(), frontier, &value_of, stride);
        if counted.is_err() {
            return;
        }
        let ways: Vec<Wide> = forward.recount(frontier);
        let rest = Rest {
            n_mines: n_left,
            density,
            n_unconstrained,
        };
        let mut ln_factorials = LnFactorials::default();
        let totals = BackwardPass::<Wide>::default().run(
            (forward, &ways),
            frontier,
            rest,
            &mut ln_factorials,
        );
        let plain = plain.expect("the board agrees");
        let totals = totals.expect("the board agrees");
        assert_eq!(
            totals.ln_arrangements.to_bits(),
            plain.ln_arrangements().to_bits()
        );
        for (group, value) in frontier.groups.iter().zip(&plain.values[1..]) {
            assert_eq!(group.mine.to_bits(), value.to_bits());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn wide_numbers_count_small_boards_the_same(
            order in Just((0..256).collect::<Vec<usize>>()).prop_shuffle(),
            n_clicks in 0..120_usize,
        ) {
            wide_and_plain(&order, 40, n_clicks);
        }
    }

    /// Few mines a tile, so that every mine more or less of the frontier changes the weight tenfold: the sums
    /// of hundreds of components leave the range of `f64`.
    #[test]
    fn large_boards_have_probabilities() {
        for (side, n_mines) in [(90_u32, 800), (100, 1000), (200, 3600)] {
            let level = format!("{side}x{side}/{n_mines}");
            let level = level.parse().expect("a level");
            let middle = (side / 2 * side + side / 2) as usize;
            let mut series = crate::Series::seeded(&level, 1);
            series.first_click = crate::FirstClick::Opening;
            let board = series.board(0, middle).expect("there is room");
            let mut game = Game::new(&board);
            game.act(Action::Uncover(middle));
            let sum = compare(&board, game.knowledge());
            assert!((sum - f64::from(n_mines)).abs() < 1e-6, "{side}: {sum}");
            // The same mines by their density, which is what decides far from the frontier.
            let text = game.knowledge().to_text();
            let (_, rows) = text.split_once('\n').expect("a first line");
            let density =
                Density::new(f64::from(n_mines) / f64::from(side * side)).expect("within bounds");
            let unsaid = Knowledge::from_text_with(rows, Mines::Density(density));
            compare(&board, &unsaid.expect("it was written"));
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
