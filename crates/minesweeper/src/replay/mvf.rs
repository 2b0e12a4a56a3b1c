//! `.mvf` of version 0.97, of Minesweeper Clone.

use super::reader::{self, Reader, TILE, tile_at};
use super::{MouseAction, MouseEvent, Replay, ReplayError, ReplayProblem};

/// Bytes and bits of an event.
const N_BYTES: usize = 5;
const N_BITS: usize = 8 * N_BYTES;

pub(super) fn read(bytes: &[u8]) -> Result<Replay, ReplayError> {
    let mut from = Reader::new(bytes);
    from.expect(0x11, "the beginning of .mvf")?;
    from.expect(0x4d, "the beginning of .mvf")?;
    from.skip(25, "a version")?;
    from.expect(b'5', "version 0.97 of .mvf")?;
    from.skip(46, "more about the version")?;
    // The date, the level, the mode, the time, the 3BV, the clicks and the question marks.
    from.skip(7 + 2 + 3 + 10 + 1, "the result")?;
    let width = from.byte("the columns")?;
    let height = from.byte("the rows")?;
    let mut board = from.empty(width.into(), height.into())?;
    let n_mines = from.short("the mines")?;
    from.mines(&mut board, n_mines.into(), 1, false)?;
    let length = from.byte("the length of a name")?;
    let name = from.rest().get(..length.into()).unwrap_or_default();
    let player = reader::name(name, None);
    from.skip(length.into(), "a name")?;
    let order = order(from.short("the order of bits")?);
    let n_events = from.triple("the number of events")?;
    let mut events = Vec::new();
    let mut before = [0; 3];
    for number in 0..n_events {
        let event: [u8; N_BYTES] = from.take("an event")?;
        let field = |first: usize, n: usize| {
            (0..n).fold(0_u16, |sum, at| {
                let bit = order.get(first + at).copied().unwrap_or(0);
                sum | u16::from(event[bit / 8] >> (bit % 8) & 1) << at
            })
        };
        let buttons = [field(2, 1), field(0, 1), field(1, 1)];
        let (y, x) = (field(3, 9), field(12, 9));
        let tile = tile_at(board.grid(), x, y, TILE);
        let time = 10 * u32::from(field(21, 7)) + 1000 * u32::from(field(28, 10));
        let actions = [
            (MouseAction::LeftDown, MouseAction::LeftUp),
            (MouseAction::RightDown, MouseAction::RightUp),
            (MouseAction::MiddleDown, MouseAction::MiddleUp),
        ];
        let n_before = events.len();
        for (at, (down, up)) in actions.into_iter().enumerate() {
            let action = match (before[at], buttons[at]) {
                (0, 1) => down,
                (1, 0) => up,
                _ => continue,
            };
            events.push(MouseEvent { time, action, tile });
        }
        if events.len() == n_before || number == 0 {
            let action = MouseAction::Move;
            events.push(MouseEvent { time, action, tile });
        }
        before = buttons;
    }
    if events.is_empty() {
        return Err(from.error(ReplayProblem::End("an event")));
    }
    Ok(Replay {
        board,
        player,
        events,
        stated: None,
        n_trailing: 0,
    })
}

/// Which bit of an event each field begins with: they are shuffled by a number of the file, through the
/// digits of some roots and angles.
pub(super) fn order(seed: u16) -> Vec<usize> {
    let one = f64::from(seed).sqrt();
    let two = (f64::from(seed) + 1000.0).sqrt();
    let three = (one + 1000.0).sqrt();
    let numbers = [
        (three + 1000.0).cos(),
        two.sqrt().sin(),
        three.cos(),
        (one.sqrt() + 1000.0).sin(),
        (two + 1000.0).sqrt().cos(),
    ];
    let digits = numbers.map(|number| format!("{:08.0}", (number * 1e8).abs().round()));
    let digits: Vec<u8> = digits
        .iter()
        .flat_map(|word| word.bytes().take(8))
        .collect();
    let mut order: Vec<usize> = (0..digits.len().min(N_BITS)).collect();
    order.sort_by_key(|at| digits[*at]);
    order
}
