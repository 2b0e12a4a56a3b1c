//! The parameters of Golem.

use kibitz_prolog::Limits;

/// Golem with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Golem {
    /// i: variables may be this many literals away from the head.
    pub max_depth: usize,
    /// j: literals have at most this many inputs.
    pub max_inputs: usize,
    /// Pairs sampled for the first generalization of a clause.
    pub pairs: usize,
    /// Examples sampled in each round of further generalization.
    pub sample: usize,
    /// Negative examples a clause may cover.
    pub max_false_positives: usize,
    /// Most body literals of an unreduced clause.
    pub max_literals: usize,
    /// Seed of the sampling.
    pub seed: u64,
    /// Most generalizations formed in all.
    pub max_steps: u64,
    /// Bounds on the queries by which the background is listed, and on the memory it takes.
    pub limits: Limits,
}

impl Default for Golem {
    fn default() -> Self {
        Self {
            max_depth: 2,
            max_inputs: 2,
            pairs: 50,
            sample: 25,
            max_false_positives: 0,
            max_literals: 2_000,
            seed: 1,
            max_steps: 100_000,
            limits: Limits::default(),
        }
    }
}
