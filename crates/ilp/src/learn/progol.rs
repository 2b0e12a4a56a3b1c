//! Progol: an A*-like search below the head and above the bottom clause of one example.
//!
//! The first example that is not covered yet is searched from; a clause is worth the positive
//! examples it covers, less the negative ones, its length, and the outputs of its head that are not provided yet. The
//! search takes the clause of greatest worth from those that are open, extends it by one literal, and
//! ends when no open clause can become better than the best that may be returned.
//!
//! # Source
//! Muggleton 1995, Inverse entailment and Progol, section 6.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use indexmap::IndexSet;
use kibitz_prolog::{Limits, ProverError};
use rustc_hash::FxBuildHasher;

use super::bottom_clause::{
    Bounds, ChosenClause, ClauseCoverage, Covering, Search, Session, callable_modes, compression,
};
use super::learner::steps_of_turn;
use super::{Hypothesis, LearnError, Learner, Progress, Reach};
use crate::eval::{Key, Node};
use crate::problem::Problem;
use crate::task::Task;

/// Search steps of the first turn beside other learners.
const STEPS_OF_FIRST_TURN: u64 = 4_000;

/// Progol with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Progol {
    /// What clauses there are; the bound on clauses is Progol's `nodes`, the bound on literals its
    /// `c`, that on depth its `i`, and that on the steps of a proof its `r`.
    pub bounds: Bounds,
    /// Most clauses evaluated in all.
    pub max_steps: u64,
}

impl Default for Progol {
    /// Those of `CProgol`.
    fn default() -> Self {
        Self {
            bounds: Bounds {
                max_clauses: 200,
                ..Bounds::default()
            },
            max_steps: 1_000_000,
        }
    }
}

impl Learner for Progol {
    fn name(&self) -> &'static str {
        "progol"
    }

    /// Needs positive and negative examples. Literals of the target and negated literals are not
    /// used.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        let task = problem.task();
        let bounds = self.bounds.checked(task)?;
        let Some(modes) = callable_modes(problem, bounds.limits, progress)? else {
            return Ok(Hypothesis::interrupted());
        };
        let covering = Covering {
            bounds,
            seeds: 1,
            shuffle: None,
            max_steps: self.max_steps,
            find: &best_first,
        };
        let mut session = Session::new(problem, covering).with_modes(modes);
        session.add(&task.positive, &task.negative)?;
        session.run(progress)
    }

    fn in_turn(&self, turn: u32) -> Option<Box<dyn Learner>> {
        let max_steps = steps_of_turn(turn, STEPS_OF_FIRST_TURN, self.max_steps)?;
        Some(Box::new(Self { max_steps, ..*self }))
    }

    fn max_steps(&self) -> Option<u64> {
        Some(self.max_steps)
    }

    fn limits(&self) -> Limits {
        self.bounds.limits
    }

    fn reach(&self, task: &Task) -> Reach {
        self.bounds.reach(task)
    }
}

/// A clause that may be extended, the greatest worth and then the first that was found first.
type OpenClause = (i64, Reverse<usize>);

fn best_first(search: &mut Search<'_>) -> Result<Option<ChosenClause>, ProverError> {
    let mut nodes: Vec<(Node, Arc<ClauseCoverage>)> = Vec::new();
    let mut open: BinaryHeap<OpenClause> = BinaryHeap::new();
    let mut seen: IndexSet<Key, FxBuildHasher> = IndexSet::default();
    let mut best: Option<ChosenClause> = None;
    let mut longer = Arc::new(vec![search.root()]);
    let mut shorter: Option<Arc<ClauseCoverage>> = None;
    loop {
        for node in longer.iter() {
            if !seen.insert(node.0.clone()) {
                continue;
            }
            let Some(judged) = search.judge(node, shorter.as_deref())? else {
                return Ok(best);
            };
            let pattern = &node.1;
            if !search.is_promising(&judged) {
                continue;
            }
            let worth = compression(&judged, pattern) - pattern.n_missing().cast_signed() as i64;
            if search.is_acceptable(pattern, &judged) {
                if best.as_ref().is_none_or(|best| worth > best.worth) {
                    best = Some(ChosenClause::new(search, pattern, &judged));
                }
            } else {
                open.push((worth, Reverse(nodes.len())));
                nodes.push((node.clone(), judged));
            }
        }
        // The upper bound of an open clause: no negative examples, a literal more.
        let least = best.as_ref().map_or(i64::MIN, |best| best.worth);
        let next = loop {
            let Some((_, Reverse(number))) = open.pop() else {
                return Ok(best);
            };
            let ((_, pattern), judged) = &nodes[number];
            let missing = pattern.n_missing().max(1);
            let hope =
                judged.counts[0].cast_signed() - (pattern.lits.len() + missing).cast_signed();
            if hope as i64 > least {
                break number;
            }
        };
        longer = search.successors(&nodes[next].0)?;
        shorter = Some(Arc::clone(&nodes[next].1));
    }
}
