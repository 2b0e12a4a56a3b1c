//! Finds reasons for certain tiles.

use super::{Deduction, Difficulty};
use crate::{
    grid::Tile,
    knowledge::{Constraint, Knowledge},
    mines::{Density, Mines},
    probability::{NoProbabilities, Solver},
};

/// Limit on the partial arrangements around numbers that are tried as a reason.
const MAX_STATES: usize = 3_000;

/// Numbers tried as a reason at first, when one or two are not enough.
const FIRST_NUMBERS: usize = 3;

/// Finds deductions, each by the easiest reason.
#[derive(Clone, Debug, Default)]
pub struct Deducer {
    solver: Solver,
}

/// The certain tiles of a position, with reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reasons {
    /// The tiles of which a reason was found, each with the easiest one, by tile.
    pub deductions: Vec<Deduction>,
    /// Certain tiles without a reason found within limits, and whether they hold mines in all
    /// arrangements.
    pub unexplained: Vec<(Tile, bool)>,
}

impl Deducer {
    /// A deducer.
    pub fn new() -> Self {
        Self::default()
    }

    /// All certain tiles of a position, with reasons; marks count as mines. Before the first click there are
    /// none.
    ///
    /// # Errors
    /// [`NoProbabilities`], as [`Solver::solve`].
    pub fn reasons(&mut self, knowledge: &Knowledge) -> Result<Reasons, NoProbabilities> {
        let mut found = Reasons::default();
        if knowledge.is_protected() {
            return Ok(found);
        }
        let certain = self.certain(knowledge)?;
        let by_numbers = if certain.is_empty() {
            Vec::new()
        } else {
            self.certain_by_numbers(knowledge)?
        };
        for (tile, is_mine) in certain {
            let easy = single(knowledge, tile).or_else(|| pair(knowledge, tile));
            let deduction = easy.or_else(|| {
                let counts_mines = !by_numbers.contains(&(tile, is_mine));
                proved(knowledge, tile, is_mine, counts_mines)
            });
            match deduction {
                Some(deduction) => found.deductions.push(deduction),
                None => found.unexplained.push((tile, is_mine)),
            }
        }
        Ok(found)
    }

    /// The difficulty of finding a safe tile, if there is one: a guess in this position is needless for a
    /// player who can make deductions of this difficulty.
    ///
    /// # Errors
    /// [`NoProbabilities`], as [`Solver::solve`].
    pub fn easiest_safe(
        &mut self,
        knowledge: &Knowledge,
    ) -> Result<Option<Difficulty>, NoProbabilities> {
        if knowledge.first_click().is_some() {
            return Ok(None);
        }
        if knowledge.constraints().any(|set| set.n_mines == 0) {
            return Ok(Some(Difficulty::Single));
        }
        let certain = self.certain(knowledge)?;
        let mut safe = certain.iter().filter(|(_, is_mine)| !is_mine).peekable();
        if safe.peek().is_none() {
            return Ok(None);
        }
        if safe.any(|(tile, _)| pair(knowledge, *tile).is_some()) {
            return Ok(Some(Difficulty::Sets));
        }
        let by_numbers = self.certain_by_numbers(knowledge)?;
        let is_counted = by_numbers.iter().all(|(_, is_mine)| *is_mine);
        Ok(Some(if is_counted {
            Difficulty::MineCount
        } else {
            Difficulty::Numbers
        }))
    }

    /// The tiles that are the same in all arrangements, and whether they hold mines.
    pub(super) fn certain(
        &mut self,
        knowledge: &Knowledge,
    ) -> Result<Vec<(Tile, bool)>, NoProbabilities> {
        let probabilities = self.solver.solve(knowledge)?;
        let (least, most) = probabilities.extremes();
        if least > 0.0 && most < 1.0 {
            return Ok(Vec::new());
        }
        let certain = knowledge.covered().filter_map(|tile| {
            let risk = probabilities.mine(tile);
            (risk <= 0.0 || risk >= 1.0).then_some((tile, risk >= 1.0))
        });
        Ok(certain.collect())
    }

    /// The same without the number of mines.
    pub(super) fn certain_by_numbers(
        &mut self,
        knowledge: &Knowledge,
    ) -> Result<Vec<(Tile, bool)>, NoProbabilities> {
        self.certain(&knowledge.clone().with_mines(Mines::Density(Density::HALF)))
    }
}

/// A deduction about a tile from one number.
fn single(knowledge: &Knowledge, tile: Tile) -> Option<Deduction> {
    let near = knowledge
        .grid()
        .masked(tile, knowledge.uncovered_around(tile));
    let sets = near.filter_map(|near| knowledge.constraint(near));
    let mut decisive = sets.filter(|set| set.n_mines == 0 || set.n_mines == set.len());
    decisive.next().map(|set| Deduction {
        tile,
        is_mine: set.n_mines != 0,
        because: vec![set.center],
        counts_mines: false,
    })
}

/// A deduction about a tile from two numbers.
fn pair(knowledge: &Knowledge, tile: Tile) -> Option<Deduction> {
    let grid = knowledge.grid();
    let near = grid.masked(tile, knowledge.uncovered_around(tile));
    for first in near.filter_map(|near| knowledge.constraint(near)) {
        for (second, rest, is_mine) in differences(knowledge, first) {
            if knowledge.tiles(rest).any(|other| other == tile) {
                return Some(Deduction {
                    tile,
                    is_mine,
                    because: vec![first.center, second],
                    counts_mines: false,
                });
            }
        }
    }
    None
}

/// The tiles of a set that are not in another, where these are all safe or all mines, with the center of
/// the other and whether they are mines.
///
/// In common the two have `max(0, m1 - |S1 - S2|, m2 - |S2 - S1|)` mines or more, and `min(m1, m2, |S1 ∩ S2|)`
/// or less; all mines of the first in common leave none on the rest of it, and the fewest in common may
/// leave as many as it has tiles.
pub(super) fn differences(
    knowledge: &Knowledge,
    first: Constraint,
) -> impl Iterator<Item = (Tile, Constraint, bool)> + use<'_> {
    let near = knowledge.grid().near(first.center);
    near.filter_map(move |(center, offset)| {
        let second = knowledge.constraint(center)?;
        let common = first.common(second, offset.back());
        let rest = Constraint {
            mask: first.mask & !common,
            ..first
        };
        if common == 0 || rest.mask == 0 {
            return None;
        }
        let n_common = first.len() - rest.len();
        let n_only_second = second.len() - n_common;
        let least = (second.n_mines - n_only_second).max(first.n_mines - rest.len());
        let most = second.n_mines.min(n_common).min(first.n_mines);
        let is_safe = least.max(0) == first.n_mines;
        let is_mine = first.n_mines - most == rest.len();
        (is_safe || is_mine).then_some((center, rest, is_mine))
    })
}

/// The numbers of a position by their distance from a tile, over tiles in common; those that no such way
/// leads to are last.
fn by_distance(knowledge: &Knowledge, tile: Tile) -> Vec<Tile> {
    let grid = knowledge.grid();
    let mut is_found = vec![false; grid.n_tiles()];
    let near = grid.masked(tile, knowledge.uncovered_around(tile));
    let beside = near.filter(|near| knowledge.constraint(*near).is_some());
    let mut found: Vec<Tile> = beside.collect();
    for number in &found {
        is_found[*number] = true;
    }
    let mut others = knowledge.constraints().map(|set| set.center);
    let mut at = 0;
    loop {
        while at < found.len() {
            extend(knowledge, found[at], &mut is_found, &mut found);
            at += 1;
        }
        let Some(next) = others.find(|number| !is_found[*number]) else {
            return found;
        };
        is_found[next] = true;
        found.push(next);
    }
}

/// Adds the numbers that have a tile in common with this one.
fn extend(knowledge: &Knowledge, number: Tile, is_found: &mut [bool], found: &mut Vec<Tile>) {
    let Some(set) = knowledge.constraint(number) else {
        return;
    };
    for (near, offset) in knowledge.grid().near(number) {
        let touches = knowledge
            .constraint(near)
            .is_some_and(|other| set.common(other, offset.back()) != 0);
        if touches && !std::mem::replace(&mut is_found[near], true) {
            found.push(near);
        }
    }
}

/// A deduction from few numbers: from the nearest ones as far as needed, less those without which it holds
/// as well.
pub(super) fn proved(
    knowledge: &Knowledge,
    tile: Tile,
    is_mine: bool,
    counts_mines: bool,
) -> Option<Deduction> {
    let numbers = by_distance(knowledge, tile);
    let by = |because: &[Tile]| {
        let deduction = Deduction {
            tile,
            is_mine,
            because: because.to_vec(),
            counts_mines,
        };
        let holds = deduction.check_within(knowledge, MAX_STATES).is_ok();
        holds.then_some(deduction)
    };
    let mut n = if counts_mines {
        numbers.len()
    } else {
        FIRST_NUMBERS.min(numbers.len())
    };
    let mut best = loop {
        match by(&numbers[..n]) {
            Some(found) => break found,
            None if n == numbers.len() => return None,
            None => n = (n + n.div_ceil(2)).min(numbers.len()),
        }
    };
    let mut size = best.because.len().div_ceil(2);
    while size > 0 {
        let mut end = best.because.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            let fewer = [&best.because[..start], &best.because[end..]].concat();
            best = by(&fewer).unwrap_or(best);
            end = start;
        }
        size /= 2;
    }
    Some(best)
}
