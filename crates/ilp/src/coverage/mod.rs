//! Which examples clauses cover, as bit sets.

mod bitset;
mod evaluator;

pub use bitset::BitSet;
pub use evaluator::{Coverage, Evaluator};
