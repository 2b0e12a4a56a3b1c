//! Reading files of a workspace, and writing them so that a half-written one cannot exist.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use kibitz_text::{Diagnostic, Diagnostics, SourceFile};
use tempfile::NamedTempFile;

/// A file operation that failed, with the file.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct FileError {
    /// What was tried: `read`, `write`, `create`.
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

/// A file of the workspace, `None` when there is none.
pub(crate) fn read_source(
    root: &Path,
    path: &Path,
    problems: &mut Diagnostics,
) -> Option<SourceFile> {
    let shown = path.to_string_lossy().replace('\\', "/");
    match std::fs::read(root.join(path)) {
        Ok(bytes) => {
            let source = SourceFile::from_bytes(shown, bytes);
            source.map_err(|mistake| problems.append(mistake)).ok()
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            problems.push(Diagnostic::new(format!("cannot read {shown}: {error}")));
            None
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
