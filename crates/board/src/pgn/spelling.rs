//! Moves and results as other programs and people write them.
//!
//! What has one meaning is spelled as the PGN standard has it; whether the move can be played is
//! found out by playing it.

use super::{
    result,
    words::{plain, skip_past, skip_tags, skip_to},
};

/// Signs after a move that say who stands better.
const JUDGMENTS: [&[u8]; 12] = [
    b"+/-", b"-/+", b"+-", b"-+", b"+/=", b"=/+", b"+=", b"=+", b"++-", b"--+", b"~", b"=",
];

/// Remarks on a check, after a move.
const CHECKS: [&str; 11] = [
    "ch",
    "check",
    "dis",
    "disc",
    "discovered",
    "db",
    "dbl",
    "dble",
    "double",
    "+",
    "++",
];

/// Remarks on a mate, after a move.
const MATES: [&str; 4] = ["mate", "checkmate", "#", "m"];

/// Signs that stand for several letters of ASCII, and figurines. Who stands better is not read.
const SIGNS: [(char, &str); 22] = [
    ('♔', "K"),
    ('♕', "Q"),
    ('♖', "R"),
    ('♗', "B"),
    ('♘', "N"),
    ('♙', "P"),
    ('♚', "K"),
    ('♛', "Q"),
    ('♜', "R"),
    ('♝', "B"),
    ('♞', "N"),
    ('♟', "P"),
    ('†', "+"),
    ('‡', "#"),
    ('≠', "#"),
    ('±', "+/-"),
    ('∓', "-/+"),
    ('⩲', "+/="),
    ('⩱', "=/+"),
    ('∞', "~"),
    ('×', "x"),
    ('…', "..."),
];

/// Remarks on a capture in passing.
pub(super) const EN_PASSANT: [&[u8]; 5] = [b"e.p.", b"e.p", b"ep.", b"ep", b"(ep)"];

/// The text of a game with its words spelled as in the standard, and the words that were not, as
/// written and as read; `None` if all were.
pub(super) fn respelled(game: &[u8]) -> Option<(Vec<u8>, Vec<RespelledWord>)> {
    let mut at = skip_tags(game);
    let mut text = game[..at].to_vec();
    let mut words = Vec::new();
    let mut follows_move = false;
    while let Some(&byte) = game.get(at) {
        let end = match byte {
            b'{' => skip_past(game, at, b'}'),
            b';' => skip_to(game, at, b'\n'),
            b' ' | b'\t' | b'\n' | b'\r' | b'(' | b')' | b'}' => at + 1,
            _ => {
                let end = word_end(game, at);
                let word = &game[at..end];
                let remark = follows_move.then(|| remark(game, at)).flatten();
                if let Some((end, sign)) = remark {
                    words.push(RespelledWord {
                        offset: at,
                        found: String::from_utf8_lossy(&game[at..end]).into_owned(),
                        read: sign.to_owned(),
                    });
                    at = end;
                    continue;
                }
                follows_move = word.iter().any(u8::is_ascii_alphabetic);
                let result = result::closing(game, at);
                let end = if result.is_some() {
                    game.trim_ascii_end().len()
                } else {
                    end
                };
                let word = &game[at..end];
                let standard = result.map(str::to_owned).or_else(|| respell(word));
                if let Some(standard) = standard {
                    text.extend_from_slice(standard.as_bytes());
                    words.push(RespelledWord {
                        offset: at,
                        found: String::from_utf8_lossy(word).into_owned(),
                        read: standard,
                    });
                } else {
                    text.extend_from_slice(word);
                }
                at = end;
                continue;
            }
        };
        text.extend_from_slice(&game[at..end]);
        at = end;
    }
    (!words.is_empty()).then_some((text, words))
}

/// A word that was spelled otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RespelledWord {
    /// Where it stands in the text of the game.
    pub(super) offset: usize,
    pub(super) found: String,
    pub(super) read: String,
}

/// The end of the word at `at`; a promotion in parentheses is part of it.
fn word_end(game: &[u8], at: usize) -> usize {
    let mut end = at;
    while let Some(&byte) = game.get(end) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b'{' | b'}' | b')' | b';' => break,
            b'(' => match game.get(end + 1..end + 3) {
                Some([b'Q' | b'R' | b'B' | b'N', b')']) => end += 3,
                _ if game[end..].starts_with(b"(ep)") => end += 4,
                _ => break,
            },
            _ => end += 1,
        }
    }
    end.max(at + 1)
}

/// The end of the remarks on a check that begin at `at`, and the sign for them: `ch`, `dis. ch`.
fn remark(game: &[u8], at: usize) -> Option<(usize, &'static str)> {
    let mut found = None;
    let mut next = at;
    loop {
        let end = word_end(game, next);
        let word = in_ascii(&game[next..end])?.to_ascii_lowercase();
        let word = word.trim_end_matches(['!', '?']);
        let mut parts = word.split('.').filter(|part| !part.is_empty()).peekable();
        let is_mate = |part: &str| MATES.contains(&part);
        let is_remark =
            parts.peek().is_some() && parts.all(|part| CHECKS.contains(&part) || is_mate(part));
        if !is_remark {
            return found;
        }
        let sign = if is_mate(word) { "#" } else { "+" };
        found = Some((end, sign));
        next = end;
        while matches!(game.get(next), Some(b' ' | b'\t')) {
            next += 1;
        }
        if game
            .get(next)
            .is_none_or(|byte| b"\r\n{};()".contains(byte))
        {
            return found;
        }
    }
}

/// A word in ASCII; `None` if other letters are left.
fn in_ascii(word: &[u8]) -> Option<String> {
    if word.is_ascii() {
        return plain(word);
    }
    let mut text = std::str::from_utf8(word)
        .ok()?
        .replace(['\u{fe0e}', '\u{fe0f}'], "");
    for (sign, ascii) in SIGNS {
        text = text.replace(sign, ascii);
    }
    plain(text.as_bytes())
}

/// A word as the standard spells it, if it can be told and differs.
fn respell(word: &[u8]) -> Option<String> {
    let ascii = in_ascii(word)?;
    // The number of the move stays as it is.
    let n_digits = ascii.bytes().take_while(u8::is_ascii_digit).count();
    let n_dots = ascii[n_digits..]
        .bytes()
        .take_while(|&byte| byte == b'.')
        .count();
    let (number, rest) = ascii.split_at(if n_dots > 0 { n_digits + n_dots } else { 0 });
    let respelled = result::of_word(rest)
        .map(str::to_owned)
        .or_else(|| san(rest))?;
    let has_signs = in_ascii(word).as_deref() != plain(word).as_deref();
    (respelled != rest || has_signs).then(|| format!("{number}{respelled}"))
}

/// A move in standard algebraic notation.
fn san(word: &str) -> Option<String> {
    let (word, glyphs) = word.split_at(word.find(['!', '?', '$']).unwrap_or(word.len()));
    let mut bytes = word.as_bytes();
    if let Some(shorter) = EN_PASSANT.iter().find_map(|end| bytes.strip_suffix(*end)) {
        // `exd6ep`, but not a word of these letters alone.
        bytes = shorter
            .last()
            .filter(|byte| byte.is_ascii_digit())
            .map(|_| shorter)?;
    }
    if let Some((side, suffix)) = castling(bytes) {
        // The parser knows zeros.
        let is_known = bytes.starts_with(b"0-0") && matches!(suffix, b"" | b"+" | b"#");
        let suffix = check(suffix).filter(|_| !is_known)?;
        return Some(format!("{side}{suffix}{glyphs}"));
    }
    // From the piece to the square, with what stands between them.
    let square_end = bytes
        .windows(2)
        .rposition(|pair| matches!(pair, [b'a'..=b'h', b'1'..=b'8']))?
        + 2;
    let (squares, rest) = bytes.split_at(square_end);
    let mut text = String::new();
    for (index, &byte) in squares.iter().enumerate() {
        match byte {
            b'K' | b'Q' | b'R' | b'B' | b'N' if index == 0 => text.push(char::from(byte)),
            b'P' if index == 0 => {}
            b'a'..=b'h' | b'1'..=b'8' => text.push(char::from(byte)),
            b'x' | b'X' | b':' => text.push('x'),
            b'-' => {}
            _ => return None,
        }
    }
    let rest = match rest {
        [
            b'=' | b'/',
            role @ (b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'n'),
            rest @ ..,
        ]
        | [b'(', role @ (b'Q' | b'R' | b'B' | b'N'), b')', rest @ ..]
        | [role @ (b'Q' | b'R' | b'B' | b'N'), rest @ ..] => {
            text.push('=');
            text.push(char::from(role.to_ascii_uppercase()));
            rest
        }
        _ => rest,
    };
    text.push_str(check(rest)?);
    text.push_str(glyphs);
    Some(text)
}

/// Castling, with letters or zeros, and what follows it.
fn castling(bytes: &[u8]) -> Option<(&'static str, &[u8])> {
    let spelled: Vec<u8> = bytes
        .iter()
        .map(|byte| {
            if matches!(byte, b'o' | b'0') {
                b'O'
            } else {
                *byte
            }
        })
        .collect();
    [
        ("O-O-O", "O-O-O"),
        ("O-O", "O-O"),
        ("OOO", "O-O-O"),
        ("OO", "O-O"),
    ]
    .into_iter()
    .find(|(written, _)| spelled.starts_with(written.as_bytes()))
    .map(|(written, side)| (side, &bytes[written.len()..]))
}

/// The sign of check or mate that stands for what was written after a move.
fn check(suffix: &[u8]) -> Option<&'static str> {
    let suffix = JUDGMENTS
        .iter()
        .find_map(|sign| {
            suffix
                .strip_suffix(*sign)
                .filter(|rest| !rest.ends_with(b"-"))
        })
        .unwrap_or(suffix);
    match suffix {
        // A sign of a capture without what was captured says nothing of check.
        b"" | b"x" => Some(""),
        b"+" | b"++" | b"ch" | b"ch." | b"disch" | b"dis.ch" | b"dis.ch." | b"dblch"
        | b"dbl.ch" | b"dbl.ch." => Some("+"),
        b"#" | b"+#" | b"mate" => Some("#"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_and_results_are_spelled_as_in_the_standard() {
        for (written, expected) in [
            ("exd6e.p.", "exd6"),
            ("12...exd3ep", "12...exd3"),
            ("e2-e4", "e2e4"),
            ("Ng1-f3+", "Ng1f3+"),
            ("e4:d5", "e4xd5"),
            ("1/2", "1/2-1/2"),
            ("½", "1/2-1/2"),
            ("e4+-", "e4"),
            ("7.Qd5+/-", "7.Qd5"),
            ("Nf3=", "Nf3"),
            ("a8Q", "a8=Q"),
            ("a8(Q)+", "a8=Q+"),
            ("bxa8/N", "bxa8=N"),
            ("c8=q", "c8=Q"),
            ("o-o", "O-O"),
            ("0-0-0++", "O-O-O+"),
            ("Qxf7++", "Qxf7+"),
            ("Qxf7ch!", "Qxf7+!"),
            ("Pe4", "e4"),
            ("2.♘f3", "2.Nf3"),
            ("♟\u{fe0e}a6", "a6"),
            ("e8=♕‡", "e8=Q#"),
            ("Qa5††", "Qa5+"),
            ("Bb5x", "Bb5"),
            ("e4±", "e4"),
            ("+:-", "1-0"),
        ] {
            assert_eq!(
                respell(written.as_bytes()).as_deref(),
                Some(expected),
                "{written}"
            );
        }
        for unchanged in [
            "e4",
            "12.Nbd2!?",
            "Qh8#",
            "O-O+",
            "0-0-0",
            "1-0",
            "e8=Q",
            "Zz9",
            "Nf33",
            "e2e4e",
            "hello",
            "*",
            "ep",
        ] {
            assert_eq!(respell(unchanged.as_bytes()), None, "{unchanged}");
        }
    }

    #[test]
    fn remarks_on_checks_follow_moves() {
        for (written, expected) in [
            ("1. e4 d5 2. Bb5 ch c6 *", "1. e4 d5 2. Bb5  c6 *"),
            ("2. Bb5 dis. ch.! c6\n", "2. Bb5  c6\n"),
            ("2. Bb5 dbl.ch\nc6", "2. Bb5 \nc6"),
            ("2. Qh7 † mate {x} 1-0", "2. Qh7  {x} 1-0"),
        ] {
            let (text, _) = respelled(written.as_bytes()).expect("a word to respell");
            assert_eq!(String::from_utf8_lossy(&text), expected);
        }
        assert!(respelled(b"ch 1. e4 *").is_none());
    }

    #[test]
    fn the_last_words_of_a_game_may_be_its_result() {
        for (written, expected) in [
            ("1. e4 e5 White wins\n", Some("1. e4 e5 1-0\n")),
            ("1. e4 e5 Black won\non time.", Some("1. e4 e5 0-1")),
            ("1. e4 e5 =", Some("1. e4 e5 1/2-1/2")),
            ("1. e4 e5 Drawn {agreed}", None),
            ("1. e4 = e5 2. Nf3 *", None),
            ("1. e4 Draw 2. Nf9", None),
        ] {
            let found = respelled(written.as_bytes());
            let found = found.map(|(text, _)| String::from_utf8_lossy(&text).into_owned());
            assert_eq!(found.as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn only_the_moves_of_a_game_are_respelled() {
        let game = b"[White \"e2-e4\"]\n1. e2-e4 {e2-e4} c7-c5 ; e2-e4\n(1... e7-e5) *\n";
        let (text, words) = respelled(game).expect("a word to respell");
        assert_eq!(
            String::from_utf8_lossy(&text),
            "[White \"e2-e4\"]\n1. e2e4 {e2-e4} c7c5 ; e2-e4\n(1... e7e5) *\n"
        );
        assert_eq!(words.len(), 3);
        assert_eq!(words[0].offset, 19);
    }
}
