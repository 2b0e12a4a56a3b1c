//! Learning by message length: the theory that takes, with the labels given it, the fewest bits.
//!
//! A theory is a set of clauses, a clause a set of components, and a component what is connected through
//! variables that are not in the head. Sender and receiver know background, bias and the examples without
//! labels. With base-2 logarithms and log* the universal code of integers from 1 on (Rissanen 1983):
//! - `m` clauses take `log*(m + 1) - log m!` beside their own bits,
//! - `k` components `log*(k + 1) - log k!` beside theirs,
//! - a component of class `c` takes `log*(c) + log N(c)`, where `N(c)` counts the different ones: class 1
//!   holds literals over the head, class `s + 1` components of `s` literals,
//! - `p` positive among `s` examples take `log((s + 1) C(s, p))`: the code of a multistate distribution of
//!   Boulton and Wallace 1969, once for covered and once for uncovered examples, so that both rates of
//!   wrong labels are learned,
//! - of positive examples alone, where a sample has `n` other atoms of which the theory covers `q`, each
//!   covered one takes `log(q + 1)` and each other one `log(n + 2)`, beside `log((N + 1) C(N, p))` for
//!   which are covered: generality as in Muggleton 1996, "Learning from positive data".
//!
//! [`Criterion::Mdl`] counts literals and mistakes instead (Hocquette et al. 2024).
//!
//! `template`, `universe`, `part` and `concepts` build components as sets of pairs of an example and a
//! constant, `features` what they say of examples; `clause_search` finds the best clause, `theory_search`
//! the theory, `bound` what no theory can be shorter than; `message` holds the codes, `clauses` writes,
//! `recursion` compares with recursive theories.
//!
//! # Source
//! Wallace and Boulton 1968; Boulton and Wallace 1969; Rissanen 1983; Wallace and Freeman 1987.

mod bound;
mod clause_search;
mod clauses;
mod concepts;
mod features;
mod learner;
mod masses;
mod message;
mod part;
mod recursion;
mod scale;
mod template;
mod theory_search;
mod universe;

#[cfg(test)]
mod tests;

use kibitz_prolog::Limits;

use super::learner::steps_of_turn;
use super::message_length::Subject;
use super::{Hypothesis, LearnError, Learner, Progress};
use crate::problem::Problem;

pub(super) use scale::Scale;

pub use super::message_length::{Criterion, Message};

/// Search steps and work of the first turn beside other learners.
const STEPS_OF_FIRST_TURN: u64 = 1_000_000;
const WORK_OF_FIRST_TURN: u64 = 1 << 24;

/// Whether labels may be wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Noise {
    /// As far as the message is shorter then.
    #[default]
    Learned,
    /// No clause covers a negative example.
    None,
}

/// The learner by message length, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Mml {
    /// What is to be shortest.
    pub criterion: Criterion,
    /// Whether labels may be wrong.
    pub noise: Noise,
    /// Most features tried for clauses.
    pub max_steps: u64,
    /// Most words and tuples looked at for existential variables; fewer where what is left to explain is
    /// not worth them.
    pub max_work: u64,
    /// Whether what [`Lff`](super::Lff) finds is compared where clauses may call themselves.
    pub recursion: bool,
    /// Bounds on queries to the background; its bound on memory holds for concepts and features, too.
    pub limits: Limits,
}

impl Default for Mml {
    fn default() -> Self {
        Self {
            criterion: Criterion::Mml,
            noise: Noise::Learned,
            max_steps: 200_000_000,
            max_work: u64::MAX,
            recursion: true,
            limits: Limits::default(),
        }
    }
}

/// What is looked at for existential variables in the time of a step.
const WORK_OF_A_STEP: u64 = WORK_OF_FIRST_TURN / STEPS_OF_FIRST_TURN;

impl Mml {
    /// The same learner with so many steps, and the work of as many for existential variables.
    #[must_use]
    pub fn with_max_steps(self, max_steps: u64) -> Self {
        Self {
            max_steps,
            max_work: self.max_work.min(max_steps.saturating_mul(WORK_OF_A_STEP)),
            ..self
        }
    }
}

impl Learner for Mml {
    fn name(&self) -> &'static str {
        "mml"
    }

    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        learner::learn(self, problem, progress)
    }

    fn in_turn(&self, turn: u32) -> Option<Box<dyn Learner>> {
        let max_steps = steps_of_turn(turn, STEPS_OF_FIRST_TURN, self.max_steps)?;
        let max_work = steps_of_turn(turn, WORK_OF_FIRST_TURN, self.max_work);
        Some(Box::new(Self {
            max_steps,
            max_work: max_work.unwrap_or(self.max_work),
            // Another one has this turn.
            recursion: false,
            ..*self
        }))
    }

    fn max_steps(&self) -> Option<u64> {
        Some(self.max_steps)
    }

    fn limits(&self) -> Limits {
        self.limits
    }
}
