//! Problems in files people write: what is wrong, where, and what was probably meant.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A text file somebody wrote, kept so that problems can quote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    path: Arc<str>,
    text: Arc<str>,
}

impl SourceFile {
    /// A file under the name it is shown by (relative to the workspace, `/` between folders).
    pub fn new(path: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
        }
    }

    /// The name the file is shown by.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// An error at the byte range `span` of this file.
    ///
    /// A range that lies outside the text is moved to its end; one that spans several lines is
    /// shown on its first line.
    pub fn error_at(&self, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            message: shortened(message.into()),
            location: Some(Location::new(self, span)),
            label: None,
            notes: Vec::new(),
        }
    }

    /// One-based line of a byte offset.
    pub fn line_of(&self, offset: usize) -> usize {
        Location::new(self, offset..offset).line
    }
}

/// Characters of a long line that are quoted before the place of a problem, and from there on.
const SHOWN_BEFORE: usize = 80;
const SHOWN_AFTER: usize = 120;

/// A message that quotes something endless, cut where nobody would read on.
fn shortened(message: String) -> String {
    const SHOWN: usize = 400;
    match message.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &message[..at]),
        None => message,
    }
}

/// Where a problem is, with the line it is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// File as shown.
    pub file: Arc<str>,
    /// One-based line.
    pub line: usize,
    /// One-based column, in characters.
    pub column: usize,
    /// Width of the marked text in characters, at least one.
    pub width: usize,
    /// The line itself, or of a long one the part around the place.
    pub text: String,
    /// Characters of `text` before the place.
    pub indent: usize,
}

impl Location {
    fn new(source: &SourceFile, span: Range<usize>) -> Self {
        let text = source.text();
        let floor = |mut at: usize| {
            at = at.min(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let mut start = floor(span.start);
        let end = floor(span.end.max(span.start));
        // The parser reports the end of input after the last line break; the last line is meant.
        if start == text.len() && start > 0 && text.ends_with('\n') && text.len() > 1 {
            start -= 1;
        }
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let marked = &text[start..end.clamp(start, line_end)];
        let before = &text[line_start..start];
        // The last characters before the place, and as many as fit from there on.
        let cut = before.char_indices().rev().nth(SHOWN_BEFORE);
        let (shown_before, dots_before) = match cut {
            Some((at, _)) => (&before[at..], "…"),
            None => (before, ""),
        };
        let after = text[start..line_end].trim_end_matches('\r');
        let (shown_after, dots_after) = match after.char_indices().nth(SHOWN_AFTER) {
            Some((at, _)) => (&after[..at], "…"),
            None => (after, ""),
        };
        Self {
            file: Arc::clone(&source.path),
            line: text[..start].matches('\n').count() + 1,
            column: before.chars().count() + 1,
            width: marked.chars().take(SHOWN_AFTER).count().max(1),
            text: format!("{dots_before}{shown_before}{shown_after}{dots_after}"),
            indent: dots_before.chars().count() + shown_before.chars().count(),
        }
    }
}

/// One problem, ready to be shown.
///
/// Its [`Display`](fmt::Display) form is several lines long: the message, the place with the
/// line quoted, and notes on what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, lower case, without a full stop.
    pub message: String,
    /// Where, when it is a place in a file.
    pub location: Option<Location>,
    /// Text beside the marked place: what was expected, what was probably meant.
    pub label: Option<String>,
    /// Further lines: consequences and the command that helps.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// A problem without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            location: None,
            label: None,
            notes: Vec::new(),
        }
    }

    /// Adds text beside the marked place; empty text adds nothing.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        let label = label.into();
        if !label.is_empty() {
            self.label = Some(label);
        }
        self
    }

    /// Adds a line below.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        let mut gutter = 1;
        if let Some(at) = &self.location {
            let number = at.line.to_string();
            gutter = number.len();
            let blank = " ".repeat(gutter);
            // Tabs keep their width so that the marks stay below what they mark.
            let indent: String = at
                .text
                .chars()
                .take(at.indent)
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            write!(f, "\n{blank}--> {}:{}:{}", at.file, at.line, at.column)?;
            write!(f, "\n{blank} |\n{number} | {}", at.text)?;
            write!(f, "\n{blank} | {indent}{}", "^".repeat(at.width))?;
            if let Some(label) = &self.label {
                write!(f, " {label}")?;
            }
        } else if let Some(label) = &self.label {
            write!(f, "\n{} = {label}", " ".repeat(gutter))?;
        }
        for note in &self.notes {
            write!(f, "\n{} = {note}", " ".repeat(gutter))?;
        }
        Ok(())
    }
}

/// Problems found together; never shown one at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// No problems yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a problem.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Adds all problems of `other`.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether there is no problem.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many problems there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The problems as a reader meets them: file by file, from top to bottom.
    ///
    /// Files keep the order in which they were read; problems without a place come first.
    pub(crate) fn in_reading_order(mut self) -> Self {
        let mut files: Vec<Arc<str>> = Vec::new();
        for at in self.0.iter().filter_map(|found| found.location.as_ref()) {
            if !files.contains(&at.file) {
                files.push(Arc::clone(&at.file));
            }
        }
        self.0.sort_by_key(|found| {
            found.location.as_ref().map(|at| {
                let file = files.iter().position(|file| *file == at.file);
                (file, at.line, at.column)
            })
        });
        self
    }

    /// The problems in the order they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// `Ok(value)` if there is no problem.
    ///
    /// # Errors
    /// The problems themselves, if there are any.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(iter: I) -> Self {
        Self(iter.into_iter().collect())
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, diagnostic) in self.0.iter().enumerate() {
            if idx > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_problem_shows_its_place() {
        let source = SourceFile::new("a.toml", "one = 1\n\ttwö = 2\n");
        let problem = source
            .error_at(9..13, "no such key")
            .with_label("did you mean `three`?")
            .with_note("keys are numbers");
        assert_eq!(
            problem.to_string(),
            "error: no such key\n --> a.toml:2:2\n  |\n2 | \ttwö = 2\n  | \t^^^ did you mean \
             `three`?\n  = keys are numbers"
        );
    }

    proptest! {
        #[test]
        fn any_place_can_be_shown(text in "[a-zä\\n\\t\\r]{0,40}", start in 0..60usize, end in 0..60usize) {
            let source = SourceFile::new("a.toml", text.as_str());
            let problem = source.error_at(start..end, "wrong");
            let at = problem.location.clone().unwrap();
            prop_assert!(at.line <= text.matches('\n').count() + 1);
            prop_assert!(problem.to_string().contains("a.toml"));
        }
    }
}
