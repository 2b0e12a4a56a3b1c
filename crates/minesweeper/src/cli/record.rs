//! `record` and `check`: games of a player on seeded boards, as a file that anyone can check.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use kibitz_minesweeper::{
    FirstClick, FirstTile, GameRecord, Level, Player, PlayerName, RECORD_COLUMNS, RecordLine,
};
use kibitz_text::{Diagnostic, Diagnostics, Exit, Failure as Stop, counted};

use super::generate::{on_board, place};
use super::{
    Failure, FirstClickArgument, MOST_TOLD, first_click, level, more_mistakes, not_standard_output,
    player, source,
};

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
    not_standard_output("--out", path)?;
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

/// How many games of a file agree with what it says of them.
#[derive(Default)]
struct Tally {
    n_agreeing: u64,
    n_won: u64,
    n_differing: u64,
    n_unreadable: u64,
}

impl Tally {
    /// Counts a line; what is wrong with it.
    fn add(&mut self, checked: Result<bool, (Exit, String)>) -> Option<String> {
        match checked {
            Ok(is_won) => {
                self.n_agreeing += 1;
                self.n_won += u64::from(is_won);
                None
            }
            Err((exit, problem)) => {
                if exit == Exit::Negative {
                    self.n_differing += 1;
                } else {
                    self.n_unreadable += 1;
                }
                Some(problem)
            }
        }
    }

    fn n_replayed(&self) -> u64 {
        self.n_agreeing + self.n_differing
    }

    /// Of a file in which something is wrong: that is worse if a line cannot be read.
    fn exit(&self) -> Exit {
        if self.n_differing > 0 && self.n_unreadable == 0 {
            Exit::Negative
        } else {
            Exit::BadInput
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let n_replayed = self.n_replayed();
        if self.n_differing + self.n_unreadable == 0 {
            return write!(f, "{}; every one replayed", won(self.n_won, n_replayed));
        }
        write!(
            f,
            "{} replayed: {} as the record says, {} not",
            counted(n_replayed, "game", "games"),
            self.n_agreeing,
            self.n_differing
        )?;
        match self.n_unreadable {
            0 => Ok(()),
            n => write!(f, "; cannot read {}", counted(n, "line", "lines")),
        }
    }
}

/// Replays every game of a file.
pub(super) fn check(path: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let source = source(path)?;
    let mut lines = lines(source.text());
    if let Some((start, head)) = lines.next()
        && head.trim_start_matches('\u{feff}') != RECORD_COLUMNS
    {
        let message = format!("the first line is not `{RECORD_COLUMNS}`");
        let told = source.error_at(start..start + head.len(), message);
        return Err(Stop::from(told).into());
    }
    let mut tally = Tally::default();
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for (start, line) in lines {
        let checked = if seen.insert(line) {
            replayed(line)
        } else {
            let message = "the same game is above already".to_owned();
            Err((Exit::Negative, message))
        };
        if let Some(problem) = tally.add(checked) {
            problems.push((start..start + line.len(), problem));
        }
    }
    if seen.is_empty() {
        let text = "no games: expected one per line, below the line of names";
        let told = Diagnostic::new(format!("{}: {text}", source.path()));
        return Err(Stop::from(told).into());
    }
    if tally.n_replayed() > 0 {
        writeln!(out, "{tally}")?;
    }
    if problems.is_empty() {
        return Ok(());
    }
    let n_problems = problems.len();
    let told = (1..).zip(problems).take(MOST_TOLD);
    let told = told.map(|(number, (span, problem))| {
        let told = source.error_at(span, problem);
        told.with_note(more_mistakes(number, n_problems))
    });
    let mut stop = Stop::from(told.collect::<Diagnostics>());
    stop.exit = tally.exit();
    Err(stop.into())
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
fn replayed(line: &str) -> Result<bool, (Exit, String)> {
    let record = RecordLine::from_text(line);
    let record = record.map_err(|error| (Exit::BadInput, error.to_string()))?;
    let checked = record.game.check(&record.series());
    checked.map_err(|error| (Exit::Negative, error.to_string()))?;
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
