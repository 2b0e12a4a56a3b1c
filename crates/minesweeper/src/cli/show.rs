//! Positions, heat maps and reasons in the terminal.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write};

use kibitz_minesweeper::{
    Action, Grid, Knowledge, Move, Outcome, PlayerName, Probabilities, Tile, View, WinChance,
};
use kibitz_text::counted;
use ratatui::crossterm::style::{Color, Stylize as _};

/// The name of a tile: row and column, from one.
pub(super) fn name(grid: &Grid, tile: Tile) -> String {
    let (row, column) = grid.row_and_column(tile);
    format!("{} {}", row + 1, column + 1)
}

/// The names of tiles.
pub(super) fn names(grid: &Grid, tiles: &[Tile]) -> String {
    let names: Vec<String> = tiles.iter().map(|tile| name(grid, *tile)).collect();
    names.join(", ")
}

/// Writes the board with numbered rows and columns, each tile as `tile` gives it, in `width`
/// characters.
fn table(
    grid: &Grid,
    width: usize,
    out: &mut impl Write,
    tile: impl Fn(Tile) -> (String, Option<Color>),
) -> io::Result<()> {
    write!(out, "    ")?;
    for column in 1..=grid.width() {
        write!(out, " {column:>width$}")?;
    }
    writeln!(out)?;
    let is_colored = io::stdout().is_terminal();
    for row in 0..grid.height() {
        write!(out, "{:>3} ", row + 1)?;
        for column in 0..grid.width() {
            let (text, color) = tile(row * grid.width() + column);
            let text = format!("{text:>width$}");
            match color {
                Some(color) if is_colored => write!(out, " {}", text.with(color))?,
                _ => write!(out, " {text}")?,
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the position; a mine that was uncovered is `*`.
pub(super) fn position(
    knowledge: &Knowledge,
    exploded: Option<Tile>,
    out: &mut impl Write,
) -> io::Result<()> {
    let width = knowledge.grid().width().to_string().len();
    table(knowledge.grid(), width, out, |tile| {
        match knowledge.view(tile) {
            _ if exploded == Some(tile) => ("*".to_owned(), Some(Color::Red)),
            View::Covered => (".".to_owned(), None),
            View::Marked => ("F".to_owned(), Some(Color::Yellow)),
            View::Number(0) => ("0".to_owned(), Some(Color::DarkGrey)),
            View::Number(number) => (number.to_string(), Some(Color::Cyan)),
        }
    })?;
    writeln!(out, "{}", counts(knowledge))
}

/// The mines left, or their density, and the tiles covered.
pub(super) fn counts(knowledge: &Knowledge) -> String {
    let n_covered = knowledge.n_covered();
    match knowledge.mines_left() {
        Some(left) => format!(
            "{} left, {} covered",
            counted(left, "mine", "mines"),
            counted(n_covered, "tile", "tiles")
        ),
        None => format!(
            "mines: {}, {} covered",
            knowledge.mines(),
            counted(n_covered, "tile", "tiles")
        ),
    }
}

/// Writes the probability of a mine on each covered tile, in percent.
pub(super) fn heat_map(
    knowledge: &Knowledge,
    probabilities: &Probabilities,
    out: &mut impl Write,
) -> io::Result<()> {
    table(knowledge.grid(), 4, out, |tile| {
        match knowledge.view(tile) {
            View::Covered => {
                let risk = probabilities.mine(tile);
                let color = match risk {
                    risk if risk <= 0.0 => Color::Green,
                    risk if risk < 0.2 => Color::DarkGreen,
                    risk if risk < 0.5 => Color::Yellow,
                    _ => Color::Red,
                };
                (percent(risk), Some(color))
            }
            View::Marked => ("F".to_owned(), None),
            View::Number(_) => ("-".to_owned(), Some(Color::DarkGrey)),
        }
    })?;
    if knowledge.is_protected() {
        writeln!(out, "mines in percent; the first click meets none")
    } else if knowledge.mines_left().is_none() {
        writeln!(out, "mines in percent")
    } else {
        let n = arrangements(probabilities.ln_arrangements());
        writeln!(out, "mines in percent; {n}")
    }
}

/// Writes the chance to win of each tile, in percent.
pub(super) fn win_chances(
    grid: &Grid,
    tiles: &[(Tile, WinChance)],
    out: &mut impl Write,
) -> io::Result<()> {
    table(grid, 5, out, |tile| {
        let chance = tiles.iter().find(|(listed, _)| *listed == tile);
        let text = chance.map(|(_, chance)| format!("{:.2}", 100.0 * chance.get()));
        (text.unwrap_or_default(), None)
    })
}

/// A number of arrangements, by its natural logarithm.
pub(super) fn arrangements(ln: f64) -> String {
    if ln < 50.0 {
        counted(ln.exp().round(), "arrangement", "arrangements")
    } else {
        format!("1e{:.0} arrangements", ln / std::f64::consts::LN_10)
    }
}

/// A risk in percent; only certainty is 0 or 100.
pub(super) fn percent(risk: f64) -> String {
    match 100.0 * risk {
        percent if percent > 0.0 && percent <= 0.5 => "<1".to_owned(),
        percent if (99.5..100.0).contains(&percent) => ">99".to_owned(),
        percent => format!("{percent:.0}"),
    }
}

/// The outcome of a player's game.
pub(super) fn outcome(outcome: Outcome) -> String {
    let end = if outcome.is_won { "won" } else { "lost" };
    let mut text = format!("{end} after {}", counted(outcome.n_moves, "move", "moves"));
    if outcome.n_fallbacks > 0 {
        let _ = write!(
            text,
            ", {} of them without probabilities",
            outcome.n_fallbacks
        );
    }
    text
}

/// A move in words, with its justification.
pub(super) fn reason(knowledge: &Knowledge, next: &Move) -> String {
    let grid = knowledge.grid();
    let (what, tile) = match next.action {
        Action::Uncover(tile) => ("uncover", tile),
        Action::Mark(tile) => ("mark", tile),
        Action::Unmark(tile) => ("unmark", tile),
    };
    if knowledge.is_protected() {
        return format!("{what} {}: the first click meets no mine", name(grid, tile));
    }
    let mut text = format!("{what} {}: {}", name(grid, tile), next.rule);
    if !next.because.is_empty() {
        let _ = write!(text, ", because of {}", names(grid, &next.because));
    }
    if let Some(risk) = next.risk {
        let _ = write!(text, ", a mine at {:.1} %", 100.0 * risk);
    }
    text
}

/// Writes the names of the players.
pub(super) fn players(out: &mut impl Write) -> io::Result<()> {
    for name in PlayerName::ALL {
        writeln!(out, "{name}")?;
    }
    Ok(())
}
