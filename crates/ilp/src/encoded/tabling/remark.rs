//! What the user should know of the predicates that were asked.

use kibitz_prolog::{Clause, Predicate, ProverError};

/// Why predicates cannot be listed.
#[derive(Debug)]
pub(crate) enum TablingError {
    /// A predicate has too many answers, or none within the bounds, and there is no other.
    Intensional {
        predicate: Predicate,
        reason: String,
        /// The clause that a bound was met in.
        clause: Option<Box<Clause>>,
    },
    /// The answers take more than this many bytes.
    OutOfMemory(usize),
    /// It was to end while this predicate was asked.
    Interrupted(Predicate),
    Prover(ProverError),
}

impl From<ProverError> for TablingError {
    fn from(error: ProverError) -> Self {
        Self::Prover(error)
    }
}

/// What was found out about a predicate that the user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The predicate.
    pub predicate: Predicate,
    /// How it could be asked, or why not.
    pub reason: RemarkKind,
    /// The clause of the background at fault.
    pub clause: Option<Box<Clause>>,
}

/// What there is to say about a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// So many proofs met a bound in this clause, and count as failed.
    CutShort(usize),
    /// It cannot be asked, and is not used.
    Dropped(String),
    /// Its answers take more search steps to list than are allowed.
    OutOfSteps,
    /// So many of so many goals raised this error, and failed.
    Raised {
        /// Goals with an error.
        n: usize,
        /// All goals.
        of: usize,
        /// The first error.
        error: ProverError,
    },
}
