//! The command line of Kibitz: `cargo xtask reproduce` and its companions.
//!
//! The commands are `kibitz-lab`'s; here are the experiment kinds, and what makes the embedded data.

mod data;
mod data_command;
mod kinds;
mod pictures;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use kibitz_lab::Exit;
use kibitz_lab::cli::{Command, Workspace, say, watch};

/// PAL spends a quarter of its time on small terms that live briefly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rebuilds published tables on learning from games, and says cell by cell whether they agree.
#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    version,
    bin_name = "cargo xtask",
    disable_help_subcommand = true,
    after_help = Exit::help()
)]
struct Cli {
    #[command(flatten)]
    workspace: Workspace,
    #[command(subcommand)]
    command: Whole,
}

#[derive(Debug, Subcommand)]
enum Whole {
    #[command(flatten)]
    Lab(Command),
    /// Enter a data file in the manifest, or make the embedded ones anew
    #[command(subcommand)]
    Data(data_command::Data),
    /// Write the pages that show every figure beside print, from the recorded results
    #[command(after_help = Exit::help())]
    Report(kibitz_report::Arguments),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let lab = cli.workspace.lab("cargo xtask", kinds::kinds());
    let answer = lab.and_then(|lab| match &cli.command {
        // The pages follow what is saved.
        Whole::Lab(Command::Reproduce(arguments)) if arguments.watch => {
            let report = kibitz_report::Arguments::default();
            watch(&lab, arguments, &|lab| report.run(lab, &pictures::Drawn))
        }
        Whole::Lab(command) => command.run(&lab),
        Whole::Data(command) => command.run(&lab),
        Whole::Report(arguments) => arguments.run(&lab, &pictures::Drawn),
    });
    say(&answer.unwrap_or_else(|answer| answer))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_sound() {
        super::Cli::command().debug_assert();
    }
}
