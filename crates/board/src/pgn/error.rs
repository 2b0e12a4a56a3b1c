//! What can be wrong with a collection, and with one game of it.

use std::io;

use shakmaty::{Outcome, fen::ParseFenError};
use thiserror::Error;

/// Why reading a collection ended early.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A game is bad, and the policy is to stop at the first.
    #[error(transparent)]
    BadGame(#[from] BadGame),
    /// The input is no PGN text but something else that is easily taken for it.
    #[error("{name}: expected PGN text, found {found}")]
    NotPgn {
        /// Name of the collection.
        name: String,
        /// What its first bytes say it is.
        found: &'static str,
    },
    /// The input has nothing but white space.
    #[error("{name}: expected PGN text, found nothing")]
    Empty {
        /// Name of the collection.
        name: String,
    },
    /// The input could not be read on.
    #[error("{name}:{line}: cannot read on")]
    Io {
        /// Name of the collection.
        name: String,
        /// Line of the last game that was begun.
        line: u64,
        /// What the reader said.
        source: io::Error,
    },
}

/// A game that cannot be used, and where it stands.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{name}:{line}: game {number}: {reason}")]
pub struct BadGame {
    /// Name of the collection.
    pub name: String,
    /// One-based line of what is wrong.
    pub line: u64,
    /// One-based number of the game in the collection, bad games included.
    pub number: u64,
    /// One-based line at which the game begins.
    pub first_line: u64,
    /// What is wrong.
    pub reason: BadGameReason,
}

/// What is wrong with a game.
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
    /// Something among the moves is neither a move nor an annotation.
    #[error("expected a move or the result, found `{text}`")]
    Unreadable {
        /// The beginning of what was found.
        text: String,
    },
    /// The game ends without a result, as a file cut short does.
    #[error("the moves end without a result (`1-0`, `0-1`, `1/2-1/2` or `*`)")]
    NoResult,
    /// Moves go on after the result.
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
        /// What the tag, or the first result after the moves, says.
        first: Outcome,
        /// What is said later.
        second: Outcome,
    },
    /// The tag `FEN` cannot be read.
    #[error("the tag FEN is broken: {reason}: `{fen}`")]
    BrokenFen {
        /// The value of the tag.
        fen: String,
        /// What the reader of FEN said.
        reason: ParseFenError,
    },
    /// The tag `FEN` describes a position that cannot be played from.
    #[error("the tag FEN gives an {reason}: `{fen}`")]
    IllegalPosition {
        /// The value of the tag.
        fen: String,
        /// Why it is an illegal position, in the words of the rules.
        reason: String,
    },
    /// The tags `SetUp` and `FEN` contradict each other.
    #[error("the tag SetUp says `{set_up}`, but {}", if *.has_fen { "there is a tag FEN" } else { "the tag FEN is missing" })]
    ContradictorySetUp {
        /// The value of the tag `SetUp`.
        set_up: String,
        /// Whether there is a tag `FEN`.
        has_fen: bool,
    },
    /// The game is not one of chess as FIDE or Chess960 know it.
    #[error("variant `{variant}` is not supported")]
    UnsupportedVariant {
        /// The value of the tag `Variant`.
        variant: String,
    },
    /// A tag does not end within its line, or the line is longer than is read.
    #[error("a tag does not end within its line, or is longer than {limit} bytes")]
    UnterminatedTag {
        /// Longest tag line that is read.
        limit: usize,
    },
    /// A comment is not closed before the collection ends.
    #[error("a comment does not end")]
    UnterminatedComment,
    /// A variation is not closed before the game ends.
    #[error("a variation does not end")]
    UnterminatedVariation,
    /// Moves that cannot follow what stands before them: they begin with another number than 1
    /// without a game to belong to, or go on after a blank line with a number that is not the next.
    #[error("the moves go on at `{found}`, which does not follow what stands before")]
    MovesOutOfOrder {
        /// The number as written, with what is written to it.
        found: String,
    },
    /// The game can be read only by mending its text, and that is refused.
    #[error("not as in the standard: {0}")]
    NotStandard(Repair),
    /// The text of the game is longer than is read.
    #[error("the game is longer than {limit} bytes")]
    TooLong {
        /// Longest text that is read, in bytes.
        limit: usize,
    },
    /// The game has more moves than is read.
    #[error("the game has more than {limit} half-moves")]
    TooManyMoves {
        /// Most half-moves that are read.
        limit: usize,
    },
}

impl BadGameReason {
    /// A short name of the reason, the same for all games with it.
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
            BadGameReason::UnterminatedVariation => "unterminated variation",
            BadGameReason::MovesOutOfOrder { .. } => "moves out of order",
            BadGameReason::NotStandard(_) => "not as in the standard",
            BadGameReason::TooLong { .. } => "too long",
            BadGameReason::TooManyMoves { .. } => "too many moves",
        }
    }
}

/// A game whose text had to be mended, and where.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{name}:{line}: game {number}: {repair}")]
pub struct RepairedGame {
    /// Name of the collection.
    pub name: String,
    /// One-based line of what was mended.
    pub line: u64,
    /// One-based number of the game in the collection, bad games included.
    pub number: u64,
    /// What was mended.
    pub repair: Repair,
}

/// A departure from the PGN standard that has one meaning, by which it is read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// A tag of the next game follows on the line on which a game ends.
    #[error("the next game's tags begin amid the line")]
    TagAmidLine,
    /// A blank line stands among the moves.
    #[error("a blank line among the moves")]
    BlankLineAmongMoves,
    /// A blank line or a comment stands among the tags.
    #[error("a blank line or a comment among the tags")]
    GapAmongTags,
    /// Quotation marks in the value of a tag are not escaped, or the bracket is missing.
    #[error("quotation marks of a tag that are not escaped or paired")]
    QuotesInTag,
    /// The value of a tag stands without quotation marks.
    #[error("a tag without quotation marks")]
    UnquotedTag,
    /// A tag stands twice with different values; the last is taken.
    #[error("the tag {name} stands twice; the last is taken")]
    RepeatedTag {
        /// Name of the tag.
        name: String,
    },
    /// The moves end without a result; that of the tag is taken.
    #[error("no result after the moves; the tag says {0}")]
    ResultOfTag(Outcome),
    /// One of tag and moves leaves open what the other says.
    #[error("`*` beside the result {0}")]
    OpenResult(Outcome),
    /// The tag `FEN` gives castling rights to a side whose king or rook is elsewhere.
    #[error("the tag FEN gives castling rights without king and rook in their places")]
    CastlingRights,
    /// The tag `FEN` names a square for a capture in passing that is impossible.
    #[error("the tag FEN gives an impossible square for a capture en passant")]
    EnPassant,
    /// A move or result is spelled otherwise.
    #[error("`{found}` read as `{read}`")]
    Spelling {
        /// As written.
        found: String,
        /// As the standard has it.
        read: String,
    },
}

impl Repair {
    /// The tag on whose line it was.
    pub(super) fn tag(&self) -> Option<&'static str> {
        match self {
            Repair::CastlingRights | Repair::EnPassant => Some("FEN"),
            _ => None,
        }
    }

    /// A short name of the repair, the same for all games with it.
    pub fn label(&self) -> &'static str {
        match self {
            Repair::TagAmidLine => "tags amid a line",
            Repair::BlankLineAmongMoves => "blank line among moves",
            Repair::GapAmongTags => "gap among tags",
            Repair::QuotesInTag => "quotation marks in a tag",
            Repair::UnquotedTag => "tag without quotation marks",
            Repair::RepeatedTag { .. } => "repeated tag",
            Repair::ResultOfTag(_) => "result of the tag",
            Repair::OpenResult(_) => "open result",
            Repair::CastlingRights => "castling rights",
            Repair::EnPassant => "square en passant",
            Repair::Spelling { .. } => "spelling",
        }
    }
}
