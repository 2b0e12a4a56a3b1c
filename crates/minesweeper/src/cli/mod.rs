//! The command line: arguments, files, exit codes.

mod play;
mod screen;
mod show;
mod solve;
mod watch;

use std::io;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use kibitz_minesweeper::{
    Board, FirstClick, Level, LevelError, PlayerName, Series, TextErrors, TooManyMines,
    UnknownPlayer,
};
use kibitz_text::{
    Diagnostic, Diagnostics, Exit, Failure as Stop, Location, SourceFile, suggestion,
};
use thiserror::Error;

/// Minesweeper: play it, watch players, and ask how likely every mine is.
#[derive(Debug, Parser)]
#[command(name = "kibitz-minesweeper", version, after_help = Exit::help())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Plays a board with you, who may ask what is safe, how likely, and why.
    ///
    /// On the whole screen of a terminal, or, where input or output is none, line by line.
    Play {
        #[command(flatten)]
        boards: BoardArguments,
        /// Whom to ask for a hint.
        #[arg(long, default_value = "look-ahead", value_parser = player)]
        player: PlayerName,
    },
    /// Says how likely every mine of a position is.
    Solve {
        /// A text file: `columns x rows / mines`, then a line a row with `.`, `F` and digits.
        file: PathBuf,
        /// What to write.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Shows how a player plays, move by move, with the reasons.
    Watch {
        #[command(flatten)]
        boards: BoardArguments,
        /// Who plays.
        #[arg(long, default_value = "rules", value_parser = player)]
        player: PlayerName,
        /// How long each move is shown, in milliseconds, on the whole screen of a terminal; 0 writes
        /// them below each other.
        #[arg(long, default_value_t = 0, value_name = "MS")]
        pause: u64,
    },
    /// Lists the players.
    Players,
}

#[derive(Debug, clap::Args)]
struct BoardArguments {
    /// Columns, rows and mines.
    #[arg(long, default_value = "8x8/10", value_parser = level)]
    board: Level,
    /// Which board: another number, another board.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What the first click may meet.
    #[arg(long, value_enum, default_value_t = First::Safe)]
    first_click: First,
    /// A board from a file instead: text, or `.mbf` or `.abf`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "seed", "first_click"])]
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The position and a heat map in percent.
    Text,
    /// Probabilities by row and column, for programs.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum First {
    /// Perhaps a mine.
    Unprotected,
    /// No mine.
    Safe,
    /// No mine, and none around it.
    Opening,
}

fn player(name: &str) -> Result<PlayerName, String> {
    name.parse().map_err(|_: UnknownPlayer| {
        let names = PlayerName::ALL.map(|name| name.to_string());
        suggestion(name, names.iter().map(String::as_str))
    })
}

fn level(text: &str) -> Result<Level, LevelError> {
    text.parse()
}

impl BoardArguments {
    fn series(&self) -> Series {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.seed.to_le_bytes());
        let mut series = Series::new(&self.board, seed);
        series.first_click = match self.first_click {
            First::Unprotected => FirstClick::Unprotected,
            First::Safe => FirstClick::Safe,
            First::Opening => FirstClick::Opening,
        };
        series
    }

    /// The board of the file, if one is named.
    fn board(&self) -> Result<Option<Board>, Failure> {
        let Some(path) = &self.file else {
            return Ok(None);
        };
        let extension = path.extension().unwrap_or_default();
        let board = if extension == "mbf" || extension == "abf" {
            let bytes = std::fs::read(path).map_err(|error| Stop::unreadable(path, &error))?;
            Board::from_mbf(&bytes).map_err(|problem| {
                let file = Location::of_file(path.display().to_string());
                Stop::from(Diagnostic::new(problem.to_string()).at(file))
            })?
        } else {
            let source = SourceFile::read(path)?;
            Board::from_text(source.text()).map_err(|errors| mistakes(&source, errors))?
        };
        Ok(Some(board))
    }
}

/// Why a command ends early.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// A failure that is told.
    #[error(transparent)]
    Told(#[from] Stop),
    #[error(transparent)]
    Mines(#[from] TooManyMines),
    /// Of the input or output.
    #[error(transparent)]
    Terminal(#[from] io::Error),
}

/// The mistakes of a file with their excerpts.
fn mistakes(source: &SourceFile, errors: TextErrors) -> Stop {
    let errors = errors.0.into_iter();
    let told = errors.map(|error| source.error_at(error.span, error.problem.to_string()));
    told.collect::<Diagnostics>().into()
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Stop> {
    let mut out = io::stdout().lock();
    let done = match &arguments.command {
        Command::Play { boards, player } if screen::is_there() => screen::play(boards, *player),
        Command::Play { boards, player } => {
            play::run(boards, *player, io::stdin().lock(), &mut out)
        }
        Command::Solve { file, format } => solve::run(file, *format, &mut out),
        Command::Watch {
            boards,
            player,
            pause,
        } => watch::run(boards, *player, *pause, &mut out),
        Command::Players => show::players(&mut out).map_err(Failure::from),
    };
    match done {
        Ok(()) => Ok(Exit::Done),
        Err(Failure::Told(stop)) => Err(stop),
        Err(Failure::Mines(error)) => Err(Stop::usage(error.to_string())),
        // Whoever closed the output has seen enough.
        Err(Failure::Terminal(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(Exit::Done)
        }
        Err(Failure::Terminal(error)) => Err(Stop::new(
            Exit::Unwritable,
            Diagnostic::new(error.to_string()),
        )),
    }
}
