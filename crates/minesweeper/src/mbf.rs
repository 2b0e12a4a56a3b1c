//! Boards in the binary format that people exchange.
//!
//! Minesweeper X and Minesweeper Arbiter write it, as `.mbf` and `.abf`: a byte each for columns
//! and rows, two for the number of mines (the high one first), and for each mine a byte each for
//! column and row, from zero.

use thiserror::Error;

use crate::{
    board::Board,
    grid::{Grid, SizeError},
    words::counted,
};

/// An error in such a file, and its byte offset (from zero).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MbfError {
    /// The file is too short or too long for its mines.
    #[error(
        "byte {n_bytes}: the file has {}; a board with so many mines has {wanted}",
        counted(*n_bytes, "byte", "bytes")
    )]
    Length {
        /// Bytes of the file.
        n_bytes: usize,
        /// Bytes it should have.
        wanted: usize,
    },
    /// No board has these sides.
    #[error("byte 0: {0}")]
    Size(#[from] SizeError),
    /// A mine that is not on the board.
    #[error("byte {byte}: the mine at row {}, column {} is not on the board", place(*row), place(*column))]
    Outside {
        /// Where it stands.
        byte: usize,
        /// Column of the mine, from zero.
        column: u8,
        /// Row of the mine, from zero.
        row: u8,
    },
    /// A mine that was there already.
    #[error("byte {byte}: a second mine at row {}, column {}", place(*row), place(*column))]
    Twice {
        /// Where it stands.
        byte: usize,
        /// Column of the mine, from zero.
        column: u8,
        /// Row of the mine, from zero.
        row: u8,
    },
}

/// A row or a column of the file, which counts from zero, as people count.
fn place(from_zero: u8) -> usize {
    usize::from(from_zero) + 1
}

/// A board that the format has no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the format has room for 255 columns and rows and 65,535 mines")]
pub struct TooLarge;

impl Board {
    /// Reads a board from the bytes of an `.mbf` or `.abf` file.
    ///
    /// # Errors
    /// [`MbfError`] with the byte at which something is wrong.
    pub fn from_mbf(bytes: &[u8]) -> Result<Self, MbfError> {
        let length = |wanted| MbfError::Length {
            n_bytes: bytes.len(),
            wanted,
        };
        let Some((&[width, height, high, low], mines)) = bytes.split_first_chunk() else {
            return Err(length(4));
        };
        let grid = Grid::new(width.into(), height.into())?;
        let n_mines = usize::from(u16::from_be_bytes([high, low]));
        if mines.len() != 2 * n_mines {
            return Err(length(4 + 2 * n_mines));
        }
        let mut board = Self::empty(&grid);
        for (at, mine) in mines.chunks_exact(2).enumerate() {
            let (column, row, byte) = (mine[0], mine[1], 4 + 2 * at);
            let tile = grid.tile(row.into(), column.into());
            let tile = tile.ok_or(MbfError::Outside { byte, column, row })?;
            if board.is_mine(tile) {
                return Err(MbfError::Twice { byte, column, row });
            }
            board.lay(tile);
        }
        Ok(board)
    }

    /// The bytes of an `.mbf` or `.abf` file; [`from_mbf`](Self::from_mbf) gives the board back.
    ///
    /// # Errors
    /// [`TooLarge`] if there is no room.
    pub fn to_mbf(&self) -> Result<Vec<u8>, TooLarge> {
        let byte = |number: usize| u8::try_from(number).map_err(|_| TooLarge);
        let n_mines = u16::try_from(self.n_mines()).map_err(|_| TooLarge)?;
        let mut bytes = vec![byte(self.grid().width())?, byte(self.grid().height())?];
        bytes.extend(n_mines.to_be_bytes());
        for tile in self.mines() {
            let (row, column) = self.grid().row_and_column(tile);
            bytes.extend([byte(column)?, byte(row)?]);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_before_rows() {
        let board = Board::from_text("3x2/2\n..*\n*..\n").unwrap();
        assert_eq!(board.to_mbf().unwrap(), [3, 2, 0, 2, 2, 0, 0, 1]);
    }

    #[test]
    fn mistakes_have_a_place() {
        let said = |bytes: &[u8]| Board::from_mbf(bytes).unwrap_err().to_string();
        let all = [
            said(&[3, 2]),
            said(&[3, 0, 0, 0]),
            said(&[3, 2, 0, 2, 0, 0]),
            said(&[3, 2, 0, 1, 0, 2]),
            said(&[3, 2, 0, 2, 1, 1, 1, 1]),
        ];
        insta::assert_snapshot!(all.join("\n"));
        let wide = Board::empty(&Grid::new(256, 1).unwrap());
        assert_eq!(wide.to_mbf(), Err(TooLarge));
    }
}
