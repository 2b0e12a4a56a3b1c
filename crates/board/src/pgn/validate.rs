//! Validation of the text of a game.
//!
//! `pgn-reader` skips text that it cannot parse. A skipped move makes another game, so the text of
//! every game is checked for unreadable words.

use memchr::{memchr, memchr3};
use shakmaty::san::SanPlus;

use super::spelling;

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

/// Checks the words in the text of a game, of whose moves the first follows `start`: its number
/// and whether it is Black's, unless these are not known.
///
/// Returns the first number that contradicts the moves before it.
///
/// # Errors
/// The byte range of the first word that is neither tag, comment, variation, annotation, move nor
/// result.
pub(super) fn check(
    game: &[u8],
    start: Option<Start>,
) -> Result<Option<WrongNumber>, std::ops::Range<usize>> {
    let mut at = skip_tags(game);
    let mut is_line_start = true;
    let mut numbers = start.map(Numbers::new);
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
                let kind = kind(&game[at..end]);
                if kind == Word::Unreadable {
                    return Err(at..end);
                }
                if let Some(numbers) = &mut numbers {
                    numbers.take(game, at..end, kind);
                }
                at = end;
            }
        }
    }
    Ok(numbers.and_then(|numbers| numbers.wrong))
}

/// The move with which the moves of a game begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// Its number.
    pub(super) number: u32,
    /// Whether it is Black's.
    pub(super) is_black: bool,
    /// Whether the game begins with the first move of chess; other games may count from any number.
    pub(super) is_initial: bool,
}

/// A number that contradicts the moves before it.
#[derive(Debug)]
pub(super) struct WrongNumber {
    /// Where it stands.
    pub(super) offset: usize,
    /// As written.
    pub(super) found: String,
    /// What follows from the moves before it.
    pub(super) expected: String,
}

/// The numbers of moves, compared with the moves before them.
struct Numbers {
    /// Plies since the first move of White's that the first number counts.
    ply: u32,
    /// The number of that move; not known until the first number.
    first: Option<u32>,
    wrong: Option<WrongNumber>,
}

impl Numbers {
    fn new(start: Start) -> Self {
        Self {
            ply: u32::from(start.is_black),
            first: start.is_initial.then_some(start.number),
            wrong: None,
        }
    }

    /// Takes a word, which may be a number, a move, or a number and a move.
    fn take(&mut self, game: &[u8], place: std::ops::Range<usize>, kind: Word) {
        let word = &game[place.clone()];
        let n_digits = match kind {
            Word::Move if word.starts_with(b"0-0") => 0,
            Word::Move | Word::Number => {
                word.iter().take_while(|byte| byte.is_ascii_digit()).count()
            }
            Word::Other | Word::Unreadable => return,
        };
        if n_digits > 0 && self.wrong.is_none() {
            let n_dots = match kind {
                Word::Number => game[place.end..]
                    .iter()
                    .take_while(|&&byte| byte == b'.')
                    .count(),
                _ => 0,
            };
            let digits = std::str::from_utf8(&word[..n_digits]).unwrap_or_default();
            let number = digits.parse::<u32>().ok();
            let n_before = self.ply / 2;
            let first = *self
                .first
                .get_or_insert_with(|| number.map_or(0, |number| number.saturating_sub(n_before)));
            let (expected, is_white) = (first.saturating_add(n_before), self.ply.is_multiple_of(2));
            if number != Some(expected) || n_dots > 1 && is_white {
                self.wrong = Some(WrongNumber {
                    offset: place.start,
                    found: format!("{digits}{}", ".".repeat(n_dots.min(3))),
                    expected: format!("{expected}{}", if is_white { "." } else { "..." }),
                });
            }
        }
        self.ply += u32::from(kind == Word::Move);
    }
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

/// What a word among the moves is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// A move, with or without its number before it.
    Move,
    /// Digits alone.
    Number,
    /// A result or an annotation.
    Other,
    Unreadable,
}

fn kind(word: &[u8]) -> Word {
    let unless = |is_unreadable: bool| {
        if is_unreadable {
            Word::Unreadable
        } else {
            Word::Other
        }
    };
    if matches!(word, b"1-0" | b"0-1" | b"1/2-1/2") || word.starts_with(b"$") {
        return Word::Other;
    }
    if !word.iter().any(u8::is_ascii_alphanumeric) {
        // Signs say who stands better, but these say who has won.
        let is_result = str::from_utf8(word).is_ok_and(|word| spelling::result(word).is_some());
        return unless(is_result || is_null_move(word));
    }
    // Dashes other than the hyphen, which some programs use in results and castling.
    if !word.is_ascii() {
        return plain(word).map_or(Word::Unreadable, |plain| kind(plain.as_bytes()));
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
    let word = word
        .iter()
        .position(|&byte| byte == b'$')
        .map_or(word, |nag| &word[..nag]);
    if word.is_empty() {
        return Word::Number;
    }
    if HARMLESS.contains(&word) {
        return Word::Other;
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

    fn found(text: &str) -> Option<&str> {
        check(text.as_bytes(), None).err().map(|place| &text[place])
    }

    #[test]
    fn only_foreign_words_are_unreadable() {
        for text in [
            "[Event \"a ] [ b\"]\n[Site \"\\\"\"] 1. e4 e5 *",
            "%escape Zz\n1.e4!?$12 e5$3 1-0",
            "1. e4 {Zz ( ; } e5 ; Zz (\n2. d4 (2. Zz {)} (Zz) ; )\n Zz) d5 1/2-1/2",
            "1. e8=Q+ exd8=N# O-O-O+ 0-0-0# Nbxd7 R1e2 +- 12... 5.",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        for (text, word) in [
            ("1. e4 Zz5 *", "Zz5"),
            ("[Event \"x\"]\n1. Nf33 *", "Nf33"),
            ("1.e2e4e *", "e2e4e"),
            ("1. 0-0-0-0 *", "0-0-0-0"),
            ("1. Nf3++ *", "Nf3++"),
            ("1. e4 -- *", "--"),
            ("1. e4 Z0+ *", "Z0+"),
            ("1. e4 e5 +:-", "+:-"),
        ] {
            assert_eq!(found(text), Some(word));
        }
    }

    #[test]
    fn numbers_follow_the_moves_before_them() {
        let start = |number, is_initial| Start {
            number,
            is_black: false,
            is_initial,
        };
        let wrong = |text: &str, start| {
            let wrong = check(text.as_bytes(), Some(start)).expect("all can be read");
            wrong.map(|wrong| (wrong.offset, wrong.found, wrong.expected))
        };
        for right in [
            "1. e4 e5 2. Nf3 {c} 2... Nc6 (2... d6 7. d4) 3.Bb5 a6 1-0",
            "1.e4 $1 1. ... e5 2.0-0 0-0 3 Nf3 1/2-1/2",
            "e4 e5 2. Nf3",
        ] {
            assert_eq!(wrong(right, start(1, true)), None, "{right}");
        }
        for (text, offset, found, expected) in [
            ("1. e4 e5 3. Nf3", 9, "3.", "2."),
            ("1. e4 2. d5", 6, "2.", "1..."),
            ("1. e4 e5 1... Nf3", 9, "1...", "2."),
            ("2. e4", 0, "2.", "1."),
            ("1. e4 e5 99999999999 Nf3", 9, "99999999999", "2."),
        ] {
            let expected = (offset, found.to_owned(), expected.to_owned());
            assert_eq!(wrong(text, start(1, true)), Some(expected), "{text}");
        }
        // From a position, the first number counts.
        assert_eq!(wrong("1. e4 e5 2. Nf3", start(30, false)), None);
        assert_eq!(wrong("30. e4 e5 31. Nf3", start(30, false)), None);
        assert!(wrong("30. e4 e5 32. Nf3", start(30, false)).is_some());
    }

    #[test]
    fn tags_are_found_by_line() {
        let text = b"\n[Event \"x\"]\n [FEN \"8\"]\n";
        assert_eq!(find_tag(text, "FEN"), Some(13));
        assert_eq!(find_tag(text, "SetUp"), None);
    }
}
