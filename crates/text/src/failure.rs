//! Why a program ends early.

use std::fmt;
use std::io;
use std::path::Path;

use crate::suggest::suggested_file;
use crate::{Diagnostic, Diagnostics, Exit, SourceFile};

/// An early end of a program: the message and the exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// The messages.
    pub diagnostics: Diagnostics,
}

impl Failure {
    /// A failure with one message.
    pub fn new(exit: Exit, diagnostic: impl Into<Diagnostic>) -> Self {
        Self {
            exit,
            diagnostics: diagnostic.into().into(),
        }
    }

    /// The command line cannot be used.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::BadInput, Diagnostic::new(message))
    }

    /// The work failed or met a limit.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, Diagnostic::new(message))
    }

    /// A file or folder is missing or cannot be read; for a missing one, suggests a similar name in the same
    /// folder.
    pub fn unreadable(path: impl AsRef<Path>, error: &io::Error) -> Self {
        let path = path.as_ref();
        let message = format!("cannot read {}: {error}", path.display());
        let mut diagnostic = Diagnostic::new(message);
        if error.kind() == io::ErrorKind::NotFound
            && let Some(suggested) = suggested_file(path)
        {
            diagnostic = diagnostic.with_note(suggested);
        }
        Self::new(Exit::Missing, diagnostic)
    }

    /// A file or folder cannot be written.
    pub fn unwritable(path: impl AsRef<Path>, error: &io::Error) -> Self {
        let message = format!("cannot write {}: {error}", path.as_ref().display());
        Self::new(Exit::Unwritable, Diagnostic::new(message))
    }

    /// The same with a note below each message.
    #[must_use]
    pub fn with_note(mut self, note: &str) -> Self {
        let noted = self.diagnostics.into_iter();
        self.diagnostics = noted.map(|one| one.with_note(note)).collect();
        self
    }
}

impl From<Diagnostics> for Failure {
    /// Text that cannot be used.
    fn from(diagnostics: Diagnostics) -> Self {
        Self {
            exit: Exit::BadInput,
            diagnostics: diagnostics.in_reading_order(),
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Diagnostics::from(diagnostic).into()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostics.fmt(f)
    }
}

impl std::error::Error for Failure {}

impl SourceFile {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, or is not UTF-8.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Failure> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|error| Failure::unreadable(path, &error))?;
        Ok(Self::from_bytes(path.display().to_string(), bytes)?)
    }
}
