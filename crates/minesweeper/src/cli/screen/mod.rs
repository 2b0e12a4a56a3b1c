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
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget as _, Wrap};

use board::{BoardView, Overlay};
pub(super) use play::run as play;
pub(super) use watch::run as watch;

/// Columns of the text beside the board, and its lines below.
const SIDE: u16 = 34;
const BELOW: u16 = 12;

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

/// Draws a board with text beside it or, if there is no room, below it.
fn draw(board: &BoardView<'_>, text: Vec<Line<'_>>, area: Rect, buffer: &mut Buffer) {
    let (width, height) = size(board.knowledge.grid());
    let [at, beside] = if area.width >= width + 2 + SIDE {
        Layout::horizontal([Constraint::Length(width + 2), Constraint::Fill(1)]).areas(area)
    } else {
        let room = area.height.saturating_sub(BELOW).max(area.height / 2);
        let height = (height + 1).min(room);
        Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(area)
    };
    board.render(at, buffer);
    Paragraph::new(text)
        .wrap(Wrap { trim: false })
        .render(beside, buffer);
}

/// Columns and rows of the screen that a whole board takes, with its numbers.
fn size(grid: &Grid) -> (u16, u16) {
    let cells = |n: usize, each: u16| u16::try_from(n).unwrap_or(u16::MAX).saturating_mul(each);
    (
        cells(grid.width(), board::TILE).saturating_add(board::MARGIN),
        cells(grid.height(), 1).saturating_add(1),
    )
}
