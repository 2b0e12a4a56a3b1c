//! `.rmv`, of Viennasweeper.

use super::reader::{Reader, TILE, tile_at};
use super::{MouseAction, MouseEvent, Replay, ReplayError, ReplayProblem};

/// Where the board begins on the screen.
const LEFT: u16 = 12;
const TOP: u16 = 56;

pub(super) fn read(bytes: &[u8]) -> Result<Replay, ReplayError> {
    let mut from = Reader::new(bytes);
    for byte in *b"*rmv\x00\x01" {
        from.expect(byte, "the beginning of .rmv")?;
    }
    from.skip(4, "the size of the file")?;
    let n_result = usize::from(from.short("the size of the result")?);
    let n_version = usize::from(from.short("the size of the version")?);
    from.skip(4, "sizes")?;
    let n_marks = from.short("the size of marks")?;
    let n_properties = usize::from(from.short("the size of properties")?);
    from.skip(4, "sizes")?;
    from.skip(n_result + n_version + 2, "the result and the version")?;
    let mut player = String::new();
    for number in 0..from.short("the number of names")? {
        let length = from.byte("the length of a name")?;
        let name = from.rest().get(..length.into()).unwrap_or_default();
        if number == 0 {
            player = String::from_utf8_lossy(name).into_owned();
        }
        from.skip(length.into(), "a name")?;
    }
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
    from.skip(n_properties, "properties")?;
    // The left button is down already.
    events.push(MouseEvent {
        time: 0,
        action: MouseAction::LeftDown,
        tile: None,
    });
    loop {
        let action = match from.byte("an event")? {
            0 => {
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
            // What happens to tiles, which follows from the rest.
            9..=14 | 18..=27 => {
                from.skip(2, "an event")?;
                continue;
            }
            15..=17 => break,
            found => {
                let wanted = "a mouse event";
                return Err(from.error(ReplayProblem::Format { found, wanted }));
            }
        };
        let time = from.triple("the time of an event")?;
        from.skip(1, "an event")?;
        let x = from.short("a place")?.checked_sub(LEFT);
        let y = from.short("a place")?.checked_sub(TOP);
        let place = x.zip(y);
        let tile = place.and_then(|(x, y)| tile_at(board.grid(), x, y, TILE));
        events.push(MouseEvent { time, action, tile });
    }
    Ok(Replay {
        board,
        player,
        events,
    })
}
