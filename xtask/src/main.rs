//! The command line of Kibitz: `cargo xtask reproduce` and its companions.
//!
//! Arguments are in `cli`, one file per subcommand in `cmd`, the experiment kinds in `kinds`,
//! and what makes the embedded data in `data`; the work itself is `kibitz-lab`'s.

mod cli;
mod cmd;
mod data;
mod kinds;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    match cmd::run(&cli::Cli::parse()) {
        Ok(code) => code,
        Err(error) => {
            cmd::say_error(&format!("error: {error:#}\n"));
            ExitCode::from(2)
        }
    }
}
