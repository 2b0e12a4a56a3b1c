//! What the sets of a position tell, alone and by two and three, kept up to date.

use super::rules::{Differences, difference};
use crate::{
    grid::{Grid, Offset, Tile},
    knowledge::{Knowledge, TileSet},
    tiles::TileSets,
};

/// The sets of a position, and which of them tell something: from one position to the next only
/// what has to do with sets that changed is looked at again.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    board: Option<Board>,
    changed: Vec<Tile>,
}

/// What is kept of a board.
#[derive(Clone, Debug)]
struct Board {
    grid: Grid,
    differences: Differences,
    /// Per tile.
    links: Vec<Link>,
    centers: TileSets<7>,
}

/// The sets of [`Board::centers`]: all centers of sets; of those that hold no mine, and nothing but
/// mines; those that have `safe` and `known` differences; those to be searched for double
/// differences, and those where there were some.
const ALL: usize = 0;
const EMPTY: usize = 1;
const FULL: usize = 2;
const SAFE: usize = 3;
const KNOWN: usize = 4;
const STALE: usize = 5;
const DOUBLE: usize = 6;

/// The set around a tile, and others by the bit of where they lie from there.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    set: Option<TileSet>,
    /// All others near it, and itself.
    near: u32,
    /// Those without which it holds tiles, but no mine.
    safe: u32,
    /// Those without which it holds tiles and a known number of mines.
    known: u32,
}

impl Links {
    /// Looks at a position; `differences` says when the mines of a difference are known.
    pub(super) fn update(&mut self, knowledge: &Knowledge, differences: Differences) {
        let grid = knowledge.grid();
        let is_same = |board: &Board| board.grid == *grid && board.differences == differences;
        if !self.board.as_ref().is_some_and(is_same) {
            self.board = None;
        }
        let board = self.board.get_or_insert_with(|| Board {
            grid: grid.clone(),
            differences,
            links: vec![Link::default(); grid.n_tiles()],
            centers: TileSets::new(grid.n_tiles()),
        });
        let is_other = |tile: &Tile| board.links[*tile].set != knowledge.set(*tile);
        let is_new = |tile: &Tile| board.links[*tile].set.is_none();
        let now = knowledge.sets().map(|set| set.center);
        self.changed.clear();
        self.changed
            .extend(board.centers.iter(ALL).filter(is_other));
        self.changed.extend(now.filter(is_new));
        for &tile in &self.changed {
            board.replace(tile, knowledge.set(tile));
        }
        for &tile in &self.changed {
            board.relate(tile);
        }
    }

    /// The sets that hold no mine, or nothing but mines, by tile.
    pub(super) fn alone(&self, is_full: bool, mut visit: impl FnMut(TileSet)) {
        let Some(board) = &self.board else { return };
        let which = if is_full { FULL } else { EMPTY };
        for center in board.centers.iter(which) {
            board.links[center].set.into_iter().for_each(&mut visit);
        }
    }

    /// Every set without the tiles of another that holds no mine then, and the two.
    pub(super) fn safe_differences(&self, mut visit: impl FnMut(TileSet, [TileSet; 2])) {
        let Some(board) = &self.board else { return };
        for center in board.centers.iter(SAFE) {
            for (rest, pair) in board.pairs(center, board.links[center].safe) {
                visit(rest, pair);
            }
        }
    }

    /// Every set without the tiles of the difference of two that holds no mine then, and the two.
    pub(super) fn safe_double_differences(&mut self, mut visit: impl FnMut(TileSet, [TileSet; 2])) {
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
    /// The set around a tile is another now.
    fn replace(&mut self, tile: Tile, set: Option<TileSet>) {
        let link = &mut self.links[tile];
        let is_turned = link.set.is_some() != set.is_some();
        link.set = set;
        self.centers.put(ALL, tile, set.is_some());
        let is_empty = set.is_some_and(|set| set.n_mines == 0);
        self.centers.put(EMPTY, tile, is_empty);
        let is_full = set.is_some_and(|set| set.n_mines == set.len());
        self.centers.put(FULL, tile, is_full);
        if is_turned {
            for (near, offset) in self.grid.near(tile) {
                self.links[near].near ^= offset.back().bit();
            }
        }
    }

    /// Finds out what a set tells together with others.
    fn relate(&mut self, tile: Tile) {
        let Some(set) = self.links[tile].set else {
            // It tells nothing, and others tell nothing with it.
            let link = &mut self.links[tile];
            (link.safe, link.known) = (0, 0);
            self.note(tile);
            for (near, offset) in self.grid.near_at(tile, self.links[tile].near) {
                let link = &mut self.links[near];
                link.safe &= !offset.back().bit();
                link.known &= !offset.back().bit();
                self.note(near);
            }
            return;
        };
        let (mut safe, mut known) = (0, 0);
        for (near, offset) in self.grid.near_at(tile, self.links[tile].near) {
            let Some(other) = self.links[near].set.filter(|_| near != tile) else {
                continue;
            };
            if set.common(other, offset.back()) == 0 {
                self.tell(near, offset.back(), [false; 2]);
                continue;
            }
            let [is_safe, is_known] = self.told(set, other, offset.back());
            safe |= if is_safe { offset.bit() } else { 0 };
            known |= if is_known { offset.bit() } else { 0 };
            let told = self.told(other, set, offset);
            self.tell(near, offset.back(), told);
        }
        let link = &mut self.links[tile];
        (link.safe, link.known) = (safe, known);
        self.note(tile);
    }

    /// Whether a set without the tiles of another holds some and no mine, and whether it holds some
    /// and its mines are known; `to_set` leads from the other to it.
    fn told(&self, set: TileSet, other: TileSet, to_set: Offset) -> [bool; 2] {
        let rest = difference(set, other, to_set, self.differences);
        let Some(rest) = rest.filter(|rest| rest.mask != 0) else {
            return [false; 2];
        };
        // Without mines, all mines of the set are in common.
        let is_safe = rest.n_mines == 0 && set.n_mines <= other.n_mines;
        [is_safe, true]
    }

    /// Notes what a set tells with another that lies there.
    fn tell(&mut self, tile: Tile, other: Offset, [is_safe, is_known]: [bool; 2]) {
        let bit = other.bit();
        let link = &mut self.links[tile];
        link.safe = link.safe & !bit | if is_safe { bit } else { 0 };
        link.known = link.known & !bit | if is_known { bit } else { 0 };
        self.note(tile);
    }

    fn note(&mut self, tile: Tile) {
        let Link { safe, known, .. } = self.links[tile];
        self.centers.put(SAFE, tile, safe != 0);
        self.centers.put(KNOWN, tile, known != 0);
        self.centers.put(STALE, tile, true);
    }

    /// The set around a tile without those of others that lie there, and the two.
    fn pairs(
        &self,
        tile: Tile,
        others: u32,
    ) -> impl Iterator<Item = (TileSet, [TileSet; 2])> + use<'_> {
        let first = self.links[tile].set;
        let others = self.grid.near_at(tile, others);
        others.filter_map(move |(other, offset)| {
            let (first, second) = (first?, self.links[other].set?);
            let rest = difference(first, second, offset.back(), self.differences)?;
            Some((rest, [first, second]))
        })
    }

    /// Calls `visit` with the sets without the tiles of a difference of two that hold some and no
    /// mine then, and the two, until it says so; the first is that around this tile. Whether it did.
    fn doubles(&self, tile: Tile, mut visit: impl FnMut(TileSet, [TileSet; 2]) -> bool) -> bool {
        let Link { near, known, .. } = self.links[tile];
        for (inner, pair) in self.pairs(tile, known) {
            for (third, offset) in self.grid.near_at(tile, near) {
                let Some(third) = self.links[third].set else {
                    continue;
                };
                // Without a tile in common this is rule S-1 again, with too few mines no rule.
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

    /// Every ordered pair of sets with a tile in common, and what is left of the first.
    fn pairs(knowledge: &Knowledge, differences: Differences) -> Vec<(TileSet, [TileSet; 2])> {
        let mut found = Vec::new();
        for first in knowledge.sets() {
            for second in knowledge.sets() {
                let to_first = knowledge.grid().offset(second.center, first.center);
                let is_linked = |to_first| first.common(second, to_first) != 0;
                let to_first = to_first.filter(|at| first != second && is_linked(*at));
                let rest = to_first.and_then(|at| difference(first, second, at, differences));
                found.extend(rest.map(|rest| (rest, [first, second])));
            }
        }
        found.retain(|(rest, _)| rest.mask != 0);
        found
    }

    proptest! {
        /// What is kept step by step is what looking at all sets gives.
        #[test]
        fn kept_up_to_date(
            width in 1..8_usize, height in 1..8_usize, subsets: bool,
            steps in prop::collection::vec((0..64_usize, 0..6_u8), 0..60),
        ) {
            let differences = if subsets { Differences::Subsets } else { Differences::Forced };
            let grid = Grid::new(width, height).unwrap();
            let mut knowledge = Knowledge::new(&grid, 3);
            let mut links = Links::default();
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
                links.update(&knowledge, differences);
                for is_full in [false, true] {
                    let holds = |set: &TileSet| set.n_mines == if is_full { set.len() } else { 0 };
                    let mut found = Vec::new();
                    links.alone(is_full, |set| found.push(set));
                    prop_assert_eq!(found, knowledge.sets().filter(holds).collect::<Vec<_>>());
                }
                let known = pairs(&knowledge, differences);
                let is_safe = |(rest, [first, second]): &(TileSet, [TileSet; 2])| {
                    rest.n_mines == 0 && first.n_mines <= second.n_mines
                };
                let safe: Vec<_> = known.iter().copied().filter(is_safe).collect();
                let mut found = Vec::new();
                links.safe_differences(|rest, pair| found.push((rest, pair)));
                prop_assert_eq!(found, safe);
                let double = known.iter().flat_map(|&(inner, pair)| {
                    let kept = &knowledge;
                    kept.sets().filter_map(move |third| {
                        let at = kept.grid().offset(inner.center, third.center)?;
                        let fits = third.n_mines <= inner.n_mines && third.common(inner, at) != 0;
                        let rest = difference(third, inner, at, differences).filter(|_| fits)?;
                        (rest.n_mines == 0 && rest.mask != 0).then_some((rest, pair))
                    })
                });
                let double: Vec<_> = double.collect();
                let mut found = Vec::new();
                links.safe_double_differences(|rest, pair| found.push((rest, pair)));
                prop_assert_eq!(found, double);
            }
        }
    }
}
