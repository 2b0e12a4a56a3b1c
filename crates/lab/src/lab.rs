//! A workspace.

use std::path::PathBuf;

use kibitz_experiment::Kind;
use kibitz_text::{Diagnostic, Exit, suggestion};

use crate::cache::Toolchain;
use crate::clock::Clock;
use crate::error::LabError;

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
    /// The command that adds a table of published values, if the program has one besides `new`.
    pub add_table: Option<&'static str>,
    /// Folders with external data files (`--data DIR`).
    pub data_folders: Vec<PathBuf>,
    /// Part of the cache key.
    pub toolchain: Toolchain,
    /// What time limits go by.
    pub clock: Clock,
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
            add_table: None,
            data_folders: Vec::new(),
            toolchain: Toolchain::current(),
            clock: Clock::system(),
        }
    }

    /// The kind of a name.
    ///
    /// # Errors
    /// Exit code 2 for an unknown name, with those that it may mean.
    pub fn kind(&self, name: &str) -> Result<&Kind, LabError> {
        let kind = self.kinds.iter().find(|kind| kind.name() == name);
        kind.ok_or_else(|| {
            let label = suggestion(name, self.kinds.iter().map(Kind::name));
            let unknown = Diagnostic::new(format!("unknown kind `{name}`")).with_label(label);
            LabError::new(Exit::BadInput, format!("{unknown}\n"))
        })
    }
}
