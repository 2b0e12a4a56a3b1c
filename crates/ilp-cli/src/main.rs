//! `kibitz-ilp learn DIR --learner NAME` learns a definition from files and prints it as Prolog;
//! `check DIR` says what stands in the way, `evaluate` and `explain` test a theory.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    kibitz_text::finish(cli::run(&cli::Arguments::parse()))
}
