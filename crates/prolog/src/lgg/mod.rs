//! Least general generalizations of terms, literals and clauses.
//!
//! # Source
//! Plotkin 1970 and 1971; Morales 1992, section 4.3 and Table 4.1.

mod clause;
mod term;

pub use clause::{Compatibility, LiteralRef, TracedLgg, lgg_clauses, lgg_clauses_with};
pub use term::Generalizer;

#[cfg(test)]
mod tests;
