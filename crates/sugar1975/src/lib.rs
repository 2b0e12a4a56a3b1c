//! The experiments of Sugar 1975, "CHUTE": 22 chess heuristics against master games, error bounds, and Closeness To Win.

use kibitz_experiment::Kind;

/// Every kind of this paper.
pub fn kinds() -> Vec<Kind> {
    Vec::new()
}
