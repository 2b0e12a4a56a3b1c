//! What a player sees, kept up to date click by click.

use crate::grid::{Grid, Offset, Tile};

/// What a player sees of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Covered, without a mark.
    Covered,
    /// Covered and marked as a mine.
    Marked,
    /// Uncovered: the number of mines around it.
    Number(u8),
}

/// What a player knows: shape, mines, and what each tile shows.
///
/// For every tile the covered neighbors, and for every number the mines that are still to be found
/// among them, are kept up to date, so that a step costs the neighbors of one tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knowledge {
    grid: Grid,
    n_mines: usize,
    views: Vec<View>,
    /// Per tile, the neighbors that are covered and not marked, as directions.
    covered: Vec<u8>,
    /// Per tile, its number (zero while it is covered) less the marks around it.
    needed: Vec<i8>,
    n_covered: usize,
    n_marked: usize,
}

/// Some covered tiles around a tile, and how many mines are among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileSet {
    /// The tile they surround.
    pub(crate) center: Tile,
    /// Them, as directions from there.
    pub(crate) mask: u8,
    /// Mines among them.
    pub(crate) n_mines: i8,
}

impl TileSet {
    /// How many tiles there are.
    pub(crate) fn len(self) -> i8 {
        i8::try_from(self.mask.count_ones()).expect("at most eight")
    }

    /// What of the mask of `other` is in this set, seen from here; `to_self` leads here from there.
    pub(crate) fn common(self, other: Self, to_self: Offset) -> u8 {
        self.mask & to_self.shift(other.mask)
    }
}

impl Knowledge {
    /// Nothing uncovered yet on a board with so many mines.
    pub fn new(grid: &Grid, n_mines: usize) -> Self {
        let n_tiles = grid.n_tiles();
        Self {
            grid: grid.clone(),
            n_mines,
            views: vec![View::Covered; n_tiles],
            covered: (0..n_tiles).map(|tile| grid.around(tile)).collect(),
            needed: vec![0; n_tiles],
            n_covered: n_tiles,
            n_marked: 0,
        }
    }

    /// The shape of the board.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// All mines of the board.
    pub fn n_mines(&self) -> usize {
        self.n_mines
    }

    /// Mines less marks; negative with too many marks.
    pub fn mines_left(&self) -> isize {
        self.n_mines.cast_signed() - self.n_marked.cast_signed()
    }

    /// Tiles that are covered and not marked.
    pub fn n_covered(&self) -> usize {
        self.n_covered
    }

    /// Tiles that are marked.
    pub fn n_marked(&self) -> usize {
        self.n_marked
    }

    /// Whether every tile without a mine is uncovered.
    pub fn is_won(&self) -> bool {
        self.n_covered + self.n_marked == self.n_mines
    }

    /// What a tile shows.
    #[inline]
    pub fn view(&self, tile: Tile) -> View {
        self.views[tile]
    }

    /// Whether a tile is covered and not marked.
    #[inline]
    pub fn is_covered(&self, tile: Tile) -> bool {
        self.views[tile] == View::Covered
    }

    /// The tiles that are covered and not marked.
    pub fn covered(&self) -> impl Iterator<Item = Tile> + use<'_> {
        (0..self.views.len()).filter(|tile| self.is_covered(*tile))
    }

    /// The covered neighbors without a mark around an uncovered tile, and the mines that its number
    /// leaves for them; nothing for other tiles and where there are no such neighbors.
    #[inline]
    pub(crate) fn set(&self, tile: Tile) -> Option<TileSet> {
        let mask = self.covered[tile];
        (mask != 0 && matches!(self.views[tile], View::Number(_))).then(|| TileSet {
            center: tile,
            mask,
            n_mines: self.needed[tile],
        })
    }

    /// Whether a number cannot be what the tiles around it leave.
    #[inline]
    pub(crate) fn refutes(&self, tile: Tile) -> bool {
        let n_covered = i8::try_from(self.covered[tile].count_ones()).expect("at most eight");
        let is_possible = (0..=n_covered).contains(&self.needed[tile]);
        !is_possible && matches!(self.views[tile], View::Number(_))
    }

    /// Every such set, by tile.
    pub(crate) fn sets(&self) -> impl Iterator<Item = TileSet> + use<'_> {
        (0..self.views.len()).filter_map(|tile| self.set(tile))
    }

    /// The directions in which a tile has uncovered neighbors.
    #[inline]
    pub(crate) fn uncovered_around(&self, tile: Tile) -> u8 {
        let mut mask = 0;
        for (near, back) in self.grid.with_way_back(tile, self.grid.around(tile)) {
            mask |= u8::from(matches!(self.views[near], View::Number(_))) << (7 - back);
        }
        mask
    }

    /// The tiles of a set.
    pub(crate) fn tiles(&self, set: TileSet) -> impl Iterator<Item = Tile> + use<'_> {
        self.grid.masked(set.center, set.mask)
    }

    /// Takes note that a covered tile shows this number.
    ///
    /// # Panics
    /// If the tile is uncovered already.
    pub fn uncover(&mut self, tile: Tile, number: u8) {
        self.unmark(tile);
        assert_eq!(
            self.views[tile],
            View::Covered,
            "tile {tile} is uncovered once"
        );
        self.views[tile] = View::Number(number);
        self.needed[tile] += i8::try_from(number).expect("at most eight mines around a tile");
        self.n_covered -= 1;
        for (near, back) in self.grid.with_way_back(tile, self.grid.around(tile)) {
            self.covered[near] &= !(1 << back);
        }
    }

    /// Takes back [`uncover`](Self::uncover).
    pub(crate) fn cover(&mut self, tile: Tile) {
        let View::Number(number) = self.views[tile] else {
            return;
        };
        self.views[tile] = View::Covered;
        self.needed[tile] -= i8::try_from(number).expect("at most eight mines around a tile");
        self.n_covered += 1;
        for (near, back) in self.grid.with_way_back(tile, self.grid.around(tile)) {
            self.covered[near] |= 1 << back;
        }
    }

    /// Marks a covered tile as a mine; does nothing to others.
    pub fn mark(&mut self, tile: Tile) {
        if self.is_covered(tile) {
            self.set_mark(tile, View::Marked);
            self.n_covered -= 1;
            self.n_marked += 1;
        }
    }

    /// Takes the mark off a tile; does nothing to others.
    pub fn unmark(&mut self, tile: Tile) {
        if self.views[tile] == View::Marked {
            self.set_mark(tile, View::Covered);
            self.n_covered += 1;
            self.n_marked -= 1;
        }
    }

    fn set_mark(&mut self, tile: Tile, view: View) {
        self.views[tile] = view;
        let step = if view == View::Marked { -1 } else { 1 };
        for (near, back) in self.grid.with_way_back(tile, self.grid.around(tile)) {
            self.covered[near] ^= 1 << back;
            self.needed[near] += step;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What is kept step by step is what counting afresh gives.
        #[test]
        fn kept_up_to_date(
            width in 1..6_usize, height in 1..6_usize,
            steps in prop::collection::vec((0..36_usize, 0..4_u8), 0..60),
        ) {
            let grid = Grid::new(width, height).unwrap();
            let mut knowledge = Knowledge::new(&grid, 3);
            for (tile, step) in steps {
                let tile = tile % grid.n_tiles();
                let is_number = matches!(knowledge.view(tile), View::Number(_));
                match step {
                    0 if !is_number => knowledge.uncover(tile, u8::try_from(tile % 9).unwrap()),
                    1 => knowledge.mark(tile),
                    2 => knowledge.unmark(tile),
                    _ => knowledge.cover(tile),
                }
            }
            let count = |view| (0..grid.n_tiles()).filter(|tile| knowledge.view(*tile) == view).count();
            prop_assert_eq!(knowledge.n_covered(), count(View::Covered));
            prop_assert_eq!(knowledge.n_marked(), count(View::Marked));
            for tile in 0..grid.n_tiles() {
                let kept_view = &knowledge;
                let around = |view| {
                    grid.neighbors(tile).filter(move |near| kept_view.view(*near) == view)
                };
                let covered: Vec<Tile> = around(View::Covered).collect();
                let kept: Vec<Tile> = grid.masked(tile, knowledge.covered[tile]).collect();
                prop_assert_eq!(covered, kept);
                let number = match knowledge.view(tile) {
                    View::Number(number) => i8::try_from(number).unwrap(),
                    _ => 0,
                };
                let marked = i8::try_from(around(View::Marked).count()).unwrap();
                prop_assert_eq!(knowledge.needed[tile], number - marked);
            }
        }
    }
}
