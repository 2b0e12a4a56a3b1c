//! Game databases as files, plain or compressed: the only module of the crate with file paths.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

pub use kibitz_text::Decompressor;
use thiserror::Error;

use crate::pgn::{Collection, Policy, read_games};

/// Why a file could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The path is a directory.
    #[error("{}: expected a file of games, found a directory", .path.display())]
    Directory {
        /// The path.
        path: PathBuf,
    },
    /// The system reported an error.
    #[error("{}: cannot be opened", .path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Opens a file for reading, with decompression if it is compressed.
///
/// # Errors
///
/// [`OpenError::Directory`] for a directory, [`OpenError::Io`] for a file that is missing or may
/// not be read.
pub fn open(path: &Path) -> Result<Decompressor<File>, OpenError> {
    let io_error = |source| OpenError::Io {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(io_error)?;
    if file.metadata().map_err(io_error)?.is_dir() {
        return Err(OpenError::Directory {
            path: path.to_owned(),
        });
    }
    Decompressor::new(file).map_err(io_error)
}

/// Opens a game database, plain or compressed. Messages call it by its path.
///
/// # Errors
///
/// As [`open`].
pub fn open_games(
    path: &Path,
    policy: Policy,
) -> Result<Collection<Decompressor<File>>, OpenError> {
    Ok(read_games(path.display().to_string(), open(path)?, policy))
}
