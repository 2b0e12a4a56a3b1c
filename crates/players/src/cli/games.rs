//! Games from files.

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};

use kibitz_board::{
    Game,
    open::{Decompressor, open_games},
    pgn::{Collection, Policy, Tally},
};
use kibitz_text::{Diagnostic, Exit, Failure, note};

/// All good games of files; bad ones and repairs are reported.
pub(super) fn read(paths: &[PathBuf]) -> Result<Vec<Game>, Failure> {
    let mut games = Vec::new();
    for path in paths {
        games.extend(read_one(path)?.into_iter().map(|(_, game)| game));
    }
    Ok(games)
}

/// All good games of files, each with its number in the file, where bad ones count; with the name of
/// the file as well if there are several.
pub(super) fn read_numbered(paths: &[PathBuf]) -> Result<Vec<(String, Game)>, Failure> {
    let mut games = Vec::new();
    for path in paths {
        let name = |number: u64| match paths {
            [_] => number.to_string(),
            _ => format!("{}:{number}", path.display()),
        };
        let read = read_one(path)?.into_iter();
        games.extend(read.map(|(number, game)| (name(number), game)));
    }
    Ok(games)
}

/// All good games of a file, of which there must be one, with their numbers in the file, where bad
/// ones count.
pub(super) fn read_one(path: &Path) -> Result<Vec<(u64, Game)>, Failure> {
    read_file(path, |collection, game| {
        let tally = collection.tally();
        (tally.n_games + tally.n_bad, game)
    })
}

/// What `kept` makes of all good games of a file, of which there must be one.
pub(super) fn read_file<K>(
    path: &Path,
    kept: impl Fn(&Collection<Decompressor<File>>, Game) -> K,
) -> Result<Vec<K>, Failure> {
    let mut games = Vec::new();
    let tally = visit_file(path, |collection, game| {
        games.push(kept(collection, game));
        Ok(())
    })?;
    report(&tally);
    if games.is_empty() {
        return Err(no_game(path));
    }
    Ok(games)
}

/// Gives the good games of a file to `each`, one by one.
pub(super) fn visit_file(
    path: &Path,
    mut each: impl FnMut(&Collection<Decompressor<File>>, Game) -> Result<(), Failure>,
) -> Result<Tally, Failure> {
    if path == Path::new("-") {
        let why = "cannot read games from the standard input: give a file; `/dev/stdin` is one";
        return Err(Failure::usage(why));
    }
    let unreadable = |error: &dyn Error| {
        let cause = error
            .source()
            .map_or(String::new(), |cause| format!(": {cause}"));
        Failure::new(Exit::Missing, Diagnostic::new(format!("{error}{cause}")))
    };
    let mut collection = open_games(path, Policy::Skip).map_err(|error| unreadable(&error))?;
    while let Some(game) = collection.next() {
        let game = game.map_err(|error| unreadable(&error))?;
        each(&collection, game)?;
    }
    Ok(collection.into_tally())
}

/// Reports bad games and repairs.
pub(super) fn report(tally: &Tally) {
    if let Some(report) = tally.report() {
        note(&Diagnostic::warning(report).render(true));
    }
}

/// The failure of a file without a good game.
pub(super) fn no_game(path: &Path) -> Failure {
    let message = format!("{}: no readable game", path.display());
    Failure::new(Exit::NothingSelected, Diagnostic::new(message))
}
