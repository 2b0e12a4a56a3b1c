//! The shape of a board: its tiles, their neighbors, and how to address them.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::bit_sets::bits;

/// The number of a tile: row by row from the top left corner, from zero.
pub type Tile = usize;

/// The longest side of a board.
pub const MAX_SIDE: usize = 1000;

/// An address of a tile: `(row, column)`, both from zero, or its number [`Tile`] for inner loops.
///
/// # Examples
/// ```
/// use kibitz_minesweeper::Board;
///
/// let board = Board::from_text("3x2/1\n..*\n...\n")?;
/// assert!(board.is_mine((0, 2)) && board.is_mine(2));
/// # Ok::<(), kibitz_minesweeper::TextErrors>(())
/// ```
pub trait GridIndex: sealed::Sealed {
    /// The number of the tile on a board of this many rows and columns.
    ///
    /// # Panics
    /// If the row or the column is not on the board.
    fn tile(self, size: [usize; 2]) -> Tile;
}

impl GridIndex for Tile {
    #[inline]
    fn tile(self, _: [usize; 2]) -> Tile {
        self
    }
}

impl GridIndex for (usize, usize) {
    #[inline]
    #[track_caller]
    fn tile(self, [height, width]: [usize; 2]) -> Tile {
        let (row, column) = self;
        assert!(
            row < height && column < width,
            "row {row}, column {column} is not on a board of {height} rows and {width} columns"
        );
        row * width + column
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl Sealed for (usize, usize) {}
}

/// The eight directions as steps in rows and columns; the inverse of direction `d` is `7 - d`.
const STEPS: [(i32, i32); 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];

/// `SHIFTED[offset][mask]`: the neighbors `mask` of a tile A that are also neighbors of a tile B, as
/// a mask of B; `offset` is that of B from A, five to a row.
static SHIFTED: [[u8; 256]; 25] = shifted();

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "a constant function has no other way to convert 0 to 24"
)]
const fn shifted() -> [[u8; 256]; 25] {
    let mut table = [[0; 256]; 25];
    let mut offset = 0;
    while offset < 25 {
        let (down, right) = (offset as i32 / 5 - 2, offset as i32 % 5 - 2);
        let mut from = 0;
        while from < 8 {
            let mut to = 0;
            while to < 8 {
                let same_row = STEPS[from].0 == STEPS[to].0 + down;
                if same_row && STEPS[from].1 == STEPS[to].1 + right {
                    let mut mask = 0;
                    while mask < 256 {
                        if mask >> from & 1 == 1 {
                            table[offset][mask] |= 1 << to;
                        }
                        mask += 1;
                    }
                }
                to += 1;
            }
            from += 1;
        }
        offset += 1;
    }
    table
}

/// The offset of a tile from another that shares neighbors with it, or is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Offset(u8);

impl Offset {
    /// From a tile to itself.
    pub(crate) const SAME: Self = Self(12);

    /// From a tile to its neighbor in a direction.
    #[inline]
    pub(crate) fn step(direction: usize) -> Self {
        const TO_NEIGHBORS: [u8; 8] = [6, 7, 8, 11, 13, 16, 17, 18];
        Self(TO_NEIGHBORS[direction])
    }

    /// The neighbors `mask` of the first tile that are also neighbors of the second, as a mask of the
    /// second.
    #[inline]
    pub(crate) fn shift(self, mask: u8) -> u8 {
        SHIFTED[usize::from(self.0)][usize::from(mask)]
    }

    /// The inverse offset.
    pub(crate) fn back(self) -> Self {
        Self(24 - self.0)
    }

    /// Its bit in a set of offsets.
    pub(crate) fn bit(self) -> u32 {
        1 << self.0
    }
}

/// A side that is zero or too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a board has 1 to {MAX_SIDE} columns and rows, not {width} and {height}")]
pub struct SizeError {
    /// Requested number of columns.
    pub width: usize,
    /// Requested number of rows.
    pub height: usize,
}

/// The shape of a board; cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Grid(Arc<Shape>);

#[derive(PartialEq, Eq)]
struct Shape {
    width: usize,
    height: usize,
    /// Per tile, its row and column.
    places: Vec<(u16, u16)>,
    /// Per tile and direction, the neighbor; beyond the last tile where there is none.
    neighbors: Vec<[u32; 8]>,
    /// Per tile, the directions in which there is a neighbor, as bits.
    around: Vec<u8>,
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid({}x{})", self.width(), self.height())
    }
}

impl Grid {
    /// A grid of `width` columns and `height` rows.
    ///
    /// # Errors
    /// [`SizeError`] if a side is zero or above [`MAX_SIDE`].
    pub fn new(width: usize, height: usize) -> Result<Self, SizeError> {
        let sides = 1..=MAX_SIDE;
        if !sides.contains(&width) || !sides.contains(&height) {
            return Err(SizeError { width, height });
        }
        let number = |tile: Tile| u32::try_from(tile).unwrap_or(u32::MAX);
        let place = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        let mut places = Vec::with_capacity(width * height);
        let mut neighbors = Vec::with_capacity(width * height);
        let mut around = Vec::with_capacity(width * height);
        for row in 0..height {
            for column in 0..width {
                let mut mask = 0;
                let mut tiles = [0; 8];
                for (direction, (down, right)) in STEPS.into_iter().enumerate() {
                    let to = |at: usize, step: i32, end: usize| {
                        at.checked_add_signed(step as isize).filter(|to| *to < end)
                    };
                    let near = to(row, down, height).zip(to(column, right, width));
                    let (to_row, to_column) = near.unwrap_or((height, 0));
                    mask |= u8::from(near.is_some()) << direction;
                    tiles[direction] = number(to_row * width + to_column);
                }
                places.push((place(row), place(column)));
                neighbors.push(tiles);
                around.push(mask);
            }
        }
        Ok(Self(Arc::new(Shape {
            width,
            height,
            places,
            neighbors,
            around,
        })))
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.0.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.0.height
    }

    /// Number of tiles.
    pub fn n_tiles(&self) -> usize {
        self.0.around.len()
    }

    /// The tile in this row and column, both from zero; `None` if it is not on the board.
    pub fn tile(&self, row: usize, column: usize) -> Option<Tile> {
        (row < self.height() && column < self.width()).then(|| row * self.width() + column)
    }

    /// Row and column of a tile, both from zero.
    pub fn row_and_column(&self, tile: Tile) -> (usize, usize) {
        let (row, column) = self.0.places[tile];
        (row.into(), column.into())
    }

    /// Number of neighbors of a tile: 3 in a corner, 5 on an edge, 8 elsewhere (if both sides are
    /// longer than one).
    pub(crate) fn n_neighbors(&self, tile: Tile) -> usize {
        self.around(tile).count_ones() as usize
    }

    /// The neighbors of a tile, row by row.
    pub fn neighbors<I: GridIndex>(&self, at: I) -> impl Iterator<Item = Tile> + use<'_, I> {
        let tile = at.tile(self.size());
        self.masked(tile, self.around(tile))
    }

    /// Rows and columns, as [`GridIndex::tile`] takes them.
    #[inline]
    pub(crate) fn size(&self) -> [usize; 2] {
        [self.0.height, self.0.width]
    }

    /// The directions in which a tile has neighbors, as bits.
    #[inline]
    pub(crate) fn around(&self, tile: Tile) -> u8 {
        self.0.around[tile]
    }

    /// The neighbors of a tile in these directions.
    #[inline]
    pub(crate) fn masked(&self, tile: Tile, mask: u8) -> impl Iterator<Item = Tile> + use<'_> {
        let neighbors = &self.0.neighbors[tile];
        bits(mask.into()).map(move |direction| neighbors[direction] as Tile)
    }

    /// The neighbors of a tile in these directions, each with its direction.
    #[inline]
    pub(crate) fn directed(
        &self,
        tile: Tile,
        mask: u8,
    ) -> impl Iterator<Item = (usize, Tile)> + use<'_> {
        let neighbors = &self.0.neighbors[tile];
        bits(mask.into()).map(move |direction| (direction, neighbors[direction] as Tile))
    }

    /// Per direction the neighbor of a tile, [`Self::n_tiles`] where there is none; the inverse of
    /// direction `d` is `7 - d`.
    #[inline]
    pub(crate) fn all_around(&self, tile: Tile) -> [Tile; 8] {
        self.0.neighbors[tile].map(|near| near as Tile)
    }

    /// The tiles that share neighbors with `tile` (within two rows and columns), itself included,
    /// each with its offset.
    pub(crate) fn near(&self, tile: Tile) -> impl Iterator<Item = (Tile, Offset)> + use<'_> {
        let (row, column) = self.row_and_column(tile);
        let rows = row.saturating_sub(2)..(row + 3).min(self.height());
        rows.flat_map(move |to_row| {
            let columns = column.saturating_sub(2)..(column + 3).min(self.width());
            columns.map(move |to_column| {
                let offset = (to_row + 2 - row) * 5 + to_column + 2 - column;
                let offset = u8::try_from(offset).expect("at most 24");
                (to_row * self.width() + to_column, Offset(offset))
            })
        })
    }

    /// The tiles at these offsets, given as a set of [bits](Offset::bit); they must be on the board.
    #[inline]
    pub(crate) fn near_at(
        &self,
        tile: Tile,
        offsets: u32,
    ) -> impl Iterator<Item = (Tile, Offset)> + use<> {
        let width = self.width();
        bits(offsets.into()).map(move |at| {
            let near = tile + at / 5 * width + at % 5 - 2 * (width + 1);
            (near, Offset(u8::try_from(at).expect("at most 24")))
        })
    }

    /// The offset of `to` from `from`; `None` if they share no neighbor.
    pub(crate) fn offset(&self, from: Tile, to: Tile) -> Option<Offset> {
        let (row, column) = self.row_and_column(from);
        let (to_row, to_column) = self.row_and_column(to);
        let step = |to: usize, from: usize| (to + 2).checked_sub(from).filter(|step| *step < 5);
        let offset = step(to_row, row)? * 5 + step(to_column, column)?;
        u8::try_from(offset).ok().map(Offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_of_corner_edge_and_interior() {
        let grid = Grid::new(4, 3).unwrap();
        let list = |tile| grid.neighbors(tile).collect::<Vec<_>>();
        assert_eq!(list(0), [1, 4, 5]);
        assert_eq!(list(4), [0, 1, 5, 8, 9]);
        assert_eq!(list(6), [1, 2, 3, 5, 7, 9, 10, 11]);
        assert_eq!(grid.all_around(4), [12, 0, 1, 12, 5, 12, 8, 9]);
        assert_eq!(Grid::new(1, 1).unwrap().n_neighbors(0), 0);
    }

    #[test]
    fn shifting_keeps_the_common_neighbors() {
        let grid = Grid::new(7, 7).unwrap();
        for from in 0..grid.n_tiles() {
            let near: Vec<_> = grid.near(from).collect();
            for to in 0..grid.n_tiles() {
                let offset = near.iter().find(|(tile, _)| *tile == to).map(|(_, at)| *at);
                assert_eq!(offset, grid.offset(from, to));
                let Some(offset) = offset else { continue };
                let at = grid.near_at(from, offset.bit());
                assert_eq!(at.collect::<Vec<_>>(), [(to, offset)]);
                let common = grid
                    .neighbors(from)
                    .filter(|tile| grid.neighbors(to).any(|t| t == *tile));
                let common: Vec<_> = common.collect();
                let shifted = offset.shift(grid.around(from));
                assert_eq!(grid.masked(to, shifted).collect::<Vec<_>>(), common);
                assert_eq!(
                    grid.masked(from, offset.back().shift(shifted))
                        .collect::<Vec<_>>(),
                    common
                );
            }
        }
    }

    #[test]
    fn rows_and_columns_address_tiles() {
        let grid = Grid::new(4, 3).unwrap();
        for tile in 0..grid.n_tiles() {
            let at = grid.row_and_column(tile);
            assert_eq!(at.tile(grid.size()), tile);
            assert!(grid.neighbors(at).eq(grid.neighbors(tile)));
        }
    }

    #[test]
    #[should_panic(expected = "row 1, column 4 is not on a board of 3 rows and 4 columns")]
    fn columns_beyond_the_edge_are_refused() {
        (1, 4).tile(Grid::new(4, 3).unwrap().size());
    }

    #[test]
    fn sides_are_bounded() {
        for (width, height) in [(0, 3), (3, 0), (MAX_SIDE + 1, 1)] {
            assert_eq!(Grid::new(width, height), Err(SizeError { width, height }));
        }
    }
}
