//! What a player is.

use std::fmt;

use rand_chacha::ChaCha8Rng;

use crate::{grid::Tile, knowledge::Knowledge};

/// Something to do to a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Uncover it.
    Uncover(Tile),
    /// Mark it as a mine.
    Mark(Tile),
    /// Take the mark off.
    Unmark(Tile),
}

/// What a move rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Rule S-1: a number whose mines are all marked.
    S1,
    /// Rule S-2: the difference of two sets holds no mine.
    S2,
    /// Rule S-3: the difference of a set and a difference holds no mine.
    S3,
    /// Rule M-1: a number that needs all tiles it has.
    M1,
    /// Any tile.
    Guess,
    /// A tile of least estimated risk.
    LeastRisk,
    /// Equations of the equation strategy.
    Equations,
    /// No arrangement of the mines has one there, or all have.
    Certain,
    /// A tile of least probability of a mine.
    LeastProbability,
    /// The best by looking ahead at what it may show.
    LookAhead,
    /// The best of all ways to play on, by complete search.
    Endgame,
}

impl Rule {
    /// Whether a move by this rule cannot lose.
    pub fn is_certain(self) -> bool {
        matches!(
            self,
            Self::S1 | Self::S2 | Self::S3 | Self::M1 | Self::Equations | Self::Certain
        )
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::S1 => "S-1",
            Self::S2 => "S-2",
            Self::S3 => "S-3",
            Self::M1 => "M-1",
            Self::Guess => "guess",
            Self::LeastRisk => "least risk",
            Self::Equations => "equations",
            Self::Certain => "certain",
            Self::LeastProbability => "least probability",
            Self::LookAhead => "look-ahead",
            Self::Endgame => "endgame",
        })
    }
}

/// A move, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// What is done.
    pub action: Action,
    /// What it rests on.
    pub rule: Rule,
    /// The numbers that the rule used, if it used just some.
    pub because: Vec<Tile>,
    /// How likely it loses, as the player sees it, if he says so.
    pub risk: Option<f64>,
}

impl Move {
    /// A move by a rule that needs no further reason.
    pub(crate) fn new(action: Action, rule: Rule) -> Self {
        Self {
            action,
            rule,
            because: Vec::new(),
            risk: None,
        }
    }
}

/// Someone who plays: sees what can be seen, and says what to do next.
pub trait Player: fmt::Debug {
    /// A new game begins.
    fn start(&mut self) {}

    /// The next move; `None` if he sees none.
    ///
    /// A player draws random numbers from `rng` only.
    fn choose(&mut self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move>;
}
