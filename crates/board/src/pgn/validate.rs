//! Validation of the text of a game.
//!
//! `pgn-reader` skips text that it cannot parse. A skipped move makes another game, so the text of
//! every game is checked for unreadable words.

use memchr::{memchr, memchr3};
use shakmaty::san::SanPlus;

/// Annotations from before PGN that are not moves and can be skipped.
const HARMLESS: [&[u8]; 6] = [b"e", b"p", b"ep", b"N", b"D", b"mate"];

/// Byte range of the first word in the text of a game that is neither tag, comment, variation,
/// annotation, move nor result.
pub(super) fn first_unreadable(game: &[u8]) -> Option<std::ops::Range<usize>> {
    let mut at = skip_tags(game);
    let mut is_line_start = true;
    while let Some(&byte) = game.get(at) {
        let was_line_start = is_line_start;
        is_line_start = byte == b'\n';
        match byte {
            b'{' => at = skip_past(game, at, b'}'),
            b';' => at = skip_to(game, at, b'\n'),
            b'%' if was_line_start => at = skip_to(game, at, b'\n'),
            b'(' => at = skip_variation(game, at + 1),
            byte if is_separator(byte) => at += 1,
            _ => {
                let length = game[at..].iter().position(|&byte| is_separator(byte));
                let end = length.map_or(game.len(), |length| at + length);
                if !is_readable(&game[at..end]) {
                    return Some(at..end);
                }
                at = end;
            }
        }
    }
    None
}

/// Offset of the line of the tag `name`.
pub(super) fn find_tag(game: &[u8], name: &str) -> Option<usize> {
    let mut at = 0;
    for line in game.split_inclusive(|&byte| byte == b'\n') {
        if line
            .trim_ascii_start()
            .strip_prefix(b"[")
            .is_some_and(|tag| tag.starts_with(name.as_bytes()))
        {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// Bytes that end a word among the moves: a look-up is faster than a match in these loops.
const SEPARATORS: [bool; 256] = {
    let mut separators = [false; 256];
    let bytes = b" \t\n\r{}()!?;.*";
    let mut i = 0;
    while i < bytes.len() {
        separators[bytes[i] as usize] = true;
        i += 1;
    }
    separators
};

fn is_separator(byte: u8) -> bool {
    SEPARATORS[usize::from(byte)]
}

/// Whether a word among the moves is a move, result or annotation.
fn is_readable(word: &[u8]) -> bool {
    if matches!(word, b"1-0" | b"0-1" | b"1/2-1/2") || word.starts_with(b"$") {
        return true;
    }
    if !word.iter().any(u8::is_ascii_alphanumeric) {
        return true;
    }
    // Dashes other than the hyphen, which some programs use in results and castling.
    if !word.is_ascii() {
        return plain(word).is_some_and(|plain| is_readable(plain.as_bytes()));
    }
    if word.starts_with(b"0-0") {
        return matches!(
            word.trim_ascii_end(),
            b"0-0" | b"0-0+" | b"0-0#" | b"0-0-0" | b"0-0-0+" | b"0-0-0#"
        );
    }
    let n_digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let word = &word[n_digits..];
    let word = word
        .iter()
        .position(|&byte| byte == b'$')
        .map_or(word, |nag| &word[..nag]);
    word.is_empty()
        || HARMLESS.contains(&word)
        || matches!(SanPlus::from_ascii_prefix(word), Ok((_, n_read)) if n_read == word.len())
}

/// A word with its dashes and halves in ASCII; `None` if other letters are left.
pub(super) fn plain(word: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(word).ok()?;
    let text = text.replace(['–', '—', '−'], "-").replace('½', "1/2");
    text.is_ascii().then_some(text)
}

/// Offset of the first byte after the tags at the beginning of a game.
pub(super) fn skip_tags(game: &[u8]) -> usize {
    let mut at = 0;
    loop {
        while game.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        match game.get(at) {
            Some(b'%') => at = skip_to(game, at, b'\n'),
            Some(b'[') => at = skip_tag(game, at),
            _ => return at,
        }
    }
}

/// Offset of the first byte after the tag that begins at `at`.
fn skip_tag(game: &[u8], mut at: usize) -> usize {
    let mut is_quoted = false;
    while let Some(&byte) = game.get(at) {
        at += 1;
        match byte {
            b'\n' => break,
            b'\\' if is_quoted => at += 1,
            b'"' => is_quoted = !is_quoted,
            b']' if !is_quoted => break,
            _ => {}
        }
    }
    at
}

/// Offset of the first byte after the variation opened just before `at`.
fn skip_variation(game: &[u8], mut at: usize) -> usize {
    let mut depth = 1_usize;
    while depth > 0 {
        match game.get(at) {
            None => break,
            Some(b'(') => depth += 1,
            Some(b')') => depth -= 1,
            Some(b'{') => {
                at = skip_past(game, at, b'}');
                continue;
            }
            Some(b';') => {
                at = skip_to(game, at, b'\n');
                continue;
            }
            Some(_) => {
                let next = memchr3(b'(', b')', b'{', &game[at..]).map_or(game.len(), |n| at + n);
                let comment = memchr(b';', &game[at..next]).map(|n| at + n);
                at = comment.unwrap_or(next);
                continue;
            }
        }
        at += 1;
    }
    at
}

pub(super) fn skip_to(game: &[u8], at: usize, byte: u8) -> usize {
    memchr(byte, &game[at..]).map_or(game.len(), |length| at + length)
}

pub(super) fn skip_past(game: &[u8], at: usize, byte: u8) -> usize {
    memchr(byte, &game[at..]).map_or(game.len(), |length| at + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&str> {
        first_unreadable(text.as_bytes()).map(|place| &text[place])
    }

    #[test]
    fn only_foreign_words_are_unreadable() {
        for text in [
            "[Event \"a ] [ b\"]\n[Site \"\\\"\"] 1. e4 e5 *",
            "%escape Zz\n1.e4!?$12 e5$3 1-0",
            "1. e4 {Zz ( ; } e5 ; Zz (\n2. d4 (2. Zz {)} (Zz) ; )\n Zz) d5 1/2-1/2",
            "1. e8=Q+ exd8=N# O-O-O+ 0-0-0# Nbxd7 R1e2 -- 12... 5.",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        for (text, word) in [
            ("1. e4 Zz5 *", "Zz5"),
            ("[Event \"x\"]\n1. Nf33 *", "Nf33"),
            ("1.e2e4e *", "e2e4e"),
            ("1. 0-0-0-0 *", "0-0-0-0"),
            ("1. Nf3++ *", "Nf3++"),
        ] {
            assert_eq!(found(text), Some(word));
        }
    }

    #[test]
    fn tags_are_found_by_line() {
        let text = b"\n[Event \"x\"]\n [FEN \"8\"]\n";
        assert_eq!(find_tag(text, "FEN"), Some(13));
        assert_eq!(find_tag(text, "SetUp"), None);
    }
}
