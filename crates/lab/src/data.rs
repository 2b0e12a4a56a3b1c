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
//!    ```
//! 3. Name it in an experiment: `data = { games = "fischer-games" }`. The kind reads it with
//!    [`CellContext::data`](crate::CellContext::data)`("games")`.

use std::fmt;
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
    /// A verified file that will be read when its bytes are asked for.
    pub(crate) fn new(entry: impl Into<String>, path: PathBuf) -> Self {
        Self {
            inner: Arc::new(DataFileInner {
                entry: entry.into(),
                path,
                bytes: OnceLock::new(),
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

    /// The whole content, shared: a file is read once per process.
    ///
    /// # Errors
    /// [`CellError::Failed`] if the file cannot be read any more.
    pub fn bytes(&self) -> Result<Arc<[u8]>, CellError> {
        if let Some(bytes) = self.inner.bytes.get() {
            return Ok(Arc::clone(bytes));
        }
        let bytes = std::fs::read(&self.inner.path).map_err(|error| {
            CellError::new(format!(
                "cannot read data `{}` ({}): {error}",
                self.inner.entry,
                self.inner.path.display()
            ))
        })?;
        Ok(Arc::clone(
            self.inner.bytes.get_or_init(|| Arc::from(bytes)),
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
