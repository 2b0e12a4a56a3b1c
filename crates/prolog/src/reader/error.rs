use std::fmt;
use std::ops::Range;

use kibitz_text::{Diagnostic, Diagnostics, Location, word_at};
use thiserror::Error;

/// What is wrong with a piece of Prolog text, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct ReadError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The bytes that it is about.
    pub span: Range<usize>,
    /// The reason.
    pub kind: ReadErrorKind,
}

impl ReadError {
    /// An error at a byte offset of `text`.
    pub fn at(text: &str, offset: usize, kind: ReadErrorKind) -> Self {
        let (line, column) = line_and_column(text, offset);
        Self {
            line,
            column,
            span: word_at(text, offset),
            kind,
        }
    }
}

/// Line and column, in characters, of a byte offset, both from 1.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = 1 + before.bytes().filter(|&byte| byte == b'\n').count();
    (line, 1 + before[line_start..].chars().count())
}

/// Why a piece of Prolog text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// A quote is never closed.
    #[error("the quotation opened here with {0} is never closed")]
    OpenQuote(char),
    /// A `/*` comment is never closed.
    #[error("the comment opened here is never closed with */")]
    OpenComment,
    /// `\x` with an unknown letter or number.
    #[error("unknown escape sequence \\{0} in a quotation (use \\\\, \\', \\n, \\t or \\xHH\\)")]
    BadEscape(String),
    /// A number that does not fit.
    #[error("the number {0} does not fit into 64 bits")]
    NumberTooLarge(String),
    /// `1.5NaN`.
    #[error("NaN is not a number that can be compared; write a name for a missing value")]
    NotANumber,
    /// A character that starts nothing.
    #[error("unexpected character {0:?}")]
    BadCharacter(char),
    /// Something else stands where a term should.
    #[error("a term is expected, found {0}")]
    TermExpected(String),
    /// Something else stands where the text should go on differently.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would have been right.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A clause runs into the next one, or into the end of the file.
    #[error("the full stop that ends a clause is missing; the clause starts at line {line}")]
    MissingEnd {
        /// Line on which the clause starts.
        line: usize,
    },
    /// A capital letter where a predicate name must stand.
    #[error("the capitalized name {0} is a variable, a predicate is expected; write {1} or '{0}'")]
    CapitalizedPredicate(String, String),
    /// A number or string where a predicate must stand.
    #[error("a number, string or variable cannot be a head or a condition")]
    NotAPredicate,
    /// `p(..) --> ..`
    #[error("grammar rules (-->) are not read; write the clause with :-")]
    GrammarRule,
    /// A directive among facts and rules.
    #[error("a fact or rule is expected here, not a directive")]
    ClauseExpected,
    /// More than one term.
    #[error("one term is expected, a second one starts here")]
    OneTermExpected,
    /// Nesting beyond the limit.
    #[error("more than {0} levels of nesting")]
    TooDeep(usize),
    /// A list beyond the limit.
    #[error("a list of more than {0} items")]
    ListTooLong(usize),
}

/// Everything wrong with one text, in order; never empty when returned as an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadErrors(Vec<ReadError>);

impl ReadErrors {
    /// The errors, in the order of the text.
    pub fn errors(&self) -> &[ReadError] {
        &self.0
    }

    /// The errors with excerpts of the text, under the name of its file.
    pub fn diagnostics(&self, file: &str, text: &str) -> Diagnostics {
        let errors = self.0.iter().map(|error| {
            let location = Location::new(file, text, error.span.clone());
            Diagnostic::new(error.kind.to_string()).at(location)
        });
        errors.collect()
    }

    pub(crate) fn push(&mut self, error: ReadError) {
        self.0.push(error);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn into_result<T>(self, value: T) -> Result<T, ReadErrors> {
        if self.0.is_empty() {
            Ok(value)
        } else {
            Err(self)
        }
    }
}

impl From<ReadError> for ReadErrors {
    fn from(error: ReadError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for ReadErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadErrors {}
