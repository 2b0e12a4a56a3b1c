//! A playing CHUTE: a chess engine with the heuristics and strategies of Sugar 1975, for any program
//! that speaks the Universal Chess Interface (UCI).
//!
//! The binary `chute` connects [`converse`] to standard input and output; a program in Rust can hold
//! the same conversation through a [`Session`], line by line, without a process of its own.
//!
//! `session` reads commands and keeps the position, `options` what can be set, `clock` how long to
//! think, `thinking` the search on its own thread, `rules` play by the rules of an endgame, `output`
//! what is said.
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
mod options;
mod output;
mod rules;
mod session;
mod thinking;

use std::io::{self, BufRead, Write};

use crate::output::Output;
pub use crate::{output::Transcript, session::Session};

/// Obeys the commands in `input`, line by line, until one says to quit or the input ends, and answers
/// in `output`.
///
/// At the end of the input a search that ends by itself is waited for.
///
/// # Errors
/// The input cannot be read. A chess program that no longer listens is no error.
pub fn converse(mut input: impl BufRead, output: impl Write + Send + 'static) -> io::Result<()> {
    let output = Output::new(output);
    let mut session = Session::with_output(output.clone());
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match input.read_until(b'\n', &mut bytes) {
            // The other side is gone; what was asked for before is still answered.
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
