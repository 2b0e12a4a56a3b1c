//! Parameters of learners and theories.

use kibitz_ilp::learn::mml::Criterion;
use kibitz_ilp_cli::Algorithm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::space::Background;

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct LearnerParams {
    /// First part of the rows' names.
    pub(super) name: String,
    /// How it learns.
    pub(super) method: Algorithm,
    /// Its background relations of coordinates.
    pub(super) background: Vec<Background>,
    /// The labels of the examples.
    #[serde(default)]
    pub(super) labels: Labels,
    /// It is given at most so many of the examples.
    #[serde(default)]
    pub(super) most: Option<u32>,
    /// Maximum number of search steps; the method's default when left out.
    #[serde(default)]
    pub(super) max_steps: Option<u64>,
    /// What `mml` makes shortest.
    #[serde(default)]
    pub(super) criterion: Criterion,
    /// Over-general clauses get exceptions, learned from this many further positions.
    #[serde(default)]
    pub(super) exceptions: Option<u32>,
    /// Background relations of the exceptions, besides `background`.
    #[serde(default)]
    pub(super) exception_background: Vec<Background>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Labels {
    /// By the concept itself.
    #[default]
    Concept,
    /// By the reference clauses, right or wrong.
    Reference,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TheoryParams {
    /// The row of the table.
    pub(super) row: String,
    /// The clauses as Prolog text.
    pub(super) text: String,
    /// The predicates they call.
    #[serde(default)]
    pub(super) background: Vec<Background>,
    /// A position that is reported as wrongly covered.
    #[serde(default)]
    pub(super) counterexample: Option<[i64; 6]>,
}
