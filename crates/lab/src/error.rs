//! Why the engine refuses to go on.

use std::error::Error;

use kibitz_text::Exit;

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
        let mut causes = causes.into_iter();
        let exit = causes.find_map(|cause| match cause.downcast_ref::<FileError>() {
            Some(error) if error.action == "read" => Some(Exit::Missing),
            Some(_) => Some(Exit::Unwritable),
            // All that is written tells its file.
            None => cause.is::<std::io::Error>().then_some(Exit::Missing),
        });
        let exit = exit.unwrap_or(Exit::BadInput);
        Self::new(exit, format!("error: {}\n", error_chain(error)))
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
