use thiserror::Error;

use crate::prover::ProverError;

/// Why a concept cannot be learned as asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PalError {
    /// No initial example.
    #[error("an initial example is needed, one for each disjunct of the concept")]
    NoExample,
    /// An example that the domain does not allow.
    #[error("example {0} is not a legal state")]
    IllegalExample(usize),
    /// An initial example that the teacher does not take for an instance of the concept.
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
    /// A given example with another number of components than the first one.
    #[error("example {example} has {found} components, the first one has {expected}")]
    OtherComponents {
        /// The example, counted from 1.
        example: usize,
        /// Components found.
        found: usize,
        /// Components of the first example.
        expected: usize,
    },
    /// A feature declaration that cannot be understood.
    #[error("feature `{feature}`: {reason}")]
    Feature {
        /// The declaration.
        feature: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A query that met its bound on steps or depth, so that nothing is known of its answer.
    #[error("a query to the background knowledge needs more than {0} steps; does it recurse?")]
    OutOfSteps(u64),
    /// The background knowledge is at fault.
    #[error(transparent)]
    Prover(#[from] ProverError),
    /// The teacher could not answer.
    #[error("the teacher gave no answer: {0}")]
    Teacher(String),
}
