//! Files that are not text in UTF-8, recognized by their first bytes.

use std::fmt;

/// A format of files that is not text in UTF-8 or in a code of single bytes. Its
/// [`Display`](fmt::Display) form says what to do with such a file.
///
/// # Examples
/// ```
/// use kibitz_text::FileFormat;
///
/// let found = FileFormat::of(b"\xfd7zXZ\0").expect("not text");
/// assert_eq!(found.to_string(), "xz-compressed data: decompress it first");
/// assert_eq!(FileFormat::of(b"1. e4 e5"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// A compressed file, by the name of the format.
    Compressed(&'static str),
    /// An archive of files, by the name of the format.
    Archive(&'static str),
    /// Text in another code, by its name.
    Encoding(&'static str),
    /// Another format.
    Binary,
}

use FileFormat::{Archive, Binary, Compressed, Encoding};

/// The first bytes of formats.
const MAGIC: [(&[u8], FileFormat); 13] = [
    (b"\xff\xfe\0\0", Encoding("UTF-32 (little-endian)")),
    (b"\0\0\xfe\xff", Encoding("UTF-32 (big-endian)")),
    (b"\xff\xfe", Encoding("UTF-16 (little-endian)")),
    (b"\xfe\xff", Encoding("UTF-16 (big-endian)")),
    (b"\x28\xb5\x2f\xfd", Compressed("zstd")),
    (b"\x1f\x8b", Compressed("gzip")),
    (b"BZh", Compressed("bzip2")),
    (b"\xfd7zXZ\0", Compressed("xz")),
    (b"\x04\x22\x4d\x18", Compressed("lz4")),
    (b"PK\x03\x04", Archive("zip")),
    (b"7z\xbc\xaf\x27\x1c", Archive("7z")),
    (b"Rar!\x1a\x07", Archive("rar")),
    (b"SQLite format 3\0", Binary),
];

/// The mark of a tar archive, and its place in the header of the first file.
const TAR: (usize, &[u8]) = (257, b"ustar");

impl FileFormat {
    /// Bytes that [`of`](Self::of) looks at.
    pub const HEAD: u64 = 512;

    /// The format of a file by its first [`HEAD`](Self::HEAD) bytes; `None` for text.
    ///
    /// A zero byte, or a control character here and there, does not make text a binary file.
    pub fn of(head: &[u8]) -> Option<FileFormat> {
        let known = MAGIC.iter().find(|(magic, _)| head.starts_with(magic));
        if let Some((_, format)) = known {
            return Some(*format);
        }
        let (at, mark) = TAR;
        if head.get(at..).is_some_and(|rest| rest.starts_with(mark)) {
            return Some(Archive("tar"));
        }
        // UTF-16 without a byte order mark, by the zero bytes of ASCII letters.
        let n_zeros_at = |offset: usize| {
            let bytes = head.iter().skip(offset).step_by(2);
            bytes.filter(|&&byte| byte == 0).count()
        };
        let is_control = |byte: &&u8| !matches!(byte, 0 | b'\t'..=b'\r' | 0x1a | b' '..);
        let n_control = head.iter().filter(is_control).count();
        match (n_zeros_at(0), n_zeros_at(1)) {
            (0, n) if n > head.len() / 4 => Some(Encoding("UTF-16 (little-endian)")),
            (n, 0) if n > head.len() / 4 => Some(Encoding("UTF-16 (big-endian)")),
            // Zero bytes alone fill a file up, and are read as blanks. Text has a stray control character
            // at most; of random bytes every tenth is one.
            (even, odd) => {
                let n_strange = even + odd + n_control;
                (n_control > 0 && n_strange > 1 && n_strange * 20 > head.len()).then_some(Binary)
            }
        }
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Compressed(name) => write!(f, "{name}-compressed data: decompress it first"),
            Archive(name) => write!(f, "a {name} archive: unpack it first"),
            Encoding(name) => write!(f, "{name} text: save it as UTF-8"),
            Binary => f.write_str("binary data"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_and_binary_files_are_told_from_text() {
        let mut tar = vec![0_u8; 512];
        tar[..9].copy_from_slice(b"month.pgn");
        tar[257..262].copy_from_slice(b"ustar");
        // A sequence in which all bytes are about as frequent.
        let noise: Vec<u8> = (0..512_u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0] | 1)
            .collect();
        let utf16 =
            |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_be_bytes).collect() };
        for (head, expected) in [
            (tar, Some(Archive("tar"))),
            (noise, Some(Binary)),
            (b"7z\xbc\xaf\x27\x1c\0\x04".to_vec(), Some(Archive("7z"))),
            (
                utf16("choice,chosen"),
                Some(Encoding("UTF-16 (big-endian)")),
            ),
            (b"1. e4 e5 1-0\n\0\0\x1a".to_vec(), None),
            (
                b"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 1-0 \0\x1e".to_vec(),
                None,
            ),
            (b"[White \"J\xf6rg\x02\"]".to_vec(), None),
            (b"\x1b[1mbold".to_vec(), None),
            (Vec::new(), None),
        ] {
            assert_eq!(FileFormat::of(&head), expected, "{head:?}");
        }
    }
}
