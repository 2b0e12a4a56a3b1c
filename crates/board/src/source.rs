//! Which games of a collection count: what may be said of a file that is not as one would wish.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    fmt::{self, Write as _},
};

use shakmaty::{Color, KnownOutcome, Outcome};
use thiserror::Error;

use crate::{
    Date, Game,
    open::Decompressed,
    pgn::{BadGame, Policy, ReadError, Tally, read_games},
};

/// A collection, and which of its games count.
///
/// With the feature `schemars` it is read from the name of the collection alone, `"mine"`, or from
/// a table, `{ data = "mine", on-bad-game = "report", select = { color = "white" } }`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "schemars",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(remote = "Self", deny_unknown_fields, rename_all = "kebab-case"),
    schemars(transform = or_name)
)]
pub struct GameSource {
    /// The collection, by its name under `data`.
    pub data: String,
    /// Games that are left out without a word; without it they are errors.
    #[cfg_attr(
        feature = "schemars",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub skip: Option<Skip>,
    /// What becomes of games that cannot be read.
    #[cfg_attr(feature = "schemars", serde(default))]
    pub on_bad_game: OnBadGame,
    /// The games that count; all when left out.
    #[cfg_attr(feature = "schemars", serde(default))]
    pub select: GameFilter,
}

/// Games that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schemars",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(rename_all = "kebab-case")
)]
pub enum Skip {
    /// Those that do not have the player on just one side.
    NotThisPlayer,
}

/// What becomes of games that cannot be read.
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

/// Which games count; all of what is said must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "schemars",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema),
    serde(default, deny_unknown_fields, rename_all = "kebab-case")
)]
pub struct GameFilter {
    /// Games of this player: the beginning of the name as the collection has it.
    pub player: Option<String>,
    /// The color of that player, or of the one whose games are asked for.
    pub color: Option<Side>,
    /// Not earlier than this year, month or day (`1963`, `1963.07`, `1963.07.04`).
    #[cfg_attr(feature = "schemars", schemars(with = "Option<String>"))]
    pub since: Option<Date>,
    /// Not later than this year, month or day.
    #[cfg_attr(feature = "schemars", schemars(with = "Option<String>"))]
    pub until: Option<Date>,
    /// The tag of the event contains this text.
    pub event: Option<String>,
    /// One of these results; any when empty.
    pub result: Vec<GameResult>,
    /// Number of half-moves, from and to.
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
    /// Not known.
    #[cfg_attr(feature = "schemars", serde(rename = "*"))]
    Unknown,
}

/// The games that count.
#[derive(Clone, Debug, Default)]
pub struct SelectedGames {
    /// In the order of the collection, each with the color of the player who was asked for.
    pub games: Vec<(Game, Option<Color>)>,
    /// What was read.
    pub tally: Tally,
}

/// Why no games can be had.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The collection cannot be read.
    #[error(transparent)]
    Read(ReadError),
    /// The first bad game ended the reading.
    #[error("{0}; `on-bad-game = \"report\"` leaves bad games out")]
    BadGame(BadGame),
    /// A game without the player.
    #[error(
        "game {key} ({white} - {black}) should have `{player}` on just one side; \
         `skip = \"not-this-player\"` leaves such games out"
    )]
    NotThisPlayer {
        /// The game.
        key: crate::GameKey,
        /// Its White.
        white: String,
        /// Its Black.
        black: String,
        /// Who was asked for.
        player: String,
    },
    /// The player is in no game.
    #[error("`{collection}` has no player whose name begins with `{player}`{}", but(.most.as_ref()))]
    NoSuchPlayer {
        /// The collection.
        collection: String,
        /// Who was asked for.
        player: String,
        /// Who is in most games.
        most: Option<String>,
    },
    /// Nothing is left.
    #[error(
        "none of the {n_read} games of `{collection}` is left: {n_bad} are bad, the others not selected"
    )]
    Empty {
        /// The collection.
        collection: String,
        /// Games read.
        n_read: u64,
        /// Bad games.
        n_bad: u64,
    },
}

fn but(most: Option<&String>) -> String {
    most.as_ref()
        .map_or_else(String::new, |name| format!("; `{name}` is in most games"))
}

impl GameSource {
    /// All games of a collection, none of them bad.
    pub fn whole(data: impl Into<String>) -> GameSource {
        GameSource {
            data: data.into(),
            ..GameSource::default()
        }
    }

    /// Whether games may be left out.
    pub fn is_choosy(&self) -> bool {
        *self != GameSource::whole(self.data.as_str())
    }

    /// What makes no sense in it, and where, if whose games are asked for is known or not.
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

    /// Reads the games that count of a collection, plain or compressed, which messages call
    /// `name`; with `player` those of one player, by the beginning of the name.
    ///
    /// # Errors
    /// [`SourceError`].
    ///
    /// # Examples
    /// ```
    /// use kibitz_board::{Color, source::{GameSource, OnBadGame}};
    ///
    /// let text = "[White \"Tal\"]\n\n1. e4 e5 1-0\n\n[White \"Tal\"]\n\n1. e5 *\n";
    /// let mut source = GameSource::whole("mine");
    /// assert!(source.read("mine", text.as_bytes(), Some("Tal")).is_err());
    /// source.on_bad_game = OnBadGame::Report;
    /// let read = source.read("mine", text.as_bytes(), Some("Tal"))?;
    /// assert_eq!(read.games[0].1, Some(Color::White));
    /// assert_eq!(read.tally.n_bad, 1);
    /// # Ok::<(), kibitz_board::source::SourceError>(())
    /// ```
    pub fn read(
        &self,
        name: &str,
        bytes: &[u8],
        player: Option<&str>,
    ) -> Result<SelectedGames, SourceError> {
        let policy = match self.on_bad_game {
            OnBadGame::Stop => Policy::Fail,
            OnBadGame::Report => Policy::Skip,
        };
        let reader = Decompressed::new(bytes).map_err(|source| ReadError::Io {
            name: name.to_owned(),
            line: 1,
            source,
        })?;
        let mut reader = read_games(name, reader, policy);
        let mut games = Vec::new();
        let mut stranger = None;
        let mut is_there = false;
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        for game in reader.by_ref() {
            let game = game?;
            let color = player.and_then(|player| color_of(&game, player));
            if player.is_some() && color.is_none() {
                for name in [&game.tags().white, &game.tags().black] {
                    *names.entry(name.clone()).or_default() += 1;
                }
                if self.select.holds(&game, None) {
                    stranger.get_or_insert(game);
                }
                continue;
            }
            is_there = true;
            if self.select.holds(&game, color) {
                games.push((game, color));
            }
        }
        let tally = reader.into_tally();
        let collection = || name.to_owned();
        match (stranger, player) {
            (_, Some(player)) if !is_there && tally.n_games > 0 => Err(SourceError::NoSuchPlayer {
                collection: collection(),
                player: player.to_owned(),
                most: names
                    .into_iter()
                    .rev()
                    .max_by_key(|(_, n)| *n)
                    .map(|(name, _)| name),
            }),
            (Some(game), Some(player)) if self.skip.is_none() => Err(SourceError::NotThisPlayer {
                key: game.key(),
                white: game.tags().white.clone(),
                black: game.tags().black.clone(),
                player: player.to_owned(),
            }),
            _ if games.is_empty() => Err(SourceError::Empty {
                collection: collection(),
                n_read: tally.n_games + tally.n_bad,
                n_bad: tally.n_bad,
            }),
            _ => Ok(SelectedGames { games, tally }),
        }
    }
}

impl SelectedGames {
    /// Good games that do not count.
    pub fn n_left_out(&self) -> u64 {
        self.tally.n_games - self.games.len() as u64
    }

    /// The bad games, one a line, if there are any.
    pub fn report(&self) -> Option<String> {
        self.tally.report()
    }
}

impl Tally {
    /// The bad games, one a line, if there are any.
    pub fn report(&self) -> Option<String> {
        let n_games = self.n_games + self.n_bad;
        let mut text = format!("{} of {n_games} games are bad and left out", self.n_bad);
        for bad in &self.bad_games {
            text.extend(["\n  ", &bad.to_string()]);
        }
        let n_more = self.n_bad - self.bad_games.len() as u64;
        if n_more > 0 {
            let _ = write!(text, "\n  and {n_more} more");
        }
        (self.n_bad > 0).then_some(text)
    }
}

impl GameFilter {
    /// Whether the game counts; `color` is that of the player whose games are asked for.
    fn holds(&self, game: &Game, color: Option<Color>) -> bool {
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

/// The color of a player who is on just one side, by the beginning of the name.
pub fn color_of(game: &Game, player: &str) -> Option<Color> {
    let tags = game.tags();
    match [&tags.white, &tags.black].map(|name| name.starts_with(player)) {
        [true, false] => Some(Color::White),
        [false, true] => Some(Color::Black),
        _ => None,
    }
}

impl From<ReadError> for SourceError {
    fn from(error: ReadError) -> SourceError {
        match error {
            ReadError::BadGame(bad) => SourceError::BadGame(bad),
            other => SourceError::Read(other),
        }
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

impl fmt::Display for GameSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.data)
    }
}

#[cfg(feature = "schemars")]
mod written {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    use super::{GameSource, fmt};

    impl Serialize for GameSource {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            if self.is_choosy() {
                GameSource::serialize(self, to)
            } else {
                to.serialize_str(&self.data)
            }
        }
    }

    impl<'de> Deserialize<'de> for GameSource {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<GameSource, D::Error> {
            struct NameOrTable;
            impl<'de> de::Visitor<'de> for NameOrTable {
                type Value = GameSource;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a name under `data`, or a table with it")
                }

                fn visit_str<E>(self, name: &str) -> Result<GameSource, E> {
                    Ok(GameSource::whole(name))
                }

                fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<GameSource, A::Error> {
                    GameSource::deserialize(de::value::MapAccessDeserializer::new(map))
                }
            }
            from.deserialize_any(NameOrTable)
        }
    }
}

/// A name alone will do.
#[cfg(feature = "schemars")]
fn or_name(schema: &mut schemars::Schema) {
    let table = schema.clone();
    *schema = schemars::json_schema!({
        "description": "A collection, by its name under `data`, and which of its games count.",
        "anyOf": [{ "type": "string" }, table],
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: &str = "\
[Event \"Candidates\"]\n[Date \"1962.05.02\"]\n[White \"Tal, M\"]\n[Black \"Keres, P\"]\n\n1. e4 e5 1-0\n\n\
[Event \"Blitz\"]\n[Date \"1970.??.??\"]\n[White \"Fischer, R\"]\n[Black \"Tal, M\"]\n\n1. d4 d5 2. c4 1/2-1/2\n\n\
[White \"Tal, M\"]\n[Black \"Tal, M jr\"]\n\n1. e4 *\n";

    fn kept(source: &GameSource, player: Option<&str>) -> Result<Vec<usize>, String> {
        let read = source.read("games", GAMES.as_bytes(), player);
        let read = read.map_err(|error| error.to_string())?;
        Ok(read.games.iter().map(|(game, _)| game.n_plies()).collect())
    }

    fn selecting(select: GameFilter) -> GameSource {
        GameSource {
            select,
            ..GameSource::whole("games")
        }
    }

    #[test]
    fn every_criterion_leaves_out_what_it_says() {
        let none = GameFilter::default;
        let date = |text: &str| Some(text.parse().unwrap());
        let tal = Some("Tal".to_owned());
        let cases: [(GameFilter, &[usize]); 9] = [
            (none(), &[2, 3, 1]),
            (
                GameFilter {
                    player: tal.clone(),
                    ..none()
                },
                &[2, 3],
            ),
            (
                GameFilter {
                    player: tal,
                    color: Some(Side::Black),
                    ..none()
                },
                &[3],
            ),
            (
                GameFilter {
                    since: date("1962.06"),
                    ..none()
                },
                &[3],
            ),
            (
                GameFilter {
                    until: date("1970"),
                    ..none()
                },
                &[2, 3],
            ),
            // Whether it was played before June is not known.
            (
                GameFilter {
                    until: date("1970.06"),
                    ..none()
                },
                &[2],
            ),
            (
                GameFilter {
                    event: Some("Blitz".to_owned()),
                    ..none()
                },
                &[3],
            ),
            (
                GameFilter {
                    result: vec![GameResult::WhiteWon, GameResult::Unknown],
                    ..none()
                },
                &[2, 1],
            ),
            (
                GameFilter {
                    plies: Some([2, 2]),
                    ..none()
                },
                &[2],
            ),
        ];
        for (filter, expected) in cases {
            let source = selecting(filter);
            assert_eq!(kept(&source, None).as_deref(), Ok(expected), "{source:?}");
        }
    }

    #[test]
    fn a_player_is_on_just_one_side() {
        let mut source = GameSource::whole("games");
        let error = kept(&source, Some("Tal")).unwrap_err();
        assert!(
            error.contains("(Tal, M - Tal, M jr) should have `Tal`"),
            "{error}"
        );
        source.skip = Some(Skip::NotThisPlayer);
        assert_eq!(kept(&source, Some("Tal")).as_deref(), Ok(&[2, 3][..]));
        source.select.color = Some(Side::White);
        assert_eq!(kept(&source, Some("Tal")).as_deref(), Ok(&[2][..]));
        let error = kept(&source, Some("Spassky")).unwrap_err();
        assert_eq!(
            error,
            "`games` has no player whose name begins with `Spassky`; `Tal, M` is in most games"
        );
        let error = kept(
            &selecting(GameFilter {
                plies: Some([9, 9]),
                ..GameFilter::default()
            }),
            None,
        );
        assert!(error.unwrap_err().contains("none of the 3 games"));
    }
}
