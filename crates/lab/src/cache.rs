//! The cache of finished cells: one file each, complete or absent, addressed by content hash.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::files::{FileError, write_atomically};
use crate::frame::{FrameError, to_parquet};
use kibitz_experiment::{Output, Records};

/// The toolchain: part of the cache key, but not of the inputs key, since results should not depend
/// on it.
///
/// `exp`, `ln` and `pow` may differ in the last bit, so cached values stay with their compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Toolchain {
    /// `rustc --version`.
    pub compiler: String,
    /// Target triple.
    pub target: String,
    /// Optimization level and whether debug assertions are on.
    pub profile: String,
}

impl Toolchain {
    /// The toolchain that compiled this crate.
    pub fn current() -> Self {
        Self {
            compiler: env!("KIBITZ_RUSTC").to_owned(),
            target: env!("KIBITZ_TARGET").to_owned(),
            profile: format!(
                "opt-level {}, debug assertions {}",
                env!("KIBITZ_OPT_LEVEL"),
                cfg!(debug_assertions)
            ),
        }
    }
}

/// A finished run of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CachedCell {
    /// For readers of the file; it is addressed by its name.
    pub(crate) experiment: String,
    pub(crate) cell: String,
    pub(crate) replicate: u32,
    pub(crate) seconds: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
    /// How much of its data it used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) audit: Vec<String>,
    /// The cell's part of a dataset, in a file beside this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<Part>,
    pub(crate) output: Output,
    /// Why it could not be cached.
    #[serde(skip)]
    pub(crate) unkept: Option<String>,
}

/// A part of a dataset, kept as Parquet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Part {
    pub(crate) records: usize,
    pub(crate) bytes: u64,
    blake3: String,
}

/// Why a part of a dataset is not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PartError {
    /// Its records are no Parquet.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// Its file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The folder of finished cells.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    toolchain: Toolchain,
}

impl Cache {
    pub(crate) fn new(folder: PathBuf, toolchain: Toolchain) -> Self {
        Self { folder, toolchain }
    }

    /// The cache key: the hash of inputs key and toolchain.
    fn key(&self, inputs_key: &str) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("kibitz cache key");
        let Toolchain {
            compiler,
            target,
            profile,
        } = &self.toolchain;
        for part in [inputs_key, compiler, target, profile] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        hasher.finalize().to_hex()[..32].to_owned()
    }

    fn path(&self, inputs_key: &str) -> PathBuf {
        let key = self.key(inputs_key);
        self.folder.join(&key[..2]).join(format!("{key}.json"))
    }

    /// The path of a cell's part of a dataset.
    pub(crate) fn part(&self, inputs_key: &str) -> PathBuf {
        self.path(inputs_key).with_extension("parquet")
    }

    /// Caches a part of a dataset; the cell that yields it must record the result.
    pub(crate) fn put_part(&self, inputs_key: &str, records: Records) -> Result<Part, PartError> {
        let n_records = records.len();
        let parquet = to_parquet(records)?;
        write_atomically(&self.part(inputs_key), &parquet)?;
        Ok(Part {
            records: n_records,
            bytes: parquet.len() as u64,
            blake3: blake3::hash(&parquet).to_hex().to_string(),
        })
    }

    /// The finished cell, if it is cached. A damaged file counts as absent: its first line is the hash
    /// of the rest, which contains the hash of the part.
    pub(crate) fn get(&self, inputs_key: &str) -> Option<CachedCell> {
        let bytes = std::fs::read(self.path(inputs_key)).ok()?;
        let line = bytes.iter().position(|byte| *byte == b'\n')?;
        let (hash, body) = (&bytes[..line], &bytes[line + 1..]);
        if hash != blake3::hash(body).to_hex().as_bytes() {
            return None;
        }
        let cell: CachedCell = serde_json::from_slice(body).ok()?;
        let is_intact = cell.part.as_ref().is_none_or(|part| {
            let parquet = std::fs::read(self.part(inputs_key));
            parquet.is_ok_and(|bytes| blake3::hash(&bytes).to_hex().as_str() == part.blake3)
        });
        is_intact.then_some(cell)
    }

    /// Caches a finished cell and drops its checkpoints.
    pub(crate) fn put(&self, inputs_key: &str, cell: &CachedCell) -> Result<(), FileError> {
        let path = self.path(inputs_key);
        let body = serde_json::to_vec(cell)
            .map_err(|error| FileError::new("write", &path, std::io::Error::other(error)))?;
        let mut bytes = blake3::hash(&body).to_hex().as_bytes().to_vec();
        bytes.push(b'\n');
        bytes.extend_from_slice(&body);
        write_atomically(&path, &bytes)?;
        // A folder left behind is harmless: no other cell has this key.
        let _ = std::fs::remove_dir_all(self.checkpoints(inputs_key));
        Ok(())
    }

    /// The folder of a cell's checkpoints.
    fn checkpoints(&self, inputs_key: &str) -> PathBuf {
        self.folder.join("checkpoints").join(self.key(inputs_key))
    }

    /// The file of a checkpoint: named by hash, since a checkpoint may have any name.
    fn checkpoint(&self, inputs_key: &str, name: &str) -> PathBuf {
        let file = format!("{}.json", &blake3::hash(name.as_bytes()).to_hex()[..32]);
        self.checkpoints(inputs_key).join(file)
    }

    /// A checkpoint of a cell.
    pub(crate) fn kept(&self, inputs_key: &str, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.checkpoint(inputs_key, name)).ok()
    }

    /// Keeps a checkpoint until the cell is done.
    pub(crate) fn keep(&self, inputs_key: &str, name: &str, value: &[u8]) -> Result<(), FileError> {
        write_atomically(&self.checkpoint(inputs_key, name), value)
    }
}

#[cfg(test)]
mod tests {
    use kibitz_experiment::{Datum, Field, FieldType};

    use super::*;

    fn cell() -> CachedCell {
        let mut output = Output::default();
        let mut row = output.row("row");
        row.set("x", 0.1 + 0.2).set("t", "a\nb,\"c\"");
        CachedCell {
            experiment: "paper/table".to_owned(),
            cell: "row".to_owned(),
            replicate: 0,
            seconds: 1.5,
            warnings: vec!["odd".to_owned()],
            audit: vec!["4 bytes read".to_owned()],
            part: None,
            output,
            unkept: None,
        }
    }

    #[test]
    fn cells_come_back_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned(), Toolchain::current());
        assert_eq!(cache.get("key"), None);
        cache.put("key", &cell()).unwrap();
        assert_eq!(cache.get("key"), Some(cell()));
        assert_eq!(cache.get("other"), None);
    }

    #[test]
    fn another_compiler_has_another_cache() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned(), Toolchain::current());
        cache.put("key", &cell()).unwrap();
        let newer = Toolchain {
            compiler: "rustc 9.9.9".to_owned(),
            ..Toolchain::current()
        };
        assert_eq!(Cache::new(folder.path().to_owned(), newer).get("key"), None);
    }

    #[test]
    fn a_damaged_part_counts_as_absent() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned(), Toolchain::current());
        let mut records = Records::new(vec![Field::new("ply", FieldType::Int, "plies", "")]);
        records.push([Datum::Int(1)]).unwrap();
        let part = Some(cache.put_part("key", records).unwrap());
        let cell = CachedCell { part, ..cell() };
        cache.put("key", &cell).unwrap();
        assert_eq!(cache.get("key"), Some(cell));
        let path = cache.part("key");
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
        assert_eq!(cache.get("key"), None);
    }

    #[test]
    fn a_damaged_file_counts_as_absent() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned(), Toolchain::current());
        cache.put("key", &cell()).unwrap();
        let path = cache.path("key");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("1.5", "2.5")).unwrap();
        assert_eq!(cache.get("key"), None);
        std::fs::write(&path, &text[..text.len() / 2]).unwrap();
        assert_eq!(cache.get("key"), None);
    }
}
