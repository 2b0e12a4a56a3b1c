//! The file that `learn` writes: whole, or not at all.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use kibitz_text::Failure;

/// A file that replaces another one when it is complete.
///
/// Until then the text is in a temporary file beside it, which is removed if it is not completed.
/// What is not a regular file, such as a pipe, is written directly.
pub(super) struct OutputFile {
    path: PathBuf,
    partial: Option<PathBuf>,
    file: File,
}

impl OutputFile {
    /// A new file for this path, whose old contents stay until [`complete`](Self::complete).
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let unwritable = |error: io::Error| Failure::unwritable(path, &error);
        if path == Path::new("-") {
            let message = "`-` is not a file; expected a file for the rules";
            return Err(Failure::usage(message));
        }
        let old = match fs::metadata(path) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(unwritable(error)),
        };
        let is_direct = old.as_ref().is_some_and(|old| !old.is_file());
        if old.is_some() {
            // A file that may not be written must not be replaced either.
            let file = OpenOptions::new().write(true).open(path);
            let file = file.map_err(unwritable)?;
            if is_direct {
                return Ok(Self {
                    path: path.to_owned(),
                    partial: None,
                    file,
                });
            }
        }
        // A link stays a link: the file that it names is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut name = std::ffi::OsString::from(".");
        name.push(path.file_name().unwrap_or_default());
        name.push(format!(".{}.partial", std::process::id()));
        let partial = path.with_file_name(name);
        let file = File::create(&partial).map_err(unwritable)?;
        let output = Self {
            path,
            partial: Some(partial.clone()),
            file,
        };
        if let Some(old) = old {
            fs::set_permissions(&partial, old.permissions()).map_err(unwritable)?;
        }
        Ok(output)
    }

    /// Puts the file in its place.
    pub(super) fn complete(mut self) -> Result<(), Failure> {
        if let Some(partial) = &self.partial {
            fs::rename(partial, &self.path)
                .map_err(|error| Failure::unwritable(&self.path, &error))?;
        }
        self.partial = None;
        Ok(())
    }
}

impl io::Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            let _ = fs::remove_file(partial);
        }
    }
}
