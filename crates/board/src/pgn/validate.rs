//! Validation of the text of a game.
//!
//! `pgn-reader` skips text that it cannot parse. A skipped move makes another game, so the text of
//! every game is checked for unreadable words.

use std::ops::Range;

use super::{
    error::Repair,
    tag,
    words::{Word, plain, words},
};

/// Most repairs of one game that are listed: its moves cannot be more.
const MAX_REPAIRS: usize = super::visitor::MAX_PLIES;

/// Checks the words in the text of a game, of whose moves the first follows `start`: its number
/// and whether it is Black's, unless these are not known.
///
/// Returns the words that are ignored or read as others, and the first number that contradicts the
/// moves before it, each with its place.
///
/// # Errors
/// The byte range of the first word that is neither tag, comment, variation, annotation, move nor
/// result.
pub(super) fn check(
    game: &[u8],
    start: Option<Start>,
) -> Result<Vec<(Repair, usize)>, Range<usize>> {
    let mut repairs = Vec::new();
    let mut numbers = start.map(Numbers::new);
    for (place, word) in words(game) {
        let text = &game[place.clone()];
        let found = || String::from_utf8_lossy(text).into_owned();
        match word {
            Word::Comment => continue,
            Word::Unreadable => return Err(place),
            Word::Ignored => repairs.push((Repair::Ignored { found: found() }, place.start)),
            Word::Move | Word::Other if !text.is_ascii() => {
                let (found, read) = (found(), plain(text).unwrap_or_default());
                repairs.push((Repair::Spelling { found, read }, place.start));
            }
            Word::Move | Word::Number | Word::Other => {}
        }
        if repairs.len() > MAX_REPAIRS {
            return Err(place);
        }
        if let Some(numbers) = &mut numbers {
            numbers.take(game, place, word);
        }
    }
    repairs.extend(numbers.and_then(|numbers| numbers.wrong));
    Ok(repairs)
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

/// The numbers of moves, compared with the moves before them.
struct Numbers {
    /// Plies since the first move of White's that the first number counts.
    ply: u32,
    /// The number of that move; not known until the first number.
    first: Option<u32>,
    /// The first that contradicts the moves before it, with its place.
    wrong: Option<(Repair, usize)>,
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
    fn take(&mut self, game: &[u8], place: Range<usize>, kind: Word) {
        let word = &game[place.clone()];
        let n_digits = match kind {
            Word::Move if word.starts_with(b"0-0") => 0,
            Word::Move | Word::Number => {
                word.iter().take_while(|byte| byte.is_ascii_digit()).count()
            }
            Word::Other | Word::Ignored | Word::Comment | Word::Unreadable => return,
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
                let repair = Repair::MoveNumber {
                    found: format!("{digits}{}", ".".repeat(n_dots.min(3))),
                    expected: format!("{expected}{}", if is_white { "." } else { "..." }),
                };
                self.wrong = Some((repair, place.start));
            }
        }
        self.ply += u32::from(kind == Word::Move);
    }
}

/// Offset of the line of the tag `name`.
pub(super) fn find_tag(game: &[u8], name: &str) -> Option<usize> {
    let mut at = 0;
    for line in game.split_inclusive(|&byte| byte == b'\n') {
        if tag::name(line.trim_ascii_start()) == Some(name.as_bytes()) {
            return Some(at);
        }
        at += line.len();
    }
    None
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
            let repairs = check(text.as_bytes(), Some(start)).expect("all can be read");
            repairs.into_iter().next()
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
            let (found, expected) = (found.to_owned(), expected.to_owned());
            let expected = (Repair::MoveNumber { found, expected }, offset);
            assert_eq!(wrong(text, start(1, true)), Some(expected), "{text}");
        }
        // From a position, the first number counts.
        assert_eq!(wrong("1. e4 e5 2. Nf3", start(30, false)), None);
        assert_eq!(wrong("30. e4 e5 31. Nf3", start(30, false)), None);
        assert!(wrong("30. e4 e5 32. Nf3", start(30, false)).is_some());
    }

    #[test]
    fn what_is_ignored_or_read_as_another_word_is_told_with_its_place() {
        for (text, expected) in [
            ("1. e4! $1 $255 (1. d4 Zz)) *", vec![(")", None, 25)]),
            (
                "1. e4 $999 $ e5$256 {)}}",
                vec![
                    ("$999", None, 6),
                    ("$", None, 11),
                    ("$256", None, 15),
                    ("}", None, 23),
                ],
            ),
            (
                "3. exd6 e.p. Qxd6 ep",
                vec![("e.p.", None, 8), ("ep", None, 18)],
            ),
            (
                "3. exd6 e. p. N",
                vec![("e", None, 8), ("p", None, 11), ("N", None, 14)],
            ),
            (
                "4. Qxf7 mate +- <>",
                vec![("mate", None, 8), ("+-", None, 13), ("<>", None, 16)],
            ),
            (
                "5. O–O 1–0",
                vec![("O–O", Some("O-O"), 3), ("1–0", Some("1-0"), 9)],
            ),
        ] {
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(found, read, offset)| {
                    let found = found.to_owned();
                    let repair = match read {
                        None => Repair::Ignored { found },
                        Some(read) => Repair::Spelling {
                            found,
                            read: read.to_owned(),
                        },
                    };
                    (repair, offset)
                })
                .collect();
            assert_eq!(check(text.as_bytes(), None), Ok(expected), "{text}");
        }
        assert_eq!(
            found("1. e4 $1Nf3 e5"),
            Some("$1Nf3"),
            "a move is not ignored"
        );
    }

    #[test]
    fn tags_are_found_by_line() {
        let text = b"\n[Event \"x\"]\n [FEN \"8\"]\n[WhiteElo \"1\"]\n";
        assert_eq!(find_tag(text, "FEN"), Some(13));
        assert_eq!(find_tag(text, "White"), None, "another tag begins so");
        assert_eq!(find_tag(text, "SetUp"), None);
    }
}
