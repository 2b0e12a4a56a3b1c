//! The command line of Kibitz: `cargo xtask reproduce` and its companions.
//!
//! The commands are `kibitz-desk`'s; here are the experiment kinds, and the pictures of the pages.

mod data_command;
mod kinds;
mod pictures;
mod playground;

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use kibitz_desk::cli::Program;
use kibitz_desk::{Answer, Desk};
use kibitz_lab::Exit;
use pictures::PaperPictures;

/// PAL spends a quarter of its time on small terms that live briefly.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What is added to the commands of the desk.
#[derive(Debug, Subcommand)]
enum Own {
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
    fn run(&self, desk: &Desk) -> Result<Answer, Answer> {
        if !self.playground {
            return self.pages.run(desk, &PaperPictures);
        }
        // The front page links the playgrounds that it finds.
        self.pages.empty(desk)?;
        let folder = self.pages.folder(desk).join(playground::FOLDER);
        let mut missing = None;
        let written = playground::Pages::build(&desk.lab.root).and_then(|built| match built {
            playground::PlaygroundBuild::Pages(pages) => pages.write(&folder),
            playground::PlaygroundBuild::Missing { command } => {
                missing = Some(command);
                Ok(())
            }
        });
        let mut answer = self.pages.run(desk, &PaperPictures)?;
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

/// `cargo xtask`: the desk with the kinds of the papers.
fn program() -> Program<Own> {
    Program {
        name: "cargo xtask",
        about: "Rebuild published tables on learning from games, and say cell by cell whether they agree",
        kinds: kinds::kinds(),
        apart: |_| None,
        set_up: |desk| {
            desk.drawings = pictures::drawings();
            desk.browse = Some("cargo xtask report --open".to_owned());
        },
        run: |desk, command| match command {
            Own::Data(command) => command.run(desk),
            Own::Playground(command) => Ok(command.run(desk)),
            Own::Report(arguments) => arguments.run(desk),
        },
        after_run: |desk, values| {
            kibitz_report::Arguments::default().write(desk, values, &PaperPictures)
        },
    }
}

fn main() -> ExitCode {
    program().main()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound() {
        super::program().command().debug_assert();
    }
}
