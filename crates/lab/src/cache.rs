//! The cache of finished cells: one file each, complete or absent, addressed by content hash.
//!
//! Several processes, on several machines, may write to one folder at once: a file appears under its
//! name only when it is whole, and two writers of one name write the same result. Whatever is read
//! is checked against its hash first.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{FileError, write_atomically};
use kibitz_experiment::Output;

pub use crate::part::Part;

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

/// Version of what entries hold: a folder with entries of another one is refused.
const FORMAT: &str = "1";

/// Why a folder cannot be used as a cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Another program's entries.
    #[error(
        "the cache {} is of version {found}, and this program reads version {FORMAT}: give another \
         folder with --cache",
        folder.display()
    )]
    OtherVersion {
        /// The folder.
        folder: PathBuf,
        /// Its version.
        found: String,
    },
    /// Its version cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The result of looking up a run in the cache.
#[derive(Clone, Debug, PartialEq)]
pub enum CacheLookup {
    /// Nothing.
    Absent,
    /// An entry that is not what was written, with what is wrong.
    Damaged(&'static str),
    /// The finished run.
    Done(Box<CachedCell>),
}

/// A finished run of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CachedCell {
    /// For readers of the file; it is addressed by its name.
    pub experiment: String,
    /// Its id.
    pub cell: String,
    /// Which replicate it is, from 0.
    pub replicate: u32,
    /// Wall time.
    pub seconds: f64,
    /// CPU time in seconds, of a cell with many threads that of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cpu: Option<f64>,
    /// Bytes of memory its process held at most, where it ran alone there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// The widest instructions that the processor had: no result may depend on them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) instructions: String,
    /// What it remarked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// How much of its data it used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audit: Vec<String>,
    /// The cell's part of a dataset, in a file beside this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Part>,
    /// What it yielded.
    pub output: Output,
    /// Why it could not be cached.
    #[serde(skip)]
    pub unkept: Option<String>,
}

/// The word for CPU time.
pub const CPU: &str = "CPU";

impl CachedCell {
    /// The CPU time, or the wall time of a run whose CPU time was not measured.
    pub fn cpu_seconds(&self) -> f64 {
        self.cpu.unwrap_or(self.seconds)
    }

    /// What [`Self::cpu_seconds`] measures, in a word: [`CPU`], or `elapsed`.
    pub fn measures(&self) -> &'static str {
        if self.cpu.is_some() { CPU } else { "elapsed" }
    }
}

/// The folder of finished cells.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    toolchain: Toolchain,
}

impl Cache {
    /// The cache in a folder, which need not exist yet.
    ///
    /// # Errors
    /// If it holds entries of another version.
    pub fn open(folder: PathBuf, toolchain: Toolchain) -> Result<Self, CacheError> {
        let cache = Self { folder, toolchain };
        let path = cache.version();
        match std::fs::read_to_string(&path) {
            Ok(found) if found.trim() == FORMAT => Ok(cache),
            Ok(found) => Err(CacheError::OtherVersion {
                folder: cache.folder,
                found: found.trim().to_owned(),
            }),
            // A folder where a file should be, or none, is found out on writing.
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                Err(FileError::new("read", &path, error).into())
            }
            Err(_) => Ok(cache),
        }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file that tells its version.
    fn version(&self) -> PathBuf {
        self.folder.join("version")
    }

    /// The key of a run, by which entries are addressed: the hash of inputs key and toolchain.
    pub fn key(&self, inputs_key: &str) -> String {
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
    pub fn part(&self, inputs_key: &str) -> PathBuf {
        self.path(inputs_key).with_extension("parquet")
    }

    /// The finished cell, if it is cached and intact.
    pub fn get(&self, inputs_key: &str) -> Option<CachedCell> {
        match self.find(inputs_key) {
            CacheLookup::Done(cell) => Some(*cell),
            CacheLookup::Absent | CacheLookup::Damaged(_) => None,
        }
    }

    /// What there is of a run. The first line of an entry is the hash of the rest, which contains
    /// the hash of the part.
    pub fn find(&self, inputs_key: &str) -> CacheLookup {
        let Ok(bytes) = std::fs::read(self.path(inputs_key)) else {
            return CacheLookup::Absent;
        };
        let Some(line) = bytes.iter().position(|byte| *byte == b'\n') else {
            return CacheLookup::Damaged("its entry is cut short");
        };
        let (hash, body) = (&bytes[..line], &bytes[line + 1..]);
        if hash != blake3::hash(body).to_hex().as_bytes() {
            return CacheLookup::Damaged("its entry is not what was written");
        }
        let Ok(cell) = serde_json::from_slice::<CachedCell>(body) else {
            return CacheLookup::Damaged("its entry is of another version");
        };
        let part = cell.part.as_ref();
        match part.map(|part| part.damage(&self.part(inputs_key))) {
            Some(Some(damage)) => CacheLookup::Damaged(damage),
            Some(None) | None => CacheLookup::Done(Box::new(cell)),
        }
    }

    /// Whether anything is kept under a run's key, by whatever program.
    pub fn holds(&self, key: &str) -> bool {
        let shard = key.get(..2).unwrap_or(key);
        self.folder.join(shard).join(format!("{key}.json")).exists()
    }

    /// Caches a finished cell and drops its checkpoints.
    ///
    /// # Errors
    /// [`FileError`] if the cell cannot be written.
    pub fn put(&self, inputs_key: &str, cell: &CachedCell) -> Result<(), FileError> {
        let version = self.version();
        if !version.exists() {
            write_atomically(&version, FORMAT.as_bytes())?;
        }
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
    pub fn kept(&self, inputs_key: &str, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.checkpoint(inputs_key, name)).ok()
    }

    /// Keeps a checkpoint until the cell is done.
    ///
    /// # Errors
    /// [`FileError`] if the checkpoint cannot be written.
    pub fn keep(&self, inputs_key: &str, name: &str, value: &[u8]) -> Result<(), FileError> {
        write_atomically(&self.checkpoint(inputs_key, name), value)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn cell() -> CachedCell {
        let mut output = Output::default();
        let mut row = output.row("row");
        row.set("x", 0.1 + 0.2).set("t", "a\nb,\"c\"");
        CachedCell {
            experiment: "paper/table".to_owned(),
            cell: "row".to_owned(),
            replicate: 0,
            seconds: 1.5,
            cpu: Some(1.25),
            memory: Some(1 << 20),
            instructions: "x86_64 avx2".to_owned(),
            warnings: vec!["odd".to_owned()],
            audit: vec!["4 bytes read".to_owned()],
            part: None,
            output,
            unkept: None,
        }
    }

    pub(crate) fn open(folder: &tempfile::TempDir, toolchain: Toolchain) -> Cache {
        Cache::open(folder.path().to_owned(), toolchain).unwrap()
    }

    #[test]
    fn cells_come_back_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(&folder, Toolchain::current());
        assert_eq!(cache.get("key"), None);
        cache.put("key", &cell()).unwrap();
        assert_eq!(cache.get("key"), Some(cell()));
        assert_eq!(cache.get("other"), None);
    }

    #[test]
    fn another_compiler_has_another_cache() {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(&folder, Toolchain::current());
        cache.put("key", &cell()).unwrap();
        let newer = Toolchain {
            compiler: "rustc 9.9.9".to_owned(),
            ..Toolchain::current()
        };
        assert_eq!(open(&folder, newer).get("key"), None);
    }

    #[test]
    fn entries_of_another_version_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        open(&folder, Toolchain::current())
            .put("key", &cell())
            .unwrap();
        std::fs::write(folder.path().join("version"), "2\n").unwrap();
        let refused = Cache::open(folder.path().to_owned(), Toolchain::current());
        let told = refused.unwrap_err().to_string();
        assert!(
            told.contains("is of version 2, and this program reads version 1"),
            "{told}"
        );
    }

    #[test]
    fn many_may_write_one_entry_at_once() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let cache = open(&folder, Toolchain::current());
                        cache.put("key", &cell()).unwrap();
                        // Whole whenever it is looked at.
                        assert_eq!(cache.find("key"), CacheLookup::Done(Box::new(cell())));
                    }
                });
            }
        });
        let left = std::fs::read_dir(folder.path()).unwrap().flatten();
        let files = left.filter(|entry| entry.path().is_file()).count();
        assert_eq!(files, 1, "only the version, and no temporary file");
    }

    #[test]
    fn a_damaged_entry_is_told_from_an_absent_one() {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(&folder, Toolchain::current());
        cache.put("key", &cell()).unwrap();
        let path = cache.path("key");
        let text = std::fs::read_to_string(&path).unwrap();
        let damage = |written: &str| {
            std::fs::write(&path, written).unwrap();
            cache.find("key")
        };
        let other = CacheLookup::Damaged("its entry is not what was written");
        assert_eq!(damage(&text.replace("1.5", "2.5")), other);
        assert_eq!(damage(&text[..text.len() / 2]), other);
        let cut_short = CacheLookup::Damaged("its entry is cut short");
        assert_eq!(damage(&text[..9]), cut_short);
        assert_eq!(damage(""), cut_short);
        let hash = blake3::hash(b"{}").to_hex();
        let of_another_version = CacheLookup::Damaged("its entry is of another version");
        assert_eq!(damage(&format!("{hash}\n{{}}")), of_another_version);
        assert_eq!(cache.get("key"), None);
    }
}
