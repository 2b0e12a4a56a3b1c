//! `kibitz-minesweeper play`: Minesweeper in the terminal, with the answers.

mod cli;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    kibitz_text::finish(cli::run(&cli::Arguments::parse()))
}
