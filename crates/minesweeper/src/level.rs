//! Levels: the size of a board and its number of mines.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::grid::{Grid, SizeError};

/// A level, written `30x16/99`: columns, rows, mines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The shape.
    pub grid: Grid,
    /// Number of mines.
    pub n_mines: usize,
}

/// Why a text is not a level.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LevelError {
    /// It is not two sides and a count.
    #[error("`{0}` is not columns, rows and mines as in `30x16/99`")]
    Form(String),
    /// No board has these sides.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// More mines than tiles.
    #[error("{n_mines} mines do not go on {n_tiles} tiles")]
    TooManyMines {
        /// Mines asked for.
        n_mines: usize,
        /// Tiles of the board.
        n_tiles: usize,
    },
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Self, LevelError> {
        let numbers = text.split_once('x').and_then(|(width, rest)| {
            let (height, n_mines) = rest.split_once('/')?;
            let parse = |word: &str| word.parse().ok();
            Some((parse(width)?, parse(height)?, parse(n_mines)?))
        });
        let form = || LevelError::Form(text.to_owned());
        let (width, height, n_mines): (usize, usize, usize) = numbers.ok_or_else(form)?;
        let grid = Grid::new(width, height)?;
        let n_tiles = grid.n_tiles();
        if n_mines > n_tiles {
            return Err(LevelError::TooManyMines { n_mines, n_tiles });
        }
        Ok(Self { grid, n_mines })
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, height) = (self.grid.width(), self.grid.height());
        write!(f, "{width}x{height}/{}", self.n_mines)
    }
}
