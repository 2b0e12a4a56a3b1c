//! What the parts of the search hand each other: a theory, an invented predicate, an end before its time.

use kibitz_prolog::{Clause, ProverError, Symbol, SymbolTable};

use crate::learn::Stop;

/// What a clause costs in steps, beside its proofs.
pub(super) const STEPS_A_CLAUSE: u64 = 100;

/// A theory that covers every positive example.
pub(super) struct CompleteTheory {
    pub(super) clauses: Vec<Clause>,
    pub(super) size: usize,
    /// Whether a proof on a negative example met a bound.
    pub(super) is_cut_short: bool,
}

/// Why a search ends before its time.
pub(super) enum SearchEnd {
    Stop(Stop),
    Error(ProverError),
}

impl From<ProverError> for SearchEnd {
    fn from(error: ProverError) -> Self {
        SearchEnd::Error(error)
    }
}

/// An invented predicate, with the symbols that have its name.
pub(super) struct Invention {
    pub(super) name: Symbol,
    pub(super) symbols: SymbolTable,
}
