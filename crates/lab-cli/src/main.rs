//! The program `kibitz-lab`: the desk of the experiment runner with the kinds over tables and datasets,
//! and the report.

use std::process::ExitCode;

use clap::Subcommand;
use kibitz_desk::cli::{Data, Program};
use kibitz_report::NoPictures;

/// What is added to the commands of the desk.
#[derive(Debug, Subcommand)]
enum Own {
    /// Enter data files in the manifest
    #[command(subcommand)]
    Data(Data),
    /// Write the HTML report of the recorded results: published and reproduced values side by side
    Report(kibitz_report::Arguments),
}

fn program() -> Program<Own> {
    Program {
        name: "kibitz-lab",
        about: "Reproduces tables from experiment files, and compares them with the published ones",
        kinds: kibitz_analysis::kinds(),
        set_up: |desk| desk.browse = Some("kibitz-lab report --open".to_owned()),
        run: |desk, command| match command {
            Own::Data(command) => Ok(command.run(desk)),
            Own::Report(arguments) => arguments.run(desk, &NoPictures),
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
