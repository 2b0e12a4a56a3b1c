//! Errors of PAL.

use kibitz_prolog::{Clause, ProverError};
use thiserror::Error;

/// Why PAL cannot learn a concept.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PalError {
    /// No initial example.
    #[error("an initial example is needed, one for each disjunct of the concept")]
    NoExample,
    /// An example that the domain does not allow.
    #[error("example {0} is not a legal state")]
    IllegalExample(usize),
    /// An example that cannot be read.
    #[error("example {example}: {reason}")]
    Example {
        /// The example, counted from 1.
        example: usize,
        /// The mistake in it.
        reason: String,
    },
    /// An initial example that the teacher classifies as negative.
    #[error("initial example {0} is not an instance of the concept")]
    NotAnInstance(usize),
    /// A component with too many or too few attributes.
    #[error("a component of example {example} has {found} attributes, {expected} are expected")]
    WrongComponent {
        /// The example, counted from 1.
        example: usize,
        /// Attributes found.
        found: usize,
        /// Attributes of the domain.
        expected: usize,
    },
    /// A given example whose number of components differs from the first one's.
    #[error("example {example} has {found} components, the first one has {expected}")]
    OtherComponents {
        /// The example, counted from 1.
        example: usize,
        /// Components found.
        found: usize,
        /// Components of the first example.
        expected: usize,
    },
    /// A feature declaration of the wrong form.
    #[error("feature `{feature}`: {reason}")]
    Feature {
        /// The declaration.
        feature: String,
        /// The mistake in it.
        reason: String,
    },
    /// A query that met its bound on steps, given here, or on depth, and stays undecided; with the
    /// clause of the database that it was in, if it was in one.
    #[error("a query to the background knowledge needs more than {0} steps; does it recurse?")]
    OutOfSteps(u64, Option<Box<Clause>>),
    /// The prover's own error.
    #[error(transparent)]
    Prover(#[from] ProverError),
    /// The teacher could not answer.
    #[error("the teacher gave no answer: {0}")]
    Teacher(String),
}
