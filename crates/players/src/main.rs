//! `kibitz-players fit GAMES.pgn --player NAME`: a player's weights from his moves.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    kibitz_text::finish(cli::run(&cli::Arguments::parse()))
}
