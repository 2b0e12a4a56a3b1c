//! Games from files.

use std::path::{Path, PathBuf};

use kibitz_board::{Game, open::open_games, pgn::Policy};
use kibitz_text::{Diagnostic, Exit, Failure, note};

/// All good games of files; bad ones and repairs are told.
pub(super) fn read(paths: &[PathBuf]) -> Result<Vec<Game>, Failure> {
    let mut games = Vec::new();
    for path in paths {
        games.extend(read_one(path)?);
    }
    Ok(games)
}

/// All good games of a file, of which there must be one.
pub(super) fn read_one(path: &Path) -> Result<Vec<Game>, Failure> {
    let unreadable = |error: &dyn std::error::Error| {
        Failure::new(Exit::Missing, Diagnostic::new(error.to_string()))
    };
    let mut collection = open_games(path, Policy::Skip).map_err(|error| unreadable(&error))?;
    let mut games = Vec::new();
    for game in collection.by_ref() {
        games.push(game.map_err(|error| unreadable(&error))?);
    }
    let tally = collection.into_tally();
    if let Some(report) = tally.report() {
        note(&Diagnostic::warning(report).render(true));
    }
    if games.is_empty() {
        let message = format!("{}: there is no game that can be read", path.display());
        return Err(Failure::new(
            Exit::NothingSelected,
            Diagnostic::new(message),
        ));
    }
    Ok(games)
}
