//! What is said of each data file: `data/manifest.toml`.
//!
//! # How to add a data set
//! 1. `data add FILE --license L --origin O` copies it below `data/` (or, with `--external` when
//!    it is too large to embed, leaves it where it is: hand its folder to `--data DIR`) and enters
//!    it in `data/manifest.toml`:
//!    ```toml
//!    [fischer-games]
//!    path = "jansen2000/fischer.pgn"      # below data/; for an external file just its name
//!    blake3 = "…"                         # hex, of the file's bytes
//!    bytes = 123456
//!    origin = "where it comes from and how anyone can rebuild it"
//!    license = "…"
//!    # external = true                    # looked up in --data DIR instead of data/
//!    # blake3-of = "decompressed"         # for an external file that may be compressed
//!    ```
//! 2. Name it in an experiment: `data = { games = "fischer-games" }`. The kind reads it with
//!    [`Context::data`](kibitz_experiment::Context::data)`("games")`.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use kibitz_text::{Decompressor, Diagnostics};

use crate::files::{FileError, read_source, write_atomically};
use crate::wire::Entries;

/// One entry of `data/manifest.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DataEntry {
    /// Below `data/`; for an external file its name. A folder stands for the files of tables in it.
    #[serde(deserialize_with = "path_below")]
    pub path: PathBuf,
    /// BLAKE3 of the file's bytes, or what [`blake3_of`](Self::blake3_of) says.
    #[serde(serialize_with = "hash_to_hex", deserialize_with = "hash_from_hex")]
    pub blake3: blake3::Hash,
    /// What the hash is taken of.
    #[serde(default, skip_serializing_if = "HashOf::is_file")]
    pub blake3_of: HashOf,
    /// Length of what is hashed, in bytes.
    pub bytes: u64,
    /// Where it comes from and how anyone can get it.
    pub origin: String,
    /// On what terms it may be used.
    pub license: String,
    /// How to make the file again, when that takes more than fetching it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebuild: Option<String>,
    /// Anything else worth knowing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Looked up in `--data DIR` instead of `data/`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub external: bool,
}

/// What the hash of an entry is taken of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HashOf {
    /// The bytes of the file.
    #[default]
    File,
    /// What a file compressed by zstd, gzip or bzip2 holds; the bytes of a file that is not compressed.
    /// Compressors differ in the bytes they write, so only the content can be declared.
    Decompressed,
    /// The names and hashes of the files of tables in a folder.
    Folder,
}

impl HashOf {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_file(&self) -> bool {
        *self == Self::File
    }

    /// Hash and length of what a file holds.
    ///
    /// # Errors
    /// Those of reading the file.
    pub fn hash(self, path: &Path) -> std::io::Result<(blake3::Hash, u64)> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(self.open(path)?)?;
        Ok((hasher.finalize(), hasher.count()))
    }

    /// Hash and length of an entry, from those of its files by their names.
    pub fn of_entry(self, files: &[(String, (blake3::Hash, u64))]) -> (blake3::Hash, u64) {
        if let ([(_, only)], Self::File | Self::Decompressed) = (files, self) {
            return *only;
        }
        let mut hasher = blake3::Hasher::new_derive_key("kibitz folder of data");
        for (name, (hash, _)) in files {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
            hasher.update(hash.as_bytes());
        }
        let n_bytes = files.iter().map(|(_, (_, n_bytes))| n_bytes).sum();
        (hasher.finalize(), n_bytes)
    }

    /// A reader of what is hashed.
    fn open(self, path: &Path) -> std::io::Result<Box<dyn Read>> {
        let file = std::fs::File::open(path)?;
        Ok(match self {
            Self::Decompressed => Box::new(Decompressor::new(file)?),
            Self::File | Self::Folder => Box::new(file),
        })
    }
}

fn hash_to_hex<S: serde::Serializer>(hash: &blake3::Hash, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(hash.to_hex().as_str())
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

/// `data/manifest.toml`: what is said of each data file, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Manifest {
    /// The entries by name.
    pub entries: BTreeMap<String, DataEntry>,
}

/// Where it lies in a workspace.
pub const PATH: &str = "data/manifest.toml";

const HEADER: &str = "\
# The data files: where each comes from and what its bytes are. Kept sorted by `data rebuild` and
# `data add`. Paths are below this folder; an `external` file is not part of the project and is
# looked for in the folder given by `--data`.

";

impl Manifest {
    /// Reads the manifest of the workspace at `root`; one without data needs none.
    ///
    /// # Errors
    /// Everything wrong with it, with positions.
    pub fn read(root: &Path) -> Result<Self, Diagnostics> {
        let mut problems = Diagnostics::new();
        let manifest = Self::load(root, &mut problems);
        problems.into_result(manifest)
    }

    /// The name of the entry that is called so, or whose file has this path: below `data/`, from
    /// the root, or of an external file anywhere.
    pub fn find(&self, text: &str) -> Option<&str> {
        let has_path = |entry: &DataEntry| {
            let path = Path::new(text);
            let below = path.strip_prefix("data").unwrap_or(path);
            below == entry.path || entry.external && path.ends_with(&entry.path)
        };
        let by_path = || self.entries.iter().find(|(_, entry)| has_path(entry));
        let found = self.entries.get_key_value(text).or_else(by_path);
        found.map(|(name, _)| name.as_str())
    }

    /// Writes the manifest of the workspace at `root`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, root: &Path) -> Result<(), FileError> {
        let path = root.join(PATH);
        let text = toml::to_string(self)
            .map_err(|error| FileError::new("write", &path, std::io::Error::other(error)))?;
        write_atomically(&path, format!("{HEADER}{text}").as_bytes())
    }

    /// Reads `data/manifest.toml`, and collects what is wrong with it.
    pub fn load(root: &Path, problems: &mut Diagnostics) -> Self {
        let source = read_source(root, Path::new(PATH), problems);
        let entries = source
            .and_then(|source| kibitz_text::toml::read::<Entries<DataEntry>>(&source, problems));
        let entries = entries.unwrap_or_default().0.into_iter();
        Self {
            entries: entries
                .map(|(name, entry)| (name.into_inner(), entry))
                .collect(),
        }
    }
}

/// A file's name up to the first point, in the spelling of entries.
pub fn entry_name(file_name: &str) -> String {
    let stem = file_name.split('.').next().unwrap_or(file_name);
    let words = stem.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.join("-")
}
