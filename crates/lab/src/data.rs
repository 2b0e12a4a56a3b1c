//! Data files: found, verified and read once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::files::write_atomically;
use crate::manifest::{HashOf, Manifest};
use kibitz_experiment::DataFile;

/// Why a data file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DataProblem {
    /// Whether the file is external: outside the project, and perhaps not fetched.
    pub(crate) external: bool,
    /// Whether the file is external and no folder of external data is given.
    pub(crate) optional: bool,
    /// The problem as a relative clause: `which is not on disk`, `whose content has changed`.
    pub(crate) what: String,
    /// The expected file, and its origin.
    pub(crate) notes: Vec<String>,
}

/// The data files of a run.
#[derive(Debug)]
pub(crate) struct DataStore<'a> {
    root: &'a Path,
    folders: &'a [PathBuf],
    manifest: &'a Manifest,
    stamps_path: PathBuf,
    files: Mutex<BTreeMap<String, Result<DataFile, DataProblem>>>,
}

/// The memoized hash of an external file, valid for a size and time of change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    changed_ns: u128,
    blake3: String,
    /// Number of bytes hashed.
    hashed: u64,
}

impl<'a> DataStore<'a> {
    pub(crate) fn new(
        root: &'a Path,
        folders: &'a [PathBuf],
        manifest: &'a Manifest,
        state: &Path,
    ) -> Self {
        Self {
            root,
            folders,
            manifest,
            stamps_path: state.join("data-stamps.json"),
            files: Mutex::new(BTreeMap::new()),
        }
    }

    /// The verified file of an entry.
    pub(crate) fn get(&self, name: &str) -> Result<DataFile, DataProblem> {
        let Ok(mut files) = self.files.lock() else {
            return Err(DataProblem {
                external: false,
                optional: false,
                what: "whose verification failed".to_owned(),
                notes: Vec::new(),
            });
        };
        if let Some(known) = files.get(name) {
            return known.clone();
        }
        let verified = self.verify(name);
        files.insert(name.to_owned(), verified.clone());
        verified
    }

    fn verify(&self, name: &str) -> Result<DataFile, DataProblem> {
        let Some(entry) = self.manifest.entries.get(name) else {
            return Err(DataProblem {
                external: false,
                optional: false,
                what: "which data/manifest.toml does not list".to_owned(),
                notes: Vec::new(),
            });
        };
        let problem = |what: &str, notes: Vec<String>| DataProblem {
            external: entry.external,
            optional: entry.external && self.folders.is_empty(),
            what: what.to_owned(),
            notes,
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
        let Some(path) = candidates.into_iter().find(|path| path.exists()) else {
            return Err(problem("which is not on disk", vec![expected]));
        };
        if !path.is_file() {
            return Err(problem("which is not a file", vec![expected]));
        }
        let unreadable = |error: std::io::Error| {
            problem(
                "which cannot be read",
                vec![error.to_string(), expected.clone()],
            )
        };
        let (found, bytes) = if entry.external {
            let stamped = self.hash_by_stamp(&path, entry.blake3_of);
            (stamped.map_err(unreadable)?, None)
        } else {
            let bytes = std::fs::read(&path).map_err(unreadable)?;
            let found = (blake3::hash(&bytes), bytes.len() as u64);
            (found, Some(Arc::from(bytes)))
        };
        if found != (entry.blake3, entry.bytes) {
            let (hash, n_bytes) = found;
            let found = format!(
                "found {n_bytes} bytes with BLAKE3 {hash}, the manifest says {} with {}",
                entry.bytes, entry.blake3
            );
            return Err(problem(
                "whose content is not the one declared",
                vec![found, expected],
            ));
        }
        Ok(DataFile::new(name, path, bytes))
    }

    /// Hash and number of bytes of an external file; it is read only if its size or time of change
    /// differ from the stamp.
    fn hash_by_stamp(&self, path: &Path, of: HashOf) -> std::io::Result<(blake3::Hash, u64)> {
        let path = path.canonicalize()?;
        let metadata = path.metadata()?;
        let changed = metadata
            .modified()?
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let key = format!("{} ({of:?})", path.to_string_lossy());
        let mut stamps: BTreeMap<String, Stamp> = std::fs::read(&self.stamps_path)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        if let Some(stamp) = stamps.get(&key)
            && stamp.bytes == metadata.len()
            && stamp.changed_ns == changed.as_nanos()
            && let Ok(hash) = blake3::Hash::from_hex(&stamp.blake3)
        {
            return Ok((hash, stamp.hashed));
        }
        let (hash, hashed) = of.hash(&path)?;
        let stamp = Stamp {
            bytes: metadata.len(),
            changed_ns: changed.as_nanos(),
            blake3: hash.to_hex().to_string(),
            hashed,
        };
        stamps.insert(key, stamp);
        // Without the stamp the file is just read again next time.
        if let Ok(json) = serde_json::to_vec(&stamps) {
            let _ = write_atomically(&self.stamps_path, &json);
        }
        Ok((hash, hashed))
    }
}
