//! Why a question has no answer: messages as the programs print them, with their places.

use kibitz_text::{Diagnostic, Diagnostics, Severity};
use serde_json::{Value, json};

/// Messages, in the order in which they are read.
#[derive(Debug)]
pub(crate) struct Mistakes(Diagnostics);

impl Mistakes {
    /// One message without a place.
    pub(crate) fn told(message: impl Into<String>) -> Self {
        Self(Diagnostic::new(message).into())
    }

    /// A list of messages.
    pub(crate) fn json(&self) -> Value {
        self.0.iter().map(message).collect()
    }
}

impl From<Diagnostics> for Mistakes {
    fn from(found: Diagnostics) -> Self {
        Self(found.in_reading_order())
    }
}

/// A message: its `text` as the programs print it, and the `file`, `line` and `column`.
pub(crate) fn message(diagnostic: &Diagnostic) -> Value {
    let at = diagnostic.location.as_ref();
    let place = at.and_then(|at| at.excerpt.as_ref());
    json!({
        "severity": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "message": diagnostic.message,
        "file": at.map(|at| &*at.file),
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
        "text": diagnostic.to_string(),
    })
}
