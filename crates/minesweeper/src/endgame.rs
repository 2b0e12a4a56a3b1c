//! Endgame search: optimal play when few arrangements of the mines are left.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use crate::{grid::Tile, knowledge::Knowledge, probability::Probabilities};

/// Expectimax search over belief states: sets of arrangements that agree with what is known.
///
/// Uncovering a tile leaves the arrangements without a mine there, and partitions them by the number
/// that it shows. The value of a state is the number of its arrangements in which the best play wins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Endgame {
    /// The covered tiles; masks below are over their indices.
    tiles: Vec<Tile>,
    /// For each tile, its covered neighbors.
    around: Vec<u128>,
    /// For each arrangement, its mines.
    arrangements: Vec<u128>,
    /// Transposition table: values of the belief states searched.
    values: FxHashMap<Box<[u16]>, usize>,
    /// Belief states expanded, and the limit on them.
    n_states: usize,
    max_states: usize,
}

/// Limits of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// Arrangements of the mines that agree with the position; more than 65,536 are never searched.
    pub arrangements: usize,
    /// Belief states expanded.
    pub states: usize,
}

impl SearchLimits {
    /// The limits of the players, with so many arrangements.
    pub(crate) fn of_player(arrangements: usize) -> Self {
        Self {
            arrangements,
            states: 20_000,
        }
    }
}

/// The search has reached its limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitReached;

impl Endgame {
    /// The best tile; `None` beyond the limits, with more than 128 covered tiles, or if only the density
    /// of mines is known.
    pub(crate) fn best(
        &mut self,
        knowledge: &Knowledge,
        probabilities: &Probabilities,
        limits: SearchLimits,
    ) -> Option<Tile> {
        let all = self.prepare(knowledge, probabilities, limits)?;
        let (_, best) = self.search(&all, u128::MAX).ok()?;
        best.map(|at| self.tiles[at])
    }

    /// The arrangements of a position, to search among; `None` where they are too many.
    pub(crate) fn prepare(
        &mut self,
        knowledge: &Knowledge,
        probabilities: &Probabilities,
        limits: SearchLimits,
    ) -> Option<Vec<u16>> {
        let few = (limits.arrangements as f64 + 0.5).ln();
        let n_mines = knowledge.mines_left()?;
        if probabilities.ln_arrangements() > few || knowledge.n_covered() > 128 {
            return None;
        }
        self.enumerate(knowledge, u32::try_from(n_mines).unwrap_or(0));
        self.values.clear();
        self.n_states = 0;
        self.max_states = limits.states;
        let all = (0..self.arrangements.len()).map(u16::try_from);
        all.collect::<Result<_, _>>().ok()
    }

    /// The covered tiles; those that may be safe are searched.
    pub(crate) fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// The number of arrangements.
    pub(crate) fn n_arrangements(&self) -> usize {
        self.arrangements.len()
    }

    /// Of these arrangements, those without mines on some tiles.
    pub(crate) fn without(&self, set: &[u16], tiles: impl Iterator<Item = Tile>) -> Vec<u16> {
        let at = tiles.filter_map(|tile| self.tiles.iter().position(|listed| *listed == tile));
        let mask = at.fold(0_u128, |mask, at| mask | 1 << at);
        let is_free = |at: &u16| self.arrangements[usize::from(*at)] & mask == 0;
        set.iter().copied().filter(is_free).collect()
    }

    /// The number of these arrangements, all without a mine on the tile at this index, in which the best
    /// play wins after that tile is uncovered.
    pub(crate) fn won_after(&mut self, safe: &[u16], at: usize) -> Result<usize, LimitReached> {
        let mut won = 0;
        for part in self.parts(safe, at).iter().filter(|part| !part.is_empty()) {
            won += self.value(part, !(1 << at))?;
        }
        Ok(won)
    }

    /// Whether a tile, at this index, holds a mine in an arrangement.
    pub(crate) fn is_mine(&self, arrangement: u16, at: usize) -> bool {
        self.arrangements[usize::from(arrangement)] >> at & 1 == 1
    }

    /// The number of arrangements with a mine on a tile; all of them if it is not covered.
    pub(crate) fn n_mines(&self, tile: Tile) -> usize {
        let at = self.tiles.iter().position(|listed| *listed == tile);
        let is_mine = |mines: &&u128| at.is_none_or(|at| **mines >> at & 1 == 1);
        self.arrangements.iter().filter(is_mine).count()
    }

    /// The number of these arrangements in which the best play wins.
    ///
    /// Results of earlier searches are reused.
    pub(crate) fn most_won(&mut self, set: &[u16]) -> Result<usize, LimitReached> {
        self.n_states = 0;
        self.value(set, u128::MAX)
    }

    /// Enumerates the arrangements of the mines left.
    fn enumerate(&mut self, knowledge: &Knowledge, n_mines: u32) {
        let grid = knowledge.grid();
        // Tiles of one number next to each other, unconstrained ones last: the search fails early.
        self.tiles.clear();
        for constraint in knowledge.constraints() {
            for tile in knowledge.tiles(constraint) {
                if !self.tiles.contains(&tile) {
                    self.tiles.push(tile);
                }
            }
        }
        let unconstrained = knowledge
            .covered()
            .filter(|tile| knowledge.uncovered_around(*tile) == 0);
        self.tiles.extend(unconstrained);
        let index = |tile| self.tiles.iter().position(|listed| *listed == tile);
        let mask = |tiles: &mut dyn Iterator<Item = Tile>| {
            tiles
                .filter_map(index)
                .fold(0_u128, |mask, at| mask | 1 << at)
        };
        self.around = self
            .tiles
            .iter()
            .map(|tile| mask(&mut grid.neighbors(*tile)))
            .collect();
        let numbers: Vec<(u128, u32)> = knowledge
            .constraints()
            .map(|set| {
                (
                    mask(&mut knowledge.tiles(set)),
                    u32::from(set.n_mines.unsigned_abs()),
                )
            })
            .collect();
        let by_tile = |at: usize| {
            numbers
                .iter()
                .copied()
                .filter(move |(mask, _)| mask >> at & 1 == 1)
        };
        let by_tile: Vec<Vec<(u128, u32)>> = (0..self.tiles.len())
            .map(|at| by_tile(at).collect())
            .collect();
        self.arrangements.clear();
        extend(&by_tile, 0, 0, n_mines, &mut self.arrangements);
    }

    /// The value of a belief state, and its best tile if there is a choice; `open` are the tiles that
    /// may still distinguish arrangements.
    fn search(
        &mut self,
        set: &[u16],
        mut open: u128,
    ) -> Result<(usize, Option<usize>), LimitReached> {
        if set.len() == 1 {
            return Ok((1, None));
        }
        self.n_states += 1;
        if self.n_states > self.max_states {
            return Err(LimitReached);
        }
        let mut n_mines = [0_usize; 128];
        let any = set
            .iter()
            .fold(0, |any, at| any | self.arrangements[usize::from(*at)]);
        let all = set.iter().fold(u128::MAX, |all, at| {
            all & self.arrangements[usize::from(*at)]
        });
        // Safe tiles are uncovered first, since that loses nothing and may distinguish arrangements.
        for tile in 0..self.tiles.len() {
            if (any | !open) >> tile & 1 == 1 {
                continue;
            }
            open &= !(1 << tile);
            let parts = self.parts(set, tile);
            if parts.iter().filter(|part| !part.is_empty()).count() > 1 {
                let mut won = 0;
                for part in parts.iter().filter(|part| !part.is_empty()) {
                    won += self.value(part, open)?;
                }
                return Ok((won, Some(tile)));
            }
        }
        for at in set {
            let mut mines = self.arrangements[usize::from(*at)];
            while mines != 0 {
                n_mines[mines.trailing_zeros() as usize] += 1;
                mines &= mines - 1;
            }
        }
        let mut tiles: Vec<usize> = (0..self.tiles.len())
            .filter(|tile| (any & !all) >> tile & 1 == 1)
            .collect();
        tiles.sort_by_key(|tile| n_mines[*tile]);
        let mut best = (0, None);
        for tile in tiles {
            let mut most = set.len() - n_mines[tile];
            if most <= best.0 {
                break;
            }
            let safe: Vec<u16> = (set.iter().copied())
                .filter(|at| self.arrangements[usize::from(*at)] >> tile & 1 == 0)
                .collect();
            let mut parts = self.parts(&safe, tile);
            parts.sort_by_key(|part| Reverse(part.len()));
            for part in parts.iter().filter(|part| !part.is_empty()) {
                most -= part.len() - self.value(part, open & !(1 << tile))?;
                if most <= best.0 {
                    break;
                }
            }
            if most > best.0 {
                best = (most, Some(tile));
            }
        }
        Ok(best)
    }

    /// The value of a belief state, searched unless the transposition table has it.
    fn value(&mut self, set: &[u16], open: u128) -> Result<usize, LimitReached> {
        if set.len() == 1 {
            return Ok(1);
        }
        if let Some(value) = self.values.get(set) {
            return Ok(*value);
        }
        let (value, _) = self.search(set, open)?;
        self.values.insert(set.into(), value);
        Ok(value)
    }

    /// Partitions arrangements by the number that a tile shows.
    fn parts(&self, set: &[u16], tile: usize) -> [Vec<u16>; 9] {
        let mut parts: [Vec<u16>; 9] = Default::default();
        for at in set {
            let mines = self.arrangements[usize::from(*at)] & self.around[tile];
            parts[mines.count_ones() as usize].push(*at);
        }
        parts
    }
}

/// Backtracking: extends the arrangement `mines` of the tiles before `at` by `n_mines` mines on the
/// others in every way that agrees with the numbers around each tile: their tiles, and their mines.
fn extend(
    numbers: &[Vec<(u128, u32)>],
    at: usize,
    mines: u128,
    n_mines: u32,
    found: &mut Vec<u128>,
) {
    if at == numbers.len() {
        if n_mines == 0 {
            found.push(mines);
        }
        return;
    }
    if n_mines as usize > numbers.len() - at {
        return;
    }
    let still_open = u128::MAX
        .checked_shl(u32::try_from(at).unwrap_or(u32::MAX) + 1)
        .unwrap_or(0);
    for (mines, n_mines) in [
        (mines, Some(n_mines)),
        (mines | 1 << at, n_mines.checked_sub(1)),
    ] {
        let Some(n_mines) = n_mines else { continue };
        let agrees = numbers[at].iter().all(|&(tiles, needed)| {
            let laid = (mines & tiles).count_ones();
            laid <= needed && laid + (tiles & still_open).count_ones() >= needed
        });
        if agrees {
            extend(numbers, at + 1, mines, n_mines, found);
        }
    }
}
