//! Game databases as files, plain or compressed: the only module of the crate with file paths.

use std::{
    fs::File,
    io::{self, BufReader, Chain, Cursor, Read},
    path::{Path, PathBuf},
};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use thiserror::Error;
use zstd::stream::read::Decoder;

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

/// A reader that decompresses zstd, gzip and bzip2, detected by the first bytes, in constant memory.
///
/// Files of several frames, members or streams in a row are read to their end, as `pzstd`, `bgzip`
/// and `pbzip2` write them.
#[allow(missing_debug_implementations, reason = "the decoders have no Debug")]
pub struct Decompressor<R: Read>(Content<R>);

/// A reader with the bytes already read put back in front.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

enum Content<R: Read> {
    Plain(Whole<R>),
    Zstd(Box<Decoder<'static, BufReader<Whole<R>>>>),
    Gzip(Box<MultiGzDecoder<Whole<R>>>),
    Bzip2(Box<MultiBzDecoder<Whole<R>>>),
}

impl<R: Read> Decompressor<R> {
    /// Detects the compression by the first bytes of `reader`; other content is passed through.
    ///
    /// # Errors
    ///
    /// Those of `reader`.
    pub fn new(mut reader: R) -> io::Result<Decompressor<R>> {
        let mut head = Vec::new();
        reader.by_ref().take(4).read_to_end(&mut head)?;
        let compression = Compression::of(&head);
        let whole = Cursor::new(head).chain(reader);
        Ok(Decompressor(match compression {
            None => Content::Plain(whole),
            Some(Compression::Zstd) => Content::Zstd(Box::new(Decoder::new(whole)?)),
            Some(Compression::Gzip) => Content::Gzip(Box::new(MultiGzDecoder::new(whole))),
            Some(Compression::Bzip2) => Content::Bzip2(Box::new(MultiBzDecoder::new(whole))),
        }))
    }
}

/// A compressed format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compression {
    Zstd,
    Gzip,
    Bzip2,
}

impl Compression {
    /// The format of a file, by its first four bytes.
    pub(crate) fn of(head: &[u8]) -> Option<Compression> {
        match head {
            // A frame, or a skippable frame (RFC 8878, section 3.1), with which `pzstd` begins.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(Compression::Zstd)
            }
            [0x1f, 0x8b, ..] => Some(Compression::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Compression::Bzip2),
            _ => None,
        }
    }
}

impl<R: Read> Read for Decompressor<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Content::Plain(reader) => reader.read(buffer),
            Content::Zstd(decoder) => decoder.read(buffer),
            Content::Gzip(decoder) => decoder.read(buffer),
            Content::Bzip2(decoder) => decoder.read(buffer),
        }
    }
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
