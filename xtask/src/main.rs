//! The command line of Kibitz: `cargo xtask reproduce` and its companions.
//!
//! The commands are `kibitz-lab`'s; here are the experiment kinds, and what makes the embedded data.

mod data;
mod data_command;
mod kinds;
mod pictures;
mod playground;

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use kibitz_lab::cli::{Command, Workspace, say, watch};
use kibitz_lab::{Answer, Exit, Lab};
use pictures::Drawn;

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
    /// Build pages that run the libraries in the browser
    Playground(playground::Arguments),
    /// Write the pages that show every figure beside print, from the recorded results
    #[command(after_help = Exit::help())]
    Report(ReportArguments),
}

#[derive(Debug, Args)]
struct ReportArguments {
    #[command(flatten)]
    pages: kibitz_report::Arguments,
    /// With the pages that run the libraries in the browser
    #[arg(long)]
    playground: bool,
}

impl ReportArguments {
    fn run(&self, lab: &Lab) -> Result<Answer, Answer> {
        if !self.playground {
            return self.pages.run(lab, &Drawn::default());
        }
        // The folder of the report is emptied before it is written.
        let built = playground::Pages::build(&lab.root);
        let drawn = Drawn {
            playground: matches!(built, Ok(playground::Built::Pages(_))),
        };
        let mut answer = self.pages.run(lab, &drawn)?;
        let folder = self.pages.folder(lab).join(playground::FOLDER);
        let written = built.and_then(|built| match built {
            playground::Built::Pages(pages) => pages.write(&folder),
            playground::Built::Missing { command } => {
                let _ = writeln!(
                    answer.err,
                    "warning: without playgrounds: `{command}` brings what compiles them"
                );
                Ok(())
            }
        });
        if let Err(error) = written {
            let _ = writeln!(answer.err, "error: {error:#}");
            answer.exit = Exit::Failed;
        }
        Ok(answer)
    }
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let lab = cli.workspace.lab("cargo xtask", kinds::kinds());
    let answer = lab.and_then(|lab| match &cli.command {
        // The pages follow what is saved.
        Whole::Lab(Command::Reproduce(arguments)) if arguments.watch => {
            let report = kibitz_report::Arguments::default();
            watch(&lab, arguments, &|lab, values| {
                report.write(lab, values, &Drawn::default())
            })
        }
        Whole::Lab(command) => command.run(&lab),
        Whole::Data(command) => command.run(&lab),
        Whole::Playground(command) => Ok(command.run(&lab)),
        Whole::Report(arguments) => arguments.run(&lab),
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
