//! The library's players and games, and how the choice falls where the archive leaves one:
//! `library.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

/// The players and the games, as the file has them.
pub(super) static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    toml::from_str(include_str!("library.toml")).expect("the file is part of the program")
});

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Library {
    /// In the order of their names.
    pub(super) players: Vec<Player>,
    /// In the order of their numbers.
    pub(super) games: Vec<Card>,
}

/// A player of the library, and how the archive writes the name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Player {
    /// Name as the library writes it, surname first.
    pub(super) name: String,
    /// Ways in which the archive writes the surname.
    pub(super) surnames: Vec<String>,
    /// How the given names begin, if there are any in the record.
    #[serde(default)]
    pub(super) given_names: Vec<String>,
    /// Whether the surname alone may be this player: others have a better known namesake.
    #[serde(default = "yes")]
    pub(super) by_surname: bool,
    /// Whether this is one of the better known players, whose games take the place of games that
    /// nothing else can replace.
    #[serde(default)]
    pub(super) well_known: bool,
}

fn yes() -> bool {
    true
}

/// A game of the library, by its id card.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Card {
    /// Number, 101 to 198.
    pub(super) number: u32,
    /// The players as the card has them.
    pub(super) players: String,
    /// White, by the name of the player.
    pub(super) white: String,
    /// Black, by the name of the player.
    pub(super) black: String,
    /// Which game of the two it is.
    #[serde(default)]
    pub(super) choice: Choice,
}

/// Which of several games of the same two players with the same colors is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Choice {
    /// They are indistinguishable: the one with the smallest key.
    #[default]
    SmallestKey,
    /// The one nearest to the target year of the book, then with the smallest key; if there is none
    /// in the years of the book, the nearest of any year.
    NearestYear,
    /// The one of a year.
    Year(u16),
    /// The one with most plies.
    Longest,
    /// The one whose site begins so, with this round.
    Round(String, String),
    /// None: the thesis prints the game.
    Printed,
    /// None: the card is one too many.
    Surplus,
}
