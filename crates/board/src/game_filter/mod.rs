//! Game filters: which games of a collection an experiment uses.
//!
//! A [`GameSource`] names a collection, filters its games by player, date, event, result and length
//! ([`GameFilter`]), and decides about bad games and games of others.

mod counts;
mod criteria;
mod error;
#[cfg(feature = "schemars")]
mod serialize;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt, io::Read, ops::ControlFlow};

use shakmaty::Color;

pub use counts::GameCounts;
pub use criteria::{GameFilter, GameResult, Side, color_of};
pub use error::SourceError;

use crate::{
    Game,
    open::Decompressor,
    pgn::{Policy, ReadError, Tally, read_games},
};

/// A collection and a filter of its games.
///
/// With the feature `schemars` it deserializes from the name of the collection, `"mine"`, or from a
/// table, `{ data = "mine", on-bad-game = "report", select = { color = "white" } }`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "schemars",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case"),
    schemars(transform = serialize::or_name)
)]
pub struct GameSource {
    /// The collection, by its name under `data`.
    pub data: String,
    /// Games to leave out silently; without it they are errors.
    #[cfg_attr(
        feature = "schemars",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub skip: Option<Skip>,
    /// How to treat games that cannot be read.
    #[cfg_attr(feature = "schemars", serde(default))]
    pub on_bad_game: OnBadGame,
    /// The filter; all games when left out.
    #[cfg_attr(feature = "schemars", serde(default))]
    pub select: GameFilter,
}

/// Games to leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schemars",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Skip {
    /// Games without the player, or with the player on both sides.
    NotThisPlayer,
}

/// How to treat games that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "schemars",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum OnBadGame {
    /// The first one is an error.
    #[default]
    Stop,
    /// They are left out, counted, and reported with line and number.
    Report,
}

/// The games that pass a filter.
#[derive(Clone, Debug, Default)]
pub struct SelectedGames {
    /// In the order of the collection, each with the color of the requested player.
    pub games: Vec<(Game, Option<Color>)>,
    /// Counts of the games read, with the bad ones.
    pub tally: Tally,
}

impl GameSource {
    /// All games of a collection, which must have no bad one.
    pub fn whole(data: impl Into<String>) -> GameSource {
        GameSource {
            data: data.into(),
            ..GameSource::default()
        }
    }

    /// Whether the source may leave games out.
    pub fn is_selective(&self) -> bool {
        *self != GameSource::whole(self.data.as_str())
    }

    /// The first invalid parameter, with its path and the reason; `player_known` tells whether the
    /// caller requests the games of one player.
    pub fn problem(&self, player_known: bool) -> Option<(&'static str, &'static str)> {
        let GameFilter {
            player,
            color,
            plies,
            ..
        } = &self.select;
        if plies.is_some_and(|[least, most]| least > most) {
            Some(("select.plies", "the least number comes first"))
        } else if color.is_some() && player.is_none() && !player_known {
            Some(("select.color", "whose? say `player`"))
        } else if self.skip.is_some() && !player_known {
            Some((
                "skip",
                "whose games? here `select = { player = … }` is meant",
            ))
        } else {
            None
        }
    }

    /// Reads a collection, plain or compressed, and returns the games that pass the filter; with
    /// `player` those of one player, by prefix of the name. Messages call the collection `name`.
    ///
    /// # Errors
    /// [`SourceError`].
    ///
    /// # Examples
    /// ```
    /// use kibitz_board::{Color, game_filter::{GameSource, OnBadGame}};
    ///
    /// let text = "[White \"Tal\"]\n\n1. e4 e5 1-0\n\n[White \"Tal\"]\n\n1. e5 *\n";
    /// let mut source = GameSource::whole("mine");
    /// assert!(source.read("mine", text.as_bytes(), Some("Tal")).is_err());
    /// source.on_bad_game = OnBadGame::Report;
    /// let read = source.read("mine", text.as_bytes(), Some("Tal"))?;
    /// assert_eq!(read.games[0].1, Some(Color::White));
    /// assert_eq!(read.tally.n_bad, 1);
    /// # Ok::<(), kibitz_board::game_filter::SourceError>(())
    /// ```
    pub fn read<R: Read>(
        &self,
        name: &str,
        reader: R,
        player: Option<&str>,
    ) -> Result<SelectedGames, SourceError> {
        let mut games = Vec::new();
        let tally = self.visit(name, reader, player, |game, color| {
            games.push((game, color));
            Ok::<_, SourceError>(ControlFlow::Continue(()))
        })?;
        Ok(SelectedGames { games, tally })
    }

    /// The same as [`read`](Self::read) as a stream: gives each game that passes the filter to
    /// `each`, which may end it, and returns the counts of the games read. Memory is bounded by the
    /// longest game.
    ///
    /// # Errors
    /// [`SourceError`] where [`read`](Self::read) has one, and the errors of `each`. That the
    /// collection has no such game is found only if `each` does not end it.
    pub fn visit<R: Read, E: From<SourceError>>(
        &self,
        name: &str,
        reader: R,
        player: Option<&str>,
        mut each: impl FnMut(Game, Option<Color>) -> Result<ControlFlow<()>, E>,
    ) -> Result<Tally, E> {
        let policy = match self.on_bad_game {
            OnBadGame::Stop => Policy::Fail,
            OnBadGame::Report => Policy::Skip,
        };
        let reader = Decompressor::new(reader).map_err(|source| {
            SourceError::from(ReadError::Io {
                name: name.to_owned(),
                line: 1,
                source,
            })
        })?;
        let mut reader = read_games(name, reader, policy);
        let mut n_selected = 0_u64;
        let mut stranger = None;
        let mut is_there = false;
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for game in reader.by_ref() {
            let game = game.map_err(SourceError::from)?;
            let color = player.and_then(|player| color_of(&game, player));
            if player.is_some() && color.is_none() {
                for name in [&game.tags().white, &game.tags().black] {
                    *names.entry(name.clone()).or_default() += 1;
                }
                // Remembered for the end: the message distinguishes a filter that selects nothing from
                // one that selects games of other players.
                if self.select.matches(&game, None) {
                    stranger.get_or_insert(game);
                }
                continue;
            }
            is_there = true;
            if self.select.matches(&game, color) {
                n_selected += 1;
                if each(game, color)?.is_break() {
                    return Ok(reader.into_tally());
                }
            }
        }
        let tally = reader.into_tally();
        let collection = || name.to_owned();
        let error = match (stranger, player) {
            (_, Some(player)) if !is_there && tally.n_games > 0 => SourceError::NoSuchPlayer {
                collection: collection(),
                player: player.to_owned(),
                most: names
                    .into_iter()
                    // Of equally frequent names the alphabetically first: `max_by_key` takes the
                    // last maximum.
                    .rev()
                    .max_by_key(|(_, n)| *n)
                    .map(|(name, _)| name),
            },
            (Some(game), Some(player)) if self.skip.is_none() => SourceError::NotThisPlayer {
                key: game.key(),
                white: game.tags().white.clone(),
                black: game.tags().black.clone(),
                player: player.to_owned(),
            },
            _ if n_selected == 0 => SourceError::Empty {
                collection: collection(),
                n_read: tally.n_games + tally.n_bad,
                n_bad: tally.n_bad,
            },
            _ => return Ok(tally),
        };
        Err(error.into())
    }
}

impl SelectedGames {
    /// How many games the filter keeps, and how many it leaves out.
    pub fn counts(&self) -> GameCounts {
        GameCounts::new(&self.tally, self.games.len() as u64)
    }

    /// A report of the bad games, one per line; `None` without bad games.
    pub fn report(&self) -> Option<String> {
        self.tally.report()
    }
}

impl fmt::Display for GameSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.data)
    }
}
