//! Data files that cells read.

use std::fmt;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::CellError;

/// A data file whose hash has been checked against the manifest.
#[derive(Clone)]
pub struct DataFile {
    inner: Arc<DataFileInner>,
}

struct DataFileInner {
    entry: String,
    path: PathBuf,
    bytes: OnceLock<Arc<[u8]>>,
}

impl DataFile {
    /// A verified file; its bytes, when not at hand already, are read when asked for.
    pub fn new(entry: impl Into<String>, path: PathBuf, bytes: Option<Arc<[u8]>>) -> Self {
        Self {
            inner: Arc::new(DataFileInner {
                entry: entry.into(),
                path,
                bytes: bytes.map_or_else(OnceLock::new, OnceLock::from),
            }),
        }
    }

    /// The entry in `data/manifest.toml`.
    pub fn entry(&self) -> &str {
        &self.inner.entry
    }

    /// Where the file is; for files too large to hold, which are streamed.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Length in bytes, as far as the system tells; for progress.
    pub fn n_bytes(&self) -> u64 {
        match self.inner.bytes.get() {
            Some(bytes) => bytes.len() as u64,
            None => std::fs::metadata(&self.inner.path).map_or(0, |file| file.len()),
        }
    }

    /// A reader of the content, for files too large to hold.
    ///
    /// # Errors
    /// [`CellError::Failed`] if the file cannot be opened any more.
    pub fn open(&self) -> Result<Box<dyn Read + Send>, CellError> {
        if let Some(bytes) = self.inner.bytes.get() {
            return Ok(Box::new(Cursor::new(Arc::clone(bytes))));
        }
        let file = File::open(&self.inner.path).map_err(|error| self.unreadable(&error))?;
        Ok(Box::new(file))
    }

    /// The whole content, shared: a file is read once per process.
    ///
    /// # Errors
    /// [`CellError::Failed`] if the file cannot be read any more.
    pub fn bytes(&self) -> Result<Arc<[u8]>, CellError> {
        if let Some(bytes) = self.inner.bytes.get() {
            return Ok(Arc::clone(bytes));
        }
        let bytes = std::fs::read(&self.inner.path).map_err(|error| self.unreadable(&error))?;
        Ok(Arc::clone(
            self.inner.bytes.get_or_init(|| Arc::from(bytes)),
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
