//! Errors of reading descriptive notation.

/// Why a move in descriptive notation could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptiveError {
    /// The text is not descriptive notation.
    #[error("cannot read `{text}`: expected {expected}")]
    Unreadable {
        /// The move as written.
        text: String,
        /// The token expected at the first mismatch.
        expected: &'static str,
    },
    /// Several legal moves fit the text.
    #[error("`{text}` is ambiguous, it can mean {}", .candidates.join(" or "))]
    Ambiguous {
        /// The move as written.
        text: String,
        /// Every legal reading, each written unambiguously.
        candidates: Vec<String>,
    },
    /// No legal move fits the text.
    #[error("no legal move is `{text}`{}", legal_instead(.candidates))]
    Illegal {
        /// The move as written.
        text: String,
        /// The nearest legal moves: of the same kind of piece to that square or against that piece, or
        /// else all moves of that kind of piece.
        candidates: Vec<String>,
    },
}

fn legal_instead(candidates: &[String]) -> String {
    if candidates.is_empty() {
        ", and no piece of this kind can move".to_owned()
    } else {
        format!("; legal would be {}", candidates.join(", "))
    }
}

/// Why a game in descriptive notation could not be read, with the position in the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptiveGameError {
    /// A move could not be read.
    #[error("line {line}, column {column}, ply {ply}: {source}")]
    Move {
        /// Line of the text, from 1.
        line: usize,
        /// Column of the first character of the move, in characters, from 1.
        column: usize,
        /// Ply of the move, from 1: White's first move is ply 1.
        ply: usize,
        /// The error of the move.
        source: DescriptiveError,
    },
    /// A card of a library game is missing or malformed.
    #[error("line {line}: expected {expected}")]
    Card {
        /// Line of the text, from 1; one past the last if the text ends too early.
        line: usize,
        /// The card expected.
        expected: &'static str,
    },
}
