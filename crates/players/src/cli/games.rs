//! Games from files, and the decisions of a player in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kibitz_board::{Color, Game, game_filter::color_of, open::open_games, pgn::Policy};
use kibitz_text::{Diagnostic, Exit, Failure, nearest, note};

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

/// The games of a player, by prefix of the name; told are games that have the same moves.
pub(super) fn of_player(games: Vec<Game>, player: &str) -> Result<Vec<(Game, Color)>, Failure> {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let mut own: Vec<(Game, Color)> = Vec::new();
    let mut spellings = BTreeSet::new();
    for game in games {
        if let Some(color) = color_of(&game, player) {
            let tags = game.tags();
            spellings.insert(
                if color.is_white() {
                    &tags.white
                } else {
                    &tags.black
                }
                .clone(),
            );
            own.push((game, color));
        } else {
            for name in [&game.tags().white, &game.tags().black] {
                *names.entry(name.clone()).or_default() += 1;
            }
        }
    }
    if own.is_empty() {
        return Err(nobody(player, &names));
    }
    if spellings.len() > 1 {
        let spellings: Vec<String> = spellings.iter().map(|name| format!("`{name}`")).collect();
        let message = format!("`{player}` is taken for {}", spellings.join(", "));
        note(&Diagnostic::warning(message).render(true));
    }
    let mut keys = BTreeSet::new();
    let again = own
        .iter()
        .filter(|(game, _)| !keys.insert(game.key()))
        .count();
    if again > 0 {
        let message = format!("{again} of the games have the moves of another; they count, too");
        note(&Diagnostic::warning(message).render(true));
    }
    Ok(own)
}

/// The player is in no game: the nearest names, with numbers of games.
fn nobody(player: &str, names: &BTreeMap<String, usize>) -> Failure {
    let lower = player.to_lowercase();
    let mut known: Vec<(&String, usize)> = names.iter().map(|(name, n)| (name, *n)).collect();
    let near = nearest(player, names.keys().map(String::as_str));
    let is_near = |name: &str| {
        near == Some(name)
            || name.to_lowercase().split([',', ' ', '.']).any(|word| {
                !word.is_empty()
                    && (lower.contains(word) && word.len() > 2 || nearest(&lower, [word]).is_some())
            })
    };
    known.sort_by_key(|(name, n)| (!is_near(name), std::cmp::Reverse(*n), (*name).clone()));
    let listed = known
        .iter()
        .take(5)
        .map(|(name, n)| format!("`{name}` ({n})"));
    let listed: Vec<String> = listed.collect();
    let message = format!("no game has a player whose name begins with `{player}`");
    let label = format!("names and their games: {}", listed.join(", "));
    let message = Diagnostic::new(message).with_note(label);
    Failure::new(Exit::NothingSelected, message)
}
