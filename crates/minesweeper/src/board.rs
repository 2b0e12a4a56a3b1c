//! Boards: the mines, and the numbers they imply.

use std::fmt;
use std::str::FromStr;

use rand::{Rng, RngExt as _};
use thiserror::Error;

use crate::grid::{Grid, GridIndex, Tile};
use crate::words::{mines, tiles};

/// A board: its mines, and the number of every tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    grid: Grid,
    is_mine: Vec<bool>,
    /// Number of mines around each tile.
    numbers: Vec<u8>,
    n_mines: usize,
}

/// More mines than a board has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("cannot lay {} on {}", mines(*n_mines), tiles(*n_tiles))]
pub struct TooManyMines {
    /// Requested number of mines.
    pub n_mines: usize,
    /// Tiles that may hold one.
    pub n_tiles: usize,
}

/// A name that no protection of the first click has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a protection of the first click: expected unprotected, safe or opening")]
pub struct UnknownFirstClick(pub String);

/// Protection of the first click.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstClick {
    /// It may hit a mine, as in the paper.
    #[default]
    Unprotected,
    /// It hits no mine.
    Safe,
    /// It hits no mine, and none is around it, if there is room for that.
    Opening,
}

impl fmt::Display for FirstClick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unprotected => "unprotected",
            Self::Safe => "safe",
            Self::Opening => "opening",
        })
    }
}

impl FromStr for FirstClick {
    type Err = UnknownFirstClick;

    fn from_str(name: &str) -> Result<Self, UnknownFirstClick> {
        let found = Self::ALL.into_iter().find(|all| all.to_string() == name);
        found.ok_or_else(|| UnknownFirstClick(name.to_owned()))
    }
}

impl FirstClick {
    /// All of them, the least protection first.
    pub const ALL: [Self; 3] = [Self::Unprotected, Self::Safe, Self::Opening];

    /// The protection that there is room for on a board with so many mines: an opening without room becomes
    /// a safe tile.
    ///
    /// # Errors
    /// [`TooManyMines`] if there is no room for a safe tile either, or for the mines.
    ///
    /// # Panics
    /// If the first click is not on the grid.
    pub fn with_room(
        self,
        grid: &Grid,
        n_mines: usize,
        first: impl GridIndex,
    ) -> Result<Self, TooManyMines> {
        let first = first.tile(grid.size());
        let n_tiles = match self {
            Self::Unprotected => grid.n_tiles(),
            Self::Safe => grid.n_tiles() - 1,
            Self::Opening => grid.n_tiles() - 1 - grid.n_neighbors(first),
        };
        match self {
            _ if n_mines <= n_tiles => Ok(self),
            Self::Opening => Self::Safe.with_room(grid, n_mines, first),
            _ => Err(TooManyMines { n_mines, n_tiles }),
        }
    }

    /// Whether a tile may hold a mine when `first` is clicked first.
    pub(crate) fn allows(self, grid: &Grid, first: Tile, tile: Tile) -> bool {
        match self {
            Self::Unprotected => true,
            Self::Safe => tile != first,
            Self::Opening => tile != first && grid.neighbors(first).all(|near| near != tile),
        }
    }
}

impl Board {
    /// The board with these mines; a mine given twice counts once.
    ///
    /// # Panics
    /// If a mine is not on the grid.
    pub fn new<I: GridIndex>(grid: &Grid, mines: impl IntoIterator<Item = I>) -> Self {
        let mut board = Self::empty(grid);
        for mine in mines {
            board.lay(mine.tile(grid.size()));
        }
        board
    }

    /// The board without mines.
    pub(crate) fn empty(grid: &Grid) -> Self {
        Self {
            grid: grid.clone(),
            is_mine: vec![false; grid.n_tiles()],
            numbers: vec![0; grid.n_tiles()],
            n_mines: 0,
        }
    }

    /// A board drawn uniformly among those with `n_mines` mines that the protection of the first
    /// click allows.
    ///
    /// Tiles are drawn until there are enough mines; draws that the protection does not allow are
    /// skipped. With the same generator, boards for different first clicks differ in few mines.
    ///
    /// # Errors
    /// [`TooManyMines`] if there is no room; an opening without room becomes a safe tile.
    ///
    /// # Panics
    /// If the first click is not on the grid.
    pub fn random(
        grid: &Grid,
        n_mines: usize,
        first_click: FirstClick,
        first: impl GridIndex,
        rng: &mut impl Rng,
    ) -> Result<Self, TooManyMines> {
        let first = first.tile(grid.size());
        let protection = first_click.with_room(grid, n_mines, first)?;
        let mut board = Self::empty(grid);
        while board.n_mines < n_mines {
            let tile = rng.random_range(0..grid.n_tiles());
            if protection.allows(grid, first, tile) {
                board.lay(tile);
            }
        }
        Ok(board)
    }

    /// Lays a mine, unless there is one.
    pub(crate) fn lay(&mut self, tile: Tile) {
        if !self.is_mine[tile] {
            self.is_mine[tile] = true;
            self.n_mines += 1;
            for near in self.grid.neighbors(tile) {
                self.numbers[near] += 1;
            }
        }
    }

    /// Takes a mine away, if there is one.
    pub(crate) fn lift(&mut self, tile: Tile) {
        if self.is_mine[tile] {
            self.is_mine[tile] = false;
            self.n_mines -= 1;
            for near in self.grid.neighbors(tile) {
                self.numbers[near] -= 1;
            }
        }
    }

    /// Its shape.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Number of mines.
    pub fn n_mines(&self) -> usize {
        self.n_mines
    }

    /// Whether a tile holds a mine.
    #[inline]
    pub fn is_mine(&self, at: impl GridIndex) -> bool {
        self.is_mine[at.tile(self.grid.size())]
    }

    /// The number of a tile: the mines around it.
    #[inline]
    pub fn number(&self, at: impl GridIndex) -> u8 {
        self.numbers[at.tile(self.grid.size())]
    }

    /// The tiles that hold mines.
    pub fn mines(&self) -> impl Iterator<Item = Tile> + use<'_> {
        (0..self.grid.n_tiles()).filter(|tile| self.is_mine[*tile])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::SeedableRng as _;
    use rand_chacha::ChaCha8Rng;

    use super::*;

    proptest! {
        #[test]
        fn the_first_click_is_protected(
            width in 1..9_usize, height in 1..9_usize, seed in 0..u64::MAX, percent in 0..100_usize,
        ) {
            let grid = Grid::new(width, height).unwrap();
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let first = rng.random_range(0..grid.n_tiles());
            let n_mines = (grid.n_tiles() - 1) * percent / 100;
            for first_click in [FirstClick::Unprotected, FirstClick::Safe, FirstClick::Opening] {
                let board = Board::random(&grid, n_mines, first_click, first, &mut rng).unwrap();
                prop_assert_eq!(board.mines().count(), n_mines);
                prop_assert!(first_click == FirstClick::Unprotected || !board.is_mine(first));
                let has_room = n_mines + 1 + grid.n_neighbors(first) <= grid.n_tiles();
                if first_click == FirstClick::Opening && has_room {
                    prop_assert_eq!(board.number(first), 0);
                }
                for tile in 0..grid.n_tiles() {
                    let around = grid.neighbors(tile).filter(|near| board.is_mine(*near)).count();
                    prop_assert_eq!(usize::from(board.number(tile)), around);
                }
            }
        }
    }

    #[test]
    fn too_many_mines_are_refused() {
        let grid = Grid::new(2, 2).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut draw =
            |n_mines, first_click| Board::random(&grid, n_mines, first_click, 0, &mut rng);
        assert!(draw(4, FirstClick::Unprotected).is_ok());
        let full = TooManyMines {
            n_mines: 4,
            n_tiles: 3,
        };
        assert_eq!(draw(4, FirstClick::Opening), Err(full));
    }
}
