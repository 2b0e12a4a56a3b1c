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
    Board, FirstClick, Level, LevelError, MbfError, NoProbabilities, PlayerName, Series, TextError,
    TooManyMines, UnknownPlayer,
};
use thiserror::Error;

/// Minesweeper: play it, watch players, and ask how likely every mine is.
#[derive(Debug, Parser)]
#[command(name = "kibitz-minesweeper", version)]
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
    ///
    /// Exit codes: 0 it is said, 2 the command line is wrong, 3 the file is wrong, 4 no arrangement
    /// of the mines agrees with it.
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

fn player(name: &str) -> Result<PlayerName, UnknownPlayer> {
    name.parse()
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
        let file = || path.display().to_string();
        let extension = path.extension().unwrap_or_default();
        let board = if extension == "mbf" || extension == "abf" {
            let bytes = std::fs::read(path).map_err(|source| Failure::File {
                file: file(),
                source,
            })?;
            Board::from_mbf(&bytes).map_err(|problem| Failure::Mbf {
                file: file(),
                problem,
            })?
        } else {
            let text = read(path)?;
            Board::from_text(&text).map_err(|problem| Failure::Text {
                file: file(),
                problem,
            })?
        };
        Ok(Some(board))
    }
}

/// Why the program ends early.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error("cannot read {file}: {source}")]
    File { file: String, source: io::Error },
    #[error("{file}: {problem}")]
    Text { file: String, problem: TextError },
    #[error("{file}: {problem}")]
    Mbf { file: String, problem: MbfError },
    #[error("{file}: {problem}")]
    Unsolvable {
        file: String,
        problem: NoProbabilities,
    },
    #[error("{0}")]
    Mines(#[from] TooManyMines),
    #[error("{0}")]
    Terminal(#[from] io::Error),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Terminal(_) => 1,
            Self::Mines(_) => 2,
            Self::File { .. } | Self::Text { .. } | Self::Mbf { .. } => 3,
            Self::Unsolvable { .. } => 4,
        }
    }
}

/// Reads a text file.
fn read(path: &std::path::Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|source| Failure::File {
        file: path.display().to_string(),
        source,
    })
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
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
        // Whoever closed the output has seen enough.
        Err(Failure::Terminal(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}
