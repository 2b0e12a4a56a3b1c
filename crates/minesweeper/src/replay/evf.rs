//! `.evf`: a public format, described by its author.

use super::reader::{Reader, tile_at};
use super::{MouseAction, MouseEvent, Replay, ReplayError, ReplayProblem};

/// The last version that is known.
const LAST_VERSION: u8 = 3;
/// The versions from which there are settings, and the name of a device.
const WITH_SETTINGS: u8 = 3;
const WITH_DEVICE: u8 = 2;

pub(super) fn read(bytes: &[u8]) -> Result<Replay, ReplayError> {
    let mut from = Reader::new(bytes);
    let version = from.byte("a version")?;
    if version > LAST_VERSION {
        return Err(from.error(ReplayProblem::Format {
            found: version,
            wanted: "a version of .evf from 0 to 3",
        }));
    }
    from.skip(1 + usize::from(version >= WITH_SETTINGS), "a summary")?;
    let height = from.byte("the rows")?;
    let width = from.byte("the columns")?;
    let mut board = from.empty(width.into(), height.into())?;
    let n_mines = from.short("the mines")?;
    let side = from.byte("the side of a tile")?;
    if side == 0 {
        return Err(from.error(ReplayProblem::Format {
            found: 0,
            wanted: "the side of a tile",
        }));
    }
    // The mode, the 3BV and the time.
    from.skip(7, "the mode, the 3BV and the time")?;
    from.until(0, "the program")?;
    let player = from.until(0, "the player")?;
    let player = String::from_utf8_lossy(player).into_owned();
    let n_more = 5 + usize::from(version >= WITH_DEVICE);
    for _ in 0..n_more {
        from.until(0, "more about the player")?;
    }
    let n_tiles = board.grid().n_tiles();
    for first in (0..n_tiles).step_by(8) {
        let byte = from.byte("the board")?;
        for tile in first..(first + 8).min(n_tiles) {
            if byte << (tile - first) & 0x80 != 0 {
                board.lay(tile);
            }
        }
    }
    if board.n_mines() != usize::from(n_mines) {
        return Err(from.error(ReplayProblem::Mines {
            found: board.n_mines(),
            wanted: n_mines.into(),
        }));
    }
    let mut events = Vec::new();
    loop {
        let action = match from.byte("an event")? {
            0 | 255 => break,
            1 => MouseAction::Move,
            2 => MouseAction::LeftDown,
            3 => MouseAction::LeftUp,
            4 => MouseAction::RightDown,
            5 => MouseAction::RightUp,
            6 => MouseAction::MiddleDown,
            7 => MouseAction::MiddleUp,
            8 => MouseAction::Mark,
            9 => MouseAction::BothDown,
            found => {
                let wanted = "a mouse event";
                return Err(from.error(ReplayProblem::Format { found, wanted }));
            }
        };
        let time = from.triple("the time of an event")?;
        let (x, y) = (from.short("a place")?, from.short("a place")?);
        let tile = tile_at(board.grid(), x, y, side.into());
        events.push(MouseEvent { time, action, tile });
    }
    Ok(Replay {
        board,
        player,
        events,
    })
}
