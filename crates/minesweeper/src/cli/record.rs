//! `record` and `check`: games of a player on seeded boards, as a file that anyone can check.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use kibitz_minesweeper::{
    FirstClick, FirstTile, GameRecord, Level, Player, PlayerName, RECORD_COLUMNS, RecordLine,
};
use kibitz_text::{Diagnostic, Diagnostics, Failure as Stop, counted};

use super::generate::{on_board, place};
use super::{Failure, FirstClickArgument, MOST_TOLD, first_click, level, player, source};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Columns, rows and mines.
    #[arg(long, default_value = "30x16/99", value_parser = level)]
    level: Level,
    /// How many games, at least one.
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// What the first click may meet.
    #[arg(long, value_enum, default_value_t = FirstClickArgument::Safe)]
    first_click: FirstClickArgument,
    /// The first click: row and column, from one; by default the player's own choice.
    #[arg(long, value_name = "ROW,COLUMN", value_parser = place)]
    first: Option<(usize, usize)>,
    /// The player.
    #[arg(long, default_value = "look-ahead", value_parser = player)]
    player: PlayerName,
    /// Which boards: another number, other boards.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file, comma-separated: a line of names, then a game a line.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

impl Arguments {
    fn player(&self) -> Result<Box<dyn Player>, Stop> {
        let Some((row, column)) = self.first else {
            return Ok(self.player.player());
        };
        on_board(&self.level.grid, (row, column))?;
        let mut exact = self.player.exact().ok_or_else(|| {
            let text = format!("`{}` begins where it likes: leave out --first", self.player);
            Stop::usage(text)
        })?;
        exact.first_tile = FirstTile::At(row, column);
        Ok(Box::new(exact))
    }
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Failure> {
    let path = &arguments.out;
    let mut player = arguments.player()?;
    first_click::check(&arguments.level, arguments.first_click.into())?;
    let unwritable = |error| Stop::unwritable(path, &error);
    let mut file = BufWriter::new(File::create(path).map_err(unwritable)?);
    writeln!(file, "{RECORD_COLUMNS}").map_err(unwritable)?;
    let mut n_won = 0;
    let mut line = RecordLine {
        level: arguments.level.clone(),
        first_click: FirstClick::from(arguments.first_click),
        seed: arguments.seed,
        game: GameRecord::default(),
    };
    let series = line.series();
    for number in 0..arguments.games {
        line.game = GameRecord::play(&series, number, player.as_mut())?;
        n_won += u64::from(line.game.is_won);
        writeln!(file, "{}", line.to_text()).map_err(unwritable)?;
    }
    file.flush().map_err(unwritable)?;
    writeln!(out, "{}", won(n_won, arguments.games))?;
    Ok(())
}

/// How many games were won, with the 95 % interval of the chance to win.
fn won(n_won: u64, n_games: u64) -> String {
    let share = 100.0 * n_won as f64 / n_games as f64;
    let [low, high] = interval(n_won as f64, n_games as f64).map(|end| 100.0 * end);
    let games = counted(n_games, "game", "games");
    format!("{n_won} of {games} won: {share:.2} % (95 % interval {low:.2} to {high:.2})")
}

/// The interval of Wilson, which also holds for few games, and if all or none are won.
fn interval(n_won: f64, n_games: f64) -> [f64; 2] {
    const Z: f64 = 1.959_963_984_540_054;
    let share = n_won / n_games;
    let shrunk = 1.0 + Z * Z / n_games;
    let middle = (share + Z * Z / (2.0 * n_games)) / shrunk;
    let variance = share * (1.0 - share) / n_games + Z * Z / (4.0 * n_games * n_games);
    let half = Z * variance.sqrt() / shrunk;
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

/// Replays every game of a file.
pub(super) fn check(path: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let source = source(path)?;
    let (mut n_games, mut n_won) = (0_u64, 0_u64);
    let mut problems = Diagnostics::new();
    let mut seen = BTreeSet::new();
    for (start, line) in lines(source.text()) {
        if start == 0 {
            if line != RECORD_COLUMNS {
                problems.push(source.error_at(
                    0..line.len(),
                    format!("the first line is not `{RECORD_COLUMNS}`"),
                ));
                break;
            }
            continue;
        }
        n_games += 1;
        let checked = if seen.insert(line) {
            replayed(line)
        } else {
            Err("the same game is above already".to_owned())
        };
        match checked {
            Ok(is_won) => n_won += u64::from(is_won),
            Err(problem) => problems.push(source.error_at(start..start + line.len(), problem)),
        }
        if problems.len() == MOST_TOLD {
            break;
        }
    }
    if problems.is_empty() && n_games == 0 {
        let text = "no games: expected one per line, below the line of names";
        problems.push(Diagnostic::new(format!("{}: {text}", source.path())));
    }
    if !problems.is_empty() {
        return Err(Stop::from(problems).into());
    }
    writeln!(out, "{}; every one replayed", won(n_won, n_games))?;
    Ok(())
}

/// The lines of a text that are not empty, with their offsets.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.split_inclusive('\n').scan(0, |end, line| {
        let start = *end;
        *end += line.len();
        Some((start, line.trim_end()))
    });
    lines.filter(|(_, line)| !line.is_empty())
}

/// Replays the game of a line; whether it is won.
fn replayed(line: &str) -> Result<bool, String> {
    let record = RecordLine::from_text(line).map_err(|error| error.to_string())?;
    let checked = record.game.check(&record.series());
    checked.map_err(|error| error.to_string())?;
    Ok(record.game.is_won)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_games_have_wide_intervals() {
        assert_eq!(
            won(1, 1),
            "1 of 1 game won: 100.00 % (95 % interval 20.65 to 100.00)"
        );
        assert_eq!(
            won(0, 2),
            "0 of 2 games won: 0.00 % (95 % interval 0.00 to 65.76)"
        );
        assert_eq!(
            won(24, 60),
            "24 of 60 games won: 40.00 % (95 % interval 28.57 to 52.63)"
        );
    }
}
