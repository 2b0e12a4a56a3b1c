//! The command line: arguments, files, exit codes.

mod analyse;
mod analysis;
mod convert;
mod first_click;
mod generate;
mod optimum;
mod play;
mod record;
mod replay;
mod screen;
mod show;
mod solve;
mod watch;

use std::fmt::Write as _;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand, ValueEnum};
use kibitz_minesweeper::{
    Board, Density, DensityError, Difficulty, FirstClick, Knowledge, Level, LevelError, Mines,
    NoGuess, NoGuessError, NoProbabilities, PlayerName, SIGNS, Series, TextErrors, TextProblem,
    Tile, TooManyMines, UnknownPlayer,
};
use kibitz_text::{
    Diagnostic, Diagnostics, Exit, Failure as Stop, Location, SourceFile, counted, suggestion,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use thiserror::Error;

/// Minesweeper: play, watch players, and compute the probability of every mine.
#[derive(Debug, Parser)]
#[command(name = "kibitz-minesweeper", version, after_help = Exit::help())]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play a board; ask for safe tiles, probabilities and reasons.
    ///
    /// Full-screen in a terminal; line by line if input or output is not a terminal.
    Play {
        #[command(flatten)]
        boards: BoardArguments,
        /// The player that answers `hint`; where its move is not certainly safe, the best move is shown.
        #[arg(long, default_value = "look-ahead", value_parser = player)]
        player: PlayerName,
    },
    /// Show the certain tiles of a position, with reasons, and what to guess.
    ///
    /// Safe tiles and mines come with the easiest reason: S-1 or M-1 (one number), sets (two), numbers
    /// (more), or the count of mines. 50/50s are named. If nothing is safe, the guess of each player is
    /// shown; probabilities to win are exact if few arrangements are left.
    ///
    /// The exit code is 1 if the position contradicts itself: no arrangement of the mines agrees with its
    /// numbers and marks.
    Analyse {
        #[command(flatten)]
        position: PositionArguments,
        /// What to write.
        #[arg(long, value_enum, default_value_t = analyse::Form::Text)]
        format: analyse::Form,
    },
    /// Make boards; with `--no-guess`, such that never need a guess.
    Generate(generate::Arguments),
    /// Show a recorded game click by click: what was certain, a guess, or a needless guess.
    ///
    /// Reads .avf (Arbiter), .evf (Metasweeper) and its sets .evfs, .rmv (Viennasweeper) and .mvf (Clone
    /// 0.97). In JSON a replay is a line.
    Replay {
        /// The file.
        file: PathBuf,
        /// What to write.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Write a board, or that of a replay, in another format.
    Convert(convert::Arguments),
    /// Compute the probability that optimal play wins a small board, by complete search.
    Optimum(optimum::Arguments),
    /// Let a player play seeded boards, and write the boards, the moves and how they ended.
    Record(record::Arguments),
    /// Replay a file that `record` wrote, and check that the games end as it says.
    Check {
        /// The file, or `-` for standard input.
        file: PathBuf,
    },
    /// Compute the probability of every mine of a position.
    ///
    /// The exit code is 1 if the position contradicts itself: no arrangement of the mines agrees with its
    /// numbers and marks.
    #[command(after_help = signs())]
    Solve {
        #[command(flatten)]
        position: PositionArguments,
        /// What to write.
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Show how a player plays, move by move, with the reasons.
    Watch {
        #[command(flatten)]
        boards: BoardArguments,
        /// The player.
        #[arg(long, default_value = "rules", value_parser = player)]
        player: PlayerName,
        /// How long each move is shown, in milliseconds, on the whole screen of a terminal; 0 writes
        /// them below each other.
        #[arg(long, default_value_t = 0, value_name = "MS")]
        pause: u64,
    },
    /// List the players.
    Players,
}

#[derive(Debug, clap::Args)]
struct PositionArguments {
    /// A text file, or `-` for standard input: `columns x rows / mines`, then a line a row.
    file: PathBuf,
    /// The number of mines, where the first line is missing or does not say it.
    #[arg(long, value_name = "N", conflicts_with = "density")]
    mines: Option<usize>,
    /// The density of mines instead: each tile holds one with this probability.
    #[arg(long, value_name = "P", value_parser = density)]
    density: Option<Density>,
}

#[derive(Clone, Debug, clap::Args)]
struct BoardArguments {
    /// Columns, rows and mines.
    #[arg(long, default_value = "8x8/10", value_parser = level)]
    board: Level,
    /// Which board: another number, another board.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What the first click may meet [default: `play`: opening; otherwise: safe].
    #[arg(long, value_enum)]
    first_click: Option<FirstClickArgument>,
    /// Only boards that need no guess after the first click, which is an opening.
    #[arg(long)]
    no_guess: bool,
    /// A board from a file instead: text, or `.mbf` or `.abf`; `-` for text from standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "seed", "first_click", "no_guess"])]
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text, for people.
    Text,
    /// Objects, for programs.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FirstClickArgument {
    /// Perhaps a mine.
    Unprotected,
    /// No mine.
    Safe,
    /// No mine, and none around it.
    Opening,
}

impl From<FirstClickArgument> for FirstClick {
    fn from(first: FirstClickArgument) -> Self {
        match first {
            FirstClickArgument::Unprotected => Self::Unprotected,
            FirstClickArgument::Safe => Self::Safe,
            FirstClickArgument::Opening => Self::Opening,
        }
    }
}

fn player(name: &str) -> Result<PlayerName, String> {
    name.parse().map_err(|_: UnknownPlayer| {
        let names = PlayerName::ALL.map(|name| name.to_string());
        suggestion(name, names.iter().map(String::as_str))
    })
}

fn density(text: &str) -> Result<Density, DensityError> {
    text.parse()
}

/// The signs of a position, for the end of a help text.
fn signs() -> String {
    let mut text = "Tiles of a position:".to_owned();
    for row in SIGNS {
        let _ = write!(text, "\n  {}\n          {}", row, row.meaning);
    }
    text + SIGNS_END
}

/// What else a position's text can have.
const SIGNS_END: &str = "
Blanks or tabs may stand between tiles. Where a sign may mean a covered tile or a 0, it is refused.
The first line may also be `4 x 4, 2 mines`; with --mines or --density `4x4/?`, or missing.
Empty lines count only where blanks are tiles; lines that begin with `#` only if they have more than
one character, and nothing but signs.";

fn level(text: &str) -> Result<Level, LevelError> {
    text.parse()
}

impl BoardArguments {
    /// With the default of `play`: a person's first click opens the board.
    fn opening(&self) -> Self {
        let mut boards = self.clone();
        boards
            .first_click
            .get_or_insert(FirstClickArgument::Opening);
        boards
    }

    fn series(&self) -> Series {
        let mut series = Series::seeded(&self.board, self.seed);
        series.first_click = self.protection();
        series
    }

    /// The board of this number for a first click.
    fn lay(&self, number: u64, first: Tile) -> Result<Board, Failure> {
        if !self.no_guess {
            return Ok(self.series().board(number, first)?);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(number);
        let mut draw = NoGuess::new(&self.board, Difficulty::MineCount);
        Ok(draw.draw(first, &mut rng)?.board)
    }

    /// Rejects a board without room for its mines and the first click; an opening only where one is asked for.
    fn check(&self) -> Result<(), Failure> {
        let wanted = match self.protection() {
            FirstClick::Opening if self.first_click.is_none() => FirstClick::Safe,
            wanted => wanted,
        };
        if self.file.is_none() {
            first_click::check(&self.board, wanted)?;
        }
        Ok(())
    }

    /// The board of the file, if one is named.
    fn board(&self) -> Result<Option<Board>, Failure> {
        Ok(self.file.as_deref().map(convert::board).transpose()?)
    }

    /// The protection of the first click: the board of a file is laid already.
    fn protection(&self) -> FirstClick {
        match self.first_click {
            _ if self.file.is_some() => FirstClick::Unprotected,
            _ if self.no_guess => FirstClick::Opening,
            first_click => first_click.unwrap_or(FirstClickArgument::Safe).into(),
        }
    }

    /// Whether the board is read from standard input.
    fn is_typed(&self) -> bool {
        self.file.as_deref() == Some(Path::new(STANDARD_INPUT))
    }
}

impl PositionArguments {
    /// The mines that options give.
    fn given(&self) -> Option<Mines> {
        let mines = self.mines.map(Mines::Total);
        mines.or(self.density.map(Mines::Density))
    }

    /// The position.
    fn read(&self) -> Result<(SourceFile, Knowledge), Failure> {
        let source = source(&self.file)?;
        let knowledge = match self.given() {
            None => Knowledge::from_text(source.text()),
            Some(mines) => Knowledge::from_text_with(source.text(), mines),
        };
        let knowledge = knowledge.map_err(|errors| mistakes(&source, errors))?;
        Ok((source, knowledge))
    }
}

/// Why a position of a file has no probabilities, with the place where one contradicts itself.
fn no_probabilities(
    position: &PositionArguments,
    source: &SourceFile,
    problem: NoProbabilities,
) -> Stop {
    let file = Location::of_file(source.path());
    let exit = match problem {
        NoProbabilities::Contradiction => Exit::Negative,
        NoProbabilities::TooComplex => Exit::Failed,
    };
    if problem == NoProbabilities::Contradiction
        && let Some(error) = Knowledge::contradiction(source.text(), position.given())
    {
        let message = error.problem.to_string();
        // Of mines that an option gives there is no line.
        let is_given =
            matches!(error.problem, TextProblem::Count { .. } if position.mines.is_some());
        let told = if is_given {
            Diagnostic::new(message).at(file)
        } else {
            source.error_at(error.span, message)
        };
        return Stop::new(exit, told);
    }
    Stop::new(exit, Diagnostic::new(problem.to_string()).at(file))
}

/// The name of standard input in place of a file.
const STANDARD_INPUT: &str = "-";

/// The text of a file, or of standard input.
fn source(path: &Path) -> Result<SourceFile, Stop> {
    if path != Path::new(STANDARD_INPUT) {
        return SourceFile::read(path);
    }
    let mut bytes = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| Stop::unreadable("standard input", &error))?;
    Ok(SourceFile::from_bytes("standard input", bytes)?)
}

/// Why a command ends early.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// A failure with its message.
    #[error(transparent)]
    Told(#[from] Stop),
    #[error(transparent)]
    Mines(#[from] TooManyMines),
    /// No board that needs no guess.
    #[error(transparent)]
    NoGuess(#[from] NoGuessError),
    /// Of the input or output.
    #[error(transparent)]
    Terminal(#[from] io::Error),
}

/// Limit on the mistakes of a file that are shown.
const MOST_TOLD: usize = 20;

/// The mistakes of a file with their excerpts; of many the first ones. Where all are contradictions, the
/// answer is negative.
fn mistakes(source: &SourceFile, errors: TextErrors) -> Stop {
    let n_errors = errors.0.len();
    let contradicts = (errors.0.iter()).all(|error| error.problem.is_contradiction());
    let errors = (1..).zip(errors.0).take(MOST_TOLD);
    let told = errors.map(|(number, error)| {
        let note = match error.problem {
            TextProblem::UnknownMines => {
                "or say it with `--mines N`, or `--density P` of them".to_owned()
            }
            _ => more_mistakes(number, n_errors),
        };
        let told = source.error_at(error.span, error.problem.to_string());
        told.with_note(note)
    });
    let mut stop = Stop::from(told.collect::<Diagnostics>());
    if contradicts {
        stop.exit = Exit::Negative;
    }
    stop
}

/// What the mistake of this number says of those that are not shown: the last one that is says how many.
fn more_mistakes(number: usize, n_mistakes: usize) -> String {
    match n_mistakes.saturating_sub(MOST_TOLD) {
        n_more if number == MOST_TOLD && n_more > 0 => {
            counted(n_more, "more mistake follows", "more mistakes follow")
        }
        _ => String::new(),
    }
}

/// Rejects `-` where a file is written beside the text that goes to standard output.
fn not_standard_output(option: &str, path: &Path) -> Result<(), Stop> {
    if path != Path::new(STANDARD_INPUT) {
        return Ok(());
    }
    Err(Stop::usage(format!(
        "cannot write `{option} -` to standard output, which has other text: name a file, or write \
         `./-` for one called `-`"
    )))
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Stop> {
    let mut out = io::stdout().lock();
    let done = match &arguments.command {
        Command::Play { boards, .. } if boards.is_typed() => Err(Failure::Told(Stop::usage(
            "`--file -` leaves no standard input to play with: name a file",
        ))),
        Command::Play { boards, player } => boards.check().and_then(|()| {
            if screen::is_there() {
                screen::play(&boards.opening(), *player)
            } else {
                play::run(&boards.opening(), *player, io::stdin().lock(), &mut out)
            }
        }),
        Command::Analyse { position, format } => analyse::run(position, *format, &mut out),
        Command::Generate(arguments) => generate::run(arguments, &mut out),
        Command::Convert(arguments) => convert::run(arguments, &mut out),
        Command::Optimum(arguments) => optimum::run(arguments, &mut out),
        Command::Record(arguments) => record::run(arguments, &mut out),
        Command::Check { file } => record::check(file, &mut out),
        Command::Replay { file, format } => replay::run(file, *format, &mut out),
        Command::Solve { position, format } => solve::run(position, *format, &mut out),
        Command::Watch {
            boards,
            player,
            pause,
        } => boards
            .check()
            .and_then(|()| watch::run(boards, *player, *pause, &mut out)),
        Command::Players => show::players(&mut out).map_err(Failure::from),
    };
    match done {
        Ok(()) => Ok(Exit::Done),
        Err(Failure::Told(stop)) => Err(stop),
        Err(Failure::Mines(error) | Failure::NoGuess(NoGuessError::Mines(error))) => {
            Err(Stop::usage(error.to_string()))
        }
        Err(Failure::NoGuess(error)) => {
            Err(Stop::new(Exit::Failed, Diagnostic::new(error.to_string())))
        }
        // The reader closed the output.
        Err(Failure::Terminal(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            Ok(Exit::Done)
        }
        Err(Failure::Terminal(error)) => Err(Stop::new(
            Exit::Unwritable,
            Diagnostic::new(error.to_string()),
        )),
    }
}
