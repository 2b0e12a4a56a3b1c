//! Annotations of CHUTE's game library, in its PGN tags.
//!
//! The report used a library of 98 games and prints one of them. The others are reselected by rule; the
//! tags `Status` and `DoubtfulPlies` give the reliability of each.
//!
//! # Source
//! Sugar 1975, Appendix 4, pp. 154-158.

use std::fmt;

use kibitz_board::{Game, GameKey};
use thiserror::Error;

/// Confidence that a game of the library is the thesis's game: its tag `Status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Status {
    /// The only candidate, or the printed game.
    Exact,
    /// One of several candidates.
    Chosen,
    /// A substitute.
    Substitute,
}

/// Why a tag of a library game cannot be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum LibraryError {
    /// The tag `Status` is missing or unknown.
    #[error("game {game}: unknown status `{found}`")]
    UnknownStatus {
        /// Key of the game.
        game: GameKey,
        /// The text found.
        found: String,
    },
    /// The tag `DoubtfulPlies` lists a word that is not a ply.
    #[error("game {game}: `{found}` in the tag DoubtfulPlies is not a ply")]
    NoPly {
        /// Key of the game.
        game: GameKey,
        /// The text found.
        found: String,
    },
}

impl Status {
    /// Every status, the surest first.
    pub const ALL: [Status; 3] = [Status::Exact, Status::Chosen, Status::Substitute];

    /// The status of a game of the library.
    ///
    /// # Errors
    /// [`LibraryError::UnknownStatus`].
    pub fn of(game: &Game) -> Result<Status, LibraryError> {
        let tag = game.tags().get_other("Status").unwrap_or_default();
        Status::ALL
            .into_iter()
            .find(|status| status.tag() == tag)
            .ok_or_else(|| LibraryError::UnknownStatus {
                game: game.key(),
                found: tag.to_owned(),
            })
    }

    /// The text of the tag `Status`.
    pub fn tag(self) -> &'static str {
        match self {
            Status::Exact => "exact",
            Status::Chosen => "chosen among several",
            Status::Substitute => "substitute",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tag())
    }
}

/// The plies that the library marks '?', as the tag `DoubtfulPlies` lists them.
///
/// # Errors
/// [`LibraryError::NoPly`].
pub fn doubtful_plies(game: &Game) -> Result<Vec<usize>, LibraryError> {
    let tag = game.tags().get_other("DoubtfulPlies").unwrap_or_default();
    tag.split_whitespace()
        .map(|ply| {
            ply.parse().map_err(|_| LibraryError::NoPly {
                game: game.key(),
                found: ply.to_owned(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use kibitz_board::{Chess, Outcome, Tags};

    use super::*;

    fn game(tags: &[(&str, &str)]) -> Game {
        let mut all = Tags::default();
        for (name, value) in tags {
            all.set(name, value);
        }
        Game::new(all, Chess::default(), Vec::new(), Outcome::Unknown).unwrap()
    }

    #[test]
    fn tags_are_read_as_they_are_written() {
        for status in Status::ALL {
            assert_eq!(Status::of(&game(&[("Status", status.tag())])), Ok(status));
        }
        let plies = doubtful_plies(&game(&[("DoubtfulPlies", "26 31")]));
        assert_eq!(plies, Ok(vec![26, 31]));
        assert_eq!(doubtful_plies(&game(&[])), Ok(vec![]));
    }

    #[test]
    fn unreadable_tags_are_quoted() {
        let error = Status::of(&game(&[("Status", "sure")])).unwrap_err();
        assert!(error.to_string().ends_with(": unknown status `sure`"));
        let error = doubtful_plies(&game(&[("DoubtfulPlies", "26 x")])).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with(": `x` in the tag DoubtfulPlies is not a ply")
        );
    }
}
