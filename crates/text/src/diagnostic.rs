//! Errors in files, shown as excerpts with a caret.

use std::fmt;
use std::sync::Arc;

use annotate_snippets::renderer::Renderer;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};

use crate::location::{Location, first_characters, visible};
use crate::number::counted;

/// How bad a mistake is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file cannot be used.
    #[default]
    Error,
    /// The file is valid, but probably not as intended.
    Warning,
}

/// One mistake.
///
/// Its [`Display`](fmt::Display) form has several lines: the message, the place with the line
/// quoted and marked, and notes. Control characters of the quoted text are made visible, and long
/// lines are cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The mistake, in lower case and without a full stop.
    pub message: String,
    /// Where it is.
    pub location: Option<Location>,
    /// Text next to the caret: the expected or probably intended input.
    pub label: Option<String>,
    /// Further lines: consequences, and the command that helps.
    pub notes: Vec<String>,
}

/// Characters of each line of a message, a label or a note that are shown.
const SHOWN: usize = 400;

/// Lines of a message, a label or a note that are shown.
const SHOWN_LINES: usize = 40;

impl Diagnostic {
    /// An error without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: shortened(message.into()),
            location: None,
            label: None,
            notes: Vec::new(),
        }
    }

    /// A warning without a place.
    pub fn warning(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::new(message)
        }
    }

    /// The same at a place.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// Adds text next to the caret; empty text adds nothing.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        let label = shortened(label.into());
        if !label.is_empty() {
            self.label = Some(label);
        }
        self
    }

    /// Adds a line below; empty text adds nothing.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        let note = shortened(note.into());
        if !note.is_empty() {
            self.notes.push(note);
        }
        self
    }

    /// The text, with colors as escape sequences if wanted.
    pub fn render(&self, is_styled: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut group = Group::with_title(level.primary_title(visible(&self.message)));
        let mut label = self.label.as_deref().map(visible);
        if let Some(at) = &self.location {
            let file = visible(&at.file);
            group = match &at.excerpt {
                None => group.element(Origin::path(file)),
                Some(excerpt) => {
                    let (line, span) = excerpt.quoted();
                    let mark = AnnotationKind::Primary.span(span).label(label.take());
                    let snippet = Snippet::source(line).line_start(excerpt.line).path(file);
                    group.element(snippet.annotation(mark))
                }
            };
        }
        let notes = label.into_iter();
        for note in notes.chain(self.notes.iter().map(|note| visible(note))) {
            group = group.element(Level::NOTE.no_name().message(note));
        }
        let renderer = if is_styled {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        renderer.term_width(WIDTH).render(&[group])
    }
}

/// Lines are cut before they are shown, and never once more.
const WIDTH: usize = 100_000;

/// A text truncated to a readable length, since it may quote very long input.
fn shortened(text: String) -> String {
    if text.chars().nth(SHOWN).is_none() {
        return text;
    }
    let lines = text.lines().take(SHOWN_LINES);
    let mut lines: Vec<String> = lines.map(|line| first_characters(line, SHOWN)).collect();
    let n_more = text.lines().count() - lines.len();
    if n_more > 0 {
        lines.push(format!(
            "and {}",
            counted(n_more, "more line", "more lines")
        ));
    }
    lines.join("\n")
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// Mistakes found together; never shown one at a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// No mistakes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a mistake.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Adds all mistakes of `other`.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Whether there is no mistake.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of mistakes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The mistakes as a reader meets them: file by file, from top to bottom.
    ///
    /// Files keep the order in which they were first named; mistakes without a place come first.
    #[must_use]
    pub fn in_reading_order(mut self) -> Self {
        let mut files: Vec<Arc<str>> = Vec::new();
        for at in self.0.iter().filter_map(|found| found.location.as_ref()) {
            if !files.contains(&at.file) {
                files.push(Arc::clone(&at.file));
            }
        }
        self.0.sort_by_key(|found| {
            found.location.as_ref().map(|at| {
                let file = files.iter().position(|file| *file == at.file);
                (file, at.line_and_column())
            })
        });
        self
    }

    /// The mistakes in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.0.iter()
    }

    /// `Ok(value)` if there is no mistake.
    ///
    /// # Errors
    /// The mistakes, if there are any.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }

    /// The text of all, with colors as escape sequences if wanted.
    pub fn render(&self, is_styled: bool) -> String {
        let all: Vec<String> = self.0.iter().map(|one| one.render(is_styled)).collect();
        all.join("\n")
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

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, iter: I) {
        self.0.extend(iter);
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::SourceFile;

    fn shown(text: &str, span: std::ops::Range<usize>) -> String {
        SourceFile::new("a.toml", text)
            .error_at(span, "no such key")
            .with_label("did you mean `three`?")
            .with_note("keys are numbers")
            .to_string()
    }

    #[test]
    fn an_excerpt_has_its_caret_below_the_mark() {
        insta::assert_snapshot!(
            [
                shown("one = 1\ntwö = 2\n", 8..12),
                shown("\t\ttwö = 2", 2..6),
                shown("日本 = 1, two = 2", 12..15),
                shown("one = 1\r\ntwo = 2\r\n", 9..18),
                shown("", 0..0),
                shown("\n", 0..7),
                shown("one = 1\n", 8..8),
                shown("one = [\n  1,\n]\n", 6..14),
                shown("\x1b[31mred\x1b[0m\u{9b}2J = \u{202e}1", 2..4),
            ]
            .join("\n\n")
        );
    }

    #[test]
    fn without_a_place_there_is_no_excerpt() {
        let warning = Diagnostic::warning("nothing to learn")
            .with_label("did you mean `pos`?")
            .with_note("see --help");
        insta::assert_snapshot!(
            [
                warning.to_string(),
                Diagnostic::new("cannot read a: no such file").to_string(),
                Diagnostic::new("too short")
                    .at(Location::of_file("a.mbf"))
                    .to_string(),
            ]
            .join("\n\n")
        );
    }

    #[test]
    fn reading_order_is_by_file_then_by_place() {
        let (a, b) = (
            SourceFile::new("z", "1\n2\n"),
            SourceFile::new("a", "1\n2\n"),
        );
        let all: Diagnostics = [
            a.error_at(2..3, "second"),
            b.error_at(0..1, "third"),
            a.error_at(0..1, "first"),
            Diagnostic::new("without a place"),
        ]
        .into_iter()
        .collect();
        let messages = all.in_reading_order();
        let messages: Vec<&str> = messages.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(messages, ["without a place", "first", "second", "third"]);
    }

    #[test]
    fn a_megabyte_on_one_line_is_quoted_in_part() {
        let text = format!(
            "key = \"{}\" wrong {}",
            "x".repeat(1 << 20),
            "y".repeat(1 << 20)
        );
        let at = text.find("wrong").expect("it is there");
        let shown = shown(&text, at..at + 5);
        assert!(shown.len() < 1_000, "{} bytes", shown.len());
        assert!(shown.contains(&format!("a.toml:1:{}\n", at + 1)), "{shown}");
        assert!(shown.contains("xxx\" wrong yyy"), "{shown}");
        let colored = SourceFile::new("a", "one").error_at(0..1, "x").render(true);
        assert!(colored.contains('\x1b'));
    }

    #[test]
    fn a_list_is_cut_after_a_whole_line() {
        let line = "a line of some length, and no two of them are alike\n";
        let shown = Diagnostic::new(line.repeat(30)).message;
        assert_eq!(shown, line.repeat(30).trim_end());
        let shown = Diagnostic::new(line.repeat(62)).message;
        assert_eq!(shown, line.repeat(40) + "and 22 more lines");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// Any place of any text: no panic, and no control sequence for a terminal.
        #[test]
        fn any_place_can_be_shown(
            text in "(\\PC|[a-z\\n\\t\\r\u{0}\u{1b}\u{7f}\u{9b}\u{202e}é日]){0,60}",
            start in 0..90usize,
            end in 0..90usize,
            message in "[a-z\u{1b}\u{9b}\n]{0,9}",
        ) {
            let source = SourceFile::new("a\u{1b}.toml", text.as_str());
            let mistake = source.error_at(start..end, message.as_str())
                .with_label(message.as_str())
                .with_note(message.as_str());
            let at = mistake.location.clone().and_then(|at| at.excerpt).unwrap();
            prop_assert!(at.line <= text.matches('\n').count() + 1);
            let line = text.split('\n').nth(at.line - 1).unwrap();
            prop_assert!(at.column <= line.chars().count() + 1);
            let shown = mistake.to_string();
            let header = format!("a␛.toml:{}:{}\n", at.line, at.column);
            prop_assert!(shown.contains(&header), "{shown}");
            prop_assert!(shown.contains('^'));
            prop_assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
            let turned = shown.contains('\u{202e}');
            prop_assert!(!turned, "{shown:?}");
        }
    }
}
