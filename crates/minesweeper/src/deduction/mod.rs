//! Deductions: certain tiles of a position, and the numbers that prove them.
//!
//! A [`Deduction`] names a tile, whether it holds a mine, and the numbers that force this; the count of
//! all mines may be needed as well. [`Deducer`] finds them; [`Deduction::check`] verifies
//! them independently. A [`Certificate`] is a list of deductions that solves a board.

mod certificate;
mod deducer;
mod fifty_fifty;
mod proof;
mod solve;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::grid::Tile;

pub use certificate::{Certificate, CertificateError};
pub use deducer::{Deducer, Reasons};
pub use fifty_fifty::{FiftyFifty, fifty_fifties};
pub use proof::ProofError;
pub(crate) use solve::{NoGuessSolver, SolveError, undecided};

/// The difficulty of a deduction, the easiest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Difficulty {
    /// `S-1`: one number shows it, whose other tiles are all safe or all mines.
    Single,
    /// `sets`: the difference of the tiles around two numbers is safe, or all mines.
    Sets,
    /// `numbers`: it takes three numbers or more.
    Numbers,
    /// `all`: it takes the count of all mines.
    MineCount,
}

/// A name that no difficulty has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a difficulty: expected S-1, sets, numbers or all")]
pub struct UnknownDifficulty(pub String);

impl Difficulty {
    /// All of them, the easiest first.
    pub const ALL: [Self; 4] = [Self::Single, Self::Sets, Self::Numbers, Self::MineCount];
}

impl fmt::Display for Difficulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Single => "S-1",
            Self::Sets => "sets",
            Self::Numbers => "numbers",
            Self::MineCount => "all",
        })
    }
}

impl FromStr for Difficulty {
    type Err = UnknownDifficulty;

    fn from_str(name: &str) -> Result<Self, UnknownDifficulty> {
        let found = Self::ALL.into_iter().find(|all| all.to_string() == name);
        found.ok_or_else(|| UnknownDifficulty(name.to_owned()))
    }
}

impl TryFrom<String> for Difficulty {
    type Error = UnknownDifficulty;

    fn try_from(name: String) -> Result<Self, UnknownDifficulty> {
        name.parse()
    }
}

impl From<Difficulty> for String {
    fn from(difficulty: Difficulty) -> Self {
        difficulty.to_string()
    }
}

/// A tile that is certain, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deduction {
    /// The tile.
    pub tile: Tile,
    /// Whether it holds a mine.
    pub is_mine: bool,
    /// The numbers that show it.
    pub because: Vec<Tile>,
    /// Whether the count of all mines is needed, too.
    pub counts_mines: bool,
}

impl Deduction {
    /// Its difficulty.
    pub fn difficulty(&self) -> Difficulty {
        match self.because.len() {
            _ if self.counts_mines => Difficulty::MineCount,
            0 | 1 => Difficulty::Single,
            2 => Difficulty::Sets,
            _ => Difficulty::Numbers,
        }
    }
}
