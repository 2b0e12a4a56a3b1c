//! `data add`: a user's file, entered in the manifest.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::Answer;
use crate::Desk;
use kibitz_lab::data::{Files, files_of};
use kibitz_lab::files::{FileError, write_atomically};
use kibitz_lab::manifest::entry_name;
use kibitz_lab::manifest::{DataEntry, HashOf, Manifest, PATH};
use kibitz_lab::session::bad_config;
use kibitz_text::Exit;
use kibitz_text::{Diagnostic, counted};

/// The options of `data add`.
#[derive(Clone, Debug)]
pub struct AddDataOptions {
    /// The file, or a folder with files of tables, anywhere.
    pub file: PathBuf,
    /// Name of its entry; by default the file's name up to the first point.
    pub name: Option<String>,
    /// On what terms it may be used; when not given, what its entry says.
    pub license: Option<String>,
    /// Where it comes from and how anyone can get it; when not given, what its entry says.
    pub origin: Option<String>,
    /// Leave it where it is, to be found in a folder of `--data`.
    pub external: bool,
    /// Anything else worth knowing.
    pub notes: Option<String>,
    /// The name by which the kinds that read such a file know it.
    pub role: &'static str,
}

impl Desk {
    /// Enters a file in `data/manifest.toml` with its hash and length, and copies it below `data/`
    /// unless it is there or is to stay outside.
    pub fn add_data(&self, options: &AddDataOptions) -> Answer {
        self.try_add_data(options).unwrap_or_else(|answer| answer)
    }

    fn try_add_data(&self, options: &AddDataOptions) -> Result<Answer, Answer> {
        let refuse =
            |problem: String| Answer::failed(Exit::BadInput, format!("error: {problem}\n"));
        let shown = options.file.display();
        let unreadable = |error| FileError::new("read", &options.file, error);
        let file = options.file.canonicalize().map_err(unreadable)?;
        let is_there = file.is_file() || file.is_dir();
        let Some(file_name) = file.file_name().filter(|_| is_there) else {
            let message = format!("error: {shown} is neither a file nor a folder\n");
            return Err(Answer::failed(Exit::Missing, message));
        };
        let Files { files, others } = files_of(&file).map_err(unreadable)?;
        if files.is_empty() {
            let problem = format!("{shown} has no file of a table (.parquet, .csv, .tsv)");
            return Err(refuse(problem));
        }
        let name = match &options.name {
            Some(name) => name.clone(),
            None => entry_name(&file_name.to_string_lossy()),
        };
        let mut manifest =
            Manifest::read(&self.lab.root).map_err(|problems| bad_config(&problems))?;
        let data = self.lab.root.join("data");
        // A file that is already below `data/` keeps its place there; any other file is copied to
        // the top, or, if external, found by its name in a --data folder.
        let inside = data.canonicalize().ok();
        let inside = inside.and_then(|data| Some(file.strip_prefix(data).ok()?.to_owned()));
        let path = match inside {
            Some(inside) if !options.external => inside,
            _ => PathBuf::from(file_name),
        };
        let old = manifest.entries.get(&name);
        // Entering a changed file again updates its entry; another file must not take over the
        // name.
        if let Some(old) = old.filter(|old| old.path != path || old.external != options.external) {
            return Err(refuse(format!(
                "`{name}` is the entry of {} already; give this one another name with --name",
                old.path.display()
            )));
        }
        let told = |given: &Option<String>, known: Option<&String>, option: &str| {
            let told = given.clone().or_else(|| known.cloned());
            told.ok_or_else(|| refuse(format!("`{name}` is a new entry: say its {option}")))
        };
        let license = told(
            &options.license,
            old.map(|old| &old.license),
            "license with --license TEXT",
        )?;
        let origin = told(
            &options.origin,
            old.map(|old| &old.origin),
            "origin with --origin TEXT",
        )?;
        // A server may compress an external archive again, so its content counts. A file in the
        // repository counts as it is.
        let is_compressed = path.extension().is_some_and(|end| end == "zst");
        let blake3_of = if file.is_dir() {
            HashOf::Folder
        } else if options.external && is_compressed {
            HashOf::Decompressed
        } else {
            HashOf::File
        };
        let mut hashes = Vec::with_capacity(files.len());
        for (name, file) in &files {
            hashes.push((name.clone(), blake3_of.hash(file).map_err(unreadable)?));
        }
        let (blake3, bytes) = blake3_of.of_entry(&hashes);
        if !options.external {
            for (name, file) in &files {
                let below = match blake3_of {
                    HashOf::Folder => path.join(name),
                    HashOf::File | HashOf::Decompressed => path.clone(),
                };
                copy_below(&data, &below, file)?;
            }
        }
        let entry = DataEntry {
            blake3,
            blake3_of,
            bytes,
            origin,
            license,
            rebuild: old.and_then(|old| old.rebuild.clone()),
            notes: options.notes.clone(),
            external: options.external,
            path,
        };
        let word = match old {
            None => "entered",
            Some(old) if *old == entry => "unchanged:",
            Some(_) => "brought up to date:",
        };
        let mut out = format!("{word} [{name}] of {PATH}, {bytes} bytes, BLAKE3 {blake3}\n");
        if let Some(notes) = &entry.notes {
            let _ = writeln!(out, "{notes}");
        }
        if let HashOf::Folder = blake3_of {
            let _ = writeln!(out, "{}", counted(files.len(), "file", "files"));
        }
        let mut err = String::new();
        if let Some(first) = others.first() {
            let n = counted(others.len(), "file or folder", "files or folders");
            let _ = writeln!(
                err,
                "warning: ignored {n}, such as {first}: only .parquet, .csv and .tsv files whose names \
                 do not begin with `.` or `_` are read"
            );
        }
        let place = if entry.external {
            " with --data DIR"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "experiments read it{place} as `data = {{ {} = \"{name}\" }}`",
            options.role
        );
        manifest.entries.insert(name, entry);
        manifest.write(&self.lab.root)?;
        Ok(Answer {
            err,
            ..Answer::ok(out)
        })
    }
}

/// Copies a file to `path` below `data/`, where no other may be.
fn copy_below(data: &Path, path: &Path, file: &Path) -> Result<(), Answer> {
    let target = data.join(path);
    if target.canonicalize().is_ok_and(|there| there == file) {
        return Ok(());
    }
    let bytes = std::fs::read(file).map_err(|error| FileError::new("read", file, error))?;
    if target.exists() && std::fs::read(&target).ok().as_ref() != Some(&bytes) {
        let problem = Diagnostic::new(format!("{} is another file", target.display()))
            .with_note("rename one of them");
        return Err(Answer::failed(Exit::BadInput, format!("{problem}\n")));
    }
    Ok(write_atomically(&target, &bytes)?)
}
