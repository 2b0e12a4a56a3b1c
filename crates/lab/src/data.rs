//! Data files: what the manifest says of them, and their bytes, verified and read once.
//!
//! # How to add a data set
//! 1. Put the file below `data/` (or, when it is too large to embed, anywhere, and hand its
//!    folder to `--data DIR`).
//! 2. Add an entry to `data/manifest.toml`:
//!    ```toml
//!    [fischer-games]
//!    path = "jansen2000/fischer.pgn"      # below data/; for an external file just its name
//!    blake3 = "…"                         # hex, of the file's bytes
//!    bytes = 123456
//!    origin = "where it comes from and how anyone can rebuild it"
//!    license = "…"
//!    # external = true                    # looked up in --data DIR instead of data/
//!    # blake3-of = "decompressed"         # for an external file that may be zstd-compressed
//!    ```
//! 3. Name it in an experiment: `data = { games = "fischer-games" }`. The kind reads it with
//!    [`Context::data`](kibitz_experiment::Context::data)`("games")`.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::config::catalog::read_source;
use crate::config::decode::read_file;
use crate::config::wire::Entries;
use crate::diagnostic::Diagnostics;
use crate::files::write_atomically;
use kibitz_experiment::DataFile;

/// One entry of `data/manifest.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct DataEntry {
    /// Below `data/`; for an external file its name.
    #[serde(deserialize_with = "path_below")]
    pub(crate) path: PathBuf,
    /// BLAKE3 of the file's bytes.
    #[serde(deserialize_with = "hash_from_hex")]
    pub(crate) blake3: blake3::Hash,
    /// What the hash is taken of.
    #[serde(default)]
    pub(crate) blake3_of: HashOf,
    pub(crate) bytes: u64,
    pub(crate) origin: String,
    #[serde(rename = "license")]
    _license: String,
    /// How to make the file again, when that takes more than fetching it.
    #[serde(rename = "rebuild")]
    _rebuild: Option<String>,
    #[serde(rename = "notes")]
    _notes: Option<String>,
    /// Looked up in `--data DIR` instead of `data/`.
    #[serde(default)]
    pub(crate) external: bool,
}

/// What the hash of an entry is taken of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HashOf {
    /// The bytes of the file.
    #[default]
    File,
    /// What a zstd-compressed file holds; the bytes of a file that is not compressed. Compressors
    /// differ in the bytes they write, so only the content can be declared.
    Decompressed,
}

impl HashOf {
    /// A reader of what is hashed.
    fn open(self, path: &Path) -> std::io::Result<Box<dyn Read>> {
        const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
        let mut file = BufReader::new(std::fs::File::open(path)?);
        Ok(match self {
            Self::Decompressed if file.fill_buf()?.starts_with(&ZSTD_MAGIC) => {
                Box::new(zstd::Decoder::with_buffer(file)?)
            }
            _ => Box::new(file),
        })
    }
}

fn hash_from_hex<'de, D: serde::Deserializer<'de>>(from: D) -> Result<blake3::Hash, D::Error> {
    let text = String::deserialize(from)?;
    blake3::Hash::from_hex(&text)
        .map_err(|_| serde::de::Error::custom("a BLAKE3 hash is 64 hexadecimal digits"))
}

/// A path that leads out of its folder would be another machine's business.
fn path_below<'de, D: serde::Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
    let path = PathBuf::deserialize(from)?;
    if path
        .components()
        .all(|part| matches!(part, Component::Normal(_)))
    {
        Ok(path)
    } else {
        Err(serde::de::Error::custom("`path` must stay below data/"))
    }
}

/// `data/manifest.toml`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manifest {
    pub(crate) entries: BTreeMap<String, DataEntry>,
}

impl Manifest {
    /// Reads the manifest of a workspace; one without data needs none.
    pub(crate) fn load(root: &Path, problems: &mut Diagnostics) -> Self {
        let source = read_source(root, Path::new("data/manifest.toml"), problems);
        let entries = source.and_then(|source| read_file::<Entries<DataEntry>>(&source, problems));
        let entries = entries.unwrap_or_default().0.into_iter();
        Self {
            entries: entries
                .map(|(name, entry)| (name.into_inner(), entry))
                .collect(),
        }
    }
}

/// Why a data file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DataProblem {
    /// Whether the file lies outside the project and may simply not have been fetched.
    pub(crate) external: bool,
    /// `which is not on disk`, `whose content has changed`.
    pub(crate) what: String,
    /// What was expected and where to get it.
    pub(crate) notes: Vec<String>,
}

/// The data files of a run: each is found, verified and read once.
#[derive(Debug)]
pub(crate) struct DataStore<'a> {
    root: &'a Path,
    folders: &'a [PathBuf],
    manifest: &'a Manifest,
    stamps_path: PathBuf,
    files: Mutex<BTreeMap<String, Result<DataFile, DataProblem>>>,
}

/// Hash of a large file by its size and time of change, so that it is not read on every run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    changed_ns: u128,
    blake3: String,
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
                what: "which data/manifest.toml does not list".to_owned(),
                notes: Vec::new(),
            });
        };
        let problem = |what: &str, notes: Vec<String>| DataProblem {
            external: entry.external,
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
        let (hash, bytes) = if entry.external {
            (
                self.hash_by_stamp(&path, entry.blake3_of)
                    .map_err(unreadable)?,
                None,
            )
        } else {
            let bytes = std::fs::read(&path).map_err(unreadable)?;
            (blake3::hash(&bytes), Some(Arc::from(bytes)))
        };
        if hash != entry.blake3 {
            let found = format!(
                "found BLAKE3 {}…, the manifest says {}…",
                &hash.to_hex()[..16],
                &entry.blake3.to_hex()[..16]
            );
            return Err(problem(
                "whose content is not the one declared",
                vec![found, expected],
            ));
        }
        Ok(DataFile::new(name, path, bytes))
    }

    /// The hash of a large file; read in pieces, and only when size or time of change differ.
    fn hash_by_stamp(&self, path: &Path, of: HashOf) -> std::io::Result<blake3::Hash> {
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
            return Ok(hash);
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(of.open(&path)?)?;
        let hash = hasher.finalize();
        let stamp = Stamp {
            bytes: metadata.len(),
            changed_ns: changed.as_nanos(),
            blake3: hash.to_hex().to_string(),
        };
        stamps.insert(key, stamp);
        // Without the stamp the file is read again next time; nothing else changes.
        if let Ok(json) = serde_json::to_vec(&stamps) {
            let _ = write_atomically(&self.stamps_path, &json);
        }
        Ok(hash)
    }
}
