//! `kibitz-qsim simulate SYSTEM.toml`: all behaviors of a qualitative model.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    kibitz_text::finish(cli::run(&cli::Arguments::parse()))
}
