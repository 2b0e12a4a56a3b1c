//! Foil: top-down search guided by information gain.
//!
//! Clauses are built one after the other, each from the head downwards by adding the literal with
//! the largest information gain until no negative tuple is left. The bindings of a clause's
//! variables are kept as a table of tuples, which a literal either filters or, if it brings new
//! variables, extends by a join.
//!
//! Beyond Table 4.6 of the thesis this has what Foil's users know from its later versions:
//! determinate literals, equality literals with variables and constants, optional negation,
//! checkpoints to return to, a bound on the encoding length of a clause, pruning of clauses and of
//! the whole theory, and recursive literals as long as something in the clause makes them smaller.
//!
//! # Source
//! Quinlan 1990; Quinlan and Cameron-Jones 1993; Morales 1992, section 4.5.2.2 and Table 4.6.

mod candidates;
mod formation;
mod search;
mod table;

use kibitz_prolog::Limits;

use super::learner::steps_of_turn;
use super::{Hypothesis, LearnError, Learner, Progress, Reach};
use crate::problem::Problem;
use crate::task::Task;
pub(super) use formation::{Formation, Lits, VarInfo};

/// Tuples that a table may have for each example, however many there are.
const TUPLES_AN_EXAMPLE: usize = 5;

/// Search steps of the first turn beside other learners.
const STEPS_OF_FIRST_TURN: u64 = 200_000;

fn n_examples(task: &Task) -> usize {
    task.positive.len() + task.negative.len()
}

/// Foil with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Foil {
    /// A clause must be right on at least this share of the examples it covers.
    pub min_accuracy: f64,
    /// Alternatives with at least this share of the best gain are kept to return to. Foil keeps
    /// those within 80%; we keep half, so that a limit on the length of clauses leaves a way out.
    pub alternative_gain: f64,
    /// Most alternatives kept per literal.
    pub alternatives: usize,
    /// Most alternatives kept in all, per clause.
    pub checkpoints: usize,
    /// Determinate literals are added unless some literal has this share of the largest gain possible.
    pub determinate_gain: f64,
    /// Variables further than this many literals from the head are not introduced.
    pub max_depth: u8,
    /// Most literals without gain in a row that only introduce variables.
    pub weak_literals: usize,
    /// Tables larger than this, and than five tuples an example, are not built.
    pub max_tuples: usize,
    /// Whether clauses may not be longer than their examples.
    pub encoding_limit: bool,
    /// Most steps: candidate literals evaluated in all, and one more for every 256 rows looked at.
    pub max_steps: u64,
    /// Bounds on the queries by which the background is listed; its bound on memory holds for the
    /// tables of the search, too.
    pub limits: Limits,
}

impl Default for Foil {
    fn default() -> Self {
        Self {
            min_accuracy: 0.8,
            alternative_gain: 0.5,
            alternatives: 5,
            checkpoints: 20,
            determinate_gain: 0.8,
            max_depth: 5,
            weak_literals: 3,
            max_tuples: 100_000,
            encoding_limit: true,
            max_steps: 50_000_000,
            limits: Limits::default(),
        }
    }
}

impl Foil {
    /// The most tuples of a table.
    fn room(&self, task: &Task) -> usize {
        self.max_tuples.max(TUPLES_AN_EXAMPLE * n_examples(task))
    }

    fn check(&self) -> Result<(), LearnError> {
        let share = |parameter, value: f64| {
            if (0.0..=1.0).contains(&value) {
                Ok(())
            } else {
                Err(LearnError::Parameter {
                    parameter,
                    expected: "between 0 and 1",
                })
            }
        };
        share("min_accuracy", self.min_accuracy)?;
        share("alternative_gain", self.alternative_gain)?;
        share("determinate_gain", self.determinate_gain)?;
        if self.max_tuples == 0 {
            return Err(LearnError::Parameter {
                parameter: "max_tuples",
                expected: "at least 1",
            });
        }
        Ok(())
    }
}

impl Learner for Foil {
    fn name(&self) -> &'static str {
        "foil"
    }

    /// Needs positive and negative examples, and background that can be listed. Limits count steps,
    /// not time.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        self.check()?;
        search::learn(problem, self, progress)
    }

    fn in_turn(&self, turn: u32) -> Option<Box<dyn Learner>> {
        let max_steps = steps_of_turn(turn, STEPS_OF_FIRST_TURN, self.max_steps)?;
        Some(Box::new(Self { max_steps, ..*self }))
    }

    fn max_steps(&self) -> Option<u64> {
        Some(self.max_steps)
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn reach(&self, task: &Task) -> Reach {
        Reach {
            max_depth: Some(task.search.max_depth.unwrap_or(self.max_depth.into())),
            max_tuples: (self.room(task) > self.max_tuples).then(|| self.room(task)),
            equates_constants: true,
            ..Reach::of_bias(task)
        }
    }
}

#[cfg(test)]
mod tests;
