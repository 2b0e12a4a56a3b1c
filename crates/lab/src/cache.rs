//! The cache of finished cells: one file each, complete or absent, addressed by content hash.
//!
//! Several processes, on several machines, may write to one folder at once: a file appears under its
//! name only when it is whole, and two writers of one name write the same result. Whatever is read
//! is checked against its hash first.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::files::{FileError, persist, write_atomically};
use crate::parquet::{ParquetWriter, to_parquet};
use kibitz_experiment::{Output, Records};
use kibitz_tables::TableError;

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

/// A part of a dataset, kept as Parquet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Number of its records.
    pub records: usize,
    /// Length of its file.
    pub bytes: u64,
    blake3: String,
}

/// A part of a dataset that is being written, under a name that does not count.
pub(crate) struct OpenPart {
    file: NamedTempFile,
    part: ParquetWriter<std::fs::File>,
}

impl OpenPart {
    /// Adds records with the same columns.
    pub(crate) fn add(&mut self, records: Records) -> Result<(), PartError> {
        let added = self.part.write(records);
        added.map_err(|error| {
            let error = std::io::Error::other(error);
            FileError::new("write", self.file.path(), error).into()
        })
    }
}

/// Why a part of a dataset is not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PartError {
    /// Its records are no Parquet.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Its file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
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

    /// The finished cell, if it is cached and intact.
    pub fn get(&self, inputs_key: &str) -> Option<CachedCell> {
        match self.find(inputs_key) {
            CacheLookup::Done(cell) => Some(*cell),
            CacheLookup::Absent | CacheLookup::Damaged(_) => None,
        }
    }

    /// Begins a part of a dataset whose records come one after the other.
    pub(crate) fn begin_part(&self, records: Records) -> Result<OpenPart, PartError> {
        let folder = self.folder.join("unfinished");
        let created = std::fs::create_dir_all(&folder);
        created.map_err(|error| FileError::new("create", &folder, error))?;
        let unwritable = |error| FileError::new("write", &folder, error);
        let file = NamedTempFile::new_in(&folder).map_err(unwritable)?;
        let written = file.reopen().map_err(unwritable)?;
        let columns = records.columns().map(|(field, _)| field);
        let part = ParquetWriter::new(written, columns)?;
        let mut open = OpenPart { file, part };
        open.add(records)?;
        Ok(open)
    }

    /// Caches a part whose records are complete; the cell that yields it must record the result.
    pub(crate) fn end_part(&self, inputs_key: &str, open: OpenPart) -> Result<Part, PartError> {
        let OpenPart { file, part } = open;
        let path = self.part(inputs_key);
        let unwritable = |error| FileError::new("write", &path, error);
        let records = part.finish();
        let records = records.map_err(|error| unwritable(std::io::Error::other(error)))?;
        let mut hasher = blake3::Hasher::new();
        let hashed = file.reopen().and_then(|file| {
            hasher.update_reader(file)?;
            Ok(hasher.count())
        });
        let bytes = hashed.map_err(unwritable)?;
        persist(file, &path)?;
        Ok(Part {
            records,
            bytes,
            blake3: hasher.finalize().to_hex().to_string(),
        })
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
        match cell.part.as_ref().map(|part| self.damage(inputs_key, part)) {
            Some(Some(damage)) => CacheLookup::Damaged(damage),
            Some(None) | None => CacheLookup::Done(Box::new(cell)),
        }
    }

    /// What is wrong with a part of a dataset.
    fn damage(&self, inputs_key: &str, part: &Part) -> Option<&'static str> {
        let path = self.part(inputs_key);
        let Ok(length) = std::fs::metadata(&path).map(|file| file.len()) else {
            return Some("its records are gone");
        };
        if length != part.bytes {
            return Some("its records are cut short");
        }
        let mut hasher = blake3::Hasher::new();
        let hashed = std::fs::File::open(&path).and_then(|file| {
            hasher.update_reader(file)?;
            Ok(hasher.finalize())
        });
        let is_intact = hashed.is_ok_and(|hash| hash.to_hex().as_str() == part.blake3);
        (!is_intact).then_some("its records are not what was written")
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

    fn open(folder: &tempfile::TempDir, toolchain: Toolchain) -> Cache {
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
    fn a_damaged_part_is_told_from_an_absent_one() {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(&folder, Toolchain::current());
        let mut records = Records::new(vec![Field::new("ply", FieldType::Int, "plies", "")]);
        records.push([Datum::Int(1)]).unwrap();
        let part = Some(cache.put_part("key", records).unwrap());
        let cell = CachedCell { part, ..cell() };
        cache.put("key", &cell).unwrap();
        assert_eq!(cache.get("key"), Some(cell));
        let path = cache.part("key");
        let bytes = std::fs::read(&path).unwrap();
        let damage = |written: &[u8]| {
            std::fs::write(&path, written).unwrap();
            cache.find("key")
        };
        let cut_short = damage(&bytes[..bytes.len() - 9]);
        assert_eq!(cut_short, CacheLookup::Damaged("its records are cut short"));
        let mut other = bytes.clone();
        other[7] ^= 1;
        let altered = damage(&other);
        assert_eq!(
            altered,
            CacheLookup::Damaged("its records are not what was written")
        );
        std::fs::remove_file(&path).unwrap();
        assert_eq!(
            cache.find("key"),
            CacheLookup::Damaged("its records are gone")
        );
        assert_eq!(cache.find("other"), CacheLookup::Absent);
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
