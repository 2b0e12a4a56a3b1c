//! The trait of move heuristics.

use crate::chute::MoveContext;

/// A heuristic that scores a move in a position.
///
/// A new heuristic is one file with one implementation of this trait and one line in the list
/// [`CHUTE`](crate::chute::CHUTE).
pub trait Heuristic: Sync {
    /// Name for tables and experiments: lower case, hyphens.
    fn name(&self) -> &'static str;

    /// A short description of the feature scored.
    fn description(&self) -> &'static str;

    /// Score of a legal move, from the mover's side; 0 if the heuristic does not apply.
    ///
    /// The unit is the heuristic's own: CHUTE adds the scores of its heuristics as they are.
    fn score(&self, context: &MoveContext<'_>) -> f64;
}
