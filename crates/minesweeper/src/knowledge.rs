//! What a player sees, kept up to date click by click.

use crate::{
    grid::{Grid, Offset, Tile},
    tiles::TileSets,
};

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
    /// One more than there are tiles: the last stands for all beyond the edge.
    tiles: Vec<Seen>,
    sets: Views,
    n_covered: usize,
    n_marked: usize,
}

/// Tiles by what they show: [`COVERED`] and the other sets.
pub(crate) type Views = TileSets<3>;

/// The sets of [`Views`]: the tiles that are covered and not marked; those that are
/// marked; the numbers with covered tiles around them, and those that need mines there are no tiles
/// for.
pub(crate) const COVERED: usize = 0;
pub(crate) const MARKED: usize = 1;
const NUMBERS: usize = 2;

/// A tile, and what is around it, in one word: what is written in part and read as a whole soon
/// after would have to be waited for.
///
/// From the lowest byte: the neighbors as directions that are covered and not marked, and those that
/// are uncovered; its number (zero while it is covered) less the marks around it; its view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen(u32);

/// One bit in each byte of neighbors.
const BOTH: u32 = 0x0101;
const NEEDED_SHIFT: u32 = 16;
const VIEW_SHIFT: u32 = 24;
/// What the byte of the view is for a covered tile, for a marked one, and for a zero; further
/// numbers follow.
const IS_COVERED: u8 = 0;
const IS_MARKED: u8 = 1;
const IS_ZERO: u8 = 2;

impl Seen {
    #[inline]
    fn covered(self) -> u8 {
        self.0.to_le_bytes()[0]
    }

    #[inline]
    fn uncovered(self) -> u8 {
        self.0.to_le_bytes()[1]
    }

    #[inline]
    fn needed(self) -> i8 {
        self.0.to_le_bytes()[2].cast_signed()
    }

    #[inline]
    fn view(self) -> View {
        match self.0.to_le_bytes()[3] {
            IS_COVERED => View::Covered,
            IS_MARKED => View::Marked,
            number => View::Number(number - IS_ZERO),
        }
    }

    /// Whether a number is not done with.
    #[inline]
    fn is_open(self) -> bool {
        self.covered() != 0 || self.needed() != 0
    }

    #[inline]
    fn is_number(self) -> bool {
        self.0 >= u32::from(IS_ZERO) << VIEW_SHIFT
    }

    #[inline]
    fn set_view(&mut self, view: View) {
        let byte = match view {
            View::Covered => IS_COVERED,
            View::Marked => IS_MARKED,
            View::Number(number) => IS_ZERO + number,
        };
        self.0 = self.0 & !(0xff << VIEW_SHIFT) | u32::from(byte) << VIEW_SHIFT;
    }

    /// Around the tile beyond the edge it comes round.
    #[inline]
    fn need(&mut self, more: i8) {
        let needed = self.needed().wrapping_add(more).cast_unsigned();
        self.0 = self.0 & !(0xff << NEEDED_SHIFT) | u32::from(needed) << NEEDED_SHIFT;
    }
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
        // Nothing is needed yet, and all views are those of covered tiles.
        let around = (0..n_tiles).map(|tile| grid.around(tile).into());
        let mut sets = TileSets::new(n_tiles);
        sets.fill(COVERED, n_tiles);
        Self {
            grid: grid.clone(),
            n_mines,
            tiles: around.chain([0]).map(Seen).collect(),
            sets,
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
        self.tiles[tile].view()
    }

    /// Whether a tile is covered and not marked.
    #[inline]
    pub fn is_covered(&self, tile: Tile) -> bool {
        self.view(tile) == View::Covered
    }

    /// The tiles that are covered and not marked.
    pub fn covered(&self) -> impl Iterator<Item = Tile> + use<'_> {
        self.sets.iter(COVERED)
    }

    /// Tiles by what they show.
    pub(crate) fn views(&self) -> &Views {
        &self.sets
    }

    /// The covered neighbors without a mark around an uncovered tile, and the mines that its number
    /// leaves for them; nothing for other tiles and where there are no such neighbors.
    #[inline]
    pub(crate) fn set(&self, tile: Tile) -> Option<TileSet> {
        let seen = self.tiles[tile];
        (seen.covered() != 0 && seen.is_number()).then_some(TileSet {
            center: tile,
            mask: seen.covered(),
            n_mines: seen.needed(),
        })
    }

    /// Every such set, by tile.
    pub(crate) fn sets(&self) -> impl Iterator<Item = TileSet> + use<'_> {
        self.open_numbers().filter(|set| set.mask != 0)
    }

    /// Every such set, by tile, and empty sets where a number needs mines there are no tiles for.
    pub(crate) fn open_numbers(&self) -> impl Iterator<Item = TileSet> + use<'_> {
        self.sets.iter(NUMBERS).map(|tile| TileSet {
            center: tile,
            mask: self.tiles[tile].covered(),
            n_mines: self.tiles[tile].needed(),
        })
    }

    /// The sets of the numbers that touch a tile and come after it, row by row, and where each lies
    /// from there.
    #[inline]
    pub(crate) fn sets_after(
        &self,
        tile: Tile,
    ) -> impl Iterator<Item = (TileSet, Offset)> + use<'_> {
        let near = self.grid.directed(tile, self.uncovered_around(tile) & 0xf0);
        near.filter_map(|(direction, near)| Some((self.set(near)?, Offset::step(direction))))
    }

    /// The directions in which a tile has uncovered neighbors, as bits: row by row from the top
    /// left.
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
    pub fn mines_around(&self, tile: Tile) -> Option<i8> {
        let seen = self.tiles[tile];
        seen.is_number().then(|| seen.needed())
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
            seen.0 ^= BOTH << back;
            // In this order since the first is more often foreseen.
            if seen.covered() == 0 && seen.is_number() {
                self.sets.put(NUMBERS, near, seen.is_open());
            }
        }
    }

    /// Takes back [`uncover`](Self::uncover).
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
            seen.0 ^= BOTH << back;
            if seen.is_number() {
                self.sets.put(NUMBERS, near, true);
            }
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
            seen.0 ^= 1 << back;
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
                let is_set = knowledge.sets().any(|set| set.center == tile);
                prop_assert_eq!(is_set, knowledge.set(tile).is_some());
            }
        }
    }
}
