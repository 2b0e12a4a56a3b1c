//! `data`: files entered in the manifest, and the embedded ones made anew.

use std::path::PathBuf;

use clap::Subcommand;
use kibitz_board::{
    open::open_games,
    pgn::{Policy, Tally},
};
use kibitz_lab::{Answer, Exit, Lab, cli::AddData};

use crate::data;

/// `data`.
#[derive(Debug, Subcommand)]
pub(crate) enum Data {
    /// Enter a file of your own in data/manifest.toml; of a PGN file the games are counted
    Add(AddData),
    /// Select the games from the archive and write the files and their manifest entries
    Rebuild {
        /// Data sets by name [default: all]
        #[arg(value_name = "NAMES")]
        names: Vec<String>,
        /// The archive of Debian's source package gnuchess-book 1.02, plain or zstd-compressed
        #[arg(long, value_name = "PATH")]
        archive: PathBuf,
        /// Write nothing, and fail when a file or its entry differs
        #[arg(long)]
        check: bool,
    },
}

impl Data {
    /// Carries it out.
    pub(crate) fn run(&self, lab: &Lab) -> Result<Answer, Answer> {
        match self {
            Data::Add(arguments) => add(lab, arguments),
            Data::Rebuild {
                names,
                archive,
                check,
            } => {
                let work = if *check { data::verify } else { data::rebuild };
                let (out, err, exit) = match work(archive, &lab.root, names) {
                    Ok(report) => (report, String::new(), Exit::Done),
                    Err(error) => {
                        let mut causes = error.chain();
                        let exit = if causes.any(<dyn std::error::Error>::is::<std::io::Error>) {
                            Exit::Missing
                        } else {
                            Exit::BadInput
                        };
                        (String::new(), format!("error: {error:#}\n"), exit)
                    }
                };
                Ok(Answer { out, err, exit })
            }
        }
    }
}

/// Counts the games of a PGN file, lists the bad ones, and enters the file.
fn add(lab: &Lab, arguments: &AddData) -> Result<Answer, Answer> {
    let name = arguments.file.to_string_lossy();
    let tally = if [".pgn", ".pgn.zst"].iter().any(|end| name.ends_with(end)) {
        let mut games = open_games(&arguments.file, Policy::Skip)?;
        for game in games.by_ref() {
            game?;
        }
        Some(games.into_tally())
    } else {
        None
    };
    let notes = tally.as_ref().map(|tally| match tally.n_bad {
        0 => format!("{} games.", tally.n_games),
        n_bad => format!("{} games, and {n_bad} that cannot be read.", tally.n_games),
    });
    let mut answer = lab.add_data(&arguments.options(notes));
    if let Some(report) = tally.as_ref().and_then(Tally::report) {
        let help = "experiments take the others with `{ data = \"…\", on-bad-game = \"report\" }`";
        let lines = ["warning: ", &report, "\n  ", help, "\n"];
        answer.err.extend(lines);
    }
    Ok(answer)
}
