//! A chess engine after CHUTE, with the heuristics and strategies of Sugar 1975, for the Universal
//! Chess Interface (UCI).
//!
//! The binary `chute` connects [`converse`] to standard input and output; a [`Session`] does the same
//! within a Rust program, line by line.
//!
//! `command` parses commands, `session` holds the game, `options` the UCI options, `limits` the search
//! limits, `clock` manages time, `search_thread` runs a `task`, `report` formats its results,
//! `endgame_rules` plays endgames by rule, `output` writes answers.
//!
//! # Examples
//! ```
//! use std::io::Cursor;
//!
//! let commands = "position fen 6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1\ngo depth 2\n";
//! let said = kibitz_engine::Transcript::default();
//! kibitz_engine::converse(Cursor::new(commands), said.clone())?;
//! assert!(said.text().ends_with("bestmove e1e8\n"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod clock;
mod command;
mod endgame_rules;
mod limits;
mod options;
mod output;
mod report;
mod search_thread;
mod session;
mod task;

use std::io::{self, BufRead, Write};

use crate::output::Output;
pub use crate::{output::Transcript, session::Session};

/// Executes the UCI commands of `input`, line by line, until `quit` or the end of the input, and
/// answers in `output`.
///
/// At the end of the input it waits for a search that ends by itself.
///
/// # Errors
/// The input cannot be read. A closed output is not an error.
pub fn converse(mut input: impl BufRead, output: impl Write + Send + 'static) -> io::Result<()> {
    let output = Output::new(output);
    let mut session = Session::with_output(output.clone());
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match input.read_until(b'\n', &mut bytes) {
            // The input is closed; earlier commands are still answered.
            Ok(0) => {
                session.finish();
                return Ok(());
            }
            Ok(_) => {}
            Err(error) => {
                output.note(format_args!("input cannot be read: {error}"));
                return Err(error);
            }
        }
        if session.obey(&String::from_utf8_lossy(&bytes)).is_break() {
            return Ok(());
        }
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
