//! What can be wrong with a move or a game in descriptive notation.

/// Why a move in descriptive notation could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DescriptiveError {
    /// The text is not descriptive notation.
    #[error("cannot read `{text}`: expected {expected}")]
    Unreadable {
        /// The move as written.
        text: String,
        /// What stood to be expected at the first place that does not fit.
        expected: &'static str,
    },
    /// Several legal moves fit the text.
    #[error("`{text}` is ambiguous, it can mean {}", .candidates.join(" or "))]
    Ambiguous {
        /// The move as written.
        text: String,
        /// Every legal reading, each written so that it is unique.
        candidates: Vec<String>,
    },
    /// No legal move fits the text.
    #[error("no legal move is `{text}`{}", legal_instead(.candidates))]
    Illegal {
        /// The move as written.
        text: String,
        /// The legal moves nearest to it: of such a piece to that square or against that piece, or
        /// else all moves of such a piece.
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

/// Why a game in descriptive notation could not be read, and where.
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
        /// What is wrong with the move.
        source: DescriptiveError,
    },
    /// A card of a library game is missing or malformed.
    #[error("line {line}: expected {expected}")]
    Card {
        /// Line of the text, from 1; one past the last if the text ends too early.
        line: usize,
        /// What the card should have been.
        expected: &'static str,
    },
}
