//! Files with a concept to learn, and their errors with places.

use std::path::{Path, PathBuf};

use kibitz_patterns::{BUNDLED_CONCEPTS, BundledConcept, Concept, ConceptError, PreparedConcept};
use kibitz_prolog::{Dialect, Reader, SentenceKind, SymbolTable};
use kibitz_text::{Diagnostic, Diagnostics, Exit, Failure, SourceFile, suggestion, toml, word_at};
use serde::Deserialize;

/// The contents of a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Contents {
    /// File with definitions of the concept and of those it uses, relative to this file.
    targets: Option<PathBuf>,
    concept: Concept,
}

/// The failure to read a file, with the names near to it that come with the program.
pub(crate) fn missing(failure: Failure, what: &str, known: &str) -> Failure {
    if failure.exit != Exit::Missing {
        return failure;
    }
    failure.with_note(&format!(
        "of the {what} that come with the program: {known}"
    ))
}

/// A concept to learn with the texts that declare and define it.
#[derive(Debug)]
pub(crate) struct ConceptFile {
    source: SourceFile,
    targets: SourceFile,
    concept: Concept,
}

impl ConceptFile {
    /// Reads a file and the one with the targets, or the concept of this name that comes with the
    /// program.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let bundled = BundledConcept::named(&name);
        let source = match bundled {
            Some(own) => SourceFile::new(format!("{name}.toml"), own.declaration),
            None => SourceFile::read(path).map_err(|failure| {
                let known = BUNDLED_CONCEPTS.iter().map(|own| own.name);
                missing(failure, "concepts", &suggestion(&name, known))
            })?,
        };
        let mut mistakes = Diagnostics::new();
        let contents = toml::read::<Contents>(&source, &mut mistakes);
        let contents = contents.filter(|_| mistakes.is_empty()).ok_or(mistakes)?;
        let targets = match (&contents.targets, bundled) {
            (Some(targets), Some(own)) => {
                SourceFile::new(targets.display().to_string(), own.targets)
            }
            (Some(targets), None) => {
                SourceFile::read(path.parent().unwrap_or(Path::new("")).join(targets))?
            }
            (None, _) => SourceFile::new("", ""),
        };
        Ok(Self {
            source,
            targets,
            concept: contents.concept,
        })
    }

    /// The concept, ready to be learned.
    pub(crate) fn prepare(&self, need_target: bool) -> Result<PreparedConcept, Failure> {
        let prepared = self.concept.prepare(self.targets.text(), need_target);
        prepared.map_err(|error| self.failure(error))
    }

    /// An error with its place.
    pub(crate) fn failure(&self, error: ConceptError) -> Failure {
        match error {
            ConceptError::Targets(errors) => errors
                .diagnostics(self.targets.path(), self.targets.text())
                .into(),
            ConceptError::Several(errors) => {
                let failures = errors.into_iter().map(|error| self.failure(error));
                let mistakes: Diagnostics = failures.flat_map(|one| one.diagnostics).collect();
                mistakes.into()
            }
            ConceptError::Prover(_) | ConceptError::Pal(_) | ConceptError::NoInstance(_) => {
                Failure::failed(error.to_string())
            }
            ConceptError::Definition {
                clause,
                name,
                reason,
            } => {
                let message = format!("in the definition of {name}: {reason}");
                self.in_clause(clause, message).into()
            }
            ConceptError::Undecided {
                clause,
                name,
                reason,
            } => {
                let message = format!("{name} cannot be decided: {reason}");
                Failure::new(Exit::Failed, self.in_clause(clause, message))
            }
            ConceptError::UnknownPredicate { name, help } => {
                let message = format!("unknown background predicate `{name}`");
                let lists = [&self.concept.background, &self.concept.concepts];
                let places = ["background", "concepts"].into_iter().zip(lists);
                let place = places.into_iter().find_map(|(key, list)| {
                    let at = list.iter().position(|own| *own == name)?;
                    Some((key, at))
                });
                let (key, at) = place.unwrap_or(("background", 0));
                self.at(&["concept", key, &at.to_string()], message)
                    .with_label(help)
                    .into()
            }
            ConceptError::UnknownConcept { name, help } => {
                let message = format!("the targets do not define `{name}`");
                let is_name = name == self.concept.name;
                let key = if is_name { "name" } else { "truth" };
                self.at(&["concept", key], message).with_label(help).into()
            }
            ConceptError::Fen { example, .. } | ConceptError::Contents { example, .. } => {
                let n_first = self.concept.examples.len();
                let (key, at) = match example.checked_sub(n_first + 1) {
                    None => ("examples", example.saturating_sub(1)),
                    Some(at) => ("chosen", at),
                };
                self.at(&["concept", key, &at.to_string()], error.to_string())
                    .into()
            }
            other => Failure::new(Exit::BadInput, Diagnostic::new(other.to_string())),
        }
    }

    /// A mistake in a clause of the targets, counted from 1.
    fn in_clause(&self, number: usize, message: String) -> Diagnostic {
        let text = self.targets.text();
        let sentences = Reader::new(text, Dialect::Prolog).read_all(&mut SymbolTable::new());
        let at = (sentences.into_iter().flatten())
            .filter(|sentence| matches!(sentence.kind, SentenceKind::Clause(_)))
            .nth(number.saturating_sub(1))
            .map_or(0, |sentence| sentence.offset);
        self.targets.error_at(word_at(text, at), message)
    }

    /// A mistake at a value of the file.
    fn at(&self, path: &[&str], message: String) -> Diagnostic {
        let root = toml::parse(&self.source, &mut Diagnostics::new());
        let root = root.as_ref();
        let span = root.and_then(|root| Some(toml::find(root.get_ref(), path)?.span()));
        self.source.error_at(span.unwrap_or(0..0), message)
    }
}
