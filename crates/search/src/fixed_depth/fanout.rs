//! The fanout of forward pruning: the number of moves of a position that enter the tree.

use std::{fmt, num::NonZeroUsize, str::FromStr};

use thiserror::Error;

/// The branching factor of forward pruning: the number of most plausible moves that are searched,
/// level by level from the root.
///
/// Levels beyond the last one given have the last number. Written as numbers with commas, `7,5,3`,
/// or `full` when every move is searched.
///
/// # Source
/// Sugar 1975, section 2.2.1: the fanout f; CHUTE had 7 at the root in the tournament of 1974.
///
/// # Examples
/// ```
/// use kibitz_search::fixed_depth::Fanout;
///
/// let fanout: Fanout = "7, 5".parse()?;
/// assert_eq!((fanout.at(0), fanout.at(1), fanout.at(5)), (7, 5, 5));
/// assert_eq!("full".parse(), Ok(Fanout::FULL));
/// # Ok::<(), kibitz_search::fixed_depth::ParseFanoutError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fanout {
    levels: Vec<NonZeroUsize>,
}

impl Fanout {
    /// Every move, everywhere.
    pub const FULL: Fanout = Fanout { levels: Vec::new() };

    /// The fanout with these numbers; without any it is full.
    pub fn new(levels: Vec<NonZeroUsize>) -> Fanout {
        Fanout { levels }
    }

    /// Number of moves searched in positions `level` plies from the root.
    pub fn at(&self, level: u32) -> usize {
        let last = self.levels.last();
        (self.levels.get(level as usize).or(last)).map_or(usize::MAX, |n| n.get())
    }

    /// Whether every move is searched.
    pub fn is_full(&self) -> bool {
        self.levels.is_empty()
    }
}

impl fmt::Display for Fanout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_full() {
            return f.write_str("full");
        }
        for (index, level) in self.levels.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{level}")?;
        }
        Ok(())
    }
}

/// Text that is not a [`Fanout`].
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "`{0}` is not a fanout: expected `full`, or integers of at least 1 separated by commas, as in `7,5,3`"
)]
pub struct ParseFanoutError(String);

impl FromStr for Fanout {
    type Err = ParseFanoutError;

    fn from_str(text: &str) -> Result<Fanout, ParseFanoutError> {
        if text.trim() == "full" {
            return Ok(Fanout::FULL);
        }
        let levels: Result<Vec<NonZeroUsize>, _> =
            text.split(',').map(|level| level.trim().parse()).collect();
        levels
            .map(Fanout::new)
            .map_err(|_| ParseFanoutError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fanouts_are_read_and_written() {
        for text in ["full", "7", "7,5,3"] {
            assert_eq!(text.parse::<Fanout>().unwrap().to_string(), text);
        }
        for text in ["", "0", "7,", "7;5", "-1", "seven"] {
            let error = text.parse::<Fanout>().unwrap_err();
            assert!(error.to_string().contains("7,5,3"), "{error}");
        }
        assert_eq!(Fanout::FULL.at(3), usize::MAX);
    }
}
