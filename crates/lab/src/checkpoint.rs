//! Intermediate results of a cell, kept until the cell is done.

use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::CellError;
use crate::files::write_atomically;

/// The folder that holds the checkpoints of one run of one cell.
#[derive(Clone, Debug)]
pub(crate) struct Checkpoints {
    folder: PathBuf,
}

impl Checkpoints {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(crate) fn get_or_compute<T: Serialize + DeserializeOwned>(
        &self,
        name: &str,
        compute: impl FnOnce() -> Result<T, CellError>,
    ) -> Result<T, CellError> {
        // Any text is a fine name for a checkpoint, so the file is named after its hash.
        let file = format!("{}.json", &blake3::hash(name.as_bytes()).to_hex()[..32]);
        let path = self.folder.join(file);
        if let Ok(bytes) = std::fs::read(&path)
            && let Ok(value) = serde_json::from_slice(&bytes)
        {
            return Ok(value);
        }
        let bytes = serde_json::to_vec(&compute()?)
            .map_err(|error| CellError::new(format!("checkpoint `{name}`: {error}")))?;
        let value = serde_json::from_slice(&bytes).map_err(|error| {
            CellError::new(format!(
                "checkpoint `{name}` cannot be read back from JSON: {error}"
            ))
        })?;
        write_atomically(&path, &bytes)
            .map_err(|error| CellError::new(format!("checkpoint `{name}`: {error}")))?;
        Ok(value)
    }

    /// Forgets everything; a cell that is done needs no checkpoint.
    pub(crate) fn clear(&self) {
        // Nothing depends on the folder being gone: the next run of the cell has another key.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
