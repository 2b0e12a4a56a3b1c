//! `chute`: the engine on standard input and output.

use std::{env, io, process::ExitCode};

const HELP: &str = "\
A playing CHUTE (Sugar 1975): 22 heuristics for moves, with alpha-beta, forward pruning or the
Closeness-To-Win strategy; endgames by rules (Morales 1992) where these are chosen.

Speaks UCI on standard input and output: install it in a chess program as an engine, or type
`position startpos`, `go depth 3` and `quit`. `uci` lists the options.

Usage: chute [--help | --version]";

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program speaks"
)]
fn main() -> ExitCode {
    match env::args_os().nth(1) {
        None => match kibitz_engine::converse(io::stdin().lock(), io::stdout()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Some(argument) if argument == "--help" || argument == "-h" => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        Some(argument) if argument == "--version" || argument == "-V" => {
            println!("chute {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        Some(argument) => {
            eprintln!("unexpected argument `{}`\n\n{HELP}", argument.display());
            ExitCode::from(2)
        }
    }
}
