//! `optimum`: the chance to win of the best play on an untouched board, and what that play does.

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

use kibitz_minesweeper::{
    FirstClick, Knowledge, Level, NoOptimum, Optimum, PolicyMove, SearchLimits, Tile, WinChance,
};
use kibitz_text::{Diagnostic, Exit, Failure as Stop, counted};
use serde_json::json;

use super::{Failure, FirstClickArgument, Format, level, not_standard_output, show};

/// The most arrangements that are searched: more have no number of 16 bits.
const MAX_ARRANGEMENTS: usize = 65_536;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Columns, rows and mines, with at most 65,536 arrangements of them.
    #[arg(value_parser = level, value_name = "LEVEL")]
    level: Level,
    /// What the first click may meet.
    #[arg(long, value_enum, default_value_t = FirstClickArgument::Unprotected)]
    first_click: FirstClickArgument,
    /// Writes the optimal policy, a move for every position that it reaches: tab-separated, rows and columns
    /// from one.
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Gives up when a search has expanded so many states.
    #[arg(long, default_value_t = 20_000_000, value_name = "N")]
    max_states: usize,
    /// What to write.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Failure> {
    let Level { grid, n_mines } = &arguments.level;
    let first_click = FirstClick::from(arguments.first_click);
    super::first_click::check(&arguments.level, first_click)?;
    if let Some(path) = &arguments.policy {
        not_standard_output("--policy", path)?;
    }
    let empty = Knowledge::new(grid, *n_mines).with_first_click(first_click);
    let mut optimum = Optimum::new(SearchLimits {
        arrangements: MAX_ARRANGEMENTS,
        states: arguments.max_states,
    });
    let failed = |problem: NoOptimum| Stop::new(Exit::Failed, Diagnostic::new(problem.to_string()));
    let tiles = optimum.tiles(&empty).map_err(failed)?;
    let best = tiles.iter().map(|(_, chance)| *chance);
    let Some(best) = best.reduce(|best, chance| if chance.is_above(best) { chance } else { best })
    else {
        return Err(Stop::usage("no tile is without a mine: the game is won already").into());
    };
    match arguments.format {
        Format::Text => text(&empty, first_click, &tiles, best, out)?,
        Format::Json => {
            let chance = |chance: WinChance| json!({ "won": chance.won, "of": chance.of });
            let tiles = tiles.iter().map(|(tile, found)| {
                let (row, column) = grid.row_and_column(*tile);
                json!({ "tile": [row + 1, column + 1], "chance": chance(*found) })
            });
            let object = json!({
                "level": arguments.level.to_string(),
                "first_click": first_click.to_string(),
                "best": chance(best),
                "tiles": tiles.collect::<Vec<_>>(),
            });
            writeln!(out, "{object}")?;
        }
    }
    if let Some(path) = &arguments.policy {
        let moves = optimum.policy(&empty).map_err(failed)?;
        let file = policy(&arguments.level, first_click, &moves);
        std::fs::write(path, file).map_err(|error| Stop::unwritable(path, &error))?;
    }
    Ok(())
}

/// The chance, and that of every first tile.
fn text(
    empty: &Knowledge,
    first_click: FirstClick,
    tiles: &[(Tile, WinChance)],
    best: WinChance,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let grid = empty.grid();
    show::win_chances(grid, tiles, out)?;
    let firsts = tiles.iter().filter(|(_, chance)| !best.is_above(*chance));
    let firsts: Vec<Tile> = firsts.map(|(tile, _)| *tile).collect();
    writeln!(
        out,
        "percent won by the best play, by first tile; the first click is {first_click}"
    )?;
    writeln!(
        out,
        "the best play wins {} of {}, {:.4} %; first {}",
        best.won,
        counted(best.of, "arrangement", "arrangements"),
        100.0 * best.get(),
        show::names(grid, &firsts)
    )?;
    Ok(())
}

/// The file of a policy.
fn policy(level: &Level, first_click: FirstClick, moves: &[PolicyMove]) -> String {
    let mut text = format!(
        "# the best play on {level}, first click {first_click}\nposition\trow\tcolumn\twon\tof\n"
    );
    for PolicyMove {
        position,
        tile,
        chance,
    } in moves
    {
        let (row, column) = level.grid.row_and_column(*tile);
        let WinChance { won, of } = chance;
        let (row, column) = (row + 1, column + 1);
        let _ = writeln!(text, "{position}\t{row}\t{column}\t{won}\t{of}");
    }
    text
}
