//! Counts by proof of what clauses cover, where tables may not tell.

use kibitz_prolog::{BitSet, Evaluator, Limits, ProverError};

use crate::encoded::EncodedProblem;
use crate::eval::{Lit, decode};
use crate::problem::Problem;
use crate::task::Task;

/// Counts what clauses cover that use predicates given by rules: the tables hold the answers for the
/// constants that were asked about, and a proof may need others.
pub(super) struct ProofCount<'a> {
    task: &'a Task,
    evaluator: Evaluator<'a>,
}

impl<'a> ProofCount<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, limits: Limits) -> Self {
        let task = problem.task();
        let (positive, negative) = (&task.positive[..], &task.negative[..]);
        Self {
            task,
            evaluator: Evaluator::new(problem.database(), limits, positive, negative),
        }
    }

    /// The examples that a clause covers by proof; `None` if its tables hold everything, or if it calls
    /// itself, so that it depends on the other clauses.
    ///
    /// # Errors
    /// [`ProverError`] for clauses that cannot be carried out.
    pub(super) fn covered(
        &mut self,
        encoded: &EncodedProblem,
        lits: &[Lit],
    ) -> Result<Option<[BitSet; 2]>, ProverError> {
        let target = self.task.target;
        let is_recursive = |lit: &Lit| {
            let relation = encoded.relations.get(lit.relation as usize);
            relation.is_some_and(|relation| relation.predicate == target)
        };
        if !encoded.is_partial(lits) || lits.iter().any(is_recursive) {
            return Ok(None);
        }
        let clause = decode(encoded, target.name, lits);
        let coverage = self.evaluator.clause(&clause)?;
        Ok(Some([coverage.positive.clone(), coverage.negative.clone()]))
    }
}

/// Whether a finished clause that covers so many examples is good enough for what the files ask.
pub(super) fn is_asked_for(task: &Task, [p, n]: [usize; 2]) -> bool {
    let search = &task.search;
    search.min_positives.is_none_or(|least| p >= least)
        && search.max_false_positives.is_none_or(|most| n <= most)
        && search
            .min_accuracy
            .is_none_or(|share| p as f64 >= share * (p + n) as f64)
}
