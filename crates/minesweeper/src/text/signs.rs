//! The signs of a position: the one table of what each character means.

use std::fmt;

use crate::knowledge::View;

/// Characters of a text that mean the same on a tile of a position.
///
/// Its [`Display`](fmt::Display) form lists them: ``` `F` `f` ```.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sign {
    /// The characters.
    pub characters: &'static str,
    /// Their meaning, in a few words.
    pub meaning: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Covered,
    /// Covered, whatever else stands for covered tiles.
    Questioned,
    Marked,
}

/// How a blank is shown where signs are listed.
const BLANK: &str = "blank";

/// Every sign of a position. What is written is `.`, `F` and digits.
///
/// Programs disagree on the signs of the second line: with two of them in a text, one may mean a zero.
pub const SIGNS: [Sign; 4] = [
    Sign {
        characters: "012345678",
        meaning: "uncovered, with so many mines around it",
        kind: Kind::Number,
    },
    Sign {
        characters: ".#-_\u{25a0} ",
        meaning: "covered; a text has only one of them",
        kind: Kind::Covered,
    },
    Sign {
        characters: "?",
        meaning: "covered, with a question mark",
        kind: Kind::Questioned,
    },
    Sign {
        characters: "Ff*!Mm\u{2691}\u{1f6a9}",
        meaning: "marked as a mine",
        kind: Kind::Marked,
    },
];

/// What other programs write for an uncovered tile without mines around it, when not for a covered one.
const ZEROS: &str = ".-_ ";

/// The sign that is written for a covered tile.
pub(super) const COVERED: char = '.';
/// The sign that is written for a marked tile.
pub(super) const MARKED: char = 'F';

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.characters.chars().map(|sign| match sign {
            ' ' => BLANK.to_owned(),
            sign => format!("`{sign}`"),
        });
        f.write_str(&shown.collect::<Vec<_>>().join(" "))
    }
}

/// The face of a tile with this sign.
pub(super) fn view(sign: char) -> Option<View> {
    let row = SIGNS.iter().find(|row| row.characters.contains(sign))?;
    Some(match row.kind {
        Kind::Number => View::Number(u8::try_from(sign.to_digit(10)?).ok()?),
        Kind::Covered | Kind::Questioned => View::Covered,
        Kind::Marked => View::Marked,
    })
}

/// Whether this sign stands for covered tiles, and no other such sign beside it.
pub(super) fn is_covered(sign: char) -> bool {
    let mut covered = SIGNS.iter().filter(|row| row.kind == Kind::Covered);
    covered.any(|row| row.characters.contains(sign))
}

/// Whether this sign may stand for a zero in what other programs write: a text of ours has `.` for
/// covered tiles, and no question marks.
pub(super) fn may_be_zero(sign: char, has_questions: bool) -> bool {
    ZEROS.contains(sign) && (sign != COVERED || has_questions)
}

/// Whether this sign is a question mark.
pub(super) fn is_question(sign: char) -> bool {
    let mut questions = SIGNS.iter().filter(|row| row.kind == Kind::Questioned);
    questions.any(|row| row.characters.contains(sign))
}

/// All signs in words, for messages.
pub(super) fn in_words() -> String {
    let rows = SIGNS.map(|row| match row.kind {
        Kind::Number => "`0` to `8` are numbers".to_owned(),
        Kind::Covered => format!("one of {row} is covered"),
        Kind::Questioned => format!("so is {row}"),
        Kind::Marked => format!("{row} are marked"),
    });
    rows.join(", ")
}
