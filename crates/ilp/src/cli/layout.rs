//! Finding and reading the files of a task.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kibitz_ilp::{Clause, Dialect, Source, SymbolTable, Task};

use super::Failure;

/// The layouts of task files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Layout {
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

/// The texts of a task and the names of their files.
pub(crate) struct Files {
    layout: Layout,
    texts: Vec<(String, String)>,
}

impl Files {
    fn sources(&self) -> Vec<Source<'_>> {
        let sources = self.texts.iter();
        sources.map(|(name, text)| Source { name, text }).collect()
    }

    /// Where a clause stands: `file:line:column`.
    pub(crate) fn place_of(&self, clause: &Clause, symbols: &SymbolTable) -> Option<String> {
        let dialect = match self.layout {
            Layout::Progol => Dialect::Progol,
            _ => Dialect::Prolog,
        };
        let mut sources = self.sources().into_iter();
        sources.find_map(|source| source.place_of(clause, dialect, symbols))
    }
}

/// Reads a task from a folder or file.
pub(crate) fn read(path: &Path, layout: Option<Layout>) -> Result<(Task, Files), Failure> {
    let files = if path.is_dir() {
        list(path)?
    } else {
        vec![path.to_owned()]
    };
    // A file by its name or, after a dot, by its ending.
    let find = |wanted: &str| {
        files.iter().find(|file| match wanted.strip_prefix('.') {
            Some(ending) => file.extension().is_some_and(|own| own == ending),
            None => file.file_name().is_some_and(|own| own == wanted),
        })
    };
    let layout = match layout {
        Some(layout) => layout,
        None if find("bias.pl").is_some() => Layout::Popper,
        None if find(".d").is_some() => Layout::Foil,
        None if find(".b").is_some() => Layout::Golem,
        None => match find(".pl") {
            Some(file) if load(file)?.lines().any(ends_in_query) => Layout::Progol,
            Some(_) => Layout::Aleph,
            None => {
                return Err(Failure::Usage(format!(
                    "{} holds no task: expected exs.pl, bk.pl and bias.pl (Popper), .b .f .n files \
                     (Aleph, Golem), a .d file (FOIL) or a .pl file (Aleph, Progol)",
                    path.display()
                )));
            }
        },
    };
    let wanted: &[&str] = match layout {
        Layout::Popper => &["exs.pl", "bk.pl", "bias.pl"],
        Layout::Foil => &[".d"],
        Layout::Golem => &[".b", ".f", ".n"],
        Layout::Aleph if find(".b").is_some() => &[".b", ".f", ".n"],
        Layout::Aleph | Layout::Progol => &[".pl"],
    };
    let mut texts = Vec::new();
    for wanted in wanted {
        let Some(file) = find(wanted) else {
            let kind = if wanted.starts_with('.') { " file" } else { "" };
            let message = format!("{} holds no {wanted}{kind}", path.display());
            return Err(Failure::Usage(message));
        };
        let name = file.file_name().unwrap_or(file.as_os_str());
        texts.push((name.to_string_lossy().into_owned(), load(file)?));
    }
    let files = Files { layout, texts };
    let task = match (layout, &files.sources()[..]) {
        (Layout::Popper, &[examples, background, bias]) => {
            Task::from_popper(examples, background, bias)?
        }
        (_, &[b, f, n]) => Task::from_three_files(b, f, n)?,
        (Layout::Foil, &[table]) => Task::from_foil(table)?,
        (Layout::Progol, &[program]) => Task::from_progol(program)?,
        (_, &[program]) => Task::from_aleph(program)?,
        _ => unreachable!("one text or three were asked for"),
    };
    Ok((task, files))
}

fn ends_in_query(line: &str) -> bool {
    line.starts_with(":-") && line.trim_end().ends_with('?')
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failure = |source| Failure::File {
        path: folder.display().to_string(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failure)? {
        files.push(entry.map_err(failure)?.path());
    }
    files.sort();
    Ok(files)
}

fn load(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|source| Failure::File {
        path: path.display().to_string(),
        source,
    })
}
