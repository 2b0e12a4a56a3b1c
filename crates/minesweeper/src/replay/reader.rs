//! Reads bytes, and reports the offset of missing ones.

use encoding_rs::{Encoding, GB18030, WINDOWS_1252};

use super::{ReplayError, ReplayProblem};
use crate::{
    board::Board,
    grid::{Grid, Tile},
};

/// Side of a tile on the screens of most programs.
pub(super) const TILE: u16 = 16;

/// The bytes of a file.
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'b [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// A mistake in the byte read last.
    pub(super) fn error(&self, problem: impl Into<ReplayProblem>) -> ReplayError {
        ReplayError {
            byte: self.at.saturating_sub(1),
            problem: problem.into(),
        }
    }

    pub(super) fn take<const N: usize>(
        &mut self,
        wanted: &'static str,
    ) -> Result<[u8; N], ReplayError> {
        let taken = self.rest().first_chunk().copied();
        let taken = taken.ok_or(ReplayError {
            byte: self.bytes.len(),
            problem: ReplayProblem::End(wanted),
        })?;
        self.at += N;
        Ok(taken)
    }

    pub(super) fn skip(&mut self, n: usize, wanted: &'static str) -> Result<(), ReplayError> {
        if self.rest().len() < n {
            return Err(ReplayError {
                byte: self.bytes.len(),
                problem: ReplayProblem::End(wanted),
            });
        }
        self.at += n;
        Ok(())
    }

    /// Goes back.
    pub(super) fn back(&mut self, n: usize) {
        self.at = self.at.saturating_sub(n);
    }

    pub(super) fn byte(&mut self, wanted: &'static str) -> Result<u8, ReplayError> {
        self.take(wanted).map(|[byte]| byte)
    }

    pub(super) fn short(&mut self, wanted: &'static str) -> Result<u16, ReplayError> {
        self.take(wanted).map(u16::from_be_bytes)
    }

    /// A number of two bytes, which may be negative.
    pub(super) fn signed(&mut self, wanted: &'static str) -> Result<i16, ReplayError> {
        self.take(wanted).map(i16::from_be_bytes)
    }

    /// A number of three bytes.
    pub(super) fn triple(&mut self, wanted: &'static str) -> Result<u32, ReplayError> {
        let [high, middle, low] = self.take(wanted)?;
        Ok(u32::from_be_bytes([0, high, middle, low]))
    }

    /// The bytes up to this one, which is read, too.
    pub(super) fn until(&mut self, end: u8, wanted: &'static str) -> Result<&'b [u8], ReplayError> {
        let rest = self.rest();
        let n = rest.iter().position(|byte| *byte == end);
        self.skip(n.map_or(rest.len() + 1, |n| n + 1), wanted)?;
        Ok(&rest[..n.unwrap_or(0)])
    }

    /// A byte that must be this one.
    pub(super) fn expect(&mut self, byte: u8, wanted: &'static str) -> Result<(), ReplayError> {
        let found = self.byte(wanted)?;
        if found == byte {
            Ok(())
        } else {
            Err(self.error(ReplayProblem::Format { found, wanted }))
        }
    }

    /// An empty board of these sides, which were read last.
    pub(super) fn empty(&self, width: usize, height: usize) -> Result<Board, ReplayError> {
        let grid = Grid::new(width, height).map_err(|problem| self.error(problem))?;
        Ok(Board::empty(&grid))
    }

    /// Lays so many mines, of each a byte for the column and one for the row (or the other way round),
    /// counted from `first`.
    pub(super) fn mines(
        &mut self,
        board: &mut Board,
        n_mines: usize,
        first: usize,
        rows_first: bool,
    ) -> Result<(), ReplayError> {
        for _ in 0..n_mines {
            let [mut column, mut row] = self.take("a mine")?;
            if rows_first {
                (column, row) = (row, column);
            }
            // From one.
            let place = |at: u8| (usize::from(at) + 1).saturating_sub(first);
            let (column, row) = (place(column), place(row));
            let from_zero = row.checked_sub(1).zip(column.checked_sub(1));
            let tile = from_zero.and_then(|(row, column)| board.grid().tile(row, column));
            let tile = tile.ok_or_else(|| self.error(ReplayProblem::Outside { column, row }))?;
            if board.is_mine(tile) {
                return Err(self.error(ReplayProblem::Twice { column, row }));
            }
            board.lay(tile);
        }
        Ok(())
    }
}

/// A name of which the file does not say the encoding, or says this one: UTF-8 where it can be, then
/// the Chinese of GB 2312, of two bytes above 0xA0 a sign, then Windows-1252.
pub(super) fn name(bytes: &[u8], encoding: Option<&'static Encoding>) -> String {
    if let Ok(name) = std::str::from_utf8(bytes) {
        return name.trim().to_owned();
    }
    let is_chinese = || {
        let mut runs = bytes.split(u8::is_ascii);
        runs.all(|run| run.len().is_multiple_of(2) && run.iter().all(|&byte| byte > 0xa0))
    };
    let encoding = encoding.unwrap_or_else(|| if is_chinese() { GB18030 } else { WINDOWS_1252 });
    let (name, _, _) = encoding.decode(bytes);
    name.trim().to_owned()
}

/// The tile at a place of the screen, if there is one.
pub(super) fn tile_at(grid: &Grid, x: u16, y: u16, side: u16) -> Option<Tile> {
    grid.tile((y / side).into(), (x / side).into())
}
