//! `.rmv`, of Viennasweeper and other programs.

use super::reader::{Reader, TILE, name, tile_at};
use super::{MouseAction, MouseEvent, Replay, ReplayError, ReplayProblem, StatedEnd};

/// Where the board begins on the screen in version 1; in version 2 places are those on the board.
const LEFT: u16 = 12;
const TOP: u16 = 56;

pub(super) fn read(bytes: &[u8]) -> Result<Replay, ReplayError> {
    let mut from = Reader::new(bytes);
    for byte in *b"*rmv\x00" {
        from.expect(byte, "the beginning of .rmv")?;
    }
    let version = from.byte("a version")?;
    if !(1..=2).contains(&version) {
        return Err(from.error(ReplayProblem::Format {
            found: version,
            wanted: "a version of .rmv from 1 to 2",
        }));
    }
    let is_second = version == 2;
    if is_second {
        from.skip(2, "the program")?;
    }
    from.skip(4, "the size of the file")?;
    let n_result = if is_second {
        0
    } else {
        // With a line end before it and behind it.
        usize::from(from.short("the size of the result")?) + 2
    };
    let n_version = usize::from(from.short("the size of the version")?);
    from.skip(4, "sizes")?;
    let n_marks = from.short("the size of marks")?;
    let n_properties = usize::from(from.short("the size of properties")?);
    if is_second {
        from.skip(2, "the size of more properties")?;
    }
    from.skip(if is_second { 6 } else { 4 }, "sizes")?;
    from.skip(n_result + n_version, "the result and the version")?;
    let mut player: &[u8] = b"";
    for number in 0..from.short("the number of names")? {
        let length = from.byte("the length of a name")?;
        let rest = from.rest();
        from.skip(length.into(), "a name")?;
        if number == 0 {
            player = &rest[..length.into()];
        }
    }
    let player = name(player, None);
    from.skip(4, "the board")?;
    let width = from.byte("the columns")?;
    let height = from.byte("the rows")?;
    let mut board = from.empty(width.into(), height.into())?;
    let n_mines = from.short("the mines")?;
    from.mines(&mut board, n_mines.into(), 0, false)?;
    let mut events = Vec::new();
    if n_marks > 0 {
        for _ in 0..from.short("the marks before the game")? {
            let [column, row] = from.take("a mark")?;
            events.push(MouseEvent {
                time: 0,
                action: MouseAction::Mark,
                tile: board.grid().tile(row.into(), column.into()),
            });
        }
    }
    let mut side = TILE;
    let mut n_properties_left = n_properties;
    if is_second {
        // Question marks, marks allowed, mode, level, 3BV.
        from.skip(6, "properties")?;
        side = from.byte("the side of a tile")?.into();
        if side == 0 {
            return Err(from.error(ReplayProblem::Format {
                found: 0,
                wanted: "the side of a tile",
            }));
        }
        n_properties_left = n_properties.saturating_sub(7);
    }
    from.skip(n_properties_left, "properties")?;
    if is_second {
        for _ in 0..2 * u32::from(from.short("the number of more properties")?) {
            let length = from.byte("the length of a property")?;
            from.skip(length.into(), "a property")?;
        }
    }
    // The left button is down already.
    events.push(MouseEvent {
        time: 0,
        action: MouseAction::LeftDown,
        tile: None,
    });
    let (left, top) = if is_second { (0, 0) } else { (LEFT, TOP) };
    // Beyond the board the pointer is at its far corner, from which the next step counts.
    let corner = (
        u16::from(width).wrapping_mul(side),
        u16::from(height).wrapping_mul(side),
    );
    let (mut time, mut place) = (0_u32, (0_u16, 0_u16));
    let mut is_first = true;
    let stated = loop {
        let code = from.byte("an event")?;
        let action = match code {
            0 if !is_second => {
                from.skip(4, "an event")?;
                continue;
            }
            1 => MouseAction::Move,
            2 => MouseAction::LeftDown,
            3 => MouseAction::LeftUp,
            4 => MouseAction::RightDown,
            5 => MouseAction::RightUp,
            6 => MouseAction::MiddleDown,
            7 => MouseAction::MiddleUp,
            STEP if is_second && !is_first => MouseAction::Move,
            // What happens to tiles, which follows from the rest.
            9..=14 | 18..=27 => {
                from.skip(2, "an event")?;
                continue;
            }
            15 => break Some(StatedEnd::Lost),
            16 => break Some(StatedEnd::Won),
            // By something else.
            17 => break None,
            found => {
                let wanted = "a mouse event";
                return Err(from.error(ReplayProblem::Format { found, wanted }));
            }
        };
        is_first = false;
        if code == STEP {
            let [later, step] = from.take("a step")?;
            time = time.saturating_add(later.into());
            let step = i8::from_be_bytes([step]);
            // Two numbers of four bits.
            place.0 = place.0.wrapping_add_signed((step >> 4).into());
            place.1 = place.1.wrapping_add_signed((step << 4 >> 4).into());
        } else {
            time = from.triple("the time of an event")?;
            from.skip(1, "an event")?;
            place.0 = from.short("a place")?.wrapping_sub(left);
            place.1 = from.short("a place")?.wrapping_sub(top);
        }
        if place.0 >= corner.0 || place.1 >= corner.1 {
            place = corner;
        }
        let tile = tile_at(board.grid(), place.0, place.1, side);
        events.push(MouseEvent { time, action, tile });
    };
    Ok(Replay {
        board,
        player,
        events,
        stated,
        n_trailing: 0,
    })
}

/// The event of version 2 that moves the pointer by a step.
const STEP: u8 = 28;
