//! Which examples clauses cover, as bit sets.

mod bitset;
mod evaluator;

pub use bitset::{BitSet, all_bits, bits_where};
pub use evaluator::{Coverage, Evaluator, RaisedError};
