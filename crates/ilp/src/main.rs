//! `kibitz-ilp learn DIR --learner foil|golem`: learns a definition from files and prints it as
//! Prolog.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line program prints"
)]

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cli::run(&cli::Arguments::parse()) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
