//! The command line of Kibitz: `cargo xtask reproduce` and its companions.
//!
//! The commands are `kibitz-lab`'s; here are the experiment kinds, and the pictures of the pages.

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
    /// Enter a data file in the manifest, or regenerate the embedded ones
    #[command(subcommand)]
    Data(data_command::Data),
    /// Build pages that run the libraries in the browser
    Playground(playground::Arguments),
    /// Write the HTML report of the recorded results: published and reproduced values side by side
    #[command(after_help = Exit::help())]
    Report(ReportArguments),
}

#[derive(Debug, Args)]
struct ReportArguments {
    #[command(flatten)]
    pages: kibitz_report::Arguments,
    /// Also build the pages that run the libraries in the browser
    #[arg(long)]
    playground: bool,
}

impl ReportArguments {
    fn run(&self, lab: &Lab) -> Result<Answer, Answer> {
        if !self.playground {
            return self.pages.run(lab, &Drawn);
        }
        // The front page links the playgrounds that it finds.
        self.pages.empty(lab)?;
        let folder = self.pages.folder(lab).join(playground::FOLDER);
        let mut missing = None;
        let written = playground::Pages::build(&lab.root).and_then(|built| match built {
            playground::Built::Pages(pages) => pages.write(&folder),
            playground::Built::Missing { command } => {
                missing = Some(command);
                Ok(())
            }
        });
        let mut answer = self.pages.run(lab, &Drawn)?;
        if let Some(command) = missing {
            let _ = writeln!(
                answer.err,
                "warning: the playgrounds were not built: install their compiler with `{command}`"
            );
        }
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
    let lab = lab.map(|lab| Lab {
        drawings: pictures::drawings(),
        browse: Some("cargo xtask report --open".to_owned()),
        ..lab
    });
    let answer = lab.and_then(|lab| match &cli.command {
        // The pages follow what is saved.
        Whole::Lab(Command::Reproduce(arguments)) if arguments.watch => {
            let report = kibitz_report::Arguments::default();
            watch(&lab, arguments, &|lab, values| {
                report.write(lab, values, &Drawn)
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
