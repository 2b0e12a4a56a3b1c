//! What is wrong with a file somebody wrote, where, and what was probably meant.

use std::fmt;
use std::ops::Range;

/// One problem of a file, with its place.
///
/// Shown on several lines: the message, the place, the line with the place marked, notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// The file, as it was named to the reader.
    pub file: String,
    /// One-based line.
    pub line: usize,
    /// One-based column, in characters.
    pub column: usize,
    /// Width of the marked text in characters, at least one.
    pub width: usize,
    /// The line itself.
    pub text: String,
    /// Beside the mark: what was probably meant.
    pub label: String,
    /// Further lines.
    pub notes: Vec<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let blank = " ".repeat(number.len());
        let indent: String = (self.text.chars().take(self.column - 1))
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        writeln!(f, "error: {}", self.message)?;
        writeln!(f, "{blank}--> {}:{}:{}", self.file, self.line, self.column)?;
        writeln!(f, "{blank} |\n{number} | {}", self.text)?;
        write!(f, "{blank} | {indent}{}", "^".repeat(self.width))?;
        if !self.label.is_empty() {
            write!(f, " {}", self.label)?;
        }
        for note in &self.notes {
            write!(f, "\n{blank} = {note}")?;
        }
        Ok(())
    }
}

/// All problems found in a file, from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            let end = if index > 0 { "\n" } else { "" };
            write!(f, "{end}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Collects the problems of one file.
#[derive(Debug)]
pub(crate) struct Reporter<'t> {
    file: &'t str,
    text: &'t str,
    found: Vec<(usize, Problem)>,
}

impl<'t> Reporter<'t> {
    pub(crate) fn new(file: &'t str, text: &'t str) -> Self {
        Self {
            file,
            text,
            found: Vec::new(),
        }
    }

    pub(crate) fn report(
        &mut self,
        span: Range<usize>,
        message: impl fmt::Display,
        label: impl fmt::Display,
    ) -> &mut Problem {
        let floor = |mut at: usize| {
            at = at.min(self.text.len());
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let mut start = floor(span.start);
        let end = floor(span.end.max(span.start));
        // The end of a file is shown on its last line.
        if start == self.text.len() && self.text.ends_with('\n') {
            start -= 1;
        }
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[start..]
            .find('\n')
            .map_or(self.text.len(), |at| start + at);
        let marked = &self.text[start..end.clamp(start, line_end)];
        let problem = Problem {
            message: message.to_string(),
            file: self.file.to_owned(),
            line: self.text[..start].matches('\n').count() + 1,
            column: self.text[line_start..start].chars().count() + 1,
            width: marked.trim_end().chars().count().max(1),
            text: self.text[line_start..line_end]
                .trim_end_matches('\r')
                .to_owned(),
            label: label.to_string(),
            notes: Vec::new(),
        };
        self.found.push((start, problem));
        &mut self.found.last_mut().expect("one was just added").1
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    pub(crate) fn finish<T>(mut self, value: Option<T>) -> Result<T, Problems> {
        self.found.sort_by_key(|(at, _)| *at);
        match value {
            Some(value) if self.found.is_empty() => Ok(value),
            _ => Err(Problems(
                self.found.into_iter().map(|(_, found)| found).collect(),
            )),
        }
    }
}
