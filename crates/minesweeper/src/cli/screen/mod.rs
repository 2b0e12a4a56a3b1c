//! Games on the whole screen of a terminal.

mod board;
mod play;
mod watch;

#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal as _};

use kibitz_minesweeper::Grid;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Stylize as _;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget as _, Wrap};

use board::{BoardView, Overlay, TileWidth};
pub(super) use play::run as play;
pub(super) use watch::run as watch;

/// Columns of the text beside the board, and its lines below, apart from the keys.
const SIDE: u16 = 34;
const BELOW: u16 = 4;

/// Keys, and what they do.
type Keys = [(&'static str, &'static str)];

/// Whether input and output are a terminal.
pub(super) fn is_there() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The key of an event, if it has one; an interrupt counts as `q`.
fn key(event: &Event) -> Option<KeyCode> {
    let key = event.as_key_press_event()?;
    let is_interrupt =
        key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
    Some(if is_interrupt {
        KeyCode::Char('q')
    } else {
        key.code
    })
}

/// Waits for a key; `None` for any other event, such as a resize.
fn next_key() -> io::Result<Option<KeyCode>> {
    Ok(key(&event::read()?))
}

/// The places of a board and of the text beside it or, if there is no room, below it.
fn places(grid: &Grid, width: TileWidth, keys: &Keys, area: Rect) -> [Rect; 2] {
    let size = size(grid, width);
    if is_beside(grid, width, area) {
        return Layout::horizontal([Constraint::Length(size.0 + 2), Constraint::Fill(1)])
            .areas(area);
    }
    let n_keys = u16::try_from(joined(keys).chars().count()).unwrap_or(u16::MAX);
    let below = BELOW + 1 + n_keys / area.width.max(1);
    // What is beyond the window is one line more.
    let is_whole = size.0 <= area.width && size.1.saturating_add(below) <= area.height;
    let below = below + u16::from(!is_whole);
    let room = area.height.saturating_sub(below).max(area.height / 2);
    Layout::vertical([Constraint::Length(size.1.min(room)), Constraint::Fill(1)]).areas(area)
}

/// Narrow tiles where the whole width of the board has room for them only, except for odds: two digits on each
/// of them would run together.
fn tile_width(grid: &Grid, overlay: Overlay, area: Rect) -> TileWidth {
    if overlay != Overlay::Odds && size(grid, TileWidth::Three).0 > area.width {
        TileWidth::Two
    } else {
        TileWidth::Three
    }
}

fn is_beside(grid: &Grid, width: TileWidth, area: Rect) -> bool {
    area.width >= size(grid, width).0.saturating_add(2 + SIDE)
}

/// The keys in one line.
fn joined(keys: &Keys) -> String {
    let keys = keys.iter().map(|(key, what)| format!("{key}: {what}"));
    keys.collect::<Vec<_>>().join(" | ")
}

/// Draws a board, text, and the keys.
fn draw(
    board: &BoardView<'_>,
    mut text: Vec<Line<'_>>,
    keys: &Keys,
    area: Rect,
    buffer: &mut Buffer,
) {
    let grid = board.knowledge.grid();
    let [at, beside] = places(grid, board.tile_width, keys, area);
    if let Some(beyond) = board.beyond(at) {
        text.insert(1, Line::from(beyond).yellow());
    }
    if is_beside(grid, board.tile_width, area) {
        let width = keys.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        let lines = keys
            .iter()
            .map(|(key, what)| format!("{key:<width$} {what}"));
        text.extend(lines.map(|line| Line::from(line).dark_gray()));
    } else {
        // Each line counts below a board.
        text.retain(|line| line.width() > 0);
        text.push(Line::from(joined(keys)).dark_gray());
    }
    board.render(at, buffer);
    Paragraph::new(text)
        .wrap(Wrap { trim: false })
        .render(beside, buffer);
}

/// Columns and rows of the screen that a whole board takes, with its numbers.
fn size(grid: &Grid, width: TileWidth) -> (u16, u16) {
    let cells = |n: usize, each: u16| u16::try_from(n).unwrap_or(u16::MAX).saturating_mul(each);
    (
        cells(grid.width(), width.columns()).saturating_add(board::MARGIN),
        cells(grid.height(), 1).saturating_add(1),
    )
}
