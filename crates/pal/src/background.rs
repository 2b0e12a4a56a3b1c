//! The background of PAL.

use kibitz_prolog::Clause;

use crate::Feature;

/// The background predicates of a concept.
#[derive(Clone, Debug, Default)]
pub struct Background {
    /// Predicates whose facts become literals.
    pub features: Vec<Feature>,
    /// The predicate that leads from a state to the next one, needed for dynamic patterns. Its first
    /// part is the moving component.
    pub transition: Option<Feature>,
    /// Compares integers of facts of one feature, the lesser first, such as `less(_, _, state)`. With it
    /// a move also adds facts whose components had one, if their integers are others now, and says how
    /// these compare with each other and with those before.
    ///
    /// # Source
    /// Morales 1992, section 7.1.1.
    pub comparison: Option<Feature>,
    /// Definitions of the predicates, one clause each, for relative subsumption and the final
    /// reduction.
    pub definitions: Vec<Clause>,
}
