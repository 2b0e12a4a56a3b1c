//! `chute`: the engine on standard input and output.

use std::{env, io, process::ExitCode};

use kibitz_text::{Exit, Failure, print};

const HELP: &str = "\
A playing CHUTE (Sugar 1975): 22 heuristics for moves, with alpha-beta, forward pruning or the
Closeness-To-Win strategy; endgames by rules (Morales 1992) where these are chosen.

Speaks UCI on standard input and output: install it in a chess program as an engine, or type
`position startpos`, `go depth 3` and `quit`. `uci` lists the options.

Usage: chute [--help | --version]";

fn main() -> ExitCode {
    kibitz_text::finish(run())
}

fn run() -> Result<Exit, Failure> {
    match env::args_os().nth(1) {
        None => {
            let done = kibitz_engine::converse(io::stdin().lock(), io::stdout());
            done.map_err(|error| Failure::unreadable("the input", &error))?;
        }
        Some(argument) if argument == "--help" || argument == "-h" => {
            print(&format!("{HELP}\n\n{}\n", Exit::help()))?;
        }
        Some(argument) if argument == "--version" || argument == "-V" => {
            print(&format!("chute {}\n", env!("CARGO_PKG_VERSION")))?;
        }
        Some(argument) => {
            let message = format!("unexpected argument `{}`", argument.display());
            return Err(Failure::usage(message).with_note("`chute --help` shows the usage"));
        }
    }
    Ok(Exit::Done)
}
