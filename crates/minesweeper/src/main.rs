//! `kibitz-minesweeper play`: Minesweeper in the terminal, with the answers.

#![expect(clippy::print_stderr, reason = "a command line program prints")]

mod cli;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match cli::run(&cli::Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
