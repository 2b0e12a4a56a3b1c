//! `data`: files entered in the manifest, and the embedded ones made anew.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use kibitz_board::{
    open::{open, open_games},
    pgn::{Policy, Tally},
};
use kibitz_lab::{
    Answer, Exit, Lab,
    cli::{AddData, Spinner},
};

use crate::data;

/// `data`.
#[derive(Debug, Subcommand)]
pub(crate) enum Data {
    /// Enter a file of your own in data/manifest.toml; of a PGN file the games are counted
    Add {
        #[command(flatten)]
        data: AddData,
        /// Refuse a file of games of which any is bad or needs repairs
        #[arg(long)]
        strict: bool,
    },
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
            Data::Add { data, strict } => add(lab, data, *strict),
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
fn add(lab: &Lab, arguments: &AddData, strict: bool) -> Result<Answer, Answer> {
    let tally = if holds_games(&arguments.file) {
        let mut games = open_games(&arguments.file, Policy::Skip)?;
        if strict {
            games = games.refusing_repairs();
        }
        let file = arguments.file.display();
        let shown = Spinner::new(format!("{file}: games"));
        for (n_before, game) in games.by_ref().enumerate() {
            game?;
            if n_before % 1000 == 0 {
                shown.tell(format!("{file}: {n_before} games"));
            }
        }
        Some(games.into_tally())
    } else {
        None
    };
    if let Some(tally) = tally.as_ref().filter(|tally| strict && tally.n_bad > 0) {
        let report = tally.report().unwrap_or_default();
        return Ok(Answer {
            out: String::new(),
            err: format!("error: --strict takes games as in the standard only: {report}\n"),
            exit: Exit::BadInput,
        });
    }
    let notes = tally.as_ref().map(|tally| {
        let mut notes = format!("{} games", tally.n_games);
        if tally.n_repaired > 0 {
            let _ = write!(notes, ", {} of them read with repairs", tally.n_repaired);
        }
        if tally.n_bad > 0 {
            let _ = write!(notes, ", and {} that cannot be read", tally.n_bad);
        }
        notes + "."
    });
    let mut answer = arguments.enter(lab, notes);
    if let Some(report) = tally.as_ref().and_then(Tally::report) {
        let help = "experiments take the others with `{ data = \"…\", on-bad-game = \"report\" }`";
        let lines = ["warning: ", &report, "\n  ", help, "\n"];
        answer.err.extend(lines);
    }
    Ok(answer)
}

/// Whether a file is a collection of games, by the ending of its name: `.pgn`, or `.txt` for text that
/// begins like one, in any case and perhaps compressed.
fn holds_games(file: &Path) -> bool {
    let name = file.to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".zst").unwrap_or(&name);
    match name.rsplit_once('.') {
        Some((_, "pgn")) => true,
        Some((_, "txt")) => begins_with_tag(file),
        _ => false,
    }
}

fn begins_with_tag(file: &Path) -> bool {
    let mut head = Vec::new();
    let read = open(file).map(|text| text.take(1024).read_to_end(&mut head));
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    matches!(read, Ok(Ok(_))) && head.trim_ascii_start().starts_with(b"[")
}
