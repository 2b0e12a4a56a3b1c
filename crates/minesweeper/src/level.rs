//! Levels: the size of a board and its number of mines.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::grid::{Grid, SizeError};
use crate::words::{mines, tiles};

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
    #[error("cannot lay {} on {}", mines(*n_mines), tiles(*n_tiles))]
    TooManyMines {
        /// Requested number of mines.
        n_mines: usize,
        /// Tiles of the board.
        n_tiles: usize,
    },
}

/// Separators between columns and rows.
const BETWEEN_SIDES: [char; 3] = ['x', 'X', '\u{d7}'];

/// Separators before the mines; blanks alone also are.
const BEFORE_MINES: [char; 7] = ['/', 'x', 'X', '\u{d7}', ',', ';', ':'];

/// What says that the mines are not known.
const UNKNOWN: &str = "?";

/// The first line of a text: a level, perhaps without the number of mines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) grid: Grid,
    pub(crate) n_mines: Option<usize>,
}

impl FromStr for Head {
    type Err = LevelError;

    /// Reads `30x16/99` and variants: `30 x 16 / 99`, `30X16x99`, `30x16, 99 mines`; without a number
    /// of mines `30x16` and `30x16/?`.
    fn from_str(text: &str) -> Result<Self, LevelError> {
        let numbers = text.split_once(BETWEEN_SIDES).and_then(|(width, rest)| {
            let rest = rest.trim_start();
            let end = rest.find(|c: char| !c.is_ascii_digit());
            let (height, rest) = rest.split_at(end.unwrap_or(rest.len()));
            let rest = rest.trim();
            let n_mines = rest.strip_prefix(BEFORE_MINES).unwrap_or(rest);
            let n_mines = n_mines.strip_suffix("mines").unwrap_or(n_mines).trim();
            let n_mines = match n_mines {
                "" if rest.is_empty() => None,
                UNKNOWN => None,
                number => Some(number.parse().ok()?),
            };
            Some((width.trim().parse().ok()?, height.parse().ok()?, n_mines))
        });
        let form = || LevelError::Form(text.to_owned());
        let (width, height, n_mines): (usize, usize, Option<usize>) = numbers.ok_or_else(form)?;
        let grid = Grid::new(width, height)?;
        let n_tiles = grid.n_tiles();
        match n_mines {
            Some(n_mines) if n_mines > n_tiles => {
                Err(LevelError::TooManyMines { n_mines, n_tiles })
            }
            _ => Ok(Self { grid, n_mines }),
        }
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Self, LevelError> {
        let Head { grid, n_mines } = text.parse()?;
        let n_mines = n_mines.ok_or_else(|| LevelError::Form(text.to_owned()))?;
        Ok(Self { grid, n_mines })
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, height) = (self.grid.width(), self.grid.height());
        write!(f, "{width}x{height}/{}", self.n_mines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_as_people_write_them() {
        let read = |text: &str| {
            let head: Head = text.parse().map_err(|_: LevelError| text.to_owned())?;
            Ok::<_, String>((head.grid.width(), head.grid.height(), head.n_mines))
        };
        let with_mines = [
            "30x16/99",
            "30 x 16 / 99",
            "30X16x99",
            "30\u{d7}16 99",
            "30x16, 99 mines",
            "30x16:99",
            "30x16;\t99",
        ];
        for text in with_mines {
            assert_eq!(read(text), Ok((30, 16, Some(99))));
        }
        for text in ["30x16", "30 x 16/?", "30x16 ?"] {
            assert_eq!(read(text), Ok((30, 16, None)));
            assert!(text.parse::<Level>().is_err());
        }
        let refused = [
            "",
            "30",
            "30 16 99",
            "30x16/",
            "30x16/99/1",
            "30x16/-1",
            "x16/99",
            "30x/99",
            "30x16//9",
            "1001x1/1",
            "2x2/5",
            "30x16/99999999999999999999",
            "30x1699 99 99",
        ];
        for text in refused {
            assert_eq!(read(text), Err(text.to_owned()));
        }
    }
}
