//! The background of PAL.

use super::Feature;
use crate::term::Clause;

/// The background predicates of a concept.
#[derive(Clone, Debug, Default)]
pub struct Background {
    /// Predicates whose facts become literals.
    pub features: Vec<Feature>,
    /// The predicate that leads from a state to the next one, needed for dynamic patterns. Its first
    /// part is the moving component.
    pub transition: Option<Feature>,
    /// Definitions of the predicates, one clause each, for relative subsumption and the final
    /// reduction.
    pub definitions: Vec<Clause>,
}
