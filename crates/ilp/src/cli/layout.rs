//! Finding and reading the files of a task.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use kibitz_ilp::{Source, Task};

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

/// Reads a task from a folder or file.
pub(crate) fn read(path: &Path, layout: Option<Layout>) -> Result<Task, Failure> {
    let files = if path.is_dir() {
        list(path)?
    } else {
        vec![path.to_owned()]
    };
    let named = |name: &str| {
        files
            .iter()
            .find(|f| f.file_name().is_some_and(|n| n == name))
    };
    let ending = |ending: &str| {
        files
            .iter()
            .find(|f| f.extension().is_some_and(|e| e == ending))
    };
    let layout = match layout {
        Some(layout) => layout,
        None if named("bias.pl").is_some() => Layout::Popper,
        None if ending("d").is_some() => Layout::Foil,
        None if ending("b").is_some() => Layout::Golem,
        None => match ending("pl") {
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
    let missing = |what: &str| Failure::Usage(format!("{} holds no {what}", path.display()));
    let task = match layout {
        Layout::Popper => {
            let texts = ["exs.pl", "bk.pl", "bias.pl"].map(|name| {
                named(name)
                    .ok_or_else(|| missing(name))
                    .and_then(|f| load(f))
                    .map(|text| (name, text))
            });
            let [examples, background, bias] = texts;
            let (examples, background, bias) = (examples?, background?, bias?);
            Task::from_popper(
                Source {
                    name: examples.0,
                    text: &examples.1,
                },
                Source {
                    name: background.0,
                    text: &background.1,
                },
                Source {
                    name: bias.0,
                    text: &bias.1,
                },
            )?
        }
        Layout::Foil => {
            let file = ending("d").ok_or_else(|| missing(".d file"))?;
            Task::from_foil(Source {
                name: &name(file),
                text: &load(file)?,
            })?
        }
        Layout::Golem | Layout::Aleph if ending("b").is_some() => {
            let file = |e: &str| ending(e).ok_or_else(|| missing(&format!(".{e} file")));
            let (b, f, n) = (file("b")?, file("f")?, file("n")?);
            Task::from_three_files(
                Source {
                    name: &name(b),
                    text: &load(b)?,
                },
                Source {
                    name: &name(f),
                    text: &load(f)?,
                },
                Source {
                    name: &name(n),
                    text: &load(n)?,
                },
            )?
        }
        Layout::Golem => return Err(missing(".b file")),
        Layout::Aleph => {
            let file = ending("pl").ok_or_else(|| missing(".pl file"))?;
            Task::from_aleph(Source {
                name: &name(file),
                text: &load(file)?,
            })?
        }
        Layout::Progol => {
            let file = ending("pl").ok_or_else(|| missing(".pl file"))?;
            Task::from_progol(Source {
                name: &name(file),
                text: &load(file)?,
            })?
        }
    };
    Ok(task)
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

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}
