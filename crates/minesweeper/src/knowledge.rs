//! The player's knowledge of a position, updated incrementally.

use crate::{
    bit_sets::BitSets,
    board::FirstClick,
    grid::{Grid, GridIndex, Offset, Tile},
    mines::Mines,
    neighborhood::Neighborhood,
};

/// The face of a tile, as the player sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Covered, without a mark.
    Covered,
    /// Covered and marked as a mine.
    Marked,
    /// Uncovered: the number of mines around it.
    Number(u8),
}

/// A player's knowledge: the shape, the number of mines or their density, the face of every tile, and
/// the protection of the first click.
///
/// The covered neighbors of every tile, and the mines that every number still needs among them, are
/// updated incrementally: a step costs the neighbors of one tile.
#[derive(Clone, Debug, PartialEq)]
pub struct Knowledge {
    grid: Grid,
    mines: Mines,
    first_click: FirstClick,
    /// One entry more than there are tiles: a sentinel for the neighbors beyond the edge.
    tiles: Vec<Neighborhood>,
    sets: Views,
    n_covered: usize,
    n_marked: usize,
}

/// Tiles by face: [`COVERED`], [`MARKED`] and the open numbers.
pub(crate) type Views = BitSets<3>;

/// The sets of [`Views`]: tiles that are covered and not marked; marked tiles; open numbers, which
/// have covered tiles around them or need mines that no tile can hold.
pub(crate) const COVERED: usize = 0;
pub(crate) const MARKED: usize = 1;
const NUMBERS: usize = 2;

/// A constraint: the number of mines among some covered tiles around a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Constraint {
    /// The tile in the middle.
    pub(crate) center: Tile,
    /// The covered tiles, as directions from the center.
    pub(crate) mask: u8,
    /// Mines among them.
    pub(crate) n_mines: i8,
}

impl Constraint {
    /// Number of tiles.
    pub(crate) fn len(self) -> i8 {
        i8::try_from(self.mask.count_ones()).expect("at most eight")
    }

    /// The tiles in common with `other`, as a mask of `self`; `to_self` is the offset of `self` from
    /// `other`.
    pub(crate) fn common(self, other: Self, to_self: Offset) -> u8 {
        self.mask & to_self.shift(other.mask)
    }
}

impl Knowledge {
    /// The beginning: every tile of a board with so many mines is covered, and the first click may meet
    /// one.
    pub fn new(grid: &Grid, mines: impl Into<Mines>) -> Self {
        let n_tiles = grid.n_tiles();
        let around = (0..n_tiles).map(|tile| grid.around(tile));
        let mut sets = BitSets::new(n_tiles);
        sets.fill(COVERED, n_tiles);
        Self {
            grid: grid.clone(),
            mines: mines.into(),
            first_click: FirstClick::Unprotected,
            tiles: around.chain([0]).map(Neighborhood::all_covered).collect(),
            sets,
            n_covered: n_tiles,
            n_marked: 0,
        }
    }

    /// The shape of the board.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The same with this protection of the first click.
    #[must_use]
    pub fn with_first_click(mut self, first_click: FirstClick) -> Self {
        self.first_click = first_click;
        self
    }

    /// The same position where something else is known of the number of mines.
    #[must_use]
    pub(crate) fn with_mines(mut self, mines: impl Into<Mines>) -> Self {
        self.mines = mines.into();
        self
    }

    /// The protection of the next click, if that is the first.
    pub fn first_click(&self) -> Option<FirstClick> {
        let is_untouched = self.n_covered + self.n_marked == self.grid.n_tiles();
        is_untouched.then_some(self.first_click)
    }

    /// Whether the next click meets no mine, wherever it is: it is the first, and protected.
    pub fn is_protected(&self) -> bool {
        let first_click = self.first_click();
        first_click.is_some_and(|first_click| first_click != FirstClick::Unprotected)
    }

    /// The mines of the board, or their density.
    pub fn mines(&self) -> Mines {
        self.mines
    }

    /// Number of mines less marks, negative with too many marks; `None` if only their density is known.
    pub fn mines_left(&self) -> Option<isize> {
        match self.mines {
            Mines::Total(n_mines) => Some(n_mines.cast_signed() - self.n_marked.cast_signed()),
            Mines::Density(_) => None,
        }
    }

    /// The share of mines among all covered tiles that are not marked, whatever the numbers say.
    pub(crate) fn share_of_mines(&self) -> f64 {
        match (self.mines, self.mines_left()) {
            (Mines::Density(density), _) => density.get(),
            (_, left) => left.unwrap_or(0) as f64 / self.n_covered as f64,
        }
    }

    /// Number of tiles that are covered and not marked.
    pub fn n_covered(&self) -> usize {
        self.n_covered
    }

    /// Number of marked tiles.
    pub fn n_marked(&self) -> usize {
        self.n_marked
    }

    /// Whether every tile without a mine is certainly uncovered.
    pub fn is_won(&self) -> bool {
        match self.mines {
            Mines::Total(n_mines) => self.n_covered + self.n_marked == n_mines,
            Mines::Density(_) => self.n_covered == 0,
        }
    }

    /// The face of a tile.
    #[inline]
    pub fn view(&self, at: impl GridIndex) -> View {
        self.tiles[at.tile(self.grid.size())].view()
    }

    /// Whether a tile is covered and not marked.
    #[inline]
    pub fn is_covered(&self, at: impl GridIndex) -> bool {
        self.view(at) == View::Covered
    }

    /// The tiles that are covered and not marked.
    pub fn covered(&self) -> impl Iterator<Item = Tile> + use<'_> {
        self.sets.iter(COVERED)
    }

    /// Tiles by face.
    pub(crate) fn views(&self) -> &Views {
        &self.sets
    }

    /// The constraint of a number: its covered neighbors without a mark, and the mines it needs among
    /// them; `None` without such neighbors, and for tiles without a number.
    #[inline]
    pub(crate) fn constraint(&self, tile: Tile) -> Option<Constraint> {
        let seen = self.tiles[tile];
        (seen.covered() != 0 && seen.is_number()).then_some(Constraint {
            center: tile,
            mask: seen.covered(),
            n_mines: seen.needed(),
        })
    }

    /// Every constraint, by tile.
    pub(crate) fn constraints(&self) -> impl Iterator<Item = Constraint> + use<'_> {
        self.open_numbers()
            .filter(|constraint| constraint.mask != 0)
    }

    /// Every constraint, by tile, with the unsatisfiable ones: numbers that need mines, but have no
    /// covered neighbors.
    pub(crate) fn open_numbers(&self) -> impl Iterator<Item = Constraint> + use<'_> {
        self.sets.iter(NUMBERS).map(|tile| Constraint {
            center: tile,
            mask: self.tiles[tile].covered(),
            n_mines: self.tiles[tile].needed(),
        })
    }

    /// The constraints of the numbers that touch a tile and come after it, row by row, each with its
    /// offset from the tile.
    #[inline]
    pub(crate) fn constraints_after(
        &self,
        tile: Tile,
    ) -> impl Iterator<Item = (Constraint, Offset)> + use<'_> {
        let near = self.grid.directed(tile, self.uncovered_around(tile) & 0xf0);
        near.filter_map(|(direction, near)| Some((self.constraint(near)?, Offset::step(direction))))
    }

    /// The directions in which a tile has uncovered neighbors, as bits: row by row from the top left.
    #[inline]
    pub fn uncovered_around(&self, tile: Tile) -> u8 {
        self.tiles[tile].uncovered()
    }

    /// The directions in which a tile has neighbors that are covered and not marked.
    #[inline]
    pub fn covered_around(&self, tile: Tile) -> u8 {
        self.tiles[tile].covered()
    }

    /// The number of an uncovered tile less the marks around it.
    pub fn mines_around(&self, at: impl GridIndex) -> Option<i8> {
        let seen = self.tiles[at.tile(self.grid.size())];
        seen.is_number().then(|| seen.needed())
    }

    /// The tiles of a constraint.
    pub(crate) fn tiles(&self, constraint: Constraint) -> impl Iterator<Item = Tile> + use<'_> {
        self.grid.masked(constraint.center, constraint.mask)
    }

    /// Uncovers a tile with this number.
    ///
    /// # Panics
    /// If the tile is uncovered already.
    pub fn uncover(&mut self, at: impl GridIndex, number: u8) {
        let tile = at.tile(self.grid.size());
        self.unmark(tile);
        let seen = &mut self.tiles[tile];
        assert_eq!(seen.view(), View::Covered, "tile {tile} is uncovered once");
        seen.set_view(View::Number(number));
        seen.need(i8::try_from(number).expect("at most eight mines around a tile"));
        self.sets.put(NUMBERS, tile, seen.is_open());
        self.sets.put(COVERED, tile, false);
        self.n_covered -= 1;
        for (direction, near) in self.grid.all_around(tile).into_iter().enumerate() {
            let seen = &mut self.tiles[near];
            let back = 7 - direction;
            seen.toggle_uncovered(back);
            // In this order since the first is easier to predict.
            if seen.covered() == 0 && seen.is_number() {
                self.sets.put(NUMBERS, near, seen.is_open());
            }
        }
    }

    /// Reverts [`uncover`](Self::uncover).
    pub(crate) fn cover(&mut self, tile: Tile) {
        let seen = &mut self.tiles[tile];
        let View::Number(number) = seen.view() else {
            return;
        };
        seen.set_view(View::Covered);
        seen.need(-i8::try_from(number).expect("at most eight mines around a tile"));
        self.sets.put(NUMBERS, tile, false);
        self.sets.put(COVERED, tile, true);
        self.n_covered += 1;
        for (direction, near) in self.grid.all_around(tile).into_iter().enumerate() {
            let seen = &mut self.tiles[near];
            let back = 7 - direction;
            seen.toggle_uncovered(back);
            if seen.is_number() {
                self.sets.put(NUMBERS, near, true);
            }
        }
    }

    /// Marks a covered tile as a mine; does nothing to others.
    pub fn mark(&mut self, at: impl GridIndex) {
        let tile = at.tile(self.grid.size());
        if self.is_covered(tile) {
            self.set_mark(tile, View::Marked);
            self.n_covered -= 1;
            self.n_marked += 1;
        }
    }

    /// Takes the mark off a tile; does nothing to others.
    pub fn unmark(&mut self, at: impl GridIndex) {
        let tile = at.tile(self.grid.size());
        if self.view(tile) == View::Marked {
            self.set_mark(tile, View::Covered);
            self.n_covered += 1;
            self.n_marked -= 1;
        }
    }

    fn set_mark(&mut self, tile: Tile, view: View) {
        self.tiles[tile].set_view(view);
        self.sets.put(COVERED, tile, view == View::Covered);
        self.sets.put(MARKED, tile, view == View::Marked);
        let step = if view == View::Marked { -1 } else { 1 };
        for (direction, near) in self.grid.all_around(tile).into_iter().enumerate() {
            let seen = &mut self.tiles[near];
            let back = 7 - direction;
            seen.toggle_marked(back);
            seen.need(step);
            // With another covered tile around it, a number was and is open.
            if seen.covered() & !(1 << back) == 0 && seen.is_number() {
                self.sets.put(NUMBERS, near, seen.is_open());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Incremental updates give what counting afresh gives.
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
            let tiles = |view| {
                let kept = &knowledge;
                (0..grid.n_tiles()).filter(move |tile| kept.view(*tile) == view)
            };
            prop_assert!(knowledge.covered().eq(tiles(View::Covered)));
            prop_assert!(knowledge.views().iter(MARKED).eq(tiles(View::Marked)));
            for tile in 0..grid.n_tiles() {
                let kept = &knowledge;
                let around = |is_such: fn(View) -> bool| {
                    grid.neighbors(tile).filter(move |near| is_such(kept.view(*near)))
                };
                let seen = knowledge.tiles[tile];
                let covered: Vec<Tile> = around(|view| view == View::Covered).collect();
                prop_assert_eq!(&covered, &grid.masked(tile, seen.covered()).collect::<Vec<_>>());
                let uncovered: Vec<Tile> = around(|view| matches!(view, View::Number(_))).collect();
                prop_assert_eq!(uncovered, grid.masked(tile, seen.uncovered()).collect::<Vec<_>>());
                let number = match knowledge.view(tile) {
                    View::Number(number) => i8::try_from(number).unwrap(),
                    _ => 0,
                };
                let marked = i8::try_from(around(|view| view == View::Marked).count()).unwrap();
                prop_assert_eq!(seen.needed(), number - marked);
                let is_constraint = knowledge.constraints().any(|constraint| constraint.center == tile);
                prop_assert_eq!(is_constraint, knowledge.constraint(tile).is_some());
            }
        }
    }
}
