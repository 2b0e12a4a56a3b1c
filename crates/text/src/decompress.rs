//! Compressed files, recognized by their first bytes.

use std::io::{self, BufReader, Chain, Cursor, Read};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use zstd::stream::read::Decoder;

/// A reader that decompresses zstd, gzip and bzip2, detected by the first bytes, in constant memory.
///
/// Files of several frames, members or streams in a row are read to their end, as `pzstd`, `bgzip`
/// and `pbzip2` write them.
///
/// # Examples
/// ```
/// use std::io::Read;
/// use kibitz_text::Decompressor;
///
/// let mut text = String::new();
/// Decompressor::new("1. e4 *".as_bytes())?.read_to_string(&mut text)?;
/// assert_eq!(text, "1. e4 *");
/// # Ok::<(), std::io::Error>(())
/// ```
#[allow(missing_debug_implementations, reason = "the decoders have no Debug")]
pub struct Decompressor<R: Read>(Content<R>);

/// A reader with the bytes already read put back in front.
type RewoundReader<R> = Chain<Cursor<Vec<u8>>, R>;

enum Content<R: Read> {
    Plain(RewoundReader<R>),
    Zstd(Box<Decoder<'static, BufReader<RewoundReader<R>>>>),
    Gzip(Box<MultiGzDecoder<RewoundReader<R>>>),
    Bzip2(Box<MultiBzDecoder<RewoundReader<R>>>),
}

impl<R: Read> Decompressor<R> {
    /// Detects the compression by the first bytes of `reader`; other content is passed through.
    ///
    /// # Errors
    /// Those of `reader`.
    pub fn new(mut reader: R) -> io::Result<Decompressor<R>> {
        let mut head = Vec::new();
        reader.by_ref().take(4).read_to_end(&mut head)?;
        let format = Format::of(&head);
        let whole = Cursor::new(head).chain(reader);
        Ok(Decompressor(match format {
            None => Content::Plain(whole),
            Some(Format::Zstd) => Content::Zstd(Box::new(Decoder::new(whole)?)),
            Some(Format::Gzip) => Content::Gzip(Box::new(MultiGzDecoder::new(whole))),
            Some(Format::Bzip2) => Content::Bzip2(Box::new(MultiBzDecoder::new(whole))),
        }))
    }
}

/// A compressed format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Zstd,
    Gzip,
    Bzip2,
}

impl Format {
    /// The format of a file, by its first four bytes.
    fn of(head: &[u8]) -> Option<Format> {
        match head {
            // A frame, or a skippable frame (RFC 8878, section 3.1), with which `pzstd` begins.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(Format::Zstd)
            }
            [0x1f, 0x8b, ..] => Some(Format::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Format::Bzip2),
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
