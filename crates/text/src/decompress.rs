//! Compressed files, recognized by their first bytes.

use std::io::{self, BufRead as _, BufReader, Chain, Cursor, ErrorKind, Read};

use bzip2::read::MultiBzDecoder;
use flate2::bufread::GzDecoder;
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
    Gzip(Box<GzipMembers<RewoundReader<R>>>),
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
            Some(Format::Gzip) => Content::Gzip(Box::new(GzipMembers::new(whole))),
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
        let (name, read) = match &mut self.0 {
            Content::Plain(reader) => return reader.read(buffer),
            Content::Zstd(decoder) => ("zstd", decoder.read(buffer)),
            Content::Gzip(decoder) => ("gzip", decoder.read(buffer)),
            Content::Bzip2(decoder) => ("bzip2", decoder.read(buffer)),
        };
        read.map_err(|error| explained(error, name))
    }
}

/// An error of a decoder with what is wrong with the file; those of the system stay as they are.
fn explained(error: io::Error, format: &str) -> io::Error {
    if error.raw_os_error().is_some() || error.kind() == ErrorKind::Interrupted {
        return error;
    }
    let cause = error.to_string();
    // Decoders report these at the place where a frame or stream should begin.
    let is_trailing = [
        "Unknown frame descriptor",
        "bzip2: bz2 header missing",
        TRAILING,
    ];
    let what = if error.kind() == ErrorKind::UnexpectedEof {
        format!("the {format} data end too early: the file is truncated")
    } else if is_trailing.contains(&cause.as_str()) {
        format!("other data follow the {format} data: the file is damaged")
    } else {
        format!("the {format} data are damaged")
    };
    let message = format!("{what}; download or copy it again ({cause})");
    io::Error::new(error.kind(), message)
}

/// The error of data after the last member of a gzip file.
const TRAILING: &str = "gzip header missing";

/// A decoder of all members of a gzip file.
struct GzipMembers<R: Read> {
    /// The decoder of the present member; `None` after the last one.
    member: Option<GzDecoder<BufReader<R>>>,
}

impl<R: Read> GzipMembers<R> {
    fn new(reader: R) -> Self {
        Self {
            member: Some(GzDecoder::new(BufReader::new(reader))),
        }
    }
}

impl<R: Read> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let n_read = member.read(buffer)?;
            if n_read > 0 || buffer.is_empty() {
                return Ok(n_read);
            }
            match member.get_mut().fill_buf()?.first() {
                // Magic number of the next member (RFC 1952, section 2.3.1).
                Some(0x1f) => {
                    let rest = self.member.take().map(GzDecoder::into_inner);
                    self.member = rest.map(GzDecoder::new);
                }
                Some(_) => return Err(io::Error::new(ErrorKind::InvalidData, TRAILING)),
                None => self.member = None,
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn message(packed: &[u8]) -> String {
        let mut text = String::new();
        let mut reader = Decompressor::new(packed).expect("a header");
        let read = reader.read_to_string(&mut text);
        read.expect_err("a damaged file").to_string()
    }

    #[test]
    fn a_truncated_file_is_told_from_one_with_other_data_behind() {
        let text = b"1. e4 e5 *\n".repeat(100);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).expect("memory");
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(&text).expect("memory");
        let gzip = gzip.finish().expect("memory");
        let bzip2 = bzip2.finish().expect("memory");
        let zstd = zstd::encode_all(text.as_slice(), 1).expect("memory");
        for (name, packed) in [("gzip", gzip), ("bzip2", bzip2), ("zstd", zstd)] {
            let told = message(&packed[..packed.len() / 2]);
            let expected = format!(
                "the {name} data end too early: the file is truncated; download or copy it again ("
            );
            assert!(told.starts_with(&expected), "{told}");
            for rest in [b"garbage here".as_slice(), b"garbage"] {
                let told = message(&[&packed, rest].concat());
                let expected = format!(
                    "other data follow the {name} data: the file is damaged; download or copy it again ("
                );
                assert!(told.starts_with(&expected), "{told}");
            }
        }
    }
}
