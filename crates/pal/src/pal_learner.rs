//! PAL as a [`Learner`].

use kibitz_ilp::Problem;
use kibitz_ilp::learn::{Hypothesis, LearnError, Learner, Progress, Stop};

use crate::{
    Background, Domain, Ending, Example, Interruptible, Pal, PalError, PalParams, PalResult,
    Teacher,
};

/// PAL with its inputs besides a problem.
///
/// The concept has the name of the problem's target, and the problem's database proves facts about
/// states. The arguments of a clause are the attributes of its components and then the state; examples
/// of this form, if there are any, verify the definition.
pub struct PalLearner<'a> {
    /// The domain of states.
    pub domain: &'a dyn Domain,
    /// The background predicates.
    pub background: &'a Background,
    /// Initial examples, one for each clause of the concept.
    pub examples: &'a [Example],
    /// Makes the teacher for one run.
    pub teacher: &'a dyn Fn() -> Box<dyn Teacher + 'a>,
    /// Parameters.
    pub params: PalParams,
}

impl std::fmt::Debug for PalLearner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PalLearner")
            .field("params", &self.params)
            .finish_non_exhaustive()
    }
}

impl Learner for PalLearner<'_> {
    fn name(&self) -> &'static str {
        "pal"
    }

    fn learn(
        &self,
        problem: &Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        let concept = problem.task().target.name;
        let pal = Pal::new(
            self.domain,
            problem.database(),
            self.background,
            concept,
            self.params,
        );
        let mut inner = (self.teacher)();
        let mut teacher = Interruptible {
            teacher: &mut *inner,
            condition: || progress.keep_going(),
        };
        let learned = pal.learn(self.examples, &mut teacher);
        let learned = learned.map_err(|error| match error {
            PalError::Prover(error) => LearnError::Prover(error),
            other => LearnError::Other(other.to_string()),
        })?;
        let stop = stop(&learned);
        Ok(Hypothesis::new(learned.clauses, stop, learned.examined))
    }

    fn limits(&self) -> kibitz_prolog::Limits {
        self.params.limits
    }
}

fn stop(learned: &PalResult) -> Stop {
    match learned.endings.last() {
        Some(Ending::Interrupted) => Stop::Interrupted,
        Some(Ending::StateLimit) => Stop::OutOfSteps,
        _ if learned.open.is_empty() => Stop::Complete,
        _ => Stop::ClauseLimit,
    }
}
