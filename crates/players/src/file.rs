//! A model as a file in TOML.

use kibitz_text::{Diagnostic, Diagnostics, Exit, Failure, SourceFile};

use crate::{Model, VERSION};

impl Model {
    /// Reads a model that [`to_toml`](Self::to_toml) wrote.
    ///
    /// # Errors
    /// Every mistake in its place, and what contradicts itself.
    pub fn from_toml(source: &SourceFile) -> Result<Self, Failure> {
        // Another file altogether has no mistakes that are worth a list: arguments were exchanged.
        if !looks_like_a_model(source.text()) {
            let message = format!("{} is not a model of `kibitz-players fit`", source.path());
            return Err(Failure::new(Exit::BadInput, Diagnostic::new(message)));
        }
        let mut mistakes = Diagnostics::new();
        let model: Option<Self> = kibitz_text::toml::read(source, &mut mistakes);
        let noted = |failure: Failure| {
            failure.with_note(&format!(
                "a model of `kibitz-players fit`, of version {VERSION}, was expected"
            ))
        };
        match model {
            Some(model) if mistakes.is_empty() => match model.problem() {
                None => Ok(model),
                Some(problem) => {
                    let message = format!("{}: {problem}", source.path());
                    let message = Diagnostic::new(message);
                    Err(noted(Failure::new(Exit::BadInput, message)))
                }
            },
            _ => Err(noted(mistakes.into())),
        }
    }

    /// The text of its file.
    ///
    /// # Errors
    /// Never for models that were fitted or read.
    pub fn to_toml(&self) -> Result<String, Failure> {
        toml::to_string(self).map_err(|error| Failure::failed(error.to_string()))
    }
}

/// Whether a text has two of the lines that every model has, however the rest is damaged.
fn looks_like_a_model(text: &str) -> bool {
    const LINES: [&str; 6] = [
        "version",
        "player",
        "level",
        "typical",
        "[domain",
        "[[parts]]",
    ];
    let is_there = |begin: &&&str| {
        text.lines().any(|line| {
            let rest = line.strip_prefix(**begin);
            rest.is_some_and(|rest| begin.starts_with('[') || rest.trim_start().starts_with('='))
        })
    };
    LINES.iter().filter(is_there).count() >= 2
}
