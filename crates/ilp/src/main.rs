//! `kibitz-ilp learn DIR --learner foil|golem|mio`: learns a definition from files and prints it as
//! Prolog; `kibitz-ilp teach DIR --listen HOST:PORT` teaches it to learners elsewhere.

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
