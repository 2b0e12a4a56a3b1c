//! Lines with tags, `[Name "value"]`, and what people write instead.

use super::error::Repair;

/// The name of the tag with which a text begins, if it begins with a bracket and a name.
pub(super) fn name(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"[")?.trim_ascii_start();
    let length = text.iter().position(|&byte| !is_of_name(byte))?;
    let is_ended = matches!(text[length], b' ' | b'\t' | b'"' | b']');
    (length > 0 && is_ended).then(|| &text[..length])
}

/// Whether a line is a tag and nothing else.
pub(super) fn is_whole(line: &[u8]) -> bool {
    is_whole_prefix(line) && line.ends_with(b"]")
}

/// Whether a text begins with a tag whose value is quoted.
pub(super) fn is_whole_prefix(text: &[u8]) -> bool {
    quoted(text).is_some()
}

/// The value of the tag with which a text begins, still escaped, and what follows its last quote.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let name = name(text)?;
    let begin = name.as_ptr() as usize - text.as_ptr() as usize + name.len();
    let value = text[begin..].trim_ascii_start().strip_prefix(b"\"")?;
    let mut at = 0;
    loop {
        match *value.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some((&value[..at], &value[at + 1..])),
            _ => at += 1,
        }
    }
}

/// A line of tags as the standard has it, and what was mended; `None` for one that is right.
pub(super) fn repaired(line: &[u8]) -> Option<(Vec<u8>, Repair)> {
    let mut rest = line;
    while let Some((_, after)) = quoted(rest) {
        let Some(after) = after.trim_ascii_start().strip_prefix(b"]") else {
            break;
        };
        rest = after.trim_ascii_start();
        if !rest.starts_with(b"[") {
            return None;
        }
    }
    let name = name(line)?;
    let begin = name.as_ptr() as usize - line.as_ptr() as usize + name.len();
    let value = line[begin..].trim_ascii().strip_suffix(b"]");
    let value = value.unwrap_or(&line[begin..]).trim_ascii();
    let opened = value.strip_prefix(b"\"");
    let bare = opened.unwrap_or(value);
    let closed = bare.strip_suffix(b"\"");
    let repair = if opened.is_some() && closed.is_some() {
        Repair::QuotesInTag
    } else {
        Repair::UnquotedTag
    };
    let mut whole = [b"[", name, b" \""].concat();
    let mut bytes = closed.unwrap_or(bare).iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if matches!(bytes.peek(), Some(b'"' | b'\\')) => {
                whole.push(byte);
                whole.extend(bytes.next());
            }
            b'"' | b'\\' => whole.extend([b'\\', byte]),
            _ => whole.push(byte),
        }
    }
    whole.extend_from_slice(b"\"]");
    Some((whole, repair))
}

/// Letters, digits and underscores (PGN standard, section 8.1.1).
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_told_from_other_brackets() {
        for (text, expected) in [
            ("[White \"A\"]", Some("White")),
            ("[ White\t\"A\"]", Some("White")),
            ("[White]", Some("White")),
            ("[%clk 0:01:00]", None),
            ("[]", None),
            ("[White", None),
            ("White", None),
        ] {
            let found = name(text.as_bytes()).map(|name| std::str::from_utf8(name).expect("ASCII"));
            assert_eq!(found, expected, "{text}");
        }
        assert!(is_whole(b"[White \"a \\\" ] b\"]"));
        assert!(!is_whole(b"[White \"a] b"));
        assert!(!is_whole(b"[White \"a\"] 1. e4"));
    }

    #[test]
    fn lines_that_are_nearly_tags_are_mended() {
        for right in [
            "[White \"A\"]",
            "[White \"\"]",
            "[White \"a \\\" ] b\"]",
            "[White \"A\"] [Black \"B\"]",
            "[White \"A\" ] % more",
        ] {
            assert_eq!(repaired(right.as_bytes()), None, "{right}");
        }
        for (wrong, expected, repair) in [
            (
                "[White \"A \"The Cat\" B\"]",
                "[White \"A \\\"The Cat\\\" B\"]",
                Repair::QuotesInTag,
            ),
            ("[White A]", "[White \"A\"]", Repair::UnquotedTag),
            ("[White \"A]", "[White \"A\"]", Repair::UnquotedTag),
            ("[White \"A\"", "[White \"A\"]", Repair::QuotesInTag),
            ("[White]", "[White \"\"]", Repair::UnquotedTag),
            ("[White \"A\\\"]", "[White \"A\\\\\"]", Repair::QuotesInTag),
        ] {
            let (found, how) = repaired(wrong.as_bytes()).expect(wrong);
            assert_eq!(
                (String::from_utf8_lossy(&found).as_ref(), how),
                (expected, repair)
            );
            assert_eq!(repaired(&found), None, "{wrong} is right now");
        }
    }
}
