//! Selecting games by what their tags and moves say.

use std::ops::RangeInclusive;

use regex::Regex;
use shakmaty::{Color, Outcome};

use crate::Game;

/// The ways in which the name of one player, or event, is written.
#[derive(Clone, Debug)]
pub enum NamePattern {
    /// One of these names, letter for letter.
    Exact(Vec<String>),
    /// One of these names, whatever the case of their letters.
    IgnoringCase(Vec<String>),
    /// A name in which the expression is found. Anchors and case are the expression's business.
    Regex(Regex),
}

impl NamePattern {
    /// These names, letter for letter.
    pub fn exact<S: Into<String>>(names: impl IntoIterator<Item = S>) -> NamePattern {
        NamePattern::Exact(names.into_iter().map(Into::into).collect())
    }

    /// These names, whatever the case of their letters.
    pub fn ignoring_case<S: Into<String>>(names: impl IntoIterator<Item = S>) -> NamePattern {
        NamePattern::IgnoringCase(names.into_iter().map(Into::into).collect())
    }

    /// Names in which the expression is found.
    ///
    /// # Errors
    ///
    /// Those of [`Regex::new`]: the expression cannot be read.
    pub fn regex(expression: &str) -> Result<NamePattern, regex::Error> {
        Regex::new(expression).map(NamePattern::Regex)
    }

    /// Whether `name` is written in one of these ways.
    pub fn matches(&self, name: &str) -> bool {
        match self {
            NamePattern::Exact(names) => names.iter().any(|known| known == name),
            NamePattern::IgnoringCase(names) => {
                let name = name.to_lowercase();
                names.iter().any(|known| known.to_lowercase() == name)
            }
            NamePattern::Regex(regex) => regex.is_match(name),
        }
    }
}

/// Conditions on a game; those left out hold for every game.
///
/// # Examples
///
/// ```
/// use kibitz_board::{Color, collection::{NamePattern, Selection}, pgn};
///
/// let text = "[White \"Tal\"]\n[Date \"1960.??.??\"]\n\n1. e4 *\n";
/// let games = pgn::read_games("one", text.as_bytes(), pgn::Policy::default());
/// let selection = Selection {
///     player: Some(NamePattern::exact(["Tal", "Tal, Mihail"])),
///     color: Some(Color::White),
///     years: Some(1960..=1961),
///     ..Selection::default()
/// };
/// assert_eq!(games.filter_map(Result::ok).filter(|game| selection.matches(game)).count(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// One of the players.
    pub player: Option<NamePattern>,
    /// The other player; without `player`, one of the players.
    pub opponent: Option<NamePattern>,
    /// The color of `player`, or of the opponent's opponent if only `opponent` is given.
    pub color: Option<Color>,
    /// The years in which the game may have been played; a game without a year is in none.
    pub years: Option<RangeInclusive<u16>>,
    /// The event.
    pub event: Option<NamePattern>,
    /// The site.
    pub site: Option<NamePattern>,
    /// How the game ended.
    pub outcome: Option<Outcome>,
    /// Number of half-moves.
    pub plies: Option<RangeInclusive<usize>>,
}

impl Selection {
    /// Whether all conditions hold for `game`.
    pub fn matches(&self, game: &Game) -> bool {
        let tags = game.tags();
        let holds = |pattern: &Option<NamePattern>, name: &str| {
            pattern.as_ref().is_none_or(|pattern| pattern.matches(name))
        };
        holds(&self.event, &tags.event)
            && holds(&self.site, &tags.site)
            && self.outcome.is_none_or(|outcome| outcome == game.outcome())
            && self
                .plies
                .as_ref()
                .is_none_or(|plies| plies.contains(&game.n_plies()))
            && self
                .years
                .as_ref()
                .is_none_or(|years| tags.date.year.is_some_and(|year| years.contains(&year)))
            && self.color_of_player(game).is_some()
    }

    /// The color that `player` has in `game` if the conditions on players hold: White if they hold
    /// either way.
    pub fn color_of_player(&self, game: &Game) -> Option<Color> {
        let tags = game.tags();
        let holds = |pattern: &Option<NamePattern>, name: &str| {
            pattern.as_ref().is_none_or(|pattern| pattern.matches(name))
        };
        Color::ALL.into_iter().find(|&color| {
            let (player, opponent) = match color {
                Color::White => (&tags.white, &tags.black),
                Color::Black => (&tags.black, &tags.white),
            };
            self.color.is_none_or(|wanted| wanted == color)
                && holds(&self.player, player)
                && holds(&self.opponent, opponent)
        })
    }
}
