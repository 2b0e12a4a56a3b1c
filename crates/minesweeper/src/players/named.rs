//! Players by name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::exact::{ExactPlayer, FirstTile, LookAhead, Ties};
use super::guess::{Guess, RandomPlayer};
use super::pgms::Pgms;
use super::rules::RulePlayer;
use crate::player::Player;

/// A player, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum PlayerName {
    /// `random`: random tiles.
    Random,
    /// `rules`: the rules of Table 3, or a random tile.
    Rules,
    /// `rules-least-risk`: the same with the paper's least-risk guess.
    RulesLeastRisk,
    /// `pgms`: the equation strategy.
    Pgms,
    /// `exact-random`: exact probabilities, first tile and ties at random.
    ExactRandom,
    /// `exact`: exact probabilities, first the [best](FirstTile::Best) tile, ties to the first tile row by
    /// row.
    Exact,
    /// `exact-corners`: exact probabilities, first the best tile, ties to corners, then edges.
    ExactCorners,
    /// `look-ahead`: exact probabilities, with look-ahead instead of guesses.
    LookAhead,
}

/// A name that no player has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no player is called `{0}`: there are {all}", all = names())]
pub struct UnknownPlayer(pub String);

fn names() -> String {
    PlayerName::ALL.map(|name| name.to_string()).join(", ")
}

impl PlayerName {
    /// All of them, the weakest first.
    pub const ALL: [Self; 8] = [
        Self::Random,
        Self::Rules,
        Self::RulesLeastRisk,
        Self::Pgms,
        Self::ExactRandom,
        Self::Exact,
        Self::ExactCorners,
        Self::LookAhead,
    ];

    /// The player.
    pub fn player(self) -> Box<dyn Player> {
        match self {
            Self::Rules => Box::new(RulePlayer::new(Guess::Uniform)),
            Self::RulesLeastRisk => Box::new(RulePlayer::new(Guess::LeastRisk)),
            Self::Pgms => Box::new(Pgms::default()),
            _ => match self.exact() {
                Some(exact) => Box::new(exact),
                None => Box::new(RandomPlayer),
            },
        }
    }

    /// The player, if it plays by exact probabilities.
    pub fn exact(self) -> Option<ExactPlayer> {
        let (first_tile, ties, look_ahead) = match self {
            Self::ExactRandom => (FirstTile::Random, Ties::Random, None),
            Self::Exact => (FirstTile::Best, Ties::First, None),
            Self::ExactCorners => (FirstTile::Best, Ties::FewestNeighbors, None),
            Self::LookAhead => {
                let look_ahead = Some(LookAhead::default());
                (FirstTile::Best, Ties::FewestNeighbors, look_ahead)
            }
            _ => return None,
        };
        Some(ExactPlayer::new(first_tile, ties, look_ahead))
    }
}

impl fmt::Display for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Random => "random",
            Self::Rules => "rules",
            Self::RulesLeastRisk => "rules-least-risk",
            Self::Pgms => "pgms",
            Self::ExactRandom => "exact-random",
            Self::Exact => "exact",
            Self::ExactCorners => "exact-corners",
            Self::LookAhead => "look-ahead",
        })
    }
}

impl FromStr for PlayerName {
    type Err = UnknownPlayer;

    fn from_str(name: &str) -> Result<Self, UnknownPlayer> {
        let mut all = Self::ALL.into_iter();
        let found = all.find(|player| player.to_string() == name);
        found.ok_or_else(|| UnknownPlayer(name.to_owned()))
    }
}

impl TryFrom<String> for PlayerName {
    type Error = UnknownPlayer;

    fn try_from(name: String) -> Result<Self, UnknownPlayer> {
        name.parse()
    }
}

impl From<PlayerName> for String {
    fn from(name: PlayerName) -> Self {
        name.to_string()
    }
}
