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

use super::bottom_clause::{Bounds, Covering, Find, Found, Mined, Search, Session};
use super::{LearnError, Learned, Progress};
use crate::prover::{Database, ProverError};
use crate::task::Task;

/// How Mio searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Strategy {
    /// IDA*: the shortest clause that may be returned.
    #[default]
    Deepening,
    /// The best combinations of two, which then grow while they get better.
    Greedy,
}

/// Parameters of [`learn`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct MioParams {
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

impl Default for MioParams {
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

impl MioParams {
    fn checked(mut self, task: &Task) -> Result<Self, LearnError> {
        self.bounds = self.bounds.checked(task.bias.max_body)?;
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
    fn find(&self, search: &mut Search<'_>) -> Result<Option<Found>, ProverError> {
        if self.macros {
            let bottom = search.bottom()?;
            let macros = macros::macros(search.language(), &bottom, self.bounds.max_literals);
            search.grow_by(&macros, &bottom.constants);
        }
        match self.strategy {
            Strategy::Deepening => deepening::search(search),
            Strategy::Greedy => greedy::search(search, self.beam),
        }
    }
}

/// Learns a definition of the task's target.
///
/// The same task and parameters give the same theory everywhere, for any number of threads. Literals
/// of the target and negated literals are not used.
///
/// # Errors
/// [`LearnError`] for tasks without positive or negative examples, for parameters out of range, and
/// for background that cannot be carried out.
pub fn learn(
    task: &Task,
    db: &Database,
    params: &MioParams,
    progress: &mut (dyn Progress + Send),
) -> Result<Learned, LearnError> {
    Ok(learn_with_report(task, db, params, progress)?.learned)
}

/// The same, with what each search took.
///
/// # Errors
/// As [`learn`].
pub fn learn_with_report(
    task: &Task,
    db: &Database,
    params: &MioParams,
    progress: &mut (dyn Progress + Send),
) -> Result<Mined, LearnError> {
    let params = params.checked(task)?;
    let find = |search: &mut Search<'_>| params.find(search);
    let mut session = Session::new(task, db, params.covering(&find));
    session.add(&task.positive, &task.negative)?;
    session.run(progress)
}

#[cfg(test)]
mod tests;
