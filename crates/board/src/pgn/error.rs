//! Errors of reading a collection, and of single games.

use std::io;

use kibitz_text::FileFormat;
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
        found: FileFormat,
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
    /// A null move, by which annotators pass a turn.
    #[error("null move `{written}`: expected a legal move")]
    NullMove {
        /// The move as written.
        written: String,
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
    /// A variation is not closed before the game ends.
    #[error("a variation does not end")]
    UnterminatedVariation,
    /// Moves out of sequence: without tags they do not begin at move 1, or after a blank line their
    /// number is not the next.
    #[error("the moves go on at `{found}`, which does not follow what stands before")]
    MovesOutOfOrder {
        /// The move number as written, with any move attached to it.
        found: String,
    },
    /// The game needs a repair, and repairs are refused.
    #[error("not as in the standard: {0}")]
    NotStandard(Repair),
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
            BadGameReason::NullMove { .. } => "null move",
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

/// A game whose text had to be repaired, and where.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{name}:{line}: game {number}: {repair}")]
pub struct RepairedGame {
    /// Name of the collection.
    pub name: String,
    /// One-based line of the repair.
    pub line: u64,
    /// One-based number of the game in the collection, bad games included.
    pub number: u64,
    /// The kind of repair.
    pub repair: Repair,
}

/// A departure from the PGN standard that has one meaning, by which it is read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// The moves of the next game follow on the line on which a game ends.
    #[error("the next game begins amid the line")]
    GameAmidLine,
    /// A tag that is not UTF-8, which is read as Windows-1252.
    #[error("the tag {tag} is not UTF-8; it is read as Windows-1252")]
    Windows1252 {
        /// Name of the first such tag of the game.
        tag: String,
    },
    /// The value of a tag is not of its kind; it is left unknown.
    #[error("the tag {tag} says `{found}`; it is ignored")]
    IgnoredTag {
        /// Name of the tag.
        tag: &'static str,
        /// As written.
        found: String,
    },
    /// A tag of the next game follows on the line on which a game ends.
    #[error("the next game's tags begin amid the line")]
    TagAmidLine,
    /// Zero bytes or Ctrl-Z, which are read as blanks.
    #[error("zero bytes or Ctrl-Z, read as blanks")]
    StrayBytes,
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
    /// A tag goes on over several lines, which are joined by blanks.
    #[error("a tag over {n_lines} lines")]
    TagOverLines {
        /// Number of its lines.
        n_lines: u64,
    },
    /// A tag stands twice with different values; the last is taken.
    #[error("the tag {name} stands twice; the last is taken")]
    RepeatedTag {
        /// Name of the tag.
        name: String,
    },
    /// A game of tags without moves and result; that of the tag is taken.
    #[error("tags without moves and result; the result is read as {0}")]
    TagsAlone(Outcome),
    /// The moves end without a result, and the tag `Result` leaves it open.
    #[error("no result after the moves nor in the tag; it is read as *")]
    NoResult,
    /// The result follows the moves more than once.
    #[error("the result {0} a second time")]
    RepeatedResult(Outcome),
    /// The moves end without a result; that of the tag is taken.
    #[error("no result after the moves; the tag says {0}")]
    ResultOfTag(Outcome),
    /// The tag `Result` has another text than the four of the standard.
    #[error("the tag Result says `{found}`; the result is read as {read}")]
    ResultTag {
        /// As written.
        found: String,
        /// The result of the game.
        read: Outcome,
    },
    /// The number of a move contradicts the moves before it; the moves are taken as they follow.
    #[error("the move number `{found}` where `{expected}` follows")]
    MoveNumber {
        /// As written, the first such number of the game.
        found: String,
        /// By the moves before it.
        expected: String,
    },
    /// One of tag and moves leaves open what the other says.
    #[error("`*` beside the result {0}")]
    OpenResult(Outcome),
    /// The tag `FEN` gives castling rights to a side whose king or rook is elsewhere.
    #[error("the tag FEN gives castling rights without king and rook in their places")]
    CastlingRights,
    /// The tag `FEN` names a square for a capture in passing that is impossible.
    #[error("the tag FEN gives an impossible square for a capture en passant")]
    EnPassant,
    /// A move has the sign of a check or mate that it does not give.
    #[error("`{san}` does not give {}", if .san.ends_with('#') { "mate" } else { "check" })]
    FalseSign {
        /// The move as written.
        san: String,
    },
    /// A word or sign among the moves is left out.
    #[error("ignored `{found}`")]
    Ignored {
        /// As written.
        found: String,
    },
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
    pub(super) fn tag(&self) -> Option<&str> {
        match self {
            Repair::Windows1252 { tag } => Some(tag),
            Repair::IgnoredTag { tag, .. } => Some(tag),
            Repair::CastlingRights | Repair::EnPassant => Some("FEN"),
            Repair::ResultTag { .. } => Some("Result"),
            _ => None,
        }
    }

    /// A short name of the repair, the same for all games with it.
    pub fn label(&self) -> &'static str {
        match self {
            Repair::TagAmidLine => "tags amid a line",
            Repair::StrayBytes => "zero bytes or Ctrl-Z",
            Repair::BlankLineAmongMoves => "blank line among moves",
            Repair::GapAmongTags => "gap among tags",
            Repair::QuotesInTag => "quotation marks in a tag",
            Repair::UnquotedTag => "tag without quotation marks",
            Repair::TagOverLines { .. } => "tag over several lines",
            Repair::RepeatedTag { .. } => "repeated tag",
            Repair::ResultOfTag(_) => "result of the tag",
            Repair::TagsAlone(_) => "tags without moves",
            Repair::NoResult => "no result",
            Repair::RepeatedResult(_) => "repeated result",
            Repair::GameAmidLine => "game amid a line",
            Repair::Windows1252 { .. } => "tag that is not UTF-8",
            Repair::IgnoredTag { .. } => "ignored tag",
            Repair::FalseSign { .. } => "false sign of check or mate",
            Repair::Ignored { .. } => "ignored word",
            Repair::ResultTag { .. } => "spelling of the result",
            Repair::MoveNumber { .. } => "move number",
            Repair::OpenResult(_) => "open result",
            Repair::CastlingRights => "castling rights",
            Repair::EnPassant => "square en passant",
            Repair::Spelling { .. } => "spelling",
        }
    }
}
