//! What is wrong with a strategy somebody wrote, and where.

use std::fmt;
use std::ops::Range;

/// One problem with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, and what was expected or probably meant.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Characters that it is about, at least one.
    pub width: usize,
    /// The line itself.
    pub text: String,
}

impl Problem {
    pub(super) fn at(text: &str, span: Range<usize>, message: String) -> Problem {
        let start = text.floor_char_boundary(span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = text.floor_char_boundary(span.end).clamp(start, line_end);
        Problem {
            message,
            line: 1 + text[..start].matches('\n').count(),
            column: 1 + text[line_start..start].chars().count(),
            width: text[start..end].chars().count().max(1),
            text: text[line_start..line_end].trim_end().to_owned(),
        }
    }
}

/// Everything wrong with a strategy's text, from top to bottom; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    /// The file, as it was named to the reader.
    pub file: String,
    /// The problems.
    pub problems: Vec<Problem>,
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let Problem {
                message,
                line,
                column,
                width,
                text,
            } = problem;
            if index > 0 {
                writeln!(f)?;
            }
            let number = line.to_string();
            let (blank, indent) = (" ".repeat(number.len()), " ".repeat(column - 1));
            writeln!(f, "{}:{line}:{column}: {message}", self.file)?;
            writeln!(f, "{number} | {text}")?;
            write!(f, "{blank} | {indent}{}", "^".repeat(*width))?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
