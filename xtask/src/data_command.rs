//! `data`: enters files in the manifest, and regenerates the embedded ones.

use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use kibitz_board::{
    open::{open, open_games},
    pgn::{Collection, Policy, Tally, read_games},
};
use kibitz_chute_library::{rebuild, verify};
use kibitz_desk::{
    Answer, Desk,
    cli::{AddData, Spinner},
};
use kibitz_experiment::DataFile;
use kibitz_lab::Exit;
use kibitz_tables::games::{self, is_rows_of_games};

/// `data`.
#[derive(Debug, Subcommand)]
pub(crate) enum Data {
    /// Enter a file or folder of your own in data/manifest.toml; games are counted, and of a table the
    /// columns are shown
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
    pub(crate) fn run(&self, desk: &Desk) -> Result<Answer, Answer> {
        match self {
            Data::Add { data, strict } => add(desk, data, *strict),
            Data::Rebuild {
                names,
                archive,
                check,
            } => {
                let work = if *check { verify } else { rebuild };
                let (out, err, exit) = match work(archive, &desk.lab.root, names) {
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

/// Counts the games of a collection, lists the bad ones, and enters the file; of a table shows the
/// columns.
fn add(desk: &Desk, arguments: &AddData, strict: bool) -> Result<Answer, Answer> {
    let file = data_file(&arguments.file)?;
    let is_table = file.as_ref().is_some_and(|file| !holds_games(file.path()));
    let tally = match &file {
        Some(file) if is_table => {
            if !is_rows_of_games(file)? {
                return arguments.enter_table(desk, file);
            }
            let text = games::open(file)?;
            let name = arguments.file.display().to_string();
            Some(count(
                read_games(name, text, Policy::Skip),
                arguments,
                strict,
            )?)
        }
        _ if holds_games(&arguments.file) => {
            let games = open_games(&arguments.file, Policy::Skip)?;
            Some(count(games, arguments, strict)?)
        }
        _ => None,
    };
    if let Some(tally) = tally.as_ref().filter(|tally| strict && tally.n_bad > 0) {
        let report = tally.full_report().unwrap_or_default();
        return Ok(Answer {
            out: String::new(),
            err: format!("error: --strict takes games as in the standard only: {report}\n"),
            exit: Exit::BadInput,
        });
    }
    let notes = tally.as_ref().map(|tally| {
        let mut notes = kibitz_text::counted(tally.n_games, "game", "games");
        if tally.n_repaired > 0 {
            let _ = write!(notes, ", {} of them read with repairs", tally.n_repaired);
        }
        if tally.n_bad > 0 {
            let _ = write!(notes, ", and {} that cannot be read", tally.n_bad);
        }
        notes + "."
    });
    let what = if notes.is_some() { "games" } else { "file" };
    let mut answer = arguments.enter(desk, notes, what);
    if let Some(report) = tally.as_ref().and_then(Tally::full_report) {
        answer.err.extend(["warning: ", &report, "\n"]);
    }
    if tally.is_some_and(|tally| tally.n_bad > 0) {
        answer.err.push_str(ABOUT_BAD_GAMES);
    }
    Ok(answer)
}

/// How an experiment leaves bad games out.
const ABOUT_BAD_GAMES: &str = "  \
  = an experiment stops at a bad game; to leave bad games out, write under [params] of its file, for `games = \"games\"`:
      games = { data = \"games\", on-bad-game = \"report\" }
";

/// Counts games.
fn count<R: Read>(
    mut games: Collection<R>,
    arguments: &AddData,
    strict: bool,
) -> Result<Tally, Answer> {
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
    Ok(games.into_tally())
}

/// A file or folder that may be a table, by its ending.
fn data_file(path: &Path) -> Result<Option<DataFile>, Answer> {
    let is_table = matches!(ending(path).as_deref(), Some("parquet" | "csv" | "tsv"));
    if !is_table && !path.is_dir() {
        return Ok(None);
    }
    Ok(Some(kibitz_lab::data_file(path)?))
}

/// The extension of a file in lower case, without that of its compression: the reader checks whether
/// it is supported.
fn ending(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_string_lossy().to_ascii_lowercase();
    let packed = [".zst", ".gz", ".bz2", ".xz", ".zip"];
    let name = packed
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name);
    name.rsplit_once('.').map(|(_, end)| end.to_owned())
}

/// Whether a file is a collection of games, by the ending of its name: `.pgn`, or `.txt` or none for
/// text that begins like one, in any case and perhaps compressed.
fn holds_games(file: &Path) -> bool {
    match ending(file).as_deref() {
        Some("pgn") => true,
        Some("txt") | None => begins_with_tag(file),
        _ => false,
    }
}

fn begins_with_tag(file: &Path) -> bool {
    let mut head = Vec::new();
    let read = open(file).map(|text| text.take(1024).read_to_end(&mut head));
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    matches!(read, Ok(Ok(_))) && head.trim_ascii_start().starts_with(b"[")
}
