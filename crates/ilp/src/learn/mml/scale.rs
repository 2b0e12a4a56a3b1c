//! Messages of theories that different learners found.

use kibitz_prolog::{Clause, Coverage};

use super::masses::{Masses, covered};
use super::message::Code;
use super::recursion::theory;
use super::{Criterion, Noise};
use crate::task::Task;

/// Compares theories of any kind, recursive ones included, by their messages in one code: that of
/// literals with their predicates and variables.
pub(in crate::learn) struct Scale<'t> {
    task: &'t Task,
    code: Code,
    masses: Option<Masses>,
}

impl<'t> Scale<'t> {
    /// The scale for the examples of a task.
    pub(in crate::learn) fn new(task: &'t Task) -> Self {
        let n = [task.positive.len(), task.negative.len()];
        let code = Code::new(Criterion::Mml, Noise::Learned, n, false);
        let masses = Masses::of(task);
        let code = code
            .with_costs(task.search.costs)
            .with_masses(masses.as_ref());
        Self { task, code, masses }
    }

    /// The bits of clauses, as they are printed, and of the labels given what they cover.
    pub(in crate::learn) fn bits(&self, clauses: &[Clause], coverage: &Coverage) -> f64 {
        let [p, q] = covered(self.masses.as_ref(), coverage);
        theory(Criterion::Mml, self.task, clauses) + self.code.labels(p, q)
    }

    /// The bits of the labels without a theory.
    pub(in crate::learn) fn empty(&self) -> f64 {
        theory(Criterion::Mml, self.task, &[]) + self.code.labels(0, 0)
    }
}
