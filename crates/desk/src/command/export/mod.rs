//! `export`: results for archives and for those who check them.

mod article;
mod citation;
mod codecheck;
mod ro_crate;

use std::path::{Path, PathBuf};

use crate::{Answer, Desk};
use citation::Citation;
use kibitz_lab::config::entry::Entry;
use kibitz_lab::files::FileError;
use kibitz_lab::results::folder;
use kibitz_lab::session::Session;
use kibitz_text::counted;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// An RO-Crate 1.1: everything, described in JSON-LD.
    RoCrate,
    /// The manifest of a CODECHECK: all tables.
    Codecheck,
    /// The beginnings of an article in Markdown, with the recorded values.
    Article,
}

impl Desk {
    /// Writes an export into a folder, which is made if it is not there, with the files that it names.
    ///
    /// Authors, title and license are those of `CITATION.cff`.
    pub fn export(&self, what: Export, out: &Path) -> Answer {
        let written = || -> Result<Answer, Answer> {
            let session = Session::open(&self.lab)?;
            let citation = Citation::read(&self.lab.root)?;
            let mut package = Package::new(&self.lab.root, out);
            let said = match what {
                Export::RoCrate => ro_crate::write(&session, &citation, &mut package)?,
                Export::Article => article::write(&session, &citation, &mut package)?,
                Export::Codecheck => codecheck::write(&session, &citation, &mut package)?,
            };
            let files = counted(package.n_files, "file", "files");
            Ok(Answer::ok(format!("{}, {files}: {said}\n", out.display())))
        };
        written().unwrap_or_else(|answer| answer)
    }
}

/// A folder that is filled with files of the workspace.
struct Package<'p> {
    root: &'p Path,
    out: &'p Path,
    n_files: usize,
}

impl<'p> Package<'p> {
    fn new(root: &'p Path, out: &'p Path) -> Self {
        Self {
            root,
            out,
            n_files: 0,
        }
    }

    /// Copies a file of the workspace, or all below a folder but what is built or hidden; the files,
    /// from the root, `/` between folders.
    fn copy(&mut self, path: &str) -> Result<Vec<PackageFile>, FileError> {
        let mut copied = Vec::new();
        self.copy_into(Path::new(path), &mut copied)?;
        Ok(copied)
    }

    fn copy_into(&mut self, path: &Path, copied: &mut Vec<PackageFile>) -> Result<(), FileError> {
        let from = self.root.join(path);
        let unreadable = |error| FileError::new("read", &from, error);
        if from.is_dir() {
            let entries = std::fs::read_dir(&from).map_err(unreadable)?;
            let mut names = Vec::new();
            for entry in entries {
                names.push(entry.map_err(unreadable)?.file_name());
            }
            names.sort();
            let is_kept = |name: &&std::ffi::OsString| {
                let name = name.to_string_lossy();
                name != "target" && !name.starts_with('.')
            };
            for name in names.iter().filter(is_kept) {
                self.copy_into(&path.join(name), copied)?;
            }
            return Ok(());
        }
        let bytes = std::fs::read(&from).map_err(unreadable)?;
        let names = path.iter().map(|name| name.to_string_lossy());
        let path = names.collect::<Vec<_>>().join("/");
        self.write(&path, &bytes)?;
        copied.push(PackageFile {
            path,
            n_bytes: bytes.len(),
        });
        Ok(())
    }

    fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        let to = self.out.join(path);
        let unwritable = |error| FileError::new("write", &to, error);
        if let Some(folder) = to.parent() {
            std::fs::create_dir_all(folder).map_err(unwritable)?;
        }
        std::fs::write(&to, bytes).map_err(unwritable)?;
        self.n_files += 1;
        Ok(())
    }
}

/// A file of a package.
struct PackageFile {
    path: String,
    n_bytes: usize,
}

/// The experiments whose results are recorded, with the folders of these from the root.
fn recorded<'s>(session: &'s Session<'_>) -> impl Iterator<Item = (&'s Entry, String)> {
    let entries = session.catalog.entries.iter();
    entries.filter_map(|entry| {
        let place: PathBuf = folder(Path::new("results"), entry.id());
        let is_there = session.lab.root.join(&place).is_dir();
        let names = place.iter().map(|name| name.to_string_lossy());
        is_there.then(|| (entry, names.collect::<Vec<_>>().join("/")))
    })
}
