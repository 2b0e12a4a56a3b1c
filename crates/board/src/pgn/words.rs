//! The words and comments in the text of a game.

use std::ops::Range;

use memchr::{memchr, memchr3};
use shakmaty::san::SanPlus;

use super::{result, spelling};

/// Annotations from before PGN that are not moves and can be skipped.
const HARMLESS: [&[u8]; 6] = [b"e", b"p", b"ep", b"N", b"D", b"mate"];

/// How annotators write that a turn is passed; only the first two are known to `pgn-reader`, which
/// skips the others.
const NULL_MOVES: [&[u8]; 5] = [b"--", b"Z0", b"@@@@", b"0000", b"null"];

/// Whether a word is a null move, with or without the sign of a check.
pub(super) fn is_null_move(word: &[u8]) -> bool {
    let word = word
        .strip_suffix(b"+")
        .or(word.strip_suffix(b"#"))
        .unwrap_or(word);
    NULL_MOVES.contains(&word)
}

/// The offsets of the moves of the main line.
pub(super) fn moves(game: &[u8]) -> impl Iterator<Item = usize> {
    let moves = words(game).filter(|(_, word)| *word == Word::Move);
    moves.map(|(place, _)| place.start)
}

/// The comments of the main line, each with the number of moves before it.
pub(super) fn comments(game: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut n_moves = 0;
    words(game).filter_map(move |(place, word)| {
        n_moves += usize::from(word == Word::Move);
        (word == Word::Comment).then(|| (n_moves, &game[place]))
    })
}

/// The words and comments of the main line of a game, with their places; comments are without the
/// signs around them.
pub(super) fn words(game: &[u8]) -> Words<'_> {
    Words {
        game,
        at: skip_tags(game),
        is_line_start: true,
    }
}

pub(super) struct Words<'g> {
    game: &'g [u8],
    at: usize,
    is_line_start: bool,
}

impl Iterator for Words<'_> {
    type Item = (Range<usize>, Word);

    fn next(&mut self) -> Option<Self::Item> {
        let game = self.game;
        while let Some(&byte) = game.get(self.at) {
            let begin = self.at;
            let was_line_start = std::mem::replace(&mut self.is_line_start, byte == b'\n');
            match byte {
                b'{' => {
                    let end = skip_to(game, begin, b'}');
                    self.at = game.len().min(end + 1);
                    return Some((begin + 1..end, Word::Comment));
                }
                b';' => {
                    self.at = skip_to(game, begin, b'\n');
                    return Some((begin + 1..self.at, Word::Comment));
                }
                b'%' if was_line_start => self.at = skip_to(game, begin, b'\n'),
                b'(' => self.at = skip_variation(game, begin + 1),
                b')' | b'}' => {
                    self.at += 1;
                    return Some((begin..self.at, Word::Ignored));
                }
                byte if byte != b'$' && is_separator(byte) => self.at += 1,
                _ => {
                    let rest = &game[begin..];
                    let length = rest[1..].iter().position(|&byte| is_separator(byte));
                    let length = length.map_or(rest.len(), |length| length + 1);
                    // The points would make two words of it.
                    let length = match byte {
                        b'e' => length.max(en_passant(rest)),
                        _ => length,
                    };
                    self.at = begin + length;
                    return Some((begin..self.at, kind(&rest[..length])));
                }
            }
        }
        None
    }
}

/// Length of the remark on a capture in passing with which a text begins, or 0.
fn en_passant(text: &[u8]) -> usize {
    let mut known = spelling::EN_PASSANT.iter();
    known
        .find(|remark| text.starts_with(remark))
        .map_or(0, |remark| remark.len())
}

/// Bytes that end a word among the moves: a look-up is faster than a match in these loops.
const SEPARATORS: [bool; 256] = {
    let mut separators = [false; 256];
    let bytes = b" \t\n\r{}()!?$;.*";
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

/// What a word among the moves is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A move, with or without its number before it.
    Move,
    /// Digits alone.
    Number,
    /// A result or a numeric annotation glyph.
    Other,
    /// What is left out: old annotations, wrong glyphs, and brackets without a partner.
    Ignored,
    Comment,
    Unreadable,
}

fn kind(word: &[u8]) -> Word {
    let unless = |is_unreadable: bool| {
        if is_unreadable {
            Word::Unreadable
        } else {
            Word::Ignored
        }
    };
    if matches!(word, b"1-0" | b"0-1" | b"1/2-1/2") {
        return Word::Other;
    }
    if let Some(glyph) = word.strip_prefix(b"$") {
        let number = str::from_utf8(glyph).map(str::parse::<u8>);
        let is_known = !glyph.starts_with(b"+") && matches!(number, Ok(Ok(_)));
        let is_number = glyph.iter().all(u8::is_ascii_digit);
        return if is_known {
            Word::Other
        } else {
            unless(!is_number)
        };
    }
    // Dashes other than the hyphen, which some programs use in results and castling.
    if let Some(plain) = Some(word).filter(|word| !word.is_ascii()).and_then(plain) {
        return kind(plain.as_bytes());
    }
    if !word.iter().any(u8::is_ascii_alphanumeric) {
        // Signs say who stands better, but these say who has won.
        let is_result = str::from_utf8(word).is_ok_and(|word| result::of_word(word).is_some());
        return unless(is_result || is_null_move(word));
    }
    if !word.is_ascii() {
        return Word::Unreadable;
    }
    if word.starts_with(b"0-0") {
        return match word.trim_ascii_end() {
            b"0-0" | b"0-0+" | b"0-0#" | b"0-0-0" | b"0-0-0+" | b"0-0-0#" => Word::Move,
            _ => Word::Unreadable,
        };
    }
    if is_null_move(word) {
        return Word::Unreadable;
    }
    let n_digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let word = &word[n_digits..];
    if word.is_empty() {
        return Word::Number;
    }
    if HARMLESS.contains(&word) || spelling::EN_PASSANT.contains(&word) {
        return Word::Ignored;
    }
    match SanPlus::from_ascii_prefix(word) {
        Ok((_, n_read)) if n_read == word.len() => Word::Move,
        _ => Word::Unreadable,
    }
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

    #[test]
    fn comments_have_braces_or_end_with_the_line() {
        let text = b"[A \"{x}\"]\n1. e4 {a} ; b {\ne5 (1... c5 {c}) {d\ne} 2. Nf3 {f";
        let found: Vec<(usize, &[u8])> = comments(text).collect();
        let expected: [(usize, &[u8]); 4] = [(1, b"a"), (1, b" b {"), (2, b"d\ne"), (3, b"f")];
        assert_eq!(found, expected);
    }
}
