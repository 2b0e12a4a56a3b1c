//! `chute`: a playing CHUTE for any program that speaks the Universal Chess Interface (UCI).
//!
//! `session` reads commands and keeps the position, `options` what can be set, `clock` how long to
//! think, `thinking` the search on its own thread, `output` what is said.

mod clock;
mod options;
mod output;
mod session;
mod thinking;

use std::{
    io::{self, BufRead as _},
    process::ExitCode,
};

use clap::Parser;

use crate::{output::Output, session::Session};

/// A playing CHUTE (Sugar 1975): 22 heuristics for moves, with alpha-beta, forward pruning or the
/// Closeness-To-Win strategy.
///
/// Speaks UCI on standard input and output: install it in a chess program as an engine, or type
/// `position startpos`, `go depth 3` and `quit`. `uci` lists the options.
#[derive(Debug, Parser)]
#[command(name = "chute", version)]
struct Arguments {}

fn main() -> ExitCode {
    Arguments::parse();
    let output = Output::new(io::stdout());
    let mut session = Session::new(output.clone());
    let mut bytes = Vec::new();
    let mut input = io::stdin().lock();
    loop {
        bytes.clear();
        match input.read_until(b'\n', &mut bytes) {
            // The other side is gone; what was asked for before is still answered.
            Ok(0) => {
                session.finish();
                return ExitCode::SUCCESS;
            }
            Ok(_) => {}
            Err(error) => {
                output.note(format_args!("input cannot be read: {error}"));
                return ExitCode::FAILURE;
            }
        }
        if session.obey(&String::from_utf8_lossy(&bytes)).is_break() {
            return ExitCode::SUCCESS;
        }
    }
}
