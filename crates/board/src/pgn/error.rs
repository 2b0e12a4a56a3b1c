//! Errors of reading a collection, and of single games.

use std::io;

use shakmaty::{Outcome, fen::ParseFenError};
use thiserror::Error;

/// Why reading a collection stopped.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A bad game, under a policy that stops at the first.
    #[error(transparent)]
    BadGame(#[from] BadGame),
    /// The input is in another format than PGN text.
    #[error("{name}: expected PGN text, found {found}")]
    NotPgn {
        /// Name of the collection.
        name: String,
        /// The format, by the first bytes.
        found: &'static str,
    },
    /// The input is blank.
    #[error("{name}: expected PGN text, found nothing")]
    Empty {
        /// Name of the collection.
        name: String,
    },
    /// The underlying reader failed.
    #[error("{name}:{line}: cannot read on")]
    Io {
        /// Name of the collection.
        name: String,
        /// First line of the last game begun.
        line: u64,
        /// The error of the reader.
        source: io::Error,
    },
}

/// A bad game, with its position in the collection.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{name}:{line}: game {number}: {reason}")]
pub struct BadGame {
    /// Name of the collection.
    pub name: String,
    /// One-based line of the error.
    pub line: u64,
    /// One-based number of the game in the collection, bad games included.
    pub number: u64,
    /// One-based first line of the game.
    pub first_line: u64,
    /// The error.
    pub reason: BadGameReason,
}

/// Why a game is bad.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadGameReason {
    /// A move matches no legal move.
    #[error("illegal move {number} {san}")]
    IllegalMove {
        /// Number of the move, as in `12.` or `12...`.
        number: String,
        /// The move as written.
        san: String,
    },
    /// A move matches several legal moves.
    #[error("ambiguous move {number} {san}")]
    AmbiguousMove {
        /// Number of the move, as in `12.` or `12...`.
        number: String,
        /// The move as written.
        san: String,
    },
    /// A word among the moves is neither a move nor an annotation.
    #[error("expected a move or the result, found `{text}`")]
    Unreadable {
        /// The beginning of the text found.
        text: String,
    },
    /// The game ends without a result, as in a truncated file.
    #[error("the moves end without a result (`1-0`, `0-1`, `1/2-1/2` or `*`)")]
    NoResult,
    /// A move follows the result.
    #[error("move {san} after the result {outcome}")]
    MoveAfterResult {
        /// The result.
        outcome: Outcome,
        /// The first move after it.
        san: String,
    },
    /// Two results contradict each other.
    #[error("the result is {first} first and {second} later")]
    ContradictoryResult {
        /// The result in the tag, or the first one after the moves.
        first: Outcome,
        /// The later result.
        second: Outcome,
    },
    /// The tag `FEN` cannot be read.
    #[error("the tag FEN is broken: {reason}: `{fen}`")]
    BrokenFen {
        /// The value of the tag.
        fen: String,
        /// The error of the FEN parser.
        reason: ParseFenError,
    },
    /// The tag `FEN` describes an illegal position.
    #[error("the tag FEN gives an {reason}: `{fen}`")]
    IllegalPosition {
        /// The value of the tag.
        fen: String,
        /// Why the position is illegal.
        reason: String,
    },
    /// The tags `SetUp` and `FEN` contradict each other.
    #[error("the tag SetUp says `{set_up}`, but {}", if *.has_fen { "there is a tag FEN" } else { "the tag FEN is missing" })]
    ContradictorySetUp {
        /// The value of the tag `SetUp`.
        set_up: String,
        /// Whether the game has a tag `FEN`.
        has_fen: bool,
    },
    /// The variant is neither standard chess nor Chess960.
    #[error("variant `{variant}` is not supported")]
    UnsupportedVariant {
        /// The value of the tag `Variant`.
        variant: String,
    },
    /// A tag does not end within its line, or exceeds the limit.
    #[error("a tag does not end within its line, or is longer than {limit} bytes")]
    UnterminatedTag {
        /// Limit of a tag line.
        limit: usize,
    },
    /// A comment is not closed before the collection ends.
    #[error("a comment does not end")]
    UnterminatedComment,
    /// The text of the game exceeds the limit.
    #[error("the game is longer than {limit} bytes")]
    TooLong {
        /// Limit of the text, in bytes.
        limit: usize,
    },
    /// The number of plies exceeds the limit.
    #[error("the game has more than {limit} half-moves")]
    TooManyMoves {
        /// Limit of plies.
        limit: usize,
    },
}

impl BadGameReason {
    /// A short name of the kind of reason.
    pub fn label(&self) -> &'static str {
        match self {
            BadGameReason::IllegalMove { .. } => "illegal move",
            BadGameReason::AmbiguousMove { .. } => "ambiguous move",
            BadGameReason::Unreadable { .. } => "unreadable move",
            BadGameReason::NoResult => "no result",
            BadGameReason::MoveAfterResult { .. } => "move after the result",
            BadGameReason::ContradictoryResult { .. } => "contradictory result",
            BadGameReason::BrokenFen { .. } => "broken FEN",
            BadGameReason::IllegalPosition { .. } => "illegal position",
            BadGameReason::ContradictorySetUp { .. } => "contradictory SetUp",
            BadGameReason::UnsupportedVariant { .. } => "unsupported variant",
            BadGameReason::UnterminatedTag { .. } => "unterminated tag",
            BadGameReason::UnterminatedComment => "unterminated comment",
            BadGameReason::TooLong { .. } => "too long",
            BadGameReason::TooManyMoves { .. } => "too many moves",
        }
    }
}
