//! The contract of players: knowledge in, a move out.

use std::fmt;

use rand_chacha::ChaCha8Rng;

use crate::{grid::Tile, knowledge::Knowledge, probability::NoProbabilities};

/// An action on a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Uncover it.
    Uncover(Tile),
    /// Mark it as a mine.
    Mark(Tile),
    /// Take the mark off.
    Unmark(Tile),
}

impl Action {
    /// The tile it acts on.
    pub fn tile(self) -> Tile {
        match self {
            Self::Uncover(tile) | Self::Mark(tile) | Self::Unmark(tile) => tile,
        }
    }
}

/// The rule behind a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Rule S-1: all mines around a number are marked.
    S1,
    /// Rule S-2: the difference of two sets holds no mine.
    S2,
    /// Rule S-3: the difference of a set and a difference holds no mine.
    S3,
    /// Rule M-1: a number needs all of its covered tiles.
    M1,
    /// A random tile.
    Guess,
    /// A tile of least estimated risk.
    LeastRisk,
    /// Deduction from the equations of PGMS.
    Equations,
    /// The same in every arrangement of the mines.
    Certain,
    /// A tile of least probability of a mine.
    LeastProbability,
    /// The best tile by a look-ahead of one move.
    LookAhead,
    /// The best tile by complete search of the endgame.
    Endgame,
    /// A tile of least risk, as far as that is known, by a player who lacks probabilities that its own
    /// rule needs.
    Fallback(NoProbabilities),
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
        let rule = match self {
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
            Self::Fallback(problem) => return write!(f, "least known risk, since {problem}"),
        };
        f.write_str(rule)
    }
}

/// A move, with its justification.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The action.
    pub action: Action,
    /// The rule behind it.
    pub rule: Rule,
    /// The numbers that the rule used; empty if it used the whole position.
    pub because: Vec<Tile>,
    /// The player's estimate of the probability to lose, if there is one.
    pub risk: Option<f64>,
}

impl Move {
    /// A move without numbers or risk.
    pub(crate) fn new(action: Action, rule: Rule) -> Self {
        Self {
            action,
            rule,
            because: Vec::new(),
            risk: None,
        }
    }
}

/// A player: chooses moves from the visible position.
pub trait Player: fmt::Debug {
    /// Prepares for a new game.
    fn start(&mut self) {}

    /// The next move; `None` to give up.
    ///
    /// Random numbers are drawn from `rng` only.
    fn choose(&mut self, knowledge: &Knowledge, rng: &mut ChaCha8Rng) -> Option<Move>;
}
