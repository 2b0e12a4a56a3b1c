//! Tasks in files: which layout a folder has, and where its clauses stand.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kibitz_prolog::{Clause, Dialect, SymbolTable};
use kibitz_text::{Diagnostic, Diagnostics, Exit, Failure, Location, SourceFile};
use thiserror::Error;

use super::Task;
use super::issue::{Issue, IssueKind, TaskError};
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
    /// A file of the layout is missing in a folder.
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

    /// Whether examples stand in sections of one file.
    pub(super) fn has_sections(&self) -> bool {
        self.layout == Some(Layout::Aleph) && self.texts.len() == 1
    }

    /// What to say of three files whose names differ before their endings.
    fn remark_on_names(&self) -> Option<Issue> {
        let names = self.texts.iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        let stems = names.iter().map(|name| Path::new(name).file_stem());
        let is_of_three = matches!(self.layout, Some(Layout::Golem | Layout::Aleph));
        let differ = is_of_three && stems.collect::<BTreeSet<_>>().len() > 1;
        differ.then(|| {
            let names = names.join(", ");
            let message = format!("{names}: files of other names are read as one task");
            Issue::new("", IssueKind::Unexpected(message))
        })
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
    /// Reads a task from a folder, from its only file, or from three files by the name of one of them or by
    /// the name that they share, in the layout that the names of the files tell: Popper's, Aleph's,
    /// Golem's, Progol's or FOIL's.
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
        Layout::Golem => &OF_THREE,
        Layout::Aleph if folder.find(".b").is_some() => &OF_THREE,
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
    let remark = files.remark_on_names();
    for task in &mut tasks {
        task.files = files.clone();
        task.remarks.extend(remark.clone());
    }
    Ok(tasks)
}

/// The endings of the files that Aleph and Golem read.
const OF_THREE: [&str; 3] = [".b", ".f", ".n"];

/// The files of Popper's layout.
const POPPER: [&str; 3] = ["exs.pl", "bk.pl", "bias.pl"];

/// A folder with its files by name, a file alone, or three files that share a name.
struct Folder<'p> {
    path: &'p Path,
    /// The name that the three share, without their endings.
    stem: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl<'p> Folder<'p> {
    fn list(path: &'p Path) -> Result<Self, LoadError> {
        let failure = |source| LoadError::File {
            path: path.to_owned(),
            source,
        };
        let found = fs::metadata(path);
        if found.as_ref().is_ok_and(fs::Metadata::is_dir) {
            let entries = fs::read_dir(path).map_err(failure)?;
            let files = entries.map(|entry| entry.map(|own| own.path()));
            let mut files: Vec<PathBuf> = files.collect::<Result<_, _>>().map_err(failure)?;
            files.sort();
            return Ok(Self {
                path,
                stem: None,
                files,
            });
        }
        let extension = path.extension().and_then(OsStr::to_str);
        let stem = match extension {
            Some("b" | "f" | "n") if found.is_ok() => Some(path.with_extension("")),
            _ => found.is_err().then(|| path.to_owned()),
        };
        let files: Vec<PathBuf> = match &stem {
            // One of three files stands for all, as the name does that they share.
            Some(stem) => {
                let each = OF_THREE.map(|ending| with_ending(stem, ending));
                each.into_iter().filter(|own| own.exists()).collect()
            }
            None => vec![path.to_owned()],
        };
        if files.is_empty() {
            found.map_err(failure)?;
        }
        Ok(Self { path, stem, files })
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
        // Of three files by their name the message names the one that is missing.
        if self.stem.is_some() {
            return Ok(Layout::Golem);
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
            let mut path = self.path;
            let wanted = match &self.stem {
                Some(stem) => {
                    let folder = stem.parent().filter(|own| !own.as_os_str().is_empty());
                    path = folder.unwrap_or(Path::new("."));
                    name_of(&with_ending(stem, wanted))
                }
                None if wanted.starts_with('.') => format!("{wanted} file"),
                None => wanted.to_owned(),
            };
            return Err(LoadError::Missing {
                path: path.to_owned(),
                wanted,
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

fn with_ending(stem: &Path, ending: &str) -> PathBuf {
    let mut name = stem.to_owned().into_os_string();
    name.push(ending);
    name.into()
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
