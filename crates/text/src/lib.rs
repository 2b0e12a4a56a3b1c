//! Error messages about text files, the same in every program of Kibitz.
//!
//! - [`Diagnostic`]: one error with an excerpt and a caret; [`Diagnostics`]: all errors of a file,
//!   in reading order.
//! - [`suggestion`]: the closest valid name to a misspelled one.
//! - [`Exit`]: the exit codes of all programs; [`Failure`]: why a program ends early.
//! - [`keep_inputs`]: no command writes a file that it reads.
//! - [`counted`]: a number with its noun.
//! - [`separator_line`]: the first line `sep=;` of CSV from spreadsheets.
//! - [`rounded_by`]: an estimate with the digits that its standard error supports.
//! - [`FileFormat`]: files that are not text, by their first bytes.
//! - [`Decompressor`] (feature `decompress`): files compressed by zstd, gzip or bzip2.
//! - [`toml`] (feature `toml`): TOML through serde, with the location of every error.
//! - [`print()`], [`note`], [`output`] (feature `cli`): output that ends quietly when the reader has
//!   closed the pipe; [`finish`]: the end of a program.
//!
//! No other code prints.
//!
//! # Examples
//! ```
//! use kibitz_text::{SourceFile, suggestion};
//!
//! let source = SourceFile::new("a.rules", "rule mate with move rok\n");
//! let mistake = source
//!     .error_at(20..23, "unknown piece `rok`")
//!     .with_label(suggestion("rok", ["king", "rook", "any"]));
//! assert_eq!(
//!     mistake.to_string(),
//!     "error: unknown piece `rok`
//!  --> a.rules:1:21
//!   |
//! 1 | rule mate with move rok
//!   |                     ^^^ did you mean `rook`?"
//! );
//! ```

#[cfg(feature = "cli")]
mod cli;
mod csv;
#[cfg(feature = "decompress")]
mod decompress;
mod diagnostic;
mod exit;
mod failure;
mod format;
mod location;
mod number;
mod outputs;
mod suggest;
#[cfg(feature = "toml")]
pub mod toml;

#[cfg(feature = "cli")]
pub use cli::{finish, note, output, print};
pub use csv::separator_line;
#[cfg(feature = "decompress")]
pub use decompress::Decompressor;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use exit::Exit;
pub use failure::Failure;
pub use format::FileFormat;
pub use location::{Excerpt, Location, SourceFile, word_at};
pub use number::{counted, rounded_by, with_decimals};
pub use outputs::{is_same_file, keep_inputs};
pub use suggest::{did_you_mean, near, nearest, suggested_file, suggestion};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadMe;
