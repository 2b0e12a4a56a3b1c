//! The program `kibitz-lab`: the desk of the experiment runner with the kinds over tables, datasets and
//! commands, and the report.

mod compare;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use kibitz_desk::cli::{Data, Program};
use kibitz_desk::{Answer, Desk, InitOptions, init};
use kibitz_experiment::Kind;
use kibitz_lab::Exit;
use kibitz_report::NoPictures;

/// How a person starts it.
const NAME: &str = "kibitz-lab";

/// What is added to the commands of the desk.
#[derive(Debug, Subcommand)]
enum Own {
    /// Start a project, or add a table of published values to one
    Init(Init),
    /// Compare two CSV files, published and reproduced values, without a project
    ///
    /// Both have one line per row, named by the first column; or one line per value, with the columns row,
    /// column and value. A value matches if it rounds to the published digits. A column `x-tolerance`
    /// of the published file holds how far the values of column `x` may be apart.
    #[command(after_help = Exit::help())]
    Compare(compare::Arguments),
    /// Enter data files in the manifest
    #[command(subcommand)]
    Data(Data),
    /// Write the HTML report of the recorded results: published and reproduced values side by side
    Report(kibitz_report::Arguments),
}

#[derive(Args, Debug)]
struct Init {
    /// Folder of the project
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// CSV with the published values of a table
    #[arg(long, value_name = "FILE")]
    from_csv: Option<PathBuf>,
    /// Id of the table [default: paper/ and the name of the file]
    #[arg(long, value_name = "PAPER/TABLE", requires = "from_csv")]
    table: Option<String>,
    /// Column that names the rows, if not the first; may be given several times
    #[arg(long, value_name = "COLUMN", requires = "from_csv")]
    by: Vec<String>,
}

impl Init {
    fn run(&self) -> Answer {
        let answer = init(&InitOptions {
            root: self.folder.clone(),
            from_csv: self.from_csv.clone(),
            table: self.table.clone(),
            by: self.by.clone(),
            program: NAME.to_owned(),
        });
        if answer.exit != Exit::Done {
            return answer;
        }
        // Editors complete what it describes, and `reproduce --check` looks whether it is up to date.
        let schema = Desk::new(&self.folder, kinds(), NAME).schema(false);
        Answer {
            out: schema.out + &answer.out,
            err: schema.err + &answer.err,
            ..schema
        }
    }
}

/// The kinds that need nothing but files and programs, sorted by name.
fn kinds() -> Vec<Kind> {
    let mut kinds = kibitz_analysis::kinds();
    kinds.extend(kibitz_command::kinds());
    kinds.sort_by_key(Kind::name);
    kinds
}

fn program() -> Program<Own> {
    Program {
        name: NAME,
        about: "Reproduce tables from experiment files, and compare them with the published ones",
        kinds: kinds(),
        apart: |command| match command {
            Own::Init(arguments) => Some(arguments.run()),
            Own::Compare(arguments) => Some(arguments.run()),
            Own::Data(_) | Own::Report(_) => None,
        },
        set_up: |desk| {
            desk.browse = Some("kibitz-lab report --open".to_owned());
            desk.lab.add_table = Some("init --from-csv FILE --table PAPER/TABLE");
        },
        run: |desk, command| match command {
            Own::Data(command) => Ok(command.run(desk)),
            Own::Report(arguments) => arguments.run(desk, &NoPictures),
            // Those need no workspace, and are done before one is looked for.
            Own::Init(arguments) => Ok(arguments.run()),
            Own::Compare(arguments) => Ok(arguments.run()),
        },
        after_run: |desk, values| {
            kibitz_report::Arguments::default().write(desk, values, &NoPictures)
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
