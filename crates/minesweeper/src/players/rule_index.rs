//! The rule index: the sets of a position to which rules apply, updated incrementally.

use super::difference::{Differences, difference};
use crate::{
    bit_sets::BitSets,
    grid::{Grid, Offset, Tile},
    knowledge::{Constraint, Knowledge},
};

/// An index of the sets of a position by the rules that apply to them, alone (S-1, M-1), in pairs
/// (S-2) and in threes (S-3).
///
/// From one position to the next, only sets that changed are compared with the sets near them.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleIndex {
    board: Option<Board>,
    changed: Vec<Tile>,
}

/// The index of a board.
#[derive(Clone, Debug)]
struct Board {
    grid: Grid,
    differences: Differences,
    /// For each tile, its set and its pairs.
    entries: Vec<Entry>,
    centers: BitSets<7>,
}

/// The bit sets of [`Board::centers`]: the centers of all sets; of sets without a mine; of sets of
/// mines only; of sets with safe differences; with known differences; of sets whose double
/// differences are to be searched again; of sets with double differences.
const ALL: usize = 0;
const EMPTY: usize = 1;
const FULL: usize = 2;
const SAFE: usize = 3;
const KNOWN: usize = 4;
const STALE: usize = 5;
const DOUBLE: usize = 6;

/// The set around a tile, and its relations to other sets, as bit sets of their offsets.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    set: Option<Constraint>,
    /// The sets near it, itself included.
    near: u32,
    /// The sets whose difference from it is not empty and holds no mine.
    safe: u32,
    /// The sets whose difference from it is not empty and holds a known number of mines.
    known: u32,
}

impl RuleIndex {
    /// Updates the index for a position; `differences` decides when the mines of a difference are
    /// known.
    pub(super) fn update(&mut self, knowledge: &Knowledge, differences: Differences) {
        let grid = knowledge.grid();
        let is_same = |board: &Board| board.grid == *grid && board.differences == differences;
        if !self.board.as_ref().is_some_and(is_same) {
            self.board = None;
        }
        let board = self.board.get_or_insert_with(|| Board {
            grid: grid.clone(),
            differences,
            entries: vec![Entry::default(); grid.n_tiles()],
            centers: BitSets::new(grid.n_tiles()),
        });
        let is_other = |tile: &Tile| board.entries[*tile].set != knowledge.constraint(*tile);
        let is_new = |tile: &Tile| board.entries[*tile].set.is_none();
        let now = knowledge.constraints().map(|set| set.center);
        self.changed.clear();
        self.changed
            .extend(board.centers.iter(ALL).filter(is_other));
        self.changed.extend(now.filter(is_new));
        for &tile in &self.changed {
            board.replace(tile, knowledge.constraint(tile));
        }
        for &tile in &self.changed {
            board.compare(tile);
        }
    }

    /// Visits the sets without a mine, or, if `is_full`, the sets of mines only, by tile.
    pub(super) fn single(&self, is_full: bool, mut visit: impl FnMut(Constraint)) {
        let Some(board) = &self.board else { return };
        let which = if is_full { FULL } else { EMPTY };
        for center in board.centers.iter(which) {
            board.entries[center].set.into_iter().for_each(&mut visit);
        }
    }

    /// Visits every difference of two sets that holds no mine, with the two.
    pub(super) fn safe_differences(&self, mut visit: impl FnMut(Constraint, [Constraint; 2])) {
        let Some(board) = &self.board else { return };
        for center in board.centers.iter(SAFE) {
            for (rest, pair) in board.pairs(center, board.entries[center].safe) {
                visit(rest, pair);
            }
        }
    }

    /// Visits every difference of a set and a difference that holds no mine, with the two sets of the
    /// latter.
    pub(super) fn safe_double_differences(
        &mut self,
        mut visit: impl FnMut(Constraint, [Constraint; 2]),
    ) {
        let Some(board) = &mut self.board else { return };
        let stale: Vec<Tile> = board.centers.iter(STALE).collect();
        for center in stale {
            let has_some = board.doubles(center, |_, _| true);
            board.centers.put(DOUBLE, center, has_some);
            board.centers.put(STALE, center, false);
        }
        for center in board.centers.iter(DOUBLE) {
            board.doubles(center, |rest, pair| {
                visit(rest, pair);
                false
            });
        }
    }
}

impl Board {
    /// Replaces the set around a tile.
    fn replace(&mut self, tile: Tile, set: Option<Constraint>) {
        let entry = &mut self.entries[tile];
        let is_toggled = entry.set.is_some() != set.is_some();
        entry.set = set;
        self.centers.put(ALL, tile, set.is_some());
        let is_empty = set.is_some_and(|set| set.n_mines == 0);
        self.centers.put(EMPTY, tile, is_empty);
        let is_full = set.is_some_and(|set| set.n_mines == set.len());
        self.centers.put(FULL, tile, is_full);
        if is_toggled {
            for (near, offset) in self.grid.near(tile) {
                self.entries[near].near ^= offset.back().bit();
            }
        }
    }

    /// Compares a set with the sets near it.
    fn compare(&mut self, tile: Tile) {
        let Some(set) = self.entries[tile].set else {
            // Without a set, there are no differences from it or with it.
            let entry = &mut self.entries[tile];
            (entry.safe, entry.known) = (0, 0);
            self.refresh(tile);
            for (near, offset) in self.grid.near_at(tile, self.entries[tile].near) {
                let entry = &mut self.entries[near];
                entry.safe &= !offset.back().bit();
                entry.known &= !offset.back().bit();
                self.refresh(near);
            }
            return;
        };
        let (mut safe, mut known) = (0, 0);
        for (near, offset) in self.grid.near_at(tile, self.entries[tile].near) {
            let Some(other) = self.entries[near].set.filter(|_| near != tile) else {
                continue;
            };
            if set.common(other, offset.back()) == 0 {
                self.set_difference(near, offset.back(), [false; 2]);
                continue;
            }
            let [is_safe, is_known] = self.difference(set, other, offset.back());
            safe |= if is_safe { offset.bit() } else { 0 };
            known |= if is_known { offset.bit() } else { 0 };
            let inverse = self.difference(other, set, offset);
            self.set_difference(near, offset.back(), inverse);
        }
        let entry = &mut self.entries[tile];
        (entry.safe, entry.known) = (safe, known);
        self.refresh(tile);
    }

    /// Whether the difference of two sets is not empty and safe, and whether it is not empty and known;
    /// `to_set` is the offset of the first from the second.
    fn difference(&self, set: Constraint, other: Constraint, to_set: Offset) -> [bool; 2] {
        let rest = difference(set, other, to_set, self.differences);
        let Some(rest) = rest.filter(|rest| rest.mask != 0) else {
            return [false; 2];
        };
        // If the difference holds no mine, the other set contains all mines of the first.
        let is_safe = rest.n_mines == 0 && set.n_mines <= other.n_mines;
        [is_safe, true]
    }

    /// Enters whether the difference of a set and the set at an offset is safe and known.
    fn set_difference(&mut self, tile: Tile, other: Offset, [is_safe, is_known]: [bool; 2]) {
        let bit = other.bit();
        let entry = &mut self.entries[tile];
        entry.safe = entry.safe & !bit | if is_safe { bit } else { 0 };
        entry.known = entry.known & !bit | if is_known { bit } else { 0 };
        self.refresh(tile);
    }

    /// Enters a changed entry in the bit sets.
    fn refresh(&mut self, tile: Tile) {
        let Entry { safe, known, .. } = self.entries[tile];
        self.centers.put(SAFE, tile, safe != 0);
        self.centers.put(KNOWN, tile, known != 0);
        self.centers.put(STALE, tile, true);
    }

    /// The differences of the set around a tile and the sets at these offsets, each with the two.
    fn pairs(
        &self,
        tile: Tile,
        others: u32,
    ) -> impl Iterator<Item = (Constraint, [Constraint; 2])> + use<'_> {
        let first = self.entries[tile].set;
        let others = self.grid.near_at(tile, others);
        others.filter_map(move |(other, offset)| {
            let (first, second) = (first?, self.entries[other].set?);
            let rest = difference(first, second, offset.back(), self.differences)?;
            Some((rest, [first, second]))
        })
    }

    /// Visits the safe differences of a set and a difference from the set around this tile, each with
    /// the two sets of the latter, until `visit` returns true; whether it did.
    fn doubles(
        &self,
        tile: Tile,
        mut visit: impl FnMut(Constraint, [Constraint; 2]) -> bool,
    ) -> bool {
        let Entry { near, known, .. } = self.entries[tile];
        for (inner, pair) in self.pairs(tile, known) {
            for (third, offset) in self.grid.near_at(tile, near) {
                let Some(third) = self.entries[third].set else {
                    continue;
                };
                // Without a tile in common this is rule S-1 again; with too few mines, no rule.
                if third.n_mines > inner.n_mines || third.common(inner, offset) == 0 {
                    continue;
                }
                let rest = difference(third, inner, offset, self.differences);
                let rest = rest.filter(|rest| rest.n_mines == 0 && rest.mask != 0);
                if rest.is_some_and(|rest| visit(rest, pair)) {
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The differences of all ordered pairs of sets with a tile in common, each with the pair.
    fn pairs(
        knowledge: &Knowledge,
        differences: Differences,
    ) -> Vec<(Constraint, [Constraint; 2])> {
        let mut found = Vec::new();
        for first in knowledge.constraints() {
            for second in knowledge.constraints() {
                let to_first = knowledge.grid().offset(second.center, first.center);
                let overlaps = |to_first| first.common(second, to_first) != 0;
                let to_first = to_first.filter(|at| first != second && overlaps(*at));
                let rest = to_first.and_then(|at| difference(first, second, at, differences));
                found.extend(rest.map(|rest| (rest, [first, second])));
            }
        }
        found.retain(|(rest, _)| rest.mask != 0);
        found
    }

    proptest! {
        /// Incremental updates give what comparing all sets gives.
        #[test]
        fn kept_up_to_date(
            width in 1..8_usize, height in 1..8_usize, subsets: bool,
            steps in prop::collection::vec((0..64_usize, 0..6_u8), 0..60),
        ) {
            let differences = if subsets { Differences::Subsets } else { Differences::Forced };
            let grid = Grid::new(width, height).unwrap();
            let mut knowledge = Knowledge::new(&grid, 3);
            let mut index = RuleIndex::default();
            for (tile, step) in steps {
                let tile = tile % grid.n_tiles();
                match step {
                    0..3 if !matches!(knowledge.view(tile), crate::View::Number(_)) => {
                        knowledge.uncover(tile, 1 + step);
                    }
                    3 => knowledge.mark(tile),
                    4 => knowledge.unmark(tile),
                    _ => knowledge.cover(tile),
                }
                index.update(&knowledge, differences);
                for is_full in [false, true] {
                    let holds = |set: &Constraint| set.n_mines == if is_full { set.len() } else { 0 };
                    let mut found = Vec::new();
                    index.single(is_full, |set| found.push(set));
                    prop_assert_eq!(found, knowledge.constraints().filter(holds).collect::<Vec<_>>());
                }
                let known = pairs(&knowledge, differences);
                let is_safe = |(rest, [first, second]): &(Constraint, [Constraint; 2])| {
                    rest.n_mines == 0 && first.n_mines <= second.n_mines
                };
                let safe: Vec<_> = known.iter().copied().filter(is_safe).collect();
                let mut found = Vec::new();
                index.safe_differences(|rest, pair| found.push((rest, pair)));
                prop_assert_eq!(found, safe);
                let double = known.iter().flat_map(|&(inner, pair)| {
                    let kept = &knowledge;
                    kept.constraints().filter_map(move |third| {
                        let at = kept.grid().offset(inner.center, third.center)?;
                        let fits = third.n_mines <= inner.n_mines && third.common(inner, at) != 0;
                        let rest = difference(third, inner, at, differences).filter(|_| fits)?;
                        (rest.n_mines == 0 && rest.mask != 0).then_some((rest, pair))
                    })
                });
                let double: Vec<_> = double.collect();
                let mut found = Vec::new();
                index.safe_double_differences(|rest, pair| found.push((rest, pair)));
                prop_assert_eq!(found, double);
            }
        }
    }
}
