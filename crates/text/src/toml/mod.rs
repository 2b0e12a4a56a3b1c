//! TOML through serde, with every mistake of a file in its place.
//!
//! serde stops at the first thing that it cannot read. [`Reader`] reports that mistake, takes what
//! is wrong out of the table, and reads the rest again. [`Deserializer`] reads a spanned value of
//! the TOML parser, and its [`Error`] keeps what serde reports (keys, names, types, places) as data.
//!
//! # Examples
//! ```
//! use kibitz_text::{Diagnostics, SourceFile, toml};
//!
//! #[derive(Debug, serde::Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Board {
//!     rows: u8,
//!     columns: Option<u8>,
//! }
//!
//! let source = SourceFile::new("board.toml", "rows = \"8\"\ncolumn = 8\n");
//! let mut mistakes = Diagnostics::new();
//! toml::read::<Board>(&source, &mut mistakes);
//! let messages = mistakes.in_reading_order();
//! let messages: Vec<&str> = messages.iter().map(|one| one.message.as_str()).collect();
//! assert_eq!(
//!     messages,
//!     [
//!         "found the string \"8\", expected an integer from 0 to 255",
//!         "unknown key `column`"
//!     ]
//! );
//! ```

mod deserializer;
mod error;
mod hole;
mod reader;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};
use serde::de::DeserializeOwned;

pub use deserializer::Deserializer;
pub use error::Error;
pub use reader::{ANY_TEXT, MOST_MISTAKES, Reader};

use crate::{Diagnostics, SourceFile};

/// The tables of a file; none if it is no TOML.
pub fn parse<'a>(
    source: &'a SourceFile,
    mistakes: &mut Diagnostics,
) -> Option<Spanned<DeTable<'a>>> {
    let (root, errors) = DeTable::parse_recoverable(source.text());
    for error in errors.iter().take(MOST_MISTAKES) {
        let span = error.span().unwrap_or(0..0);
        mistakes.push(source.error_at(span, error.message()));
    }
    errors.is_empty().then_some(root)
}

/// Reads a whole file as a type; of one with errors the valid part, if any.
pub fn read<T: DeserializeOwned>(source: &SourceFile, mistakes: &mut Diagnostics) -> Option<T> {
    read_with(source, &|table| T::deserialize(table), mistakes)
}

/// Reads a whole file by a function that reads its table; of one with errors the valid part, if any.
pub fn read_with<T>(
    source: &SourceFile,
    read: &dyn Fn(Deserializer<'_>) -> Result<T, Error>,
    mistakes: &mut Diagnostics,
) -> Option<T> {
    let root = parse(source, mistakes)?;
    Reader::default().read(source, root, read, mistakes)
}

/// The value at a path of keys and numbers of array items, counted from zero.
pub fn find<'d, 'a>(
    table: &'d DeTable<'a>,
    path: impl IntoIterator<Item = impl AsRef<str>>,
) -> Option<&'d Spanned<DeValue<'a>>> {
    let mut found: Option<&Spanned<DeValue<'_>>> = None;
    for part in path {
        let part = part.as_ref();
        found = Some(match found.map(Spanned::get_ref) {
            None => table.get(part)?,
            Some(DeValue::Table(table)) => table.get(part)?,
            Some(DeValue::Array(items)) => items.get(part.parse::<usize>().ok()?)?,
            Some(_) => return None,
        });
    }
    found
}
