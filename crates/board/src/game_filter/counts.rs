//! How many games of a collection count.

use std::fmt;

use crate::pgn::Tally;

/// How many games of a collection count, and how many do not for which reason.
///
/// # Examples
/// ```
/// use kibitz_board::game_filter::{GameCounts, GameSource};
///
/// let read = GameSource::whole("mine").read("mine", &b"1. e4 e5 1-0\n"[..], None)?;
/// let counts = GameCounts::new(&read.tally, 1);
/// assert_eq!(counts.to_string(), "1 game counted, 0 bad, 0 repaired, 0 left out");
/// # Ok::<(), kibitz_board::game_filter::SourceError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameCounts {
    /// Games that an experiment uses.
    pub counted: u64,
    /// Games that cannot be read.
    pub bad: u64,
    /// Good games that are read with repairs, whether they count or not.
    pub repaired: u64,
    /// Good games that do not count.
    pub left_out: u64,
}

impl GameCounts {
    /// The counts of a collection of which so many good games count.
    pub fn new(tally: &Tally, counted: u64) -> Self {
        Self {
            counted,
            bad: tally.n_bad,
            repaired: tally.n_repaired,
            left_out: tally.n_games.saturating_sub(counted),
        }
    }
}

impl fmt::Display for GameCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            counted,
            bad,
            repaired,
            left_out,
        } = self;
        let games = if *counted == 1 { "game" } else { "games" };
        write!(
            f,
            "{counted} {games} counted, {bad} bad, {repaired} repaired, {left_out} left out"
        )
    }
}
