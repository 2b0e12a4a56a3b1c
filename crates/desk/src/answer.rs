//! What a command says.

use kibitz_lab::LabError;
use kibitz_lab::selection::{SelectedExperiments, strays};
use kibitz_lab::session::left_out;
use kibitz_text::Exit;
use serde::Serialize;

/// The text and the exit code of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// For standard output.
    pub out: String,
    /// For standard error.
    pub err: String,
    /// Exit code.
    pub exit: Exit,
}

impl Answer {
    pub(crate) fn ok(out: impl Into<String>) -> Self {
        Self {
            out: out.into(),
            err: String::new(),
            exit: Exit::Done,
        }
    }

    pub(crate) fn failed(exit: Exit, err: impl Into<String>) -> Self {
        Self {
            out: String::new(),
            err: err.into(),
            exit,
        }
    }

    /// The same, with what a selection leaves out and with the files that are in no place.
    pub(crate) fn beside_left_out(self, selected: &SelectedExperiments<'_>) -> Self {
        let mut err = strays(selected.catalog);
        let problems = selected.problems();
        let exit = if problems.is_empty() {
            self.exit
        } else {
            err.push_str(&left_out(&problems, selected.broken.len()));
            self.exit.max(Exit::BadInput)
        };
        Self {
            err: err + &self.err,
            exit,
            ..self
        }
    }
}

/// Whatever stops a command; files that cannot be read or written are known by their error.
impl<E: std::error::Error + 'static> From<E> for Answer {
    fn from(error: E) -> Self {
        let LabError { exit, message } = LabError::of(&error);
        Self::failed(exit, message)
    }
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For tools.
    Json,
    /// For spreadsheets; `list` only.
    Csv,
}
