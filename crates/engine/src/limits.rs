//! The limits of a search, as `go` states them.

use std::time::Duration;

/// Largest search depth, in plies.
pub(crate) const MAX_DEPTH: u32 = 64;

/// The arguments of `go`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Go {
    pub(crate) searchmoves: Vec<String>,
    pub(crate) ponder: bool,
    pub(crate) infinite: bool,
    pub(crate) wtime: Option<Duration>,
    pub(crate) btime: Option<Duration>,
    pub(crate) winc: Option<Duration>,
    pub(crate) binc: Option<Duration>,
    pub(crate) movestogo: Option<u32>,
    pub(crate) depth: Option<u32>,
    pub(crate) nodes: Option<u64>,
    /// Longest mate to look for, in moves.
    pub(crate) mate: Option<u32>,
    pub(crate) movetime: Option<Duration>,
}
