//! `kibitz-qsim simulate SYSTEM.toml`: all behaviors of a qualitative model.

#![expect(clippy::print_stderr, reason = "a command line program prints")]

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cli::run(&cli::Arguments::parse()) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
