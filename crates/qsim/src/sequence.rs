//! Sequences of states: whether a model has a behavior through them.

use thiserror::Error;

use crate::completion::Refusal;
use crate::frame::Frame;
use crate::model::{Model, State};
use crate::options::Options;
use crate::partial::PartialState;
use crate::step::{StateRef, Step, Stepper};
use crate::transitions::{self, Phase};

/// Why a model does not go through a sequence of states.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SequenceError {
    /// The constraints refuse the state of this number, counted from 0, in every region that was
    /// reached.
    #[error("the constraints refuse state {}", number + 1)]
    Contradiction {
        /// Number of the state.
        number: usize,
        /// The refusals that leave a variable without values; none if only all constraints together
        /// refuse.
        refusals: Vec<Refusal>,
    },
    /// This variable cannot go from its value in the state before to the one in this state.
    #[error("state {} cannot follow: a variable cannot change so", number + 1)]
    NoTransition {
        /// Number of the state, counted from 0.
        number: usize,
        /// Index of the variable.
        variable: usize,
    },
    /// Each variable has such a transition, but they are inconsistent together.
    #[error("state {} cannot follow: the variables cannot change so together", number + 1)]
    NotTogether {
        /// Number of the state, counted from 0.
        number: usize,
    },
}

impl Model {
    /// The states of all behaviors through these partial states, step by step.
    ///
    /// The first state is at a point in time, the second over the interval after it, and so on; a
    /// state in which everything rests may be repeated. Behaviors start in the first region.
    ///
    /// # Errors
    /// [`SequenceError`] for the first state that is refused, or cannot follow.
    ///
    /// # Panics
    /// If a partial state does not have one set for each variable.
    pub fn follow(
        &self,
        sequence: &[PartialState],
        options: &Options,
    ) -> Result<Vec<Vec<State>>, SequenceError> {
        let mut stepper = Stepper::new(self, options);
        let mut here: Vec<(usize, State)> = Vec::new();
        let mut steps: Vec<Vec<State>> = Vec::new();
        let mut phase = Phase::Interval;
        for (number, partial) in sequence.iter().enumerate() {
            let fits = |state: &State| {
                let mut values = partial.iter().zip(state);
                values.all(|(set, value)| set.contains(*value))
            };
            let mut next: Vec<(usize, State)> = Vec::new();
            if number == 0 {
                let found = self.starts(partial);
                let found =
                    found.map_err(|refusals| SequenceError::Contradiction { number, refusals })?;
                next.extend(found.into_iter().map(|state| (0, state)));
            }
            for (region, state) in &here {
                let now = StateRef {
                    frame: &self.frame,
                    values: state,
                    phase,
                    region: *region,
                };
                let step = stepper.step(self, options, now, &mut |after, refused| {
                    let after = (*region, State::from(after));
                    if refused.is_none() && !next.contains(&after) {
                        next.push(after);
                    }
                });
                match step {
                    Step::Ends(_) if state.iter().all(|value| value.may_rest()) => {
                        next.push((*region, state.clone()));
                    }
                    Step::Continues { may_rest: true } => next.push((*region, state.clone())),
                    // Entering a region takes no time: the next state of the sequence is the entry.
                    Step::Enters(to, states) => {
                        next.extend(states.into_iter().map(|state| (to, state)));
                    }
                    _ => {}
                }
            }
            next.retain(|(_, state)| fits(state));
            if next.is_empty() {
                return Err(self.why_not(number, partial, &steps, &here, phase));
            }
            steps.push(next.iter().map(|(_, state)| state.clone()).collect());
            here = next;
            phase = phase.other();
        }
        Ok(steps)
    }

    fn why_not(
        &self,
        number: usize,
        partial: &PartialState,
        steps: &[Vec<State>],
        here: &[(usize, State)],
        phase: Phase,
    ) -> SequenceError {
        let mut refusals = Vec::new();
        let refused = here.iter().all(|(region, _)| {
            let found = self.completions(partial, *region, 1, |_| true);
            found.map_err(|found| refusals = found).is_err()
        });
        if refused {
            return SequenceError::Contradiction { number, refusals };
        }
        let goes = |frame: &Frame, variable: usize| {
            steps.last().into_iter().flatten().any(|state| {
                let next = transitions::successors(state[variable], phase, &frame.spaces[variable]);
                next.as_slice()
                    .iter()
                    .any(|value| partial[variable].contains(*value))
            })
        };
        match (0..partial.len()).find(|variable| !goes(&self.frame, *variable)) {
            Some(variable) => SequenceError::NoTransition { number, variable },
            None => SequenceError::NotTogether { number },
        }
    }
}
