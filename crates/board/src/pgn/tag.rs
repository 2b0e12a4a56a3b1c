//! Lines with tags, `[Name "value"]`, and what people write instead.

use memchr::{memchr, memchr2};

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

/// Whether a line is the beginning of a tag that ends on a later line: its name, the quoted value or
/// the bracket is missing in part.
pub(super) fn is_cut(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii().strip_prefix(b"[") else {
        return false;
    };
    let rest = rest.trim_ascii_start();
    let length = rest.iter().take_while(|&&byte| is_of_name(byte)).count();
    let (name, value) = rest.split_at(length);
    let value = value.trim_ascii_start();
    if name.is_empty() || value.is_empty() {
        return !name.is_empty();
    }
    match quoted(line.trim_ascii()) {
        Some((_, after)) => after.trim_ascii().is_empty(),
        None => value.starts_with(b"\"") && !value.ends_with(b"]"),
    }
}

/// Whether a tag with a quoted value and both brackets stands first in a text.
pub(super) fn is_complete(text: &[u8]) -> bool {
    quoted(text).is_some_and(|(_, after)| after.trim_ascii_start().starts_with(b"]"))
}

/// Tags without the comments between and after them.
#[derive(Debug)]
pub(super) struct UncommentedTags {
    pub(super) tags: Vec<u8>,
    /// Whether the last comment goes on in the next line.
    pub(super) is_open: bool,
}

/// A line of tags without comments; `None` if it has none.
pub(super) fn without_comments(line: &[u8]) -> Option<UncommentedTags> {
    memchr2(b'{', b';', line)?;
    let (mut tags, mut rest) = (Vec::new(), line);
    let (mut is_open, mut has_comment) = (false, false);
    loop {
        let (_, after) = quoted(rest)?;
        let after = after.trim_ascii_start().strip_prefix(b"]")?;
        tags.extend_from_slice(&rest[..rest.len() - after.len()]);
        rest = after.trim_ascii_start();
        while rest.starts_with(b"{") && !is_open {
            let end = memchr(b'}', rest);
            has_comment = true;
            is_open = end.is_none();
            rest = end.map_or(&[], |end| rest[end + 1..].trim_ascii_start());
        }
        if rest.is_empty() || rest.starts_with(b";") {
            has_comment |= !rest.is_empty();
            break;
        }
    }
    has_comment.then_some(UncommentedTags { tags, is_open })
}

/// A line of tags as the standard has it, and the repair; `None` for one that is right.
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
    fn tags_that_end_on_a_later_line() {
        for cut in [
            "[Event",
            "[Event ",
            "[Event \"a",
            "[Event \"a]\\\"",
            "[Event \"a\"",
        ] {
            assert!(is_cut(cut.as_bytes()), "{cut}");
        }
        for whole in [
            "[Event \"a\"]",
            "[Event a",
            "[Event \"a]",
            "[",
            "[%clk",
            "Event",
            "[Event]",
        ] {
            assert!(!is_cut(whole.as_bytes()), "{whole}");
        }
    }

    #[test]
    fn comments_behind_tags_are_left_out() {
        let without = |line: &str| {
            let without = without_comments(line.as_bytes())?;
            let tags = String::from_utf8_lossy(&without.tags).into_owned();
            Some((tags, without.is_open))
        };
        assert_eq!(without("[A \"{x}\"]"), None);
        assert_eq!(without("[A \"{x}\"] [B \"y\"]"), None);
        assert_eq!(without("[A \"x\"] 1. e4 {c}"), None);
        let tags = || "[A \"x\"]".to_owned();
        assert_eq!(without("[A \"x\"] {c}"), Some((tags(), false)));
        assert_eq!(without("[A \"x\"] ; c"), Some((tags(), false)));
        assert_eq!(without("[A \"x\"] {c"), Some((tags(), true)));
        assert_eq!(
            without("[A \"x\"]{c}[B \"y\"]"),
            Some((tags() + "[B \"y\"]", false))
        );
    }

    #[test]
    fn lines_that_are_nearly_tags_are_repaired() {
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
