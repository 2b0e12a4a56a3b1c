//! Tasks in files: which layout a folder has, and where its clauses stand.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kibitz_prolog::{Clause, Dialect, SymbolTable};
use kibitz_text::{Diagnostic, Diagnostics, Exit, Failure, Location, SourceFile};
use thiserror::Error;

use super::Task;
use super::issue::TaskError;
use super::source::Source;

/// The layouts of task files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Layout {
    /// A folder with `exs.pl`, `bk.pl` and `bias.pl`.
    Popper,
    /// One .pl file with `begin_bg`, `begin_in_pos` and `begin_in_neg`; or .b, .f and .n files.
    Aleph,
    /// Files .b, .f and .n.
    Golem,
    /// One .pl file whose directives end in a question mark.
    Progol,
    /// One .d file.
    Foil,
}

/// Why a task cannot be read from files.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A folder or file that is not there or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The folder or file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Files of no layout.
    #[error(
        "{} holds no task: expected exs.pl, bk.pl and bias.pl (Popper), .b .f .n files (Aleph, \
         Golem), a .d file (FOIL) or a .pl file (Aleph, Progol)",
        path.display()
    )]
    NoTask {
        /// The folder or file.
        path: PathBuf,
    },
    /// A file of the layout is missing.
    #[error("{} holds no {wanted}", path.display())]
    Missing {
        /// The folder or file.
        path: PathBuf,
        /// The name or the ending of the file.
        wanted: String,
    },
    /// A folder with several files where one is wanted.
    #[error("{} holds {} files that end in {ending}: {}; name the one to read", path.display(), files.len(), files.join(", "))]
    Ambiguous {
        /// The folder.
        path: PathBuf,
        /// Their ending.
        ending: String,
        /// Their names.
        files: Vec<String>,
    },
    /// A file that is not UTF-8.
    #[error(transparent)]
    Encoding(#[from] Diagnostics),
    /// The text is no task.
    #[error(transparent)]
    Task(#[from] TaskError),
}

impl From<LoadError> for Failure {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::File { path, source } => Failure::unreadable(path, &source),
            LoadError::Encoding(mistakes) => mistakes.into(),
            LoadError::Task(error) => error.into(),
            LoadError::NoTask { .. } | LoadError::Missing { .. } => {
                Failure::new(Exit::Missing, Diagnostic::new(error.to_string()))
            }
            LoadError::Ambiguous { .. } => {
                Failure::new(Exit::BadInput, Diagnostic::new(error.to_string()))
            }
        }
    }
}

/// The texts that a task was read from, to say where its clauses stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    /// None without files.
    layout: Option<Layout>,
    /// Names and contents.
    texts: Arc<[(String, String)]>,
}

impl Files {
    pub(super) fn layout(&self) -> Option<Layout> {
        self.layout
    }

    fn sources(&self) -> impl Iterator<Item = Source<'_>> {
        let texts = self.texts.iter();
        texts.map(|(name, text)| Source { name, text })
    }

    fn place_of(&self, clause: &Clause, symbols: &SymbolTable) -> Option<Location> {
        let dialect = match self.layout {
            Some(Layout::Progol) => Dialect::Progol,
            _ => Dialect::Prolog,
        };
        let mut sources = self.sources();
        sources.find_map(|source| source.place_of(clause, dialect, symbols))
    }
}

impl Task {
    /// Reads a task from a folder, or from its only file, in the layout that the names of the files
    /// tell: Popper's, Aleph's, Golem's, Progol's or FOIL's.
    ///
    /// # Errors
    /// [`LoadError`] for a path that is not there, files of no layout, and every problem in the
    /// texts, with file, line and column.
    pub fn from_dir(path: impl AsRef<Path>) -> Result<Task, LoadError> {
        Self::only_of(path.as_ref(), None)
    }

    /// Reads a task from a folder or file in a layout.
    ///
    /// # Errors
    /// As [`Task::from_dir`].
    pub fn from_layout(path: impl AsRef<Path>, layout: Layout) -> Result<Task, LoadError> {
        Self::only_of(path.as_ref(), Some(layout))
    }

    fn only_of(path: &Path, layout: Option<Layout>) -> Result<Task, LoadError> {
        let tasks = Self::each_from(path, layout)?;
        Ok(Self::only(tasks, &path.to_string_lossy())?)
    }

    /// Reads a task for each predicate that the files ask to define, in the order of their declarations; in
    /// the layout that their names tell if none is given. The tasks share background and symbols, and
    /// each has its own examples.
    ///
    /// # Errors
    /// As [`Task::from_dir`].
    pub fn each_from(
        path: impl AsRef<Path>,
        layout: Option<Layout>,
    ) -> Result<Vec<Task>, LoadError> {
        read(path.as_ref(), layout)
    }

    /// Whether the task was read from files of which the one of the negative examples, `.n`, is missing.
    pub fn is_without_negative_file(&self) -> bool {
        self.files.sources().any(|source| source.name.is_empty())
    }

    /// Where a clause of the background stands, if the task was read from files.
    pub fn place_of(&self, clause: &Clause) -> Option<Location> {
        self.files.place_of(clause, &self.symbols)
    }
}

fn read(path: &Path, layout: Option<Layout>) -> Result<Vec<Task>, LoadError> {
    let folder = Folder::list(path)?;
    let layout = match layout {
        Some(layout) => layout,
        None => folder.layout()?,
    };
    let wanted: &[&str] = match layout {
        Layout::Popper => &POPPER,
        Layout::Foil => &[".d"],
        Layout::Golem => &[".b", ".f", ".n"],
        Layout::Aleph if folder.find(".b").is_some() => &[".b", ".f", ".n"],
        Layout::Aleph | Layout::Progol => &[".pl"],
    };
    // Where nothing is known to be false the file may be missing; its text has no name then.
    let load = |wanted: &&str| match folder.find(wanted) {
        None if *wanted == ".n" => Ok((String::new(), String::new())),
        _ => folder.load(wanted),
    };
    let texts = wanted.iter().map(load);
    let files = Files {
        layout: Some(layout),
        texts: texts.collect::<Result<_, _>>()?,
    };
    let sources: Vec<Source<'_>> = files.sources().collect();
    let mut tasks = match (layout, &sources[..]) {
        (Layout::Popper, &[examples, background, bias]) => {
            Task::each_from_popper(examples, background, bias)?
        }
        (_, &[b, f, n]) => Task::each_from_three_files(b, f, n)?,
        (Layout::Foil, &[table]) => Task::each_from_foil(table)?,
        (Layout::Progol, &[program]) => Task::each_from_progol(program)?,
        (_, &[program]) => Task::each_from_aleph(program)?,
        _ => unreachable!("one text or three were asked for"),
    };
    for task in &mut tasks {
        task.files = files.clone();
    }
    Ok(tasks)
}

/// The files of Popper's layout.
const POPPER: [&str; 3] = ["exs.pl", "bk.pl", "bias.pl"];

/// A folder with its files by name, or a file alone.
struct Folder<'p> {
    path: &'p Path,
    files: Vec<PathBuf>,
}

impl<'p> Folder<'p> {
    fn list(path: &'p Path) -> Result<Self, LoadError> {
        let failure = |source| LoadError::File {
            path: path.to_owned(),
            source,
        };
        let mut files = Vec::new();
        if fs::metadata(path).map_err(failure)?.is_dir() {
            for entry in fs::read_dir(path).map_err(failure)? {
                files.push(entry.map_err(failure)?.path());
            }
            files.sort();
        } else {
            files.push(path.to_owned());
        }
        Ok(Self { path, files })
    }

    /// A file by its name or, after a dot, by its ending.
    fn find(&self, wanted: &str) -> Option<&PathBuf> {
        self.all(wanted).next()
    }

    fn all(&self, wanted: &str) -> impl Iterator<Item = &PathBuf> {
        self.files
            .iter()
            .filter(move |file| match wanted.strip_prefix('.') {
                Some(ending) => file.extension().is_some_and(|own| own == ending),
                None => file.file_name().is_some_and(|own| own == wanted),
            })
    }

    fn layout(&self) -> Result<Layout, LoadError> {
        let is_query = |line: &str| {
            let code = line.split('%').next().unwrap_or("").trim_end();
            let code = code.trim_end_matches('.').trim_end();
            code.starts_with(":-") && code.ends_with('?')
        };
        // Two of the three are no accident: the message names the third.
        let n_popper = POPPER.iter().filter(|own| self.find(own).is_some()).count();
        if self.find("bias.pl").is_some() || n_popper == 2 {
            return Ok(Layout::Popper);
        }
        let of_ending = [(".d", Layout::Foil), (".b", Layout::Golem)];
        let known = of_ending
            .iter()
            .find(|(wanted, _)| self.find(wanted).is_some());
        match (known, self.find(".pl")) {
            (Some((_, layout)), _) => Ok(*layout),
            (None, Some(file)) if text(file)?.lines().any(is_query) => Ok(Layout::Progol),
            (None, Some(_)) => Ok(Layout::Aleph),
            (None, None) => Err(LoadError::NoTask {
                path: self.path.to_owned(),
            }),
        }
    }

    /// The name and the text of a file.
    fn load(&self, wanted: &str) -> Result<(String, String), LoadError> {
        let Some(file) = self.find(wanted) else {
            let kind = if wanted.starts_with('.') { " file" } else { "" };
            return Err(LoadError::Missing {
                path: self.path.to_owned(),
                wanted: format!("{wanted}{kind}"),
            });
        };
        if self.all(wanted).nth(1).is_some() {
            return Err(LoadError::Ambiguous {
                path: self.path.to_owned(),
                ending: wanted.to_owned(),
                files: self.all(wanted).map(|file| name_of(file)).collect(),
            });
        }
        Ok((name_of(file), text(file)?))
    }
}

/// The name under which messages speak of a file.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    name.to_string_lossy().into_owned()
}

fn text(path: &Path) -> Result<String, LoadError> {
    let bytes = fs::read(path).map_err(|source| LoadError::File {
        path: path.to_owned(),
        source,
    })?;
    let source = SourceFile::from_bytes(name_of(path), bytes)?;
    Ok(source.text().to_owned())
}
