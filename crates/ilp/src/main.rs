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
    kibitz_text::finish(cli::run(&cli::Arguments::parse()))
}
