//! Why the engine refuses to go on.

use std::error::Error;

use kibitz_text::{Diagnostic, Exit};

use crate::cache::CacheError;
use crate::files::FileError;
use crate::results::ResultsError;

/// Why the engine refuses to go on, or cannot: what a person reads, and the exit code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", message.trim_end())]
pub struct LabError {
    /// What the program ends with.
    pub exit: Exit,
    /// All problems, with their places, each line ended.
    pub message: String,
}

impl LabError {
    /// An error with a message as a person reads it.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
        }
    }

    /// The error that another one stands for.
    pub fn of(error: &(dyn Error + 'static)) -> Self {
        if let Some(own) = error.downcast_ref::<Self>() {
            return own.clone();
        }
        let mut causes: Vec<&(dyn Error + 'static)> = vec![error];
        while let Some(cause) = causes.last().copied().and_then(Error::source) {
            causes.push(cause);
        }
        let file = causes
            .iter()
            .find_map(|cause| cause.downcast_ref::<FileError>());
        let exit = match file {
            Some(error) if error.action == "read" => Exit::Missing,
            Some(_) => Exit::Unwritable,
            // All that is written tells its file.
            None if causes.iter().any(|cause| cause.is::<std::io::Error>()) => Exit::Missing,
            None => Exit::BadInput,
        };
        let mut told = Diagnostic::new(error_chain(error));
        if let Some(similar) = file.and_then(FileError::similar) {
            told = told.with_note(similar);
        }
        Self::new(exit, format!("{told}\n"))
    }
}

impl From<FileError> for LabError {
    fn from(error: FileError) -> Self {
        Self::of(&error)
    }
}

impl From<CacheError> for LabError {
    fn from(error: CacheError) -> Self {
        Self::of(&error)
    }
}

impl From<ResultsError> for LabError {
    fn from(error: ResultsError) -> Self {
        Self::of(&error)
    }
}

/// An error with its sources.
pub fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
