//! The tags of a game, normalized.

use std::{cmp::Ordering, fmt, str::FromStr};

use thiserror::Error;

/// The tags of a game.
///
/// Texts are trimmed, without ASCII control characters and runs of blanks; an unknown value (`?`, `-`
/// or nothing) is the empty string. The tags `Result`, `FEN`, `SetUp`, `Variant` and `PlyCount` are
/// not stored here, since the game itself determines them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// Name of the tournament or match.
    pub event: String,
    /// Place of the event.
    pub site: String,
    /// Date of the game.
    pub date: Date,
    /// Round of the event, as written: numbers, `3.2`, and so on.
    pub round: String,
    /// Player of the white pieces.
    pub white: String,
    /// Player of the black pieces.
    pub black: String,
    /// Rating of White.
    pub white_elo: Option<u16>,
    /// Rating of Black.
    pub black_elo: Option<u16>,
    /// Opening code of the Encyclopaedia of Chess Openings, such as `C57`.
    pub eco: String,
    /// All other tags, in order of first appearance; names are unique.
    other: Vec<(String, String)>,
}

impl Tags {
    /// Sets the tag `name` to the normalized `value`. An unreadable rating or date becomes unknown; a
    /// name that is not a PGN symbol is ignored.
    pub fn set(&mut self, name: &str, value: &str) {
        let value = normalize(value);
        match name {
            "Event" => self.event = value,
            "Site" => self.site = value,
            "Date" => self.date = value.parse().unwrap_or_default(),
            "Round" => self.round = value,
            "White" => self.white = value,
            "Black" => self.black = value,
            "WhiteElo" => self.white_elo = value.parse().ok(),
            "BlackElo" => self.black_elo = value.parse().ok(),
            "ECO" => self.eco = value,
            "Result" | "FEN" | "SetUp" | "Variant" | "PlyCount" => {}
            _ if !is_symbol(name) => {}
            _ => match self.other.iter_mut().find(|(known, _)| known == name) {
                Some((_, old)) => *old = value,
                None => self.other.push((name.to_owned(), value)),
            },
        }
    }

    /// The seven tag roster alone (PGN standard, section 8.1.1).
    #[must_use]
    pub fn roster(&self) -> Tags {
        Tags {
            event: self.event.clone(),
            site: self.site.clone(),
            date: self.date,
            round: self.round.clone(),
            white: self.white.clone(),
            black: self.black.clone(),
            ..Tags::default()
        }
    }

    /// The tags without a field, in order of first appearance.
    pub fn other(&self) -> &[(String, String)] {
        &self.other
    }

    /// The value of a tag without a field, if present.
    pub fn get_other(&self, name: &str) -> Option<&str> {
        self.other
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Whether `name` is a tag symbol: letters, digits and underscores (PGN standard, section 8.1.1).
fn is_symbol(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A tag value without surplus blanks and control characters; empty if unknown.
pub(crate) fn normalize(value: &str) -> String {
    let mut normalized = String::with_capacity(value.len());
    for word in value.split(|c: char| c == ' ' || c.is_ascii_control()) {
        if word.is_empty() {
            continue;
        }
        if !normalized.is_empty() {
            normalized.push(' ');
        }
        normalized.push_str(word);
    }
    if matches!(normalized.as_str(), "?" | "-") {
        normalized.clear();
    }
    normalized
}

/// A calendar date, possibly partial, as PGN's `1966.??.??`.
///
/// # Examples
///
/// ```
/// use kibitz_board::Date;
///
/// let date: Date = "1966.07.??".parse()?;
/// assert_eq!((date.year, date.month, date.day), (Some(1966), Some(7), None));
/// assert_eq!(date.to_string(), "1966.07.??");
/// # Ok::<(), kibitz_board::ParseDateError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(
    feature = "schemars",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "String", into = "String")
)]
pub struct Date {
    /// Year of the Gregorian calendar, 0 to 9999.
    pub year: Option<u16>,
    /// Month, 1 to 12.
    pub month: Option<u8>,
    /// Day of the month, 1 to 31.
    pub day: Option<u8>,
}

impl Date {
    /// Order relative to a partial date, at its precision; `None` if this date is less precise.
    pub(crate) fn known_order(self, bound: Date) -> Option<Ordering> {
        let parts = |date: Date| {
            [
                date.year,
                date.month.map(u16::from),
                date.day.map(u16::from),
            ]
        };
        for (own, bound) in parts(self).into_iter().zip(parts(bound)) {
            let Some(bound) = bound else { break };
            match own?.cmp(&bound) {
                Ordering::Equal => {}
                order => return Some(order),
            }
        }
        Some(Ordering::Equal)
    }
}

impl TryFrom<String> for Date {
    type Error = ParseDateError;

    fn try_from(text: String) -> Result<Date, ParseDateError> {
        text.parse()
    }
}

impl From<Date> for String {
    fn from(date: Date) -> String {
        date.to_string()
    }
}

/// Text that is not a PGN date.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not a date: expected `YYYY.MM.DD`, with `?` for unknown digits")]
pub struct ParseDateError(String);

impl FromStr for Date {
    type Err = ParseDateError;

    /// Reads `YYYY.MM.DD`; month and day may be left out, and a part with a question mark is
    /// unknown.
    fn from_str(text: &str) -> Result<Date, ParseDateError> {
        let error = |()| ParseDateError(text.to_owned());
        let mut parts = text.split('.');
        let date = Date {
            year: date_part(parts.next(), 4, 0..=9999).map_err(error)?,
            month: date_part(parts.next(), 2, 1..=12).map_err(error)?,
            day: date_part(parts.next(), 2, 1..=31).map_err(error)?,
        };
        if parts.next().is_some() {
            Err(error(()))
        } else {
            Ok(date)
        }
    }
}

/// A component of a date; `None` if unknown, `Err` if invalid.
fn date_part<N>(
    text: Option<&str>,
    width: usize,
    range: std::ops::RangeInclusive<N>,
) -> Result<Option<N>, ()>
where
    N: FromStr + PartialOrd,
{
    let Some(text) = text else { return Ok(None) };
    let is_known = !text.contains('?');
    if text.is_empty()
        || text.len() > width
        || !text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'?')
    {
        return Err(());
    }
    if !is_known {
        return Ok(None);
    }
    text.parse()
        .ok()
        .filter(|number| range.contains(number))
        .map(Some)
        .ok_or(())
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.year {
            Some(year) => write!(f, "{year:04}")?,
            None => f.write_str("????")?,
        }
        for part in [self.month, self.day] {
            match part {
                Some(number) => write!(f, ".{number:02}")?,
                None => f.write_str(".??")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_normalized() {
        let mut tags = Tags::default();
        tags.set("White", "  Tal,\t Mihail ");
        tags.set("Event", "?");
        tags.set("WhiteElo", "2700");
        tags.set("BlackElo", "strong");
        tags.set("Opening", "Sicilian");
        tags.set("Opening", "French");
        tags.set("no symbol", "x");
        tags.set("Result", "1-0");
        assert_eq!(
            (tags.white.as_str(), tags.event.as_str()),
            ("Tal, Mihail", "")
        );
        assert_eq!((tags.white_elo, tags.black_elo), (Some(2700), None));
        assert_eq!(tags.other(), [("Opening".to_owned(), "French".to_owned())]);
        assert_eq!(tags.get_other("Opening"), Some("French"));
    }

    #[test]
    fn dates_may_be_known_in_part() {
        let written = |text: &str| text.parse().map(|date: Date| date.to_string());
        for (text, expected) in [
            ("1966.07.04", "1966.07.04"),
            ("1966.??.??", "1966.??.??"),
            ("1966", "1966.??.??"),
            ("196?.7.1", "????.07.01"),
            ("????.??.??", "????.??.??"),
        ] {
            assert_eq!(written(text), Ok(expected.to_owned()));
        }
        for text in [
            "",
            "1966.13.01",
            "1966.00.01",
            "04.07.1966",
            "1966.07.04.1",
            "+966.07.04",
            "1966-07-04",
        ] {
            assert_eq!(written(text), Err(ParseDateError(text.to_owned())));
        }
    }
}
