//! `.evf`: a public format, described by its author.

use encoding_rs::Encoding;

use super::reader::{Reader, name, tile_at};
use super::{MouseAction, MouseEvent, Replay, ReplayError, ReplayProblem, StatedEnd};
use crate::board::Board;

/// The last version that is known.
const LAST_VERSION: u8 = 4;
/// The versions from which there are settings, and the name of a device.
const WITH_SETTINGS: u8 = 3;
const WITH_DEVICE: u8 = 2;
/// The version from which on events count from the one before.
const WITH_STEPS: u8 = 4;

/// The bit of the summary for a game that was won.
const WON: u8 = 0x80;
/// The bit of the summary for a game that another program has converted.
const CONVERTED: u8 = 0x08;

pub(super) fn read(bytes: &[u8]) -> Result<Replay, ReplayError> {
    let mut from = Reader::new(bytes);
    let version = from.byte("a version")?;
    if version > LAST_VERSION {
        return Err(from.error(ReplayProblem::Format {
            found: version,
            wanted: "a version of .evf from 0 to 4",
        }));
    }
    let summary = from.byte("a summary")?;
    from.skip(usize::from(version >= WITH_SETTINGS), "settings")?;
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
    let player = if version >= WITH_STEPS {
        from.skip(8 + 2 + 16, "the mode, the 3BV, the times and the country")?;
        from.until(0, "the program")?;
        let mut encoding = None;
        if summary & CONVERTED != 0 {
            from.until(0, "the program that converted it")?;
            encoding = Encoding::for_label(from.until(0, "the encoding of names")?);
        }
        let player = from.until(0, "the player")?;
        for _ in 0..2 {
            from.until(0, "more about the player")?;
        }
        let n_device = from.short("the size of the device's name")?;
        from.skip(n_device.into(), "the device's name")?;
        name(player, encoding)
    } else {
        from.skip(7, "the mode, the 3BV and the time")?;
        from.until(0, "the program")?;
        let player = from.until(0, "the player")?;
        for _ in 0..5 + usize::from(version >= WITH_DEVICE) {
            from.until(0, "more about the player")?;
        }
        name(player, None)
    };
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
    // Without the bit nothing is said: the game may have been given up.
    let mut stated = (summary & WON != 0).then_some(StatedEnd::Won);
    let events = if version >= WITH_STEPS {
        for _ in 0..from.short("the number of measures")? {
            from.until(0, "the name of a measure")?;
        }
        let (events, last) = steps(&mut from, &board, side.into())?;
        stated = stated.or(last);
        events
    } else {
        events(&mut from, &board, side.into())?
    };
    Ok(Replay {
        board,
        player,
        events,
        stated,
        n_trailing: n_trailing(&mut from, version, bytes),
    })
}

/// Bytes of a checksum in versions to 3, and the code that says that there is none.
const CHECKSUM: usize = 32;
const NO_CHECKSUM: u8 = 255;

/// Bytes after the last event and the checksum.
fn n_trailing(from: &mut Reader<'_>, version: u8, bytes: &[u8]) -> usize {
    let end = bytes.len() - from.rest().len();
    let n_checksum = if version >= WITH_STEPS {
        from.short("the size of a checksum").map_or(0, usize::from)
    } else if bytes.get(end - 1) == Some(&NO_CHECKSUM) {
        0
    } else {
        CHECKSUM
    };
    from.rest().len().saturating_sub(n_checksum)
}

/// The events of versions to 3.
fn events(from: &mut Reader<'_>, board: &Board, side: u16) -> Result<Vec<MouseEvent>, ReplayError> {
    let (mut events, mut buttons) = (Vec::new(), [false; 3]);
    loop {
        let code = from.byte("an event")?;
        if matches!(code, 0 | 255) {
            return Ok(events);
        }
        let action = action(from, code, &mut buttons)?;
        let time = from.triple("the time of an event")?;
        let (x, y) = (from.short("a place")?, from.short("a place")?);
        let tile = tile_at(board.grid(), x, y, side);
        events.push(MouseEvent { time, action, tile });
    }
}

/// The events of version 4, whose times and places are counted from the event before, and the end that the
/// last one states.
fn steps(
    from: &mut Reader<'_>,
    board: &Board,
    side: u16,
) -> Result<(Vec<MouseEvent>, Option<StatedEnd>), ReplayError> {
    let mut stated = None;
    let (mut events, mut buttons) = (Vec::new(), [false; 3]);
    let (mut time, mut x, mut y) = (0_u32, 0_u16, 0_u16);
    loop {
        let code = from.byte("an event")?;
        match code {
            0 => return Ok((events, stated)),
            255 => {
                let pause = from.short("the length of a pause")?;
                time = time.saturating_add(pause.into());
                continue;
            }
            _ => {}
        }
        if !matches!(code, 1..=12 | 81..=83 | 99..=121 | 200..=201) {
            let (found, wanted) = (code, "an event");
            return Err(from.error(ReplayProblem::Format { found, wanted }));
        }
        time = time.saturating_add(from.byte("the time of an event")?.into());
        match code {
            82 => stated = Some(StatedEnd::Won),
            83 => stated = Some(StatedEnd::Lost),
            81..=99 => {}
            // What happens to tiles follows from the rest.
            100..=121 => from.skip(2, "a tile")?,
            200 => from.skip(2 + 8, "a measure")?,
            201 => {
                from.skip(2, "a measure")?;
                from.until(0, "a measure")?;
            }
            _ => {
                let action = action(from, code, &mut buttons)?;
                x = x.wrapping_add_signed(from.signed("a step")?);
                y = y.wrapping_add_signed(from.signed("a step")?);
                let tile = tile_at(board.grid(), x, y, side);
                events.push(MouseEvent { time, action, tile });
            }
        }
    }
}

/// The action of a code; some say only that a button goes up or down.
fn action(
    from: &Reader<'_>,
    code: u8,
    [left, right, middle]: &mut [bool; 3],
) -> Result<MouseAction, ReplayError> {
    use MouseAction::{
        BothDown, LeftDown, LeftUp, Mark, MiddleDown, MiddleUp, Move, RightDown, RightUp,
    };
    let action = match code {
        1 => Move,
        2 => LeftDown,
        3 => LeftUp,
        4 => RightDown,
        5 => RightUp,
        6 => MiddleDown,
        7 => MiddleUp,
        8 => Mark,
        9 => BothDown,
        10 => [LeftDown, LeftUp][usize::from(*left)],
        11 => [RightDown, RightUp][usize::from(*right)],
        12 => [MiddleDown, MiddleUp][usize::from(*middle)],
        found => {
            let wanted = "a mouse event";
            return Err(from.error(ReplayProblem::Format { found, wanted }));
        }
    };
    match action {
        LeftDown | LeftUp => *left = action == LeftDown,
        RightDown | RightUp => *right = action == RightDown,
        MiddleDown | MiddleUp => *middle = action == MiddleDown,
        BothDown => (*left, *right) = (true, true),
        Mark | Move => {}
    }
    Ok(action)
}
