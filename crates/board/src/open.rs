//! Collections as files, plain or zstd-compressed: the only module of the crate with file paths.

use std::{
    fs::File,
    io::{self, BufReader, Chain, Cursor, Read},
    path::{Path, PathBuf},
};

use thiserror::Error;
use zstd::stream::read::Decoder;

use crate::pgn::{Collection, Policy, read_games};

/// First bytes of a zstd frame.
const ZSTD_MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";

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

/// A reader that decompresses zstd, detected by the first bytes.
#[allow(
    missing_debug_implementations,
    reason = "the zstd decoder has no Debug"
)]
pub struct Decompressed<R: Read>(Content<R>);

/// A reader with the bytes already read put back in front.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

enum Content<R: Read> {
    Plain(Whole<R>),
    Zstd(Box<Decoder<'static, BufReader<Whole<R>>>>),
}

impl<R: Read> Decompressed<R> {
    /// Detects zstd by the first bytes of `reader`; other content is passed through.
    ///
    /// # Errors
    ///
    /// Those of `reader`.
    pub fn new(mut reader: R) -> io::Result<Decompressed<R>> {
        let mut head = Vec::new();
        reader
            .by_ref()
            .take(ZSTD_MAGIC.len() as u64)
            .read_to_end(&mut head)?;
        let is_zstd = head == ZSTD_MAGIC;
        let whole = Cursor::new(head).chain(reader);
        Ok(Decompressed(if is_zstd {
            Content::Zstd(Box::new(Decoder::new(whole)?))
        } else {
            Content::Plain(whole)
        }))
    }
}

impl<R: Read> Read for Decompressed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Content::Plain(reader) => reader.read(buffer),
            Content::Zstd(decoder) => decoder.read(buffer),
        }
    }
}

/// Opens a file for reading, with decompression if it is compressed.
///
/// # Errors
///
/// [`OpenError::Directory`] for a directory, [`OpenError::Io`] for a file that is missing or may
/// not be read.
pub fn open(path: &Path) -> Result<Decompressed<File>, OpenError> {
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
    Decompressed::new(file).map_err(io_error)
}

/// Opens a collection of games, plain or compressed. Messages call it by its path.
///
/// # Errors
///
/// As [`open`].
pub fn open_games(
    path: &Path,
    policy: Policy,
) -> Result<Collection<Decompressed<File>>, OpenError> {
    Ok(read_games(path.display().to_string(), open(path)?, policy))
}
