//! Files of a workspace: reading, and atomic writing.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use kibitz_text::{Diagnostic, Diagnostics, SourceFile, suggested_file};
use tempfile::NamedTempFile;

/// A failed file operation.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct FileError {
    /// The operation: `read`, `write`, `create`.
    pub action: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// The error of the operating system.
    pub source: std::io::Error,
}

impl FileError {
    /// The error of doing this (`read`, `write`, `create`) to a file.
    pub fn new(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        Self {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// A question for a file beside one that is not there.
    pub(crate) fn similar(&self) -> Option<String> {
        let is_absent = self.source.kind() == std::io::ErrorKind::NotFound;
        (self.action == "read" && is_absent).then(|| suggested_file(&self.path))?
    }
}

/// A file of the workspace, `None` when there is none.
pub fn read_source(root: &Path, path: &Path, problems: &mut Diagnostics) -> Option<SourceFile> {
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

/// Writes a file atomically: under a temporary name beside `path`, then renamed. Readers see the old
/// content or the new, even after a kill at any moment.
///
/// # Errors
/// [`FileError`] if it cannot be written.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| FileError::new("create", folder, error))?;
    let written = NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(bytes)?;
        Ok(file)
    });
    persist(
        written.map_err(|error| FileError::new("write", path, error))?,
        path,
    )
}

/// Gives a temporary file its name, which may be another one's already.
///
/// # Errors
/// [`FileError`] if it cannot be renamed.
pub fn persist(file: NamedTempFile, path: &Path) -> Result<(), FileError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| FileError::new("create", folder, error))?;
    let persisted = || {
        // Temporary files are private by default; results are readable by all.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            file.as_file()
                .set_permissions(std::fs::Permissions::from_mode(0o644))?;
        }
        file.persist(path).map_err(|error| error.error)
    };
    persisted()
        .map(drop)
        .map_err(|error| FileError::new("write", path, error))
}
