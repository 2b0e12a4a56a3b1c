//! `kibitz-qsim simulate SYSTEM.toml`: all behaviors of a qualitative model.

#![expect(clippy::print_stderr, reason = "a command line program prints")]

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    kibitz_text::finish(cli::run(&cli::Arguments::parse()))
}
