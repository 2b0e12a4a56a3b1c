//! What serde reports of a value, as data.

use std::fmt;
use std::ops::Range;

use serde::de::{Expected, Unexpected};

/// A step from a table or an array to what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Item(usize),
}

impl Step {
    pub(super) fn key(&self) -> Option<&str> {
        match self {
            Self::Key(key) => Some(key),
            Self::Item(_) => None,
        }
    }
}

/// A step on the way from a mistake to the root.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// The table or array.
    pub(super) container: usize,
    /// Its content: the error or the value that contains it.
    pub(super) node: usize,
    pub(super) step: Step,
    pub(super) span: Range<usize>,
}

/// An error in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ErrorKind {
    UnknownKey {
        found: String,
        valid: &'static [&'static str],
    },
    MissingKey(&'static str),
    UnknownValue {
        found: String,
        valid: &'static [&'static str],
    },
    /// A value of a type, or outside the values, that are expected.
    Unexpected {
        found: String,
        expected: String,
    },
    /// The type does not accept the placeholder of a missing key.
    Hole,
    /// A sentence of the type that is read.
    Custom(String),
}

/// Why a value cannot be read, with the way to it.
#[derive(Debug)]
pub struct Error(Box<Parts>);

#[derive(Debug)]
pub(super) struct Parts {
    pub(super) kind: ErrorKind,
    /// The place, where it is not that of the value.
    pub(super) span: Option<Range<usize>>,
    /// The way from the value up to the root.
    pub(super) trail: Vec<Frame>,
}

impl Error {
    pub(super) fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Parts {
            kind,
            span: None,
            trail: Vec::new(),
        }))
    }

    pub(super) fn within(mut self, frame: Frame) -> Self {
        self.0.trail.push(frame);
        self
    }

    pub(super) fn at(mut self, span: Range<usize>) -> Self {
        self.0.span.get_or_insert(span);
        self
    }

    /// The same with another expectation, if it is about the type of the value itself.
    pub(super) fn expecting(mut self, wanted: &str) -> Self {
        if let ErrorKind::Unexpected { expected, .. } = &mut self.0.kind
            && self.0.trail.is_empty()
        {
            wanted.clone_into(expected);
        }
        self
    }

    pub(super) fn into_parts(self) -> Parts {
        *self.0
    }
}

/// A value in words that need no knowledge of Rust.
fn described(found: &Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("`{value}`"),
        Unexpected::Signed(number) => format!("the number `{number}`"),
        Unexpected::Unsigned(number) => format!("the number `{number}`"),
        Unexpected::Float(number) => format!("the number `{number}`"),
        Unexpected::Str(text) => format!("the string {text:?}"),
        Unexpected::Map => "a table".to_owned(),
        Unexpected::Seq => "an array".to_owned(),
        other => other.to_string(),
    }
}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(ErrorKind::Custom(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(ErrorKind::Unexpected {
            found: described(&found),
            expected: expected.to_string(),
        })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new(ErrorKind::Unexpected {
            found: crate::counted(length, "value", "values"),
            expected: expected.to_string(),
        })
    }

    fn unknown_variant(found: &str, valid: &'static [&'static str]) -> Self {
        Self::new(ErrorKind::UnknownValue {
            found: found.to_owned(),
            valid,
        })
    }

    fn unknown_field(found: &str, valid: &'static [&'static str]) -> Self {
        Self::new(ErrorKind::UnknownKey {
            found: found.to_owned(),
            valid,
        })
    }

    fn missing_field(key: &'static str) -> Self {
        Self::new(ErrorKind::MissingKey(key))
    }

    fn duplicate_field(key: &'static str) -> Self {
        // The parser refuses a key that stands twice; what is left are two spellings of one.
        Self::custom(format_args!("the key `{key}` stands here twice"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            ErrorKind::UnknownKey { found, .. } => write!(f, "unknown key `{found}`"),
            ErrorKind::MissingKey(key) => write!(f, "missing key `{key}`"),
            ErrorKind::UnknownValue { found, .. } => write!(f, "unknown value `{found}`"),
            ErrorKind::Unexpected { found, expected } => {
                write!(f, "found {found}, expected {expected}")
            }
            ErrorKind::Hole => f.write_str("a missing key has no default here"),
            ErrorKind::Custom(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}
