//! Places in text files, with the part of the line that a message quotes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::{Diagnostic, Diagnostics};

/// A text file that a person wrote, kept so that messages can quote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    path: Arc<str>,
    text: Arc<str>,
}

impl SourceFile {
    /// A file under the name that messages show.
    pub fn new(path: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
        }
    }

    /// A file from its bytes.
    ///
    /// # Errors
    /// The place of the first byte that is not UTF-8.
    pub fn from_bytes(path: impl Into<Arc<str>>, bytes: Vec<u8>) -> Result<Self, Diagnostics> {
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(path, text)),
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let bytes = error.into_bytes();
                let source = Self::new(path, String::from_utf8_lossy(&bytes));
                let mistake =
                    source.error_at(valid..valid + 1, format!("not UTF-8 at byte {valid}"));
                Err(mistake.into())
            }
        }
    }

    /// The name that messages show.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// An error at the byte range `span`; see [`Location::new`].
    pub fn error_at(&self, span: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message).at(Location::new(Arc::clone(&self.path), &self.text, span))
    }

    /// One-based line of a byte offset.
    pub fn line_of(&self, offset: usize) -> usize {
        let before = &self.text[..self.text.floor_char_boundary(offset)];
        1 + before.matches('\n').count()
    }
}

/// A file, and perhaps a place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The name of the file, as shown.
    pub file: Arc<str>,
    /// The place; `None` for the file as a whole.
    pub excerpt: Option<Excerpt>,
}

/// A place in a file with the part of its line that a message quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// One-based line.
    pub line: usize,
    /// One-based column, in characters.
    pub column: usize,
    /// Characters at the beginning of a long line that are not quoted.
    n_cut: usize,
    /// The line up to the mark.
    before: String,
    marked: String,
    /// The line after the mark; of a long one the first characters.
    after: String,
}

/// Lines that are longer before the mark are cut there,
const LONG_BEFORE: usize = 120;
/// after this many characters;
const SHOWN_BEFORE: usize = 80;
/// a mark is cut after this many,
const SHOWN_MARKED: usize = 120;
/// and what follows it after this many.
const SHOWN_AFTER: usize = 80;

impl Location {
    /// The byte range `span` of a file's `text`.
    ///
    /// A range outside the text is moved to its end; of one that spans several lines the first line
    /// is marked.
    pub fn new(file: impl Into<Arc<str>>, text: &str, span: Range<usize>) -> Self {
        let mut start = text.floor_char_boundary(span.start);
        let end = text.floor_char_boundary(span.end.max(span.start));
        // Parsers report the end of input after the last line break; the last line is meant.
        if start == text.len() && text.ends_with('\n') && text.len() > 1 {
            start -= 1;
        }
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let before = &text[line_start..start];
        let line = text[start..line_end].trim_end_matches('\r');
        let n_marked = text[start..end.clamp(start, line_end)].len();
        let (marked, after) = line.split_at(n_marked.min(line.len()));
        let n_before = before.chars().count();
        let n_cut = if n_before > LONG_BEFORE {
            n_before - SHOWN_BEFORE
        } else {
            0
        };
        Self {
            file: file.into(),
            excerpt: Some(Excerpt {
                line: text[..start].matches('\n').count() + 1,
                column: n_before + 1,
                n_cut,
                before: visible(before).chars().skip(n_cut).collect(),
                marked: first_characters(marked, SHOWN_MARKED),
                after: first_characters(after, SHOWN_AFTER),
            }),
        }
    }

    /// The file as a whole.
    pub fn of_file(file: impl Into<Arc<str>>) -> Self {
        Self {
            file: file.into(),
            excerpt: None,
        }
    }

    /// One-based line and column; none of a whole file.
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        let excerpt = self.excerpt.as_ref()?;
        Some((excerpt.line, excerpt.column))
    }
}

impl Excerpt {
    /// The line as it is quoted, and the byte range of the mark in it.
    ///
    /// Blanks replace a truncated beginning, so that columns are those of the whole line.
    pub(crate) fn quoted(&self) -> (String, Range<usize>) {
        let mut line = " ".repeat(self.n_cut) + &self.before;
        let start = line.len();
        line += &self.marked;
        let end = line.len();
        line += &self.after;
        (line, start..end)
    }
}

/// The first `n` characters, with dots if there are more.
pub(crate) fn first_characters(text: &str, n: usize) -> String {
    match text.char_indices().nth(n) {
        Some((at, _)) => format!("{}…", visible(&text[..at])),
        None => visible(text).into_owned(),
    }
}

/// The text without control sequences for a terminal: escape sequences and changes of the writing
/// direction are replaced. Tabs and line breaks stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let replacement = |c: char| match c {
        '\t' | '\n' => None,
        // The control pictures of Unicode.
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32),
        '\x7f' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => Some(char::REPLACEMENT_CHARACTER),
        _ => None,
    };
    if text.chars().all(|c| replacement(c).is_none()) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().map(|c| replacement(c).unwrap_or(c));
    Cow::Owned(shown.collect())
}

/// The byte range of the word that starts at `offset`, or of the character there if it is none.
pub fn word_at(text: &str, offset: usize) -> Range<usize> {
    let start = text.floor_char_boundary(offset);
    let rest = &text[start..];
    let end = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    start..start + end.max(first)
}
