//! Data files: found, verified and read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::clock::is_settled;
use crate::files::{FileError, write_atomically};
use crate::manifest::entry_name;
use crate::manifest::{HashOf, Manifest};
use kibitz_command::input::Input;
use kibitz_experiment::{CellError, DataFile, VerifiedFile};

/// Why a data file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataProblem {
    /// Whether the file is external: outside the project, and perhaps not fetched.
    pub external: bool,
    /// Whether the file is external and no folder of external data is given.
    pub optional: bool,
    /// Whether the file is there, with another content than the manifest declares.
    pub is_changed: bool,
    /// The message that the program whose version is asked for is not installed.
    pub missing_program: Option<String>,
    /// The problem as a relative clause: `which is not on disk`, `whose content has changed`.
    pub what: String,
    /// The expected file, and its origin.
    pub notes: Vec<String>,
}

impl DataProblem {
    fn new(what: &str) -> Self {
        Self {
            external: false,
            optional: false,
            is_changed: false,
            missing_program: None,
            what: what.to_owned(),
            notes: Vec::new(),
        }
    }
}

/// The data files of a run.
#[derive(Debug)]
pub struct DataStore<'a> {
    root: &'a Path,
    folders: &'a [PathBuf],
    manifest: &'a Manifest,
    /// How a person starts the program.
    program: &'a str,
    stamps_path: PathBuf,
    files: Mutex<BTreeMap<String, Result<DataFile, DataProblem>>>,
    /// What was only looked at.
    checked: Mutex<BTreeMap<String, Result<(), DataProblem>>>,
}

/// The memoized hash of a file, valid for a size and time of change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    changed_ns: u128,
    blake3: String,
    /// Number of bytes hashed.
    hashed: u64,
}

impl<'a> DataStore<'a> {
    /// The files of a manifest: embedded ones below `root`, external ones in `folders`; hashes that were taken before are remembered in `state`.
    pub fn new(
        root: &'a Path,
        folders: &'a [PathBuf],
        manifest: &'a Manifest,
        program: &'a str,
        state: &Path,
    ) -> Self {
        Self {
            root,
            folders,
            manifest,
            program,
            stamps_path: state.join("data-stamps.json"),
            files: Mutex::new(BTreeMap::new()),
            checked: Mutex::new(BTreeMap::new()),
        }
    }

    /// The verified file of an entry.
    ///
    /// # Errors
    /// [`DataProblem`] if it is missing or not the one declared.
    pub fn get(&self, name: &str) -> Result<DataFile, DataProblem> {
        let Ok(mut files) = self.files.lock() else {
            return Err(DataProblem::new("whose verification failed"));
        };
        if let Some(known) = files.get(name) {
            return known.clone();
        }
        let verified = self.verify(name, true);
        files.insert(name.to_owned(), verified.clone());
        verified
    }

    /// That the file of an entry is the one declared: it is read only if its length or time of change are
    /// not those of the last time.
    ///
    /// # Errors
    /// [`DataProblem`] if it is not the one declared.
    pub fn check(&self, name: &str) -> Result<(), DataProblem> {
        let Ok(mut checked) = self.checked.lock() else {
            return Err(DataProblem::new("whose verification failed"));
        };
        if let Some(known) = checked.get(name) {
            return known.clone();
        }
        let held = self.files.lock().ok();
        let held = held.and_then(|files| files.get(name).cloned());
        let found = held.unwrap_or_else(|| self.verify(name, false)).map(drop);
        checked.insert(name.to_owned(), found.clone());
        found
    }

    /// An input that no manifest declares, with the hash of its content.
    ///
    /// # Errors
    /// [`DataProblem`] if it is missing, leads out of the workspace, or cannot be read.
    pub(crate) fn input(&self, input: &Input) -> Result<FoundInput, DataProblem> {
        let held = |shown: String, text: String| {
            let hash = blake3::hash(text.as_bytes());
            let bytes = Some(Arc::from(text.into_bytes()));
            let file = DataFile::new(input.name(), PathBuf::new(), bytes);
            FoundInput { file, hash, shown }
        };
        match input {
            Input::File(path) => self.workspace_file(path),
            Input::Variable(name) => Ok(match kibitz_command::input::variable(name) {
                Some(value) => held("set".to_owned(), format!("={value}")),
                None => held("not set".to_owned(), String::new()),
            }),
            Input::Version(words) => match kibitz_command::input::version(words, self.root) {
                Ok(text) => Ok(held(
                    text.lines().next().unwrap_or_default().to_owned(),
                    text,
                )),
                Err(CellError::MissingProgram(message)) => Err(DataProblem {
                    missing_program: Some(message),
                    ..DataProblem::new("which is unknown")
                }),
                Err(error) => Err(DataProblem {
                    notes: vec![error.to_string()],
                    ..DataProblem::new("which is unknown")
                }),
            },
        }
    }

    /// A file or folder of the workspace.
    fn workspace_file(&self, path: &str) -> Result<FoundInput, DataProblem> {
        let problem = |what: &str, why: String| DataProblem {
            notes: vec![why],
            ..DataProblem::new(what)
        };
        let whole = self.root.join(path);
        let expected = format!("expected {}", whole.display());
        let unreadable = |error: std::io::Error| problem("which cannot be read", error.to_string());
        if !whole.exists() {
            return Err(problem("which is not on disk", expected));
        }
        let (real, root) = (whole.canonicalize(), self.root.canonicalize());
        let real = real.map_err(unreadable)?;
        if !real.starts_with(root.map_err(unreadable)?) {
            let what = format!("which is a link to {}", real.display());
            let why = "it is outside the project folder: copy it into the project".to_owned();
            return Err(problem(&what, why));
        }
        let files = all_files_of(&whole).map_err(unreadable)?;
        if files.is_empty() {
            return Err(problem("which is an empty folder", expected));
        }
        let stamped = self.stamped(files, HashOf::File).map_err(unreadable)?;
        let (parts, hashes): (Vec<_>, Vec<_>) = stamped.into_iter().unzip();
        let of = if whole.is_dir() {
            HashOf::Folder
        } else {
            HashOf::File
        };
        let (hash, _) = of.of_entry(&hashes);
        let file = DataFile::on_disk(Input::File(path.to_owned()).name(), whole, parts);
        Ok(FoundInput {
            file,
            hash,
            shown: path.to_owned(),
        })
    }

    /// The file of an entry, once its content is known to be the one declared; a small one is held if
    /// `hold` says so.
    fn verify(&self, name: &str, hold: bool) -> Result<DataFile, DataProblem> {
        if let Some(input) = Input::of_name(name) {
            return self.input(&input).map(|found| found.file);
        }
        let Some(entry) = self.manifest.entries.get(name) else {
            return Err(DataProblem::new("which data/manifest.toml does not list"));
        };
        let problem = |what: &str, notes: Vec<String>| DataProblem {
            external: entry.external,
            optional: entry.external && self.folders.is_empty(),
            notes,
            ..DataProblem::new(what)
        };
        let expected = format!(
            "expected {}, {} bytes; origin: {} (see data/manifest.toml [{name}])",
            if entry.external {
                format!("{} in a --data folder", entry.path.display())
            } else {
                format!("data/{}", entry.path.display())
            },
            entry.bytes,
            entry.origin
        );
        let candidates: Vec<PathBuf> = if entry.external {
            self.folders
                .iter()
                .map(|folder| folder.join(&entry.path))
                .collect()
        } else {
            vec![self.root.join("data").join(&entry.path)]
        };
        // The first --data folder that has the file wins, as for a search path.
        let Some(path) = candidates.into_iter().find(|path| path.exists()) else {
            return Err(problem("which is not on disk", vec![expected]));
        };
        let kind = match entry.blake3_of {
            HashOf::Folder if !path.is_dir() => Some("which is not a folder"),
            HashOf::File | HashOf::Decompressed if !path.is_file() => Some("which is not a file"),
            _ => None,
        };
        if let Some(what) = kind {
            return Err(problem(what, vec![expected]));
        }
        let unreadable = |error: std::io::Error| {
            problem(
                "which cannot be read",
                vec![error.to_string(), expected.clone()],
            )
        };
        let is_held = hold && !entry.external && entry.blake3_of != HashOf::Folder;
        // A held file is hashed from the bytes that the cell will read, so it cannot change in
        // between. Large files are hashed on disk, where length and time of a known file spare a
        // second pass.
        let (found, file) = if is_held {
            let bytes = std::fs::read(&path).map_err(unreadable)?;
            let found = (blake3::hash(&bytes), bytes.len() as u64);
            let file = DataFile::new(name, path.clone(), Some(Arc::from(bytes)));
            (found, file)
        } else {
            let files = files_of(&path).map_err(unreadable)?.files;
            let files = self.stamped(files, entry.blake3_of).map_err(unreadable)?;
            let (parts, hashes): (Vec<_>, Vec<_>) = files.into_iter().unzip();
            let found = entry.blake3_of.of_entry(&hashes);
            (found, DataFile::on_disk(name, path.clone(), parts))
        };
        if found != (entry.blake3, entry.bytes) {
            let (hash, n_bytes) = found;
            let found = format!(
                "found {n_bytes} bytes with BLAKE3 {hash}, the manifest says {} with {}",
                entry.bytes, entry.blake3
            );
            let inside = path.strip_prefix(self.root).unwrap_or(&path).display();
            let file_name = path.file_name().unwrap_or_default().to_string_lossy();
            let mut command = format!("{} data add {inside}", self.program);
            if entry_name(&file_name) != name {
                command.extend([" --name ", name]);
            }
            if entry.external {
                command.push_str(" --external");
            }
            let remedy = format!("restore it, or `{command}` enters the file again");
            return Err(DataProblem {
                is_changed: true,
                ..problem(
                    "whose content is not the one declared",
                    vec![found, expected, remedy],
                )
            });
        }
        Ok(file)
    }

    /// Files on disk with the hash and the number of bytes of each; one is read only if its length
    /// or time of change differ from the stamp.
    fn stamped(
        &self,
        files: Vec<(String, PathBuf)>,
        of: HashOf,
    ) -> std::io::Result<Vec<StampedFile>> {
        let mut stamps: BTreeMap<String, Stamp> = std::fs::read(&self.stamps_path)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let mut is_new = false;
        let mut stamped = Vec::with_capacity(files.len());
        for (name, path) in files {
            let path = path.canonicalize()?;
            let key = format!("{} ({of:?})", path.to_string_lossy());
            let file = VerifiedFile::stamp(name.clone(), path)?;
            let changed = file
                .changed
                .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
            let changed_ns = changed.unwrap_or_default().as_nanos();
            let known = stamps
                .get(&key)
                .filter(|stamp| (stamp.bytes, stamp.changed_ns) == (file.n_bytes, changed_ns));
            let known = known.and_then(|stamp| {
                Some((blake3::Hash::from_hex(&stamp.blake3).ok()?, stamp.hashed))
            });
            let hash = if let Some(known) = known {
                known
            } else {
                let (hash, hashed) = of.hash(&file.path)?;
                let stamp = Stamp {
                    bytes: file.n_bytes,
                    changed_ns,
                    blake3: hash.to_hex().to_string(),
                    hashed,
                };
                // Soon after a change the time of the next one may be the same.
                if is_settled(file.changed) {
                    stamps.insert(key, stamp);
                    is_new = true;
                }
                (hash, hashed)
            };
            stamped.push((file, (name, hash)));
        }
        // Without the stamps files are just read again next time.
        if is_new && let Ok(json) = serde_json::to_vec(&stamps) {
            let _ = write_atomically(&self.stamps_path, &json);
        }
        Ok(stamped)
    }
}

/// A user's file, or a folder of files of tables, that no manifest has yet.
///
/// # Errors
/// If it is not there, cannot be read, or is a folder without such files.
pub fn data_file(path: &Path) -> Result<DataFile, FileError> {
    let unreadable = |error| FileError::new("read", path, error);
    let files = files_of(path).map_err(unreadable)?.files;
    if files.is_empty() {
        let why = "no file in it ends in .parquet, .csv or .tsv";
        return Err(unreadable(std::io::Error::other(why)));
    }
    let stamped = files.into_iter();
    let stamped = stamped.map(|(name, path)| VerifiedFile::stamp(name, path));
    let stamped = stamped.collect::<Result<_, _>>().map_err(unreadable)?;
    // `.` and `..` have no name of their own.
    let name = path.file_name().unwrap_or(path.as_os_str());
    Ok(DataFile::on_disk(
        name.to_string_lossy(),
        path.to_owned(),
        stamped,
    ))
}

/// An input that no manifest declares.
#[derive(Clone, Debug)]
pub(crate) struct FoundInput {
    /// Its content.
    pub(crate) file: DataFile,
    /// The hash of it.
    pub(crate) hash: blake3::Hash,
    /// What people see of it: a path, a version, whether a variable is set.
    pub(crate) shown: String,
}

/// All files of a path: itself, or those of a folder, in the order of their names. Hidden files and
/// compiled Python are left out, and so are linked folders, which may lead back.
fn all_files_of(path: &Path) -> std::io::Result<Vec<(String, PathBuf)>> {
    let is_left_out = |name: &str| name.starts_with('.') || name == "__pycache__";
    let mut files = walk(path, is_left_out, false)?.files;
    if path.is_dir() {
        files.retain(|(_, file)| file.is_file());
    }
    Ok(files)
}

/// A file with its name, its hash and the number of bytes hashed.
type StampedFile = (VerifiedFile, (String, (blake3::Hash, u64)));

/// The files of a path: itself, or those of tables in a folder.
#[derive(Debug, Default)]
pub struct Files {
    /// By name: below the folder, with `/` between names. In the order of the names.
    pub files: Vec<(String, PathBuf)>,
    /// Names of files in the folder that are not of tables.
    pub others: Vec<String>,
}

/// The files of a path. In a folder these are all below it that end in `.parquet`, `.csv` or `.tsv`,
/// except those that begin with a point or an underscore, as engines name what does not belong to a
/// table.
///
/// # Errors
/// Those of reading the folder.
pub fn files_of(path: &Path) -> std::io::Result<Files> {
    let mut found = walk(path, |name| name.starts_with(['.', '_']), true)?;
    if path.is_dir() {
        let is_table = |(_, path): &(String, PathBuf)| {
            let ending = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
            ending.is_some_and(|end| end == "parquet" || end == "csv" || end == "tsv")
        };
        let (tables, others): (Vec<_>, Vec<_>) = found.files.into_iter().partition(is_table);
        found.files = tables;
        found
            .others
            .extend(others.into_iter().map(|(name, _)| name));
        found.others.sort();
    }
    Ok(found)
}

/// A file, or all files below a folder; `others` are names of files and folders that are left out.
fn walk(
    path: &Path,
    is_left_out: impl Fn(&str) -> bool,
    follows_links: bool,
) -> std::io::Result<Files> {
    let name_of = |path: &Path| {
        let name = path.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    };
    // Reading a pipe waits for the process that writes to it.
    let refuse_special = |path: &Path| match std::fs::metadata(path) {
        Ok(about) if !about.is_file() && !about.is_dir() => {
            let what = "is neither a file nor a folder, but a pipe, socket or device";
            Err(std::io::Error::other(format!("{} {what}", path.display())))
        }
        // What is not there is known where it is read.
        _ => Ok(()),
    };
    let mut found = Files::default();
    refuse_special(path)?;
    if !path.is_dir() {
        found.files.push((name_of(path), path.to_owned()));
        return Ok(found);
    }
    let mut waiting = vec![(String::new(), path.to_owned())];
    while let Some((below, folder)) = waiting.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            let own = name_of(&path);
            let name = format!("{below}{own}");
            if is_left_out(&own) {
                found.others.push(name);
            } else if entry.file_type()?.is_dir() || follows_links && path.is_dir() {
                waiting.push((format!("{name}/"), path));
            } else {
                refuse_special(&path)?;
                found.files.push((name, path));
            }
        }
    }
    found.files.sort();
    Ok(found)
}
