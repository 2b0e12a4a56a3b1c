//! Whether a trajectory is among the behaviors of a system: simulation along the samples.

use thiserror::Error;

use super::blame::UncoveredSample;
use super::observed_states::ObservedStates;
use super::search::Search;
use super::{LandmarkValues, Trajectory};
use crate::model::{Model, State};
use crate::partial::PartialState;
use crate::quantity::Magnitude;
use crate::system::System;
use crate::transitions::Phase;

/// How a trajectory is read.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckParams {
    /// A value counts as equal to a landmark within this share of its variable's spread: the
    /// difference of its greatest and its least value, or, where it is constant, its size.
    pub tolerance: f64,
    /// The same for some variables, by index, in their own units.
    pub tolerances: Vec<(usize, f64)>,
    /// A variable may be steady where its rate of change is at most this share of its spread over the
    /// whole duration.
    pub steady: f64,
    /// Start in any state that the constraints accept, not in an initial state of the system only.
    pub any_start: bool,
}

impl Default for CheckParams {
    fn default() -> Self {
        Self {
            tolerance: 1e-3,
            tolerances: Vec::new(),
            steady: 1e-3,
            any_start: false,
        }
    }
}

/// A trajectory that is among the behaviors of a system.
#[derive(Clone, Debug)]
pub struct Cover {
    /// The states of a behavior that agrees with all samples, one with the fewest states.
    pub path: Vec<CoverStep>,
    /// The values of the landmarks.
    pub landmarks: LandmarkValues,
}

/// A state of a behavior with the samples that it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverStep {
    /// At a point in time, or over an interval.
    pub phase: Phase,
    /// Index of the operating region.
    pub region: usize,
    /// The values.
    pub state: State,
    /// It begins after this sample, counted from 0, and not after the next; the first state is at
    /// sample 0.
    pub after: usize,
}

/// Why a trajectory is not found among the behaviors of a system.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// It is none of them.
    #[error("the trajectory is not among the behaviors of the system")]
    Uncovered(Box<UncoveredSample>),
    /// It is not decided: more states than the limit agree with the samples, or with the time between
    /// two of them, where states count once for each set of earlier points that the energy has to agree
    /// with.
    #[error("the limit on states, {limit}, is reached")]
    TooManyStates {
        /// The limit.
        limit: usize,
    },
}

impl System {
    /// Whether a trajectory is among the behaviors of the system, under its options.
    ///
    /// Each sample limits the magnitudes and directions of a variable at its time, and two neighbors those
    /// between them: values pass through everything between two samples, and directions follow from the
    /// surrounding rates of change. A behavior agrees with the samples if its states do so in their order;
    /// unobserved variables may have any value. Landmarks without a value that an initial state names get
    /// the value of the first sample.
    ///
    /// Landmarks are those of the model:
    /// [`Options::new_landmarks`](crate::Options::new_landmarks) does not apply.
    ///
    /// # Errors
    /// [`CheckError`].
    ///
    /// # Panics
    /// If the trajectory does not have a column, observed or not, for each variable.
    pub fn cover(
        &self,
        trajectory: &Trajectory,
        params: &CheckParams,
    ) -> Result<Cover, CheckError> {
        let n = self.model.variables().len();
        assert_eq!(trajectory.columns.len(), n, "a column for each variable");
        let anything = [self.model.anything()];
        let initial = if params.any_start || self.initial.is_empty() {
            &anything[..]
        } else {
            &self.initial[..]
        };
        let mut landmarks = self.landmarks.clone();
        infer(&mut landmarks, &self.model, initial, trajectory);
        let mut regions = self.model.regions();
        let may_jump = regions.any(|region| !region.transitions.is_empty());
        let observed = ObservedStates::new(trajectory, &landmarks, params, may_jump);
        let mut search = Search::new(&self.model, &self.options);
        let uncovered = |sample: usize, search: &mut Search<'_>, here: &[usize]| {
            let found = UncoveredSample::new(search, initial, &observed, &landmarks, sample, here);
            CheckError::Uncovered(Box::new(found))
        };
        let mut here = search.start(initial, &observed.at[0])?;
        let is_outside = |sample: usize| observed.outside.is_some_and(|(at, _)| at == sample);
        if here.is_empty() || is_outside(0) {
            return Err(uncovered(0, &mut search, &[]));
        }
        for (sample, within) in observed.between.iter().enumerate() {
            let changes = &observed.changes[sample];
            let next = search.follow(&here, sample, (within, changes), &observed.at[sample + 1])?;
            if next.is_empty() || is_outside(sample + 1) {
                return Err(uncovered(sample + 1, &mut search, &here));
            }
            here = next;
        }
        Ok(Cover {
            path: search.shortest(&here),
            landmarks,
        })
    }
}

/// Values of landmarks without one that every initial state names, from the first sample.
fn infer(
    landmarks: &mut LandmarkValues,
    model: &Model,
    initial: &[PartialState],
    trajectory: &Trajectory,
) {
    const MANY: usize = 10_000;
    let found = (initial.iter()).map(|partial| model.starts_up_to(partial, MANY));
    let Ok(found) = found.collect::<Result<Vec<_>, _>>() else {
        return;
    };
    let states = found.concat();
    if states.len() >= MANY {
        return;
    }
    for (variable, column) in trajectory.columns.iter().enumerate() {
        let Some(value) = column.as_ref().and_then(|column| column[0]) else {
            continue;
        };
        let at = states[0][variable].magnitude();
        let is_named = at.is_landmark()
            && states.iter().all(|state| state[variable].magnitude() == at)
            && landmarks.get(variable, at).is_none();
        if is_named {
            // Where the value would be out of order, the sample is no initial state: it is refused.
            let space = &model.variables()[variable].space;
            let _ = landmarks.set(variable, space, at, value);
        }
    }
}

impl Cover {
    /// The landmarks of observed variables of which only the order was known.
    pub fn unplaced(&self, model: &Model, trajectory: &Trajectory) -> Vec<(usize, Magnitude)> {
        unplaced(&self.landmarks, model, trajectory)
    }
}

pub(super) fn unplaced(
    landmarks: &LandmarkValues,
    model: &Model,
    trajectory: &Trajectory,
) -> Vec<(usize, Magnitude)> {
    let variables = model.variables().iter().enumerate();
    let observed = variables.filter(|(variable, _)| trajectory.columns[*variable].is_some());
    let all = observed.flat_map(|(variable, known)| {
        let n = known.space.landmarks().len();
        (0..n).map(move |index| (variable, Magnitude::landmark(index)))
    });
    all.filter(|(variable, landmark)| landmarks.get(*variable, *landmark).is_none())
        .collect()
}
