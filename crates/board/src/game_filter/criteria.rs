//! The criteria of a game filter.

use std::cmp::Ordering;

use shakmaty::{Color, KnownOutcome, Outcome};

use crate::{Date, Game};

/// A conjunction of criteria for games; criteria left out accept every game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "schemars",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct GameFilter {
    /// Games of this player, by prefix of the name in the collection.
    pub player: Option<String>,
    /// The color of that player, or of the player that the experiment requests.
    pub color: Option<Side>,
    /// Not earlier than this year, month or day (`1963`, `1963.07`, `1963.07.04`).
    #[cfg_attr(feature = "schemars", schemars(with = "Option<String>"))]
    pub since: Option<Date>,
    /// Not later than this year, month or day.
    #[cfg_attr(feature = "schemars", schemars(with = "Option<String>"))]
    pub until: Option<Date>,
    /// The tag `Event` contains this text.
    pub event: Option<String>,
    /// One of these results; any if empty.
    pub result: Vec<GameResult>,
    /// Number of plies, least and most.
    pub plies: Option<[usize; 2]>,
}

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schemars",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Side {
    White,
    Black,
}

/// A result as PGN writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schemars",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
pub enum GameResult {
    /// White won.
    #[cfg_attr(feature = "schemars", serde(rename = "1-0"))]
    WhiteWon,
    /// Black won.
    #[cfg_attr(feature = "schemars", serde(rename = "0-1"))]
    BlackWon,
    /// Drawn.
    #[cfg_attr(feature = "schemars", serde(rename = "1/2-1/2"))]
    Drawn,
    /// Unknown.
    #[cfg_attr(feature = "schemars", serde(rename = "*"))]
    Unknown,
}

impl GameFilter {
    /// Whether the game passes; `color` is the color of the requested player.
    pub(super) fn matches(&self, game: &Game, color: Option<Color>) -> bool {
        let tags = game.tags();
        let found = self.player.as_ref().map(|player| color_of(game, player));
        let is_asked_for = found.is_none_or(|found| found.is_some());
        let color = found.flatten().or(color);
        let has_color = |side: Side| color.is_none_or(|color| Color::from(side) == color);
        let compared = |bound: Date, wrong: Ordering| {
            let order = tags.date.known_order(bound);
            order.is_some_and(|order| order != wrong)
        };
        is_asked_for
            && self.color.is_none_or(has_color)
            && self
                .since
                .is_none_or(|since| compared(since, Ordering::Less))
            && self
                .until
                .is_none_or(|until| compared(until, Ordering::Greater))
            && (self.event.as_ref()).is_none_or(|event| tags.event.contains(event.as_str()))
            && (self.result.is_empty() || self.result.contains(&game.outcome().into()))
            && (self.plies).is_none_or(|[least, most]| (least..=most).contains(&game.n_plies()))
    }
}

/// The color of a player who is on exactly one side, by prefix of the name.
pub fn color_of(game: &Game, player: &str) -> Option<Color> {
    let tags = game.tags();
    match [&tags.white, &tags.black].map(|name| name.starts_with(player)) {
        [true, false] => Some(Color::White),
        [false, true] => Some(Color::Black),
        _ => None,
    }
}

impl From<Side> for Color {
    fn from(side: Side) -> Color {
        Color::from_white(side == Side::White)
    }
}

impl From<Outcome> for GameResult {
    fn from(outcome: Outcome) -> GameResult {
        match outcome {
            Outcome::Known(KnownOutcome::Decisive { winner }) if winner.is_white() => {
                GameResult::WhiteWon
            }
            Outcome::Known(KnownOutcome::Decisive { .. }) => GameResult::BlackWon,
            Outcome::Known(KnownOutcome::Draw) => GameResult::Drawn,
            Outcome::Unknown => GameResult::Unknown,
        }
    }
}
