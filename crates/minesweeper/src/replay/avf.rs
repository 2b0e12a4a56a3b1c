//! `.avf`, of Minesweeper Arbiter.

use super::reader::{Reader, TILE, name, tile_at};
use super::{MouseAction, MouseEvent, Replay, ReplayError, ReplayProblem};

/// Before the name of the player.
const BEFORE_PLAYER: &[u8] = b"Skin:";

pub(super) fn read(bytes: &[u8]) -> Result<Replay, ReplayError> {
    let mut from = Reader::new(bytes);
    from.skip(5, "a version")?;
    let level = from.byte("a level")?;
    let (width, height, n_mines) = match level {
        3 => (8, 8, 10),
        4 => (16, 16, 40),
        5 => (30, 16, 99),
        6 => {
            let width = usize::from(from.byte("the columns")?) + 1;
            let height = usize::from(from.byte("the rows")?) + 1;
            (width, height, from.short("the mines")?.into())
        }
        found => {
            let wanted = "a level of .avf from 3 to 6";
            return Err(from.error(ReplayProblem::Format { found, wanted }));
        }
    };
    let mut board = from.empty(width, height)?;
    from.mines(&mut board, n_mines, 1, true)?;
    // `[0|begin|end|B…T…]`: when it was played, its 3BV and its time.
    loop {
        from.until(b'[', "when it was played")?;
        if let [b'0'..=b'3', b'|', ..] = from.rest() {
            break;
        }
    }
    from.until(b']', "when it was played")?;
    // Events begin where a time is one second, which stands for zero, and a place is on the board.
    let wanted = "an event";
    let mut event: [u8; 8];
    loop {
        event = from.take(wanted)?;
        if event[2] == 1 && event[1] <= 1 {
            break;
        }
        from.back(7);
    }
    let mut events = Vec::new();
    loop {
        let [code, x_high, low, x_low, hundredths, y_high, high, y_low] = event;
        let seconds = u32::from(u16::from_be_bytes([high, low]));
        if seconds == 0 {
            break;
        }
        let action = match code {
            1 => MouseAction::Move,
            3 => MouseAction::LeftDown,
            5 | 21 => MouseAction::LeftUp,
            9 => MouseAction::RightDown,
            17 | 145 => MouseAction::RightUp,
            33 | 11 => MouseAction::MiddleDown,
            65 | 193 => MouseAction::MiddleUp,
            found => {
                let wanted = "a mouse event";
                from.back(7);
                return Err(from.error(ReplayProblem::Format { found, wanted }));
            }
        };
        let [x, y] = [[x_high, x_low], [y_high, y_low]].map(u16::from_be_bytes);
        events.push(MouseEvent {
            time: 1000 * (seconds - 1) + 10 * u32::from(hundredths),
            action,
            tile: tile_at(board.grid(), x, y, TILE),
        });
        event = from.take(wanted)?;
    }
    let rest = from.rest();
    let skin = rest.windows(BEFORE_PLAYER.len());
    let skin = skin.into_iter().position(|words| words == BEFORE_PLAYER);
    // The player is named in the line after.
    let after = skin.map_or(&[][..], |at| &rest[at..]);
    let mut lines = after.split(|byte| *byte == b'\r').skip(1);
    let player = lines.next().unwrap_or_default();
    Ok(Replay {
        board,
        player: name(player, None),
        events,
        stated: None,
        n_trailing: 0,
    })
}
