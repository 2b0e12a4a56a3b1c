//! The command `graph` as a program of its own, for tests and where `kibitz-ilp` is not built:
//! `cargo run -p kibitz-graph --example graph -- learn TRAIN --out RULES`.

use std::process::ExitCode;

use clap::Parser;
use kibitz_graph::cli::{Command, run};

/// Rules from knowledge graphs.
#[derive(Debug, Parser)]
#[command(name = "graph", after_help = kibitz_text::Exit::help())]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    kibitz_text::finish(run(&Arguments::parse().command))
}
