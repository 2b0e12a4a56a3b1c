//! The desk: a workspace, and how its commands show it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use kibitz_command::input::Input;
use kibitz_experiment::Kind;
use kibitz_lab::Lab;
use kibitz_lab::session::Session;

/// A workspace with the commands that people give, as methods.
#[derive(Clone, Debug)]
pub struct Desk {
    /// The workspace.
    pub lab: Lab,
    /// The command that shows the results in a browser, which the end of a run names.
    pub browse: Option<String>,
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

impl Desk {
    /// A workspace as [`Lab::new`] has it, shown without a terminal.
    pub fn new(root: impl Into<PathBuf>, kinds: Vec<Kind>, program: impl Into<String>) -> Self {
        Self {
            lab: Lab::new(root, kinds, program),
            browse: None,
            width: None,
            drawings: Vec::new(),
        }
    }
}

/// Files and folders of the workspace that steps read, by their paths from the root.
pub(crate) fn workspace_inputs(session: &Session<'_>) -> BTreeSet<String> {
    let entries = session.catalog.entries.iter();
    let used = entries.flat_map(|entry| &entry.experiment.data);
    let paths = used.filter_map(|used| match Input::of_name(&used.entry) {
        Some(Input::File(path)) => Some(path),
        _ => None,
    });
    paths.collect()
}
