//! Results as other programs and people write them.

use shakmaty::{Color, KnownOutcome, Outcome};

use super::{
    validate::find_tag,
    words::{plain, skip_to},
};

/// The result that a tag tells in other words; `None` if it tells none, as that both lost.
pub(super) fn of_tag(value: &str) -> Option<Outcome> {
    let text = plain(value.trim().as_bytes())?.to_ascii_lowercase();
    let text = text.trim_end_matches('.');
    let is_of = |words: &[&str]| words.iter().any(|word| text.starts_with(word));
    let word = text.split_ascii_whitespace().next()?;
    let known = match of_word(word).unwrap_or(word) {
        "1-0" => KnownOutcome::Decisive {
            winner: Color::White,
        },
        "0-1" => KnownOutcome::Decisive {
            winner: Color::Black,
        },
        "1/2-1/2" | "=" => KnownOutcome::Draw,
        _ if is_of(&[
            "white wins",
            "white won",
            "white win",
            "black resigns",
            "black resigned",
        ]) =>
        {
            KnownOutcome::Decisive {
                winner: Color::White,
            }
        }
        _ if is_of(&[
            "black wins",
            "black won",
            "black win",
            "white resigns",
            "white resigned",
        ]) =>
        {
            KnownOutcome::Decisive {
                winner: Color::Black,
            }
        }
        "draw" | "drawn" | "remis" => KnownOutcome::Draw,
        _ => return None,
    };
    Some(known.into())
}

/// Results that are written otherwise.
pub(super) fn of_word(word: &str) -> Option<&'static str> {
    match word {
        "1/2" | "1/2-1/2." | "1/2:1/2" | "0.5-0.5" | "=-=" | "=:=" => Some("1/2-1/2"),
        "1:0" | "1-0." | "1-O" | "+:-" => Some("1-0"),
        "0:1" | "0-1." | "O-1" | "-:+" => Some("0-1"),
        "0:0" | "-:-" => Some("*"),
        _ => None,
    }
}

/// The result that the last words of a game tell from `at` on, where the standard has another sign
/// for it.
pub(super) fn closing(game: &[u8], at: usize) -> Option<&'static str> {
    /// Longest such words in bytes.
    const LENGTH: usize = 60;
    let words = game[at..].trim_ascii_end();
    match words {
        b"=" => Some("1/2-1/2"),
        b"0-0" => nobody_won(game),
        _ if words.len() > LENGTH => None,
        _ => {
            let is_prose = |byte: &u8| byte.is_ascii_alphabetic() || b" .,\n".contains(byte);
            let prose = str::from_utf8(words).ok();
            let prose = prose.filter(|words| words.bytes().all(|byte| is_prose(&byte)))?;
            let told = of_tag(&prose.replace('\n', " "))?;
            Some(told.as_str())
        }
    }
}

/// `*` for a last word `0-0`, which is no castling where the tag `Result` says the same: both lost.
fn nobody_won(game: &[u8]) -> Option<&'static str> {
    let tag = find_tag(game, "Result")?;
    let tag = &game[tag..skip_to(game, tag, b'\n')];
    let is_said = tag.windows(5).any(|value| value == b"\"0-0\"");
    is_said.then_some("*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_tags() {
        for (value, expected) in [
            ("White wins", Some("1-0")),
            ("black won on time", Some("0-1")),
            ("White resigned.", Some("0-1")),
            ("½", Some("1/2-1/2")),
            ("½–½", Some("1/2-1/2")),
            ("+:-", Some("1-0")),
            ("1:0", Some("1-0")),
            ("Draw.", Some("1/2-1/2")),
            ("0-0", None),
            ("adjourned", None),
            ("whitewash", None),
        ] {
            let found = of_tag(value).map(|outcome| outcome.to_string());
            assert_eq!(found.as_deref(), expected, "{value}");
        }
    }
}
