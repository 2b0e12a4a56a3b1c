//! The contract of all learners.

use kibitz_prolog::Limits;

use super::outcome::{ChosenLearner, Hypothesis, LearnError, Progress};
use super::reach::Reach;
use crate::problem::Problem;
use crate::task::Task;

/// An algorithm with its parameters: from examples, background and bias to clauses.
///
/// The same learner gives the same clauses for the same problem everywhere. It need not verify them; [`Problem::learn`] and [`Study::learn`](crate::Study::learn) do that.
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
    ) -> Result<Hypothesis, LearnError>;

    /// Bounds on the proofs by which its theory is verified.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// The same learner with the search steps of one of its turns, where learners take turns: as many as
    /// most often take a tenth of a second in the first, number 0, and twice as many each time. `None`
    /// where it takes no more steps than that anyway, or has no bound on them.
    fn in_turn(&self, turn: u32) -> Option<Box<dyn Learner>> {
        let _ = turn;
        None
    }

    /// The most search steps that it takes, if they are bounded.
    fn max_steps(&self) -> Option<u64> {
        None
    }

    /// The clauses that it looks at for a task.
    fn reach(&self, task: &Task) -> Reach {
        Reach::of_bias(task)
    }
}

impl Hypothesis {
    /// The same as the theory of a learner that was chosen among several.
    #[must_use]
    pub fn by(mut self, learner: &dyn Learner, task: &Task) -> Self {
        self.chosen.get_or_insert_with(|| ChosenLearner {
            learner: learner.name(),
            reach: learner.reach(task),
        });
        self
    }
}

/// The steps of a turn, of which the first has so many; `None` from the turn on that has as many as are
/// allowed in all.
pub(super) fn steps_of_turn(turn: u32, first: u64, max_steps: u64) -> Option<u64> {
    let steps = first.saturating_mul(1u64.checked_shl(turn).unwrap_or(u64::MAX));
    (steps < max_steps).then_some(steps)
}

impl<L: Learner + ?Sized> Learner for &L {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        (**self).learn(problem, progress)
    }

    fn limits(&self) -> Limits {
        (**self).limits()
    }

    fn in_turn(&self, turn: u32) -> Option<Box<dyn Learner>> {
        (**self).in_turn(turn)
    }

    fn max_steps(&self) -> Option<u64> {
        (**self).max_steps()
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
    ) -> Result<Hypothesis, LearnError> {
        (**self).learn(problem, progress)
    }

    fn limits(&self) -> Limits {
        (**self).limits()
    }

    fn in_turn(&self, turn: u32) -> Option<Box<dyn Learner>> {
        (**self).in_turn(turn)
    }

    fn max_steps(&self) -> Option<u64> {
        (**self).max_steps()
    }

    fn reach(&self, task: &Task) -> Reach {
        (**self).reach(task)
    }
}
