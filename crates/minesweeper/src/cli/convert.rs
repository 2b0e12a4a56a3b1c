//! `convert`: boards from one format to another.

use std::io::Write;
use std::path::{Path, PathBuf};

use kibitz_minesweeper::{Board, Replay, ReplayFormat};
use kibitz_text::{Diagnostic, Failure as Stop, Location, keep_inputs};

use super::{Failure, STANDARD_INPUT, mistakes, replay, source};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A board as text, `.mbf` or `.abf`, or a replay (`.avf`, `.evf`, `.rmv`, `.mvf`); `-` for text from
    /// standard input.
    from: PathBuf,
    /// The file to write: `.mbf` or `.abf`, or text by any other name; `-` for text to standard output.
    to: PathBuf,
}

pub(super) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Failure> {
    let Arguments { from, to } = arguments;
    if extension(from) == replay::SET {
        let message = "an .evfs file is a set of replays with a board each; `replay` shows them";
        return Err(Stop::usage(message).into());
    }
    let read = if from == Path::new(STANDARD_INPUT) {
        Path::new("/dev/stdin")
    } else {
        from
    };
    keep_inputs(&[read], &[to])?;
    if is_replay(to) {
        let message = format!(
            "cannot write a replay: `{}` is named as one, and a board has no clicks; name the file \
             `.mbf`, `.abf` or `.txt`",
            to.display()
        );
        return Err(Stop::usage(message).into());
    }
    let board = match ReplayFormat::of_extension(&extension(from)) {
        Some(format) => self::replay(from, format)?.board,
        None => board(from)?,
    };
    if to == Path::new(STANDARD_INPUT) {
        write!(out, "{}", board.to_text())?;
        return Ok(());
    }
    let bytes = if is_mbf(to) {
        board
            .to_mbf()
            .map_err(|error| Stop::usage(error.to_string()))?
    } else {
        board.to_text().into_bytes()
    };
    std::fs::write(to, bytes).map_err(|error| Stop::unwritable(to, &error))?;
    Ok(())
}

/// The extension of a file's name, in lower case.
pub(super) fn extension(path: &Path) -> String {
    let extension = path.extension().unwrap_or_default();
    extension.to_string_lossy().to_lowercase()
}

fn is_mbf(path: &Path) -> bool {
    ["mbf", "abf"].contains(&extension(path).as_str())
}

/// Whether a file is named as a replay, or a set of them.
fn is_replay(path: &Path) -> bool {
    let extension = extension(path);
    extension == replay::SET || ReplayFormat::of_extension(&extension).is_some()
}

/// What is wrong with a file that is not text.
pub(super) fn wrong(path: &Path, problem: &dyn std::error::Error) -> Stop {
    let file = Location::of_file(path.display().to_string());
    Stop::from(Diagnostic::new(problem.to_string()).at(file))
}

/// The board of a file: text, `.mbf` or `.abf`.
pub(super) fn board(path: &Path) -> Result<Board, Stop> {
    if is_mbf(path) {
        let bytes = std::fs::read(path).map_err(|error| Stop::unreadable(path, &error))?;
        return Board::from_mbf(&bytes).map_err(|problem| wrong(path, &problem));
    }
    let source = source(path)?;
    Board::from_text(source.text()).map_err(|errors| mistakes(&source, errors))
}

/// The replay of a file.
pub(super) fn replay(path: &Path, format: ReplayFormat) -> Result<Replay, Stop> {
    let bytes = std::fs::read(path).map_err(|error| Stop::unreadable(path, &error))?;
    Replay::from_bytes(&bytes, format).map_err(|problem| wrong(path, &problem))
}
