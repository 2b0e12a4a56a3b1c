//! The line by which a CSV file names its separator.

/// Whether a line, above the header of a CSV file, says what separates fields, as spreadsheets write it:
/// `sep=;`, in any case, perhaps quoted. `None` for another line, and `Some(None)` where not one ASCII
/// character follows that can separate fields.
///
/// # Examples
/// ```
/// use kibitz_text::separator_line;
///
/// assert_eq!(separator_line(b"sep=;\r\n"), Some(Some(b';')));
/// assert_eq!(separator_line(b"sep=ab"), Some(None));
/// assert_eq!(separator_line(b"price;name"), None);
/// ```
pub fn separator_line(line: &[u8]) -> Option<Option<u8>> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Programs that quote every field quote this one, too.
    let quoted = line.strip_prefix(b"\"");
    let line = quoted.map_or(line, |line| line.strip_suffix(b"\"").unwrap_or(line));
    let (head, said) = line.split_at_checked(4)?;
    if !head.eq_ignore_ascii_case(b"sep=") {
        return None;
    }
    let separates = |byte: u8| byte.is_ascii() && !byte.is_ascii_alphanumeric() && byte != b'"';
    Some(match said {
        &[one] if separates(one) => Some(one),
        _ => None,
    })
}
