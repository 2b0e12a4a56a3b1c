//! `kibitz-ilp learn DIR --learner NAME` learns a definition from files and prints it as Prolog;
//! `check DIR` says what stands in the way; `teach DIR --listen HOST:PORT`, with the feature `tcp`,
//! teaches it to learners elsewhere.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    kibitz_text::finish(cli::run(&cli::Arguments::parse()))
}
