//! Exercises: which state comes next, and why not another.

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;

use kibitz_text::{Diagnostic, Exit, Failure};
use thiserror::Error;

use crate::constraint::Objection;
use crate::model::{Model, State};
use crate::options::Options;
use crate::quantity::{Direction, QValue};
use crate::start::StartError;
use crate::system::System;
use crate::transitions::{self, Phase};
use crate::tree::BehaviorTree;

/// A state and its possible successors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exercise {
    /// The number of the state in the tree.
    pub state: usize,
    /// The choices; at least one is right and one wrong.
    pub choices: Vec<Choice>,
}

/// A state that may follow, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its values.
    pub values: State,
    /// Whether it follows in some behavior.
    pub is_right: bool,
    /// Why it can follow, or cannot.
    pub reason: String,
}

/// Why a system has no exercises.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ExerciseError {
    /// The file declares no initial state.
    #[error("the system has no [[initial]] state to begin with: give it one")]
    NoInitialState,
    /// The simulation does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// No state has both a successor and a state that cannot follow.
    #[error("the system does not move: there is nothing to predict")]
    NoExercise,
}

impl From<ExerciseError> for Failure {
    fn from(error: ExerciseError) -> Self {
        match error {
            ExerciseError::NoInitialState => Failure::usage(error.to_string()),
            ExerciseError::Start(error) => error.into(),
            ExerciseError::NoExercise => {
                Failure::new(Exit::Negative, Diagnostic::new(error.to_string()))
            }
        }
    }
}

impl System {
    /// The tree of behaviors and the exercises on its states, one or more.
    ///
    /// The simulation makes no new landmarks, whatever the [`options`](Self::options) are: every value
    /// then has a name in the model's own spaces.
    ///
    /// # Errors
    /// [`ExerciseError`] if the simulation does not start, or yields no exercise.
    pub fn exercises(&self) -> Result<(BehaviorTree<'_>, Vec<Exercise>), ExerciseError> {
        if self.initial.is_empty() {
            return Err(ExerciseError::NoInitialState);
        }
        let options = Options {
            new_landmarks: false,
            ..self.options.clone()
        };
        let tree = self.model.simulate(&self.initial, &options)?;
        let found = exercises(&tree);
        if found.is_empty() {
            return Err(ExerciseError::NoExercise);
        }
        Ok((tree, found))
    }
}

/// Maximum numbers of right and of wrong choices of an exercise.
const MOST_CHOICES: usize = 2;

/// Exercises on the states of all behaviors, in the order of the tree.
///
/// Wrong choices are right ones with another value of one variable, refused by continuity or by a
/// constraint. The tree must be without new landmarks: all of its states are in the model's own spaces.
fn exercises(tree: &BehaviorTree<'_>) -> Vec<Exercise> {
    let mut found = Vec::new();
    let mut seen: Vec<(Phase, State)> = Vec::new();
    for state in tree.states() {
        let key = (state.phase(), State::from(state.values()));
        if !state.is_consistent() || seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let next: Vec<State> = (state.children())
            .map(|child| tree.state(child))
            .filter(|child| child.is_consistent() && child.region() == state.region())
            .filter(|child| child.phase() != state.phase())
            .map(|child| State::from(child.values()))
            .collect();
        let Some(first) = next.first() else {
            continue;
        };
        let here = Here {
            model: tree.model(),
            before: state.values(),
            phase: state.phase(),
            region: state.region(),
        };
        let mut rng = ChaCha8Rng::seed_from_u64(state.number() as u64);
        let mut wrong = here.wrong(first, &next);
        wrong.shuffle(&mut rng);
        // One refused by continuity and one by a constraint, where there are both.
        wrong.sort_by_key(|(by_continuity, _)| *by_continuity);
        let mut chosen: Vec<Choice> = Vec::new();
        if let Some((_, last)) = wrong.pop() {
            chosen.push(last);
        }
        if let Some((_, choice)) = wrong.into_iter().next() {
            chosen.push(choice);
        }
        if chosen.is_empty() {
            continue;
        }
        let right = next.iter().take(MOST_CHOICES).map(|values| Choice {
            values: values.clone(),
            is_right: true,
            reason: "every variable gets there continuously, and all constraints hold".to_owned(),
        });
        chosen.extend(right);
        chosen.shuffle(&mut rng);
        found.push(Exercise {
            state: state.number(),
            choices: chosen,
        });
    }
    found
}

struct Here<'t> {
    model: &'t Model,
    before: &'t [QValue],
    phase: Phase,
    region: usize,
}

impl Here<'_> {
    /// Neighbors of a right state that cannot follow, and whether continuity refuses them.
    fn wrong(&self, right: &State, next: &[State]) -> Vec<(bool, Choice)> {
        let mut found = Vec::new();
        for (variable, own) in self.model.variables().iter().enumerate() {
            if right[variable].direction() == Direction::Ignored {
                continue;
            }
            for magnitude in own.space.magnitudes() {
                for direction in Direction::ALL {
                    let value = QValue::new(magnitude, direction);
                    let mut values = right.clone();
                    values[variable] = value;
                    if next.contains(&values) {
                        continue;
                    }
                    if let Some((by_continuity, reason)) = self.why_not(variable, value, &values) {
                        let choice = Choice {
                            values,
                            is_right: false,
                            reason,
                        };
                        found.push((by_continuity, choice));
                    }
                }
            }
        }
        found
    }

    /// Why a state cannot follow, if continuity of one variable or a single constraint refuses it.
    fn why_not(&self, variable: usize, value: QValue, values: &State) -> Option<(bool, String)> {
        let own = &self.model.variables()[variable];
        let before = self.before[variable];
        let ways = transitions::successors(before, self.phase, &own.space);
        if !ways.as_slice().contains(&value) && before.direction() != Direction::Ignored {
            let reason = format!(
                "`{}` cannot go from {} to {} at once",
                own.name,
                own.space.show(before),
                own.space.show(value)
            );
            return Some((true, reason));
        }
        let (constraint, objection) = self
            .model
            .objections(values, self.region)
            .into_iter()
            .next()?;
        let what = match objection {
            Objection::Directions => "directions",
            Objection::Signs => "signs",
            Objection::Corresponding(_) => "corresponding values",
            Objection::Infinite => "infinite values",
        };
        let formula = self.model.constraint_formula(constraint);
        Some((false, format!("the {what} contradict {formula}")))
    }
}
