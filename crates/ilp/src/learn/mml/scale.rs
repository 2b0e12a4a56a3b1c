//! Messages of theories that different learners found.

use kibitz_prolog::Clause;

use super::message::Code;
use super::recursion::theory;
use super::{Criterion, Noise};
use crate::task::Task;

/// Compares theories of any kind, recursive ones included, by their messages in one code: that of
/// literals with their predicates and variables.
pub(in crate::learn) struct Scale<'t> {
    task: &'t Task,
    code: Code,
}

impl<'t> Scale<'t> {
    /// The scale for the examples of a task.
    pub(in crate::learn) fn new(task: &'t Task) -> Self {
        let n = [task.positive.len(), task.negative.len()];
        let code = Code::new(Criterion::Mml, Noise::Learned, n, false);
        let code = code.with_costs(task.search.costs);
        Self { task, code }
    }

    /// The bits of clauses, as they are printed, and of the labels where so many positive and negative
    /// examples are covered.
    pub(in crate::learn) fn bits(&self, clauses: &[Clause], [tp, fp]: [usize; 2]) -> f64 {
        theory(Criterion::Mml, self.task, clauses) + self.code.labels(tp, fp)
    }
}
