//! The commands of the runner, complete but for reading arguments and printing.
//!
//! Each takes the options of the command line and returns an [`Answer`]: text for both streams and the
//! exit code. The program only translates arguments and shows progress.

pub(crate) mod add_data;
mod answer;
mod cell;
mod cells;
mod check;
mod dataset;
mod derived;
mod dry_run;
mod explain;
mod export;
mod finished;
mod graph;
mod jobs;
mod kinds;
mod list;
mod new;
mod options;
mod origin;
mod outcome_log;
mod plan;
pub(crate) mod records;
mod refresh;
mod reproduce;
mod run_outcome;
mod run_tables;
mod schema;
mod select;
pub(crate) mod session;
mod skeleton;
mod summary;
pub(crate) mod trouble;

use std::path::PathBuf;

use kibitz_text::Exit;
use serde::Serialize;

pub use add_data::AddDataOptions;
pub use cell::CellOptions;
pub use dataset::DatasetOptions;
pub use export::Export;
pub use graph::GraphFormat;
pub use jobs::{Jobs, JobsOptions};
pub use new::NewOptions;
pub use options::{Mode, ReproduceOptions};
pub use refresh::RefreshOptions;
pub use select::Selection;

use crate::cache::Toolchain;
use crate::clock::Clock;
use crate::files::FileError;
use kibitz_experiment::Kind;

/// A workspace with experiments, and the kinds that can run them.
#[derive(Clone, Debug)]
pub struct Lab {
    /// The folder that holds `experiments/`, `data/`, `results/` and the crates.
    pub root: PathBuf,
    /// Where the cache, the values of the last run and its log go; nothing here is committed.
    pub state: PathBuf,
    /// Where finished cells are kept, if not below `state`: a folder that several machines may
    /// share.
    pub cache: Option<PathBuf>,
    /// All kinds.
    pub kinds: Vec<Kind>,
    /// How a person starts the program that this is: messages and reports name its commands.
    pub program: String,
    /// Folders with external data files (`--data DIR`).
    pub data_folders: Vec<PathBuf>,
    /// The command that shows the results in a browser, which the end of a run names.
    pub browse: Option<String>,
    /// Part of the cache key.
    pub toolchain: Toolchain,
    /// What time limits go by.
    pub clock: Clock,
    /// Columns of the terminal that shows the answers; none when they go elsewhere.
    pub width: Option<usize>,
    /// The pictures of documents that the program draws.
    pub drawings: Vec<Drawing>,
}

/// A picture of the documents: `refresh` writes it, and `refresh --check` compares it.
#[derive(Clone, Copy, Debug)]
pub struct Drawing {
    /// From the root, `/` between folders.
    pub path: &'static str,
    /// The text of the file, or why it cannot be drawn.
    pub draw: fn() -> Result<String, String>,
}

impl Lab {
    /// A workspace with its state below `target/kibitz` and no external data.
    ///
    /// `program` is how a person starts it, such as `cargo xtask`.
    pub fn new(root: impl Into<PathBuf>, kinds: Vec<Kind>, program: impl Into<String>) -> Self {
        let root = root.into();
        Self {
            state: root.join("target").join("kibitz"),
            cache: None,
            root,
            kinds,
            program: program.into(),
            data_folders: Vec::new(),
            browse: None,
            toolchain: Toolchain::current(),
            clock: Clock::system(),
            width: None,
            drawings: Vec::new(),
        }
    }
}

/// The text and the exit code of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// For standard output.
    pub out: String,
    /// For standard error.
    pub err: String,
    /// Exit code.
    pub exit: Exit,
}

impl Answer {
    fn ok(out: impl Into<String>) -> Self {
        Self {
            out: out.into(),
            err: String::new(),
            exit: Exit::Done,
        }
    }

    pub(crate) fn failed(exit: Exit, err: impl Into<String>) -> Self {
        Self {
            out: String::new(),
            err: err.into(),
            exit,
        }
    }
}

/// Whatever stops a command; files that cannot be read or written are known by their error.
impl<E: std::error::Error + 'static> From<E> for Answer {
    fn from(error: E) -> Self {
        let mut causes = std::iter::successors(
            Some(&error as &(dyn std::error::Error + 'static)),
            |error| error.source(),
        );
        let exit = causes.find_map(|cause| match cause.downcast_ref::<FileError>() {
            Some(error) if error.action == "read" => Some(Exit::Missing),
            Some(_) => Some(Exit::Unwritable),
            // All that is written tells its file.
            None => cause.is::<std::io::Error>().then_some(Exit::Missing),
        });
        let exit = exit.unwrap_or(Exit::BadInput);
        Self::failed(exit, format!("error: {}\n", error_chain(&error)))
    }
}

/// An error with its sources.
pub(crate) fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For tools.
    Json,
    /// For spreadsheets; `list` only.
    Csv,
}
