//! Why a source yields no games.

use thiserror::Error;

use crate::{
    GameKey,
    pgn::{BadGame, ReadError},
};

/// Why a source yields no games.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The collection cannot be read.
    #[error(transparent)]
    Read(ReadError),
    /// A bad game, under [`OnBadGame::Stop`](super::OnBadGame::Stop).
    #[error("{0}; `on-bad-game = \"report\"` leaves bad games out")]
    BadGame(BadGame),
    /// A game without the requested player, or with the player on both sides.
    #[error(
        "game {key} ({white} - {black}) should have `{player}` on just one side; \
         `skip = \"not-this-player\"` leaves such games out"
    )]
    NotThisPlayer {
        /// The key of the game.
        key: GameKey,
        /// The player of the white pieces.
        white: String,
        /// The player of the black pieces.
        black: String,
        /// The requested player.
        player: String,
    },
    /// The player is in no game.
    #[error("`{collection}` has no player whose name begins with `{player}`{}", but(.most.as_ref()))]
    NoSuchPlayer {
        /// Name of the collection.
        collection: String,
        /// The requested player.
        player: String,
        /// The most frequent player.
        most: Option<String>,
    },
    /// No game passes the filter.
    #[error(
        "none of the {n_read} games of `{collection}` is left: {n_bad} bad, the others not selected"
    )]
    Empty {
        /// Name of the collection.
        collection: String,
        /// Number of games read.
        n_read: u64,
        /// Number of bad games.
        n_bad: u64,
    },
}

fn but(most: Option<&String>) -> String {
    most.as_ref()
        .map_or_else(String::new, |name| format!("; `{name}` is in most games"))
}

impl From<ReadError> for SourceError {
    fn from(error: ReadError) -> SourceError {
        match error {
            ReadError::BadGame(bad) => SourceError::BadGame(bad),
            other => SourceError::Read(other),
        }
    }
}
