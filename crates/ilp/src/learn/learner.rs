//! The contract of all learners.

use super::outcome::{LearnError, Learned, Progress};
use super::reach::Reach;
use crate::problem::Problem;
use crate::prover::Limits;
use crate::task::Task;

/// An algorithm with its parameters: from examples, background and bias to clauses.
///
/// The same learner gives the same clauses for the same problem everywhere. It need not verify them; [`Problem::learn`] and [`Task::learn`](crate::Task::learn) do that.
pub trait Learner {
    /// The name that a theory shows.
    fn name(&self) -> &'static str;

    /// Learns a definition of the problem's target.
    ///
    /// # Errors
    /// [`LearnError`] for problems without the examples it needs, for parameters out of range, and
    /// for background that it cannot use.
    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Learned, LearnError>;

    /// Bounds on the proofs by which its theory is verified.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// The clauses that it looks at for a task.
    fn reach(&self, task: &Task) -> Reach {
        Reach::of_bias(task)
    }
}

impl<L: Learner + ?Sized> Learner for &L {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Learned, LearnError> {
        (**self).learn(problem, progress)
    }

    fn limits(&self) -> Limits {
        (**self).limits()
    }

    fn reach(&self, task: &Task) -> Reach {
        (**self).reach(task)
    }
}

impl<L: Learner + ?Sized> Learner for Box<L> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Learned, LearnError> {
        (**self).learn(problem, progress)
    }

    fn limits(&self) -> Limits {
        (**self).limits()
    }

    fn reach(&self, task: &Task) -> Reach {
        (**self).reach(task)
    }
}
