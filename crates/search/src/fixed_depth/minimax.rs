//! Plain minimax, the yardstick.

use super::{SearchError, SearchResult};
use crate::game::{Counts, End, Game, Stop, lost_in};

/// Searches the whole tree of `depth` plies.
///
/// The value of a position is the largest of the negated values of the positions after it; positions
/// at the full depth have the value of their evaluation. Among best moves the most plausible is
/// chosen.
///
/// # Errors
/// [`SearchError::Ended`] if the root has no legal move, [`SearchError::NoDepth`] if `depth` is 0,
/// [`SearchError::Stopped`] if `stop` said so.
///
/// # Source
/// Sugar 1975, section 2.1.
pub fn minimax<G: Game>(
    game: &G,
    root: &G::Position,
    depth: u32,
    stop: Stop<'_>,
) -> Result<SearchResult<G::Move>, SearchError> {
    if depth == 0 {
        return Err(SearchError::NoDepth);
    }
    if game.end(root).is_some() {
        return Err(SearchError::Ended);
    }
    let mut counts = Counts::default();
    let (value, line) = value(game, root, 0, depth, &mut counts, stop)?;
    Ok(SearchResult {
        depth,
        value,
        line,
        counts,
    })
}

/// Value of a position `ply` plies from the root, and the line that leads to it.
fn value<G: Game>(
    game: &G,
    position: &G::Position,
    ply: u32,
    depth: u32,
    counts: &mut Counts,
    stop: Stop<'_>,
) -> Result<(f64, Vec<G::Move>), SearchError> {
    match game.end(position) {
        Some(End::Lost) => return Ok((lost_in(ply), Vec::new())),
        Some(End::Drawn) => return Ok((0.0, Vec::new())),
        None => {}
    }
    if stop(*counts) {
        return Err(SearchError::Stopped);
    }
    if ply == depth {
        counts.evaluated += 1;
        return Ok((game.evaluate(position), Vec::new()));
    }
    counts.expanded += 1;
    let mut best = (f64::NEG_INFINITY, Vec::new());
    for m in game.moves(position) {
        let next = game.play(position, m);
        let (reply, mut line) = value(game, &next, ply + 1, depth, counts, stop)?;
        if -reply > best.0 {
            line.insert(0, m);
            best = (-reply, line);
        }
    }
    Ok(best)
}
