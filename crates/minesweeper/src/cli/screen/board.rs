//! The board widget.

use std::ops::Range;

use kibitz_minesweeper::{Board, Knowledge, Probabilities, Tile, View};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use crate::cli::show;

/// Width of the row numbers, in columns of the screen.
pub(super) const MARGIN: u16 = 4;

/// Columns of the screen that a tile takes: two where a board would not fit otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TileWidth {
    Two,
    Three,
}

impl TileWidth {
    pub(super) fn columns(self) -> u16 {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }

    /// The number over a column of tiles; over the first and each fifth where the numbers would touch.
    fn over(self, column: usize) -> String {
        let number = column + 1;
        let touches = self == Self::Two || number > 99;
        match self {
            _ if touches && number != 1 && !number.is_multiple_of(5) => String::new(),
            Self::Three => format!("{number:^3}"),
            Self::Two => format!("{number:>2}"),
        }
    }

    /// The text of a tile.
    fn text(self, text: &str) -> String {
        match self {
            Self::Two => format!("{text:>2}"),
            Self::Three => format!("{text:^3}"),
        }
    }
}

/// The overlay on covered tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlay {
    Nothing,
    /// The certain tiles.
    Certain,
    /// The probability of a mine on each.
    Odds,
}

/// A position with cursor, overlay and reasons.
#[derive(Debug)]
pub(super) struct BoardView<'a> {
    pub(super) tile_width: TileWidth,
    pub(super) knowledge: &'a Knowledge,
    pub(super) overlay: Overlay,
    pub(super) probabilities: Option<&'a Probabilities>,
    /// The tile on which the keys act; always visible.
    pub(super) cursor: Tile,
    /// The numbers that a reason uses.
    pub(super) because: &'a [Tile],
    pub(super) exploded: Option<Tile>,
    /// The mines, once the game is over.
    pub(super) mines: Option<&'a Board>,
}

impl BoardView<'_> {
    /// The rows and columns of the board that have room, around the cursor.
    fn visible(&self, area: Rect) -> (Range<usize>, Range<usize>) {
        let grid = self.knowledge.grid();
        let (row, column) = grid.row_and_column(self.cursor);
        let n_columns = area.width.saturating_sub(MARGIN) / self.tile_width.columns();
        let columns = window(column, grid.width(), n_columns);
        (
            window(row, grid.height(), area.height.saturating_sub(1)),
            columns,
        )
    }

    /// What of the board has no room, in words; nothing if all of it is seen.
    pub(super) fn beyond(&self, area: Rect) -> Option<String> {
        let grid = self.knowledge.grid();
        let (rows, columns) = self.visible(area);
        let part = |name: &str, seen: &Range<usize>, all: usize| {
            (seen.len() < all)
                .then(|| format!("{name} {} to {} of {all}", seen.start + 1, seen.end))
        };
        let parts = [
            part("rows", &rows, grid.height()),
            part("columns", &columns, grid.width()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("shown: {}", parts.join(", ")))
    }

    /// The tile at a place of the screen, if one is drawn there.
    pub(super) fn tile_at(&self, area: Rect, x: u16, y: u16) -> Option<Tile> {
        let (mut rows, mut columns) = self.visible(area);
        let row = y.checked_sub(area.y + 1)?;
        let column = x.checked_sub(area.x + MARGIN)? / self.tile_width.columns();
        let (row, column) = (rows.nth(row.into())?, columns.nth(column.into())?);
        self.knowledge.grid().tile(row, column)
    }

    /// Draws the part that has room, with the numbers of rows and columns.
    pub(super) fn render(&self, area: Rect, buffer: &mut Buffer) {
        let grid = self.knowledge.grid();
        let (rows, columns) = self.visible(area);
        let faint = Style::new().fg(Color::DarkGray);
        let width = usize::from(self.tile_width.columns());
        for (x, column) in (area.x + MARGIN..).step_by(width).zip(columns.clone()) {
            let number = self.tile_width.over(column);
            // A number of three digits begins before its narrow tile, so that the last one has room.
            let n_before = number.len().saturating_sub(width);
            let x = x.saturating_sub(u16::try_from(n_before).unwrap_or(0));
            buffer.set_string(x, area.y, number, faint);
        }
        for (y, row) in (area.y + 1..).zip(rows) {
            buffer.set_string(area.x, y, format!("{:>3}", row + 1), faint);
            for (x, column) in (area.x + MARGIN..).step_by(width).zip(columns.clone()) {
                if let Some(tile) = grid.tile(row, column) {
                    let (text, style) = self.tile(tile);
                    let (text, style) = if tile == self.cursor {
                        self.under_cursor(tile, &text, style)
                    } else {
                        (text, style)
                    };
                    buffer.set_stringn(x, y, self.tile_width.text(&text), width, style);
                }
            }
        }
    }

    fn tile(&self, tile: Tile) -> (String, Style) {
        let (text, style) = self.plain(tile);
        let style = if self.because.contains(&tile) {
            style.add_modifier(Modifier::REVERSED | Modifier::BOLD)
        } else {
            style
        };
        (text, style)
    }

    /// A tile under the cursor: brackets around a sign, and odds in reverse video with a percent sign, since
    /// there is no room for brackets around two digits, and a digit in brackets is an uncovered number.
    /// A narrow tile, which never has odds, has an arrow before its sign.
    fn under_cursor(&self, tile: Tile, text: &str, style: Style) -> (String, Style) {
        let has_odds = self.overlay == Overlay::Odds
            && self.knowledge.is_covered(tile)
            && text.contains(|sign: char| sign.is_ascii_digit());
        let reversed = style.add_modifier(Modifier::REVERSED | Modifier::BOLD);
        match (self.tile_width, has_odds) {
            (TileWidth::Three, true) => (format!("{text}%").chars().take(3).collect(), reversed),
            (TileWidth::Three, false) => (format!("[{text:1}]"), style),
            (TileWidth::Two, _) => (format!(">{text:1}"), reversed),
        }
    }

    fn plain(&self, tile: Tile) -> (String, Style) {
        let covered = Style::new().bg(Color::Indexed(238));
        let is_mine = self.mines.is_some_and(|board| board.is_mine(tile));
        match self.knowledge.view(tile) {
            _ if self.exploded == Some(tile) => {
                ("*".into(), Style::new().fg(Color::White).bg(Color::Red))
            }
            View::Marked if self.mines.is_some() && !is_mine => {
                ("X".into(), covered.fg(Color::Red))
            }
            View::Marked => ("F".into(), covered.fg(Color::Yellow)),
            View::Covered if is_mine => ("*".into(), covered.fg(Color::Red)),
            View::Covered => self.likely(tile).unwrap_or((".".into(), covered)),
            View::Number(0) => (String::new(), Style::new()),
            View::Number(number) => {
                let color = match number {
                    1 => Color::LightBlue,
                    2 => Color::Green,
                    3 => Color::LightRed,
                    4 => Color::Magenta,
                    5 => Color::Yellow,
                    6 => Color::Cyan,
                    7 => Color::LightMagenta,
                    _ => Color::Gray,
                };
                (number.to_string(), Style::new().fg(color))
            }
        }
    }

    /// A covered tile under the overlay.
    fn likely(&self, tile: Tile) -> Option<(String, Style)> {
        let risk = self.probabilities?.mine(tile);
        let style = Style::new().fg(Color::White).bg(heat(risk));
        match self.overlay {
            Overlay::Nothing => None,
            _ if risk <= 0.0 => Some(("+".into(), style)),
            _ if risk >= 1.0 => Some(("x".into(), style)),
            Overlay::Certain => None,
            Overlay::Odds => Some((show::percent(risk), style)),
        }
    }
}

/// The color of a risk, from green to red.
fn heat(risk: f64) -> Color {
    Color::Indexed(match risk {
        risk if risk <= 0.0 => 28,
        risk if risk < 0.1 => 64,
        risk if risk < 0.2 => 100,
        risk if risk < 0.35 => 136,
        risk if risk < 0.5 => 130,
        risk if risk < 1.0 => 124,
        _ => 88,
    })
}

/// The visible part of a row or column of `n` tiles, around the one `at` the cursor.
fn window(at: usize, n: usize, room: u16) -> Range<usize> {
    let room = usize::from(room).min(n);
    let start = at.saturating_sub(room / 2).min(n - room);
    start..start + room
}
