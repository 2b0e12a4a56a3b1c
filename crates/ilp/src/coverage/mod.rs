//! Which examples clauses cover, as bit sets.

mod bitset;
mod evaluator;

pub(crate) use bitset::all;
pub use bitset::{BitSet, bits_where};
pub(crate) use evaluator::is_tautology;
pub use evaluator::{Coverage, Evaluator, RaisedError};
