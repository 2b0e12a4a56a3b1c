//! Room for the protection of the first click.

use kibitz_minesweeper::{FirstClick, Knowledge, Level, Tile};
use kibitz_text::{Failure as Stop, counted};

use super::show;

/// Why the first click is only safe, and no opening, at this tile; `None` where it is what is wanted.
///
/// # Errors
/// There is no room for the mines at all.
pub(super) fn lacking(
    level: &Level,
    wanted: FirstClick,
    first: Tile,
) -> Result<Option<String>, Stop> {
    let Level { grid, n_mines } = level;
    let Ok(found) = wanted.with_room(grid, *n_mines, first) else {
        let n_tiles = grid.n_tiles();
        let most = counted(n_tiles - 1, "mine", "mines");
        let tiles = counted(n_tiles, "tile", "tiles");
        return Err(Stop::usage(format!(
            "{level}: {most} at most fit on {tiles} if the first click is safe"
        )));
    };
    if found == wanted {
        return Ok(None);
    }
    let needed = counted(1 + grid.neighbors(first).count(), "tile", "tiles");
    // No tile has fewer neighbors than the corner: what is impossible there is impossible everywhere.
    let place = match wanted.with_room(grid, *n_mines, 0) {
        Ok(at_corner) if at_corner == wanted => format!(" at {}", show::name(grid, first)),
        _ => String::new(),
    };
    let left = grid.n_tiles() - n_mines;
    Ok(Some(format!(
        "no opening is possible{place}: it takes {needed} without a mine, and the board has {left}"
    )))
}

/// What is done where an opening was not asked for.
pub(super) const INSTEAD: &str = "; the first click is safe instead";

/// What to do where it was.
pub(super) const ASK_FOR_SAFE: &str = "; give `--first-click safe`";

/// The same for a click in this position, where it is to be an opening, with what is done instead.
pub(super) fn no_opening(level: &Level, empty: &Knowledge, first: Tile) -> Option<String> {
    let is_wanted = empty.first_click() == Some(FirstClick::Opening);
    let lacking = || lacking(level, FirstClick::Opening, first).ok()?;
    Some(is_wanted.then(lacking)?? + INSTEAD)
}

/// Rejects a board without room for the protection that was asked for, wherever the first click is.
pub(super) fn check(level: &Level, wanted: FirstClick) -> Result<(), Stop> {
    // No tile has fewer neighbors than the corner.
    match lacking(level, wanted, 0)? {
        None => Ok(()),
        Some(lacking) => Err(Stop::usage(lacking + ASK_FOR_SAFE)),
    }
}
