//! Mio: a covering learner that goes from examples to clauses by way of bottom clauses, with macros,
//! greedy search and active learning.
//!
//! Examples are chosen at random; several are searched from side by side, and the best clause of
//! these searches is added to the theory. A search goes from the general to the specific, by IDA* or
//! greedily, and adds single literals or macros. [`active`] adds a teacher who tests the clauses on
//! fresh examples and answers with counterexamples.
//!
//! # Source
//! Peña Castillo and Wrobel 2003, section 3.2.

pub mod active;

mod deepening;
mod greedy;
mod macros;

use kibitz_prolog::{Limits, ProverError};

use super::bottom_clause::{Bounds, ChosenClause, Covering, Find, Search, Session, callable_modes};
use super::{Hypothesis, LearnError, Learner, Progress, Reach};
use crate::problem::Problem;
use crate::task::Task;
use deepening::Deepening;

/// How Mio searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub enum Strategy {
    /// IDA*: the shortest clause that may be returned.
    #[default]
    Deepening,
    /// IDA* that counts a clause again each time an iteration comes back to it.
    Recounting,
    /// The same to the bound on clauses: the best clause of the whole search.
    Throughout,
    /// The best combinations of two, which then grow while they get better.
    Greedy,
}

/// Mio with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Mio {
    /// What clauses there are.
    pub bounds: Bounds,
    /// How to search.
    pub strategy: Strategy,
    /// Whether clauses grow by macros instead of literals.
    pub macros: bool,
    /// Clauses that the greedy search keeps at a time.
    pub beam: usize,
    /// Examples that are searched from side by side.
    pub seeds: usize,
    /// Most clauses evaluated in all.
    pub max_steps: u64,
    /// Seed of the choice of examples.
    pub seed: u64,
}

impl Default for Mio {
    fn default() -> Self {
        Self {
            bounds: Bounds::default(),
            strategy: Strategy::default(),
            macros: true,
            beam: 5,
            seeds: 4,
            max_steps: 1_000_000,
            seed: 1,
        }
    }
}

impl Mio {
    fn checked(mut self, task: &Task) -> Result<Self, LearnError> {
        self.bounds = self.bounds.checked(task)?;
        for (parameter, value) in [("beam", self.beam), ("seeds", self.seeds)] {
            if value == 0 {
                return Err(LearnError::Parameter {
                    parameter,
                    expected: "at least 1",
                });
            }
        }
        Ok(self)
    }

    fn covering<'a>(&self, find: &'a Find<'a>) -> Covering<'a> {
        Covering {
            bounds: self.bounds,
            seeds: self.seeds,
            shuffle: Some(self.seed),
            max_steps: self.max_steps,
            find,
        }
    }

    /// One search.
    fn find(&self, search: &mut Search<'_>) -> Result<Option<ChosenClause>, ProverError> {
        if self.macros {
            let bottom = search.bottom()?;
            let macros = macros::macros(search.language(), &bottom, self.bounds.max_literals);
            search.grow_by(&macros, &bottom.constants);
        }
        match self.strategy {
            Strategy::Deepening => deepening::search(search, Deepening::Once),
            Strategy::Recounting => deepening::search(search, Deepening::Recounted),
            Strategy::Throughout => deepening::search(search, Deepening::Throughout),
            Strategy::Greedy => greedy::search(search, self.beam),
        }
    }
}

impl Learner for Mio {
    fn name(&self) -> &'static str {
        "mio"
    }

    /// Needs positive and negative examples. Literals of the target and negated literals are not
    /// used. The theory is the same for any number of threads.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        let task = problem.task();
        let own = self.checked(task)?;
        let Some(modes) = callable_modes(problem, own.bounds.limits, progress)? else {
            return Ok(Hypothesis::interrupted());
        };
        let find = |search: &mut Search<'_>| own.find(search);
        let mut session = Session::new(problem, own.covering(&find)).with_modes(modes);
        session.add(&task.positive, &task.negative)?;
        session.run(progress)
    }

    fn limits(&self) -> Limits {
        self.bounds.limits
    }

    fn reach(&self, task: &Task) -> Reach {
        self.bounds.reach(task)
    }
}

#[cfg(test)]
mod tests;
