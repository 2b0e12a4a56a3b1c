//! Data files that cells read.

use std::fmt;
use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use crate::CellError;

/// A data file, or a folder of them, whose hash has been checked against the manifest.
#[derive(Clone)]
pub struct DataFile {
    inner: Arc<DataFileInner>,
}

struct DataFileInner {
    entry: String,
    path: PathBuf,
    bytes: OnceLock<Arc<[u8]>>,
    /// The files on disk as they were verified; none of a file that is held.
    parts: Vec<VerifiedFile>,
}

/// A file on disk as it was when its hash was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedFile {
    /// Its path below the folder of its entry, with `/` between names; of a single file its name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its length in bytes.
    pub n_bytes: u64,
    /// Time of the last modification, if the system provides it.
    pub changed: Option<SystemTime>,
}

impl VerifiedFile {
    /// A file as it is now; the caller hashes it afterwards.
    ///
    /// # Errors
    /// Those of the system.
    pub fn stamp(name: impl Into<String>, path: PathBuf) -> std::io::Result<Self> {
        let metadata = path.metadata()?;
        Ok(Self {
            name: name.into(),
            n_bytes: metadata.len(),
            changed: metadata.modified().ok(),
            path,
        })
    }

    /// Whether length and time of change are still the same.
    pub fn is_unchanged(&self) -> bool {
        Self::stamp("", self.path.clone())
            .is_ok_and(|now| (now.n_bytes, now.changed) == (self.n_bytes, self.changed))
    }
}

/// A reader of a file of a [`DataFile`].
pub trait ReadSeek: Read + Seek + Send {}

impl<R: Read + Seek + Send> ReadSeek for R {}

/// One file of a [`DataFile`].
#[derive(Clone, Debug)]
pub struct DataPart {
    /// Its path below the folder, with `/` between names; of a single file its name.
    pub name: String,
    file: DataFile,
    /// `None` for a file that is held.
    verified: Option<VerifiedFile>,
}

impl DataPart {
    /// A reader of its content.
    ///
    /// # Errors
    /// [`CellError::Failed`] if it cannot be opened any more, or has changed since it was verified.
    pub fn open(&self) -> Result<Box<dyn ReadSeek>, CellError> {
        match &self.verified {
            None => Ok(Box::new(Cursor::new(self.file.bytes()?))),
            Some(verified) => Ok(Box::new(self.file.open_verified(verified)?)),
        }
    }
}

impl DataFile {
    /// A verified file; its bytes are read on demand if `bytes` is `None`.
    pub fn new(entry: impl Into<String>, path: PathBuf, bytes: Option<Arc<[u8]>>) -> Self {
        Self::with(entry, path, bytes, Vec::new())
    }

    /// Files that stay on disk: one, at `path`, or those of the folder there.
    pub fn on_disk(entry: impl Into<String>, path: PathBuf, parts: Vec<VerifiedFile>) -> Self {
        Self::with(entry, path, None, parts)
    }

    fn with(
        entry: impl Into<String>,
        path: PathBuf,
        bytes: Option<Arc<[u8]>>,
        parts: Vec<VerifiedFile>,
    ) -> Self {
        Self {
            inner: Arc::new(DataFileInner {
                entry: entry.into(),
                path,
                bytes: bytes.map_or_else(OnceLock::new, OnceLock::from),
                parts,
            }),
        }
    }

    /// The entry in `data/manifest.toml`.
    pub fn entry(&self) -> &str {
        &self.inner.entry
    }

    /// Where the file or folder is; for files too large to hold, which are streamed.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Its files, in the order of their names: itself, unless it is a folder.
    pub fn parts(&self) -> Vec<DataPart> {
        let part = |name: String, verified| DataPart {
            name,
            file: self.clone(),
            verified,
        };
        if self.inner.parts.is_empty() {
            let name = self.inner.path.file_name().unwrap_or_default();
            return vec![part(name.to_string_lossy().into_owned(), None)];
        }
        let parts = self.inner.parts.iter();
        parts
            .map(|verified| part(verified.name.clone(), Some(verified.clone())))
            .collect()
    }

    /// Length in bytes, if the system provides it; for progress.
    pub fn n_bytes(&self) -> u64 {
        let on_disk = || match self.inner.parts.as_slice() {
            [] => std::fs::metadata(&self.inner.path).map_or(0, |file| file.len()),
            parts => parts.iter().map(|part| part.n_bytes).sum(),
        };
        let held = self.inner.bytes.get();
        held.map_or_else(on_disk, |bytes| bytes.len() as u64)
    }

    /// A reader of the content, for files too large to hold.
    ///
    /// # Errors
    /// [`CellError::Failed`] if the file cannot be opened any more or has changed, or for a folder.
    pub fn open(&self) -> Result<Box<dyn Read + Send>, CellError> {
        if let Some(bytes) = self.inner.bytes.get() {
            return Ok(Box::new(Cursor::new(Arc::clone(bytes))));
        }
        match self.inner.parts.as_slice() {
            [] => {
                let file = File::open(&self.inner.path).map_err(|error| self.unreadable(&error))?;
                Ok(Box::new(file))
            }
            [part] if !self.inner.path.is_dir() => Ok(Box::new(self.open_verified(part)?)),
            _ => Err(CellError::new(format!(
                "data `{}` is a folder of tables, and a single file is read here",
                self.inner.entry
            ))),
        }
    }

    /// The whole content, shared: a file is read once per process.
    ///
    /// # Errors
    /// Like [`open`](Self::open).
    pub fn bytes(&self) -> Result<Arc<[u8]>, CellError> {
        if let Some(bytes) = self.inner.bytes.get() {
            return Ok(Arc::clone(bytes));
        }
        let mut bytes = Vec::new();
        let read = self.open()?.read_to_end(&mut bytes);
        read.map_err(|error| self.unreadable(&error))?;
        Ok(Arc::clone(
            self.inner.bytes.get_or_init(|| Arc::from(bytes)),
        ))
    }

    /// Checks by length and modification time that none of its files has changed since it was hashed: the
    /// data that were read are then those in the cache key of the result.
    ///
    /// # Errors
    /// [`CellError::Failed`] with the first file that has changed, or is gone.
    pub fn check_unchanged(&self) -> Result<(), CellError> {
        let mut parts = self.inner.parts.iter();
        match parts.find(|part| !part.is_unchanged()) {
            None => Ok(()),
            Some(part) => Err(self.changed(part)),
        }
    }

    fn open_verified(&self, part: &VerifiedFile) -> Result<File, CellError> {
        let file = File::open(&part.path).map_err(|error| self.unreadable(&error))?;
        if part.is_unchanged() {
            Ok(file)
        } else {
            Err(self.changed(part))
        }
    }

    fn changed(&self, part: &VerifiedFile) -> CellError {
        CellError::new(format!(
            "data `{}`: {} has changed while the run went on; nothing of it is kept",
            self.inner.entry,
            part.path.display()
        ))
    }

    fn unreadable(&self, error: &std::io::Error) -> CellError {
        CellError::new(format!(
            "cannot read data `{}` ({}): {error}",
            self.inner.entry,
            self.inner.path.display()
        ))
    }
}

impl fmt::Debug for DataFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataFile")
            .field("entry", &self.inner.entry)
            .field("path", &self.inner.path)
            .finish_non_exhaustive()
    }
}
