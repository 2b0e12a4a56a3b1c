//! What is wrong with a table.

use kibitz_experiment::{FieldType, suggestion};
use kibitz_text::{FileFormat, counted};

use crate::{ColumnType, word};

/// Why a table cannot be read as declared, or not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The data file cannot be opened, or has changed.
    #[error("{0}")]
    Data(String),
    /// The file cannot be read, or is damaged.
    #[error("{file}: cannot be read: {why}")]
    Unreadable {
        /// The file.
        file: String,
        /// The error of its reader.
        why: String,
    },
    /// Records cannot be written as a file.
    #[error("cannot be written: {0}")]
    Unwritable(String),
    /// The file is compressed as a whole.
    #[error("{file}: a file compressed by {packed}: unpack it, or write it as Parquet")]
    Compressed {
        /// The file.
        file: String,
        /// The format.
        packed: &'static str,
    },
    /// The file is Parquet, and this program has no reader of it.
    #[cfg(not(feature = "parquet"))]
    #[error(
        "{file}: a Parquet file, and this program was built without its feature `parquet`: write the file as CSV, or build the program with `--features parquet`"
    )]
    WithoutParquet {
        /// The file.
        file: String,
    },
    /// A line is not as its header.
    #[error(
        "{file}:{line}: {}, the header has {n_expected}{}",
        counted(*.n_found, "field", "fields"),
        other_separator(header)
    )]
    Fields {
        /// The file.
        file: String,
        /// Number of its line, from 1.
        line: u64,
        /// Fields on the line.
        n_found: u64,
        /// Fields of the header.
        n_expected: u64,
        /// The names of the header.
        header: Vec<String>,
    },
    /// Numbers of one column have decimal points and decimal commas.
    #[error(
        "{file}:{line}: column `{column}` has decimal commas and points, found {found}: write all numbers alike, without marks for thousands"
    )]
    Decimals {
        /// The file.
        file: String,
        /// Number of the line of the first that differs, from 1.
        line: u64,
        /// The column.
        column: String,
        /// The value.
        found: String,
    },
    /// The first line says what separates fields, and cannot be right.
    #[error("{file}:1: found `{}`: {why}", found.escape_debug())]
    Separator {
        /// The file.
        file: String,
        /// The line.
        found: String,
        /// What contradicts it, or was expected.
        why: String,
    },
    /// A line is not UTF-8.
    #[error("{file}:{line}: not UTF-8: save the table as `CSV UTF-8`")]
    Encoding {
        /// The file.
        file: String,
        /// Number of its line, from 1.
        line: u64,
    },
    /// A quotation mark does not end before the file does.
    #[error(
        "{file}:{line}: a quotation mark that begins a field on this line does not end: close the field, or write `\"\"` for a mark in the text"
    )]
    OpenQuote {
        /// The file.
        file: String,
        /// Number of its line, from 1.
        line: u64,
    },
    /// The file is not a table.
    #[error("{file}: expected a table (CSV or Parquet), found {found}")]
    Format {
        /// The file.
        file: String,
        /// What it is.
        found: FileFormat,
    },
    /// A CSV file without a first line.
    #[error("{file}: an empty file; its first line should name the columns")]
    Empty {
        /// The file.
        file: String,
    },
    /// Two columns of a file have one name.
    #[error("{file}: two columns are called `{column}`")]
    Twice {
        /// The file.
        file: String,
        /// The name.
        column: String,
    },
    /// A declared column is not there.
    #[error("{file} has no column `{column}`{}", hint(column, known))]
    Missing {
        /// The file.
        file: String,
        /// The declared name.
        column: String,
        /// Names that are there.
        known: Vec<String>,
    },
    /// A column has another type than declared.
    #[error("{file}: column `{column}` is declared `{}`, the file has {found}", word(*.declared))]
    Type {
        /// The file.
        file: String,
        /// The column.
        column: String,
        /// Its declared type.
        declared: FieldType,
        /// What the file has.
        found: ColumnType,
    },
    /// A value does not have the declared type.
    #[error("{file}{place}: column `{column}` is declared `{}`, found {found}", word(*.declared))]
    Value {
        /// The file.
        file: String,
        /// `:17` for a line, `, record 17` otherwise.
        place: String,
        /// The column.
        column: String,
        /// Its declared type.
        declared: FieldType,
        /// The value, or what it is.
        found: String,
    },
}

impl TableError {
    pub(crate) fn io(file: &str, error: &dyn std::error::Error) -> Self {
        Self::Unreadable {
            file: file.to_owned(),
            why: error.to_string(),
        }
    }
}

/// What may be meant, or that the separator is another one.
fn hint(column: &str, known: &[String]) -> String {
    let other = other_separator(known);
    if !other.is_empty() {
        return other;
    }
    match suggestion(column, known.iter().map(String::as_str)) {
        text if text.is_empty() => String::new(),
        text => format!("; {text}"),
    }
}

/// That the only column looks like several.
fn other_separator(known: &[String]) -> String {
    let [only] = known else {
        return String::new();
    };
    let other = crate::csv::separator_of(only, b',').map(char::from);
    other.map_or(String::new(), |separator| {
        format!(
            "; its only column is `{}`: declare `separator = {separator:?}`",
            only.escape_debug()
        )
    })
}
