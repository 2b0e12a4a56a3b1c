//! Initial states of simulations and envisionments.

use kibitz_text::{Diagnostic, Exit, Failure};
use thiserror::Error;

use crate::completion::Refusal;
use crate::model::{Model, State};
use crate::partial::PartialState;

/// Why a simulation or an envisionment does not start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StartError {
    /// The first region accepts no completion of a partial state.
    #[error("no state with the initial values satisfies the constraints")]
    Inconsistent {
        /// Index of the partial state.
        initial: usize,
        /// The refusals that leave a variable without values; none if only all constraints together
        /// refuse.
        refusals: Vec<Refusal>,
    },
    /// There are more initial states than the limit on states.
    #[error("there are more initial states than the limit on states, {limit}")]
    TooManyStates {
        /// The limit.
        limit: usize,
    },
    /// The caller interrupted the search.
    #[error("interrupted")]
    Interrupted,
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        let exit = match error {
            StartError::Inconsistent { .. } => Exit::BadInput,
            StartError::TooManyStates { .. } => Exit::Failed,
            StartError::Interrupted => Exit::Interrupted,
        };
        Failure::new(exit, Diagnostic::new(error.to_string()))
    }
}

/// All states that start one of these partial states, in order; one more than `limit` of each at
/// most, or until `keep_going` says no.
pub(crate) fn initial_states(
    model: &Model,
    initial: &[PartialState],
    limit: usize,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Vec<State>, StartError> {
    let mut states = Vec::new();
    for (index, partial) in initial.iter().enumerate() {
        let found = model.starts_while(partial, limit.saturating_add(1), keep_going);
        if !keep_going() {
            return Err(StartError::Interrupted);
        }
        states.extend(found.map_err(|refusals| StartError::Inconsistent {
            initial: index,
            refusals,
        })?);
    }
    Ok(states)
}
