//! Writing files so that a half-written one cannot exist.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file operation that failed, with the file.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct FileError {
    /// The operation: `read`, `write`, `create`.
    pub action: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// Why it failed.
    pub source: std::io::Error,
}

impl FileError {
    pub(crate) fn new(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

/// Writes `bytes` under a temporary name beside `path`, then renames: whoever reads `path` sees
/// the old content or the new, also after a kill at any moment.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| FileError::new("create", folder, error))?;
    let written = NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(bytes)?;
        // Temporary files are private; results are for everyone.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            file.as_file()
                .set_permissions(std::fs::Permissions::from_mode(0o644))?;
        }
        file.persist(path).map_err(|error| error.error)
    });
    written
        .map(|_| ())
        .map_err(|error| FileError::new("write", path, error))
}
