//! `CITATION.cff`: who wrote what is exported, and on what terms it may be used.

use std::path::Path;

use serde::Deserialize;

use crate::Answer;
use kibitz_lab::Exit;
use kibitz_lab::files::FileError;
use kibitz_text::{Diagnostic, SourceFile};

/// What an export takes from the file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Citation {
    pub(super) title: String,
    #[serde(rename = "abstract")]
    pub(super) about: Option<String>,
    pub(super) authors: Vec<Author>,
    /// An SPDX identifier.
    pub(super) license: String,
    pub(super) version: Option<String>,
    pub(super) date_released: Option<String>,
    pub(super) doi: Option<String>,
    pub(super) repository_code: Option<String>,
    #[serde(default)]
    pub(super) keywords: Vec<String>,
}

/// A person, or an entity with a name.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Author {
    name: Option<String>,
    pub(super) family_names: Option<String>,
    pub(super) given_names: Option<String>,
    pub(super) orcid: Option<String>,
}

impl Author {
    /// The name as it is written in a line.
    pub(super) fn name(&self) -> String {
        let parts = [&self.given_names, &self.family_names, &self.name];
        let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        parts.join(" ")
    }
}

impl Citation {
    /// Reads the file at the root of a workspace.
    ///
    /// # Errors
    /// Exit code 3 without it, 2 with the place of a mistake.
    pub(super) fn read(root: &Path) -> Result<Self, Answer> {
        let path = root.join("CITATION.cff");
        let text = std::fs::read_to_string(&path);
        let text = text.map_err(|error| FileError::new("read", &path, error))?;
        let read = serde_yaml_ng::from_str(&text);
        read.map_err(|error| {
            let source = SourceFile::new("CITATION.cff", text.as_str());
            let diagnostic = match error.location() {
                Some(at) => source.error_at(at.index()..at.index() + 1, error.to_string()),
                None => Diagnostic::new(format!("CITATION.cff: {error}")),
            };
            Answer::failed(Exit::BadInput, format!("{diagnostic}\n"))
        })
    }
}
