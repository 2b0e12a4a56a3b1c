//! One step from a state, shared by the behavior tree and the envisionment.

use std::fmt;
use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use crate::completion;
use crate::frame::Frame;
use crate::model::{Model, State};
use crate::options::Options;
use crate::partial::{PartialState, ValueSet};
use crate::quantity::{Direction, QValue};
use crate::sign::Signs;
use crate::successors::Expander;
use crate::transitions::Phase;

/// Why nothing follows a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ending {
    /// Everything rests.
    Quiescent,
    /// The state of this number has come back.
    Cycle(usize),
    /// This variable is about to leave its quantity space.
    OutOfRange(usize),
    /// Something is infinite: the time is, too.
    Divergent,
    /// A transition of this number of the state's region ends the behavior.
    Exit(usize),
    /// The constraints refuse everything that could follow: no real behavior is here.
    Contradiction,
    /// The limit on states was reached before this one was looked at.
    NotExpanded,
}

impl Ending {
    /// A word for it, for pictures and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quiescent => "quiescent",
            Self::Cycle(_) => "cycle",
            Self::OutOfRange(_) => "out-of-range",
            Self::Divergent => "divergent",
            Self::Exit(_) => "exit",
            Self::Contradiction => "contradiction",
            Self::NotExpanded => "not-expanded",
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A filter that looks at whole states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Filter {
    /// Nothing has changed.
    NoChange,
    /// Something is infinite while a finite variable moves.
    InfiniteTime,
    /// The energy would be wrong.
    Energy,
}

impl Filter {
    /// What it refuses, in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoChange => "nothing has changed since the interval before",
            Self::InfiniteTime => "something is infinite while a finite variable moves",
            Self::Energy => "the energy would be wrong",
        }
    }
}

/// A state as a step sees it.
#[derive(Clone, Copy)]
pub(crate) struct Here<'a> {
    pub(crate) frame: &'a Frame,
    pub(crate) values: &'a [QValue],
    pub(crate) phase: Phase,
    pub(crate) region: usize,
}

/// What a step came to.
pub(crate) enum Step {
    /// Nothing follows, or nothing need follow.
    Ends(Ending),
    /// The behavior goes to another region at the same point in time.
    Enters(usize, Vec<State>),
    /// Time goes on; the successors were shown.
    Continues,
}

/// Makes steps, and keeps the work space for them.
#[derive(Debug, Default)]
pub(crate) struct Stepper {
    pub(crate) expander: Expander,
    /// The variables that chatter, if that is to be kept out.
    chattering: Vec<usize>,
}

impl Stepper {
    pub(crate) fn new(model: &Model, options: &Options) -> Self {
        let mut chattering = Vec::new();
        if options.ignore_chatter {
            chattering = model.chattering();
            chattering.retain(|variable| !model.variables()[*variable].ignore_direction);
        }
        Self {
            expander: Expander::default(),
            chattering,
        }
    }

    /// The end of a state, or what can follow it by transitions, constraints and the filters that
    /// need no history; what these refuse is shown with the filter.
    pub(crate) fn step(
        &mut self,
        model: &Model,
        options: &Options,
        here: Here<'_>,
        emit: &mut dyn FnMut(&[QValue], Option<Filter>),
    ) -> Step {
        if let Some(removed) = &mut self.expander.removed {
            removed.clear();
        }
        let (region, plan) = &model.regions[here.region];
        let at_point = here.phase == Phase::Point;
        if at_point {
            if options.divergence && is_infinite(here.frame, here.values) {
                return Step::Ends(Ending::Divergent);
            }
            let applies = |when: &PartialState| {
                let sets = when.iter().enumerate();
                (sets.zip(here.values)).all(|((variable, set), value)| {
                    set.carried(here.frame, &model.frame, variable)
                        .contains(*value)
                })
            };
            let taken = region.transitions.iter().position(|way| applies(&way.when));
            if let Some(number) = taken {
                return match region.transitions[number].to {
                    None => Step::Ends(Ending::Exit(number)),
                    Some(to) => Step::Enters(to, entries(model, here, number, to)),
                };
            }
        }
        let rests = here.values.iter().all(|value| value.may_rest());
        if rests && !(options.departures && at_point) {
            return Step::Ends(Ending::Quiescent);
        }
        let mut n = 0;
        let mut show = |next: &[QValue]| {
            let same = next == here.values;
            let refused = if at_point {
                (rests && same).then_some(Filter::NoChange)
            } else if options.no_change && same {
                Some(Filter::NoChange)
            } else {
                (options.infinite_time && moves_at_infinity(here.frame, next))
                    .then_some(Filter::InfiniteTime)
            };
            n += usize::from(refused.is_none());
            emit(next, refused);
        };
        let result = if self.chattering.is_empty() {
            self.expander
                .expand(here.frame, plan, here.values, here.phase, &mut show)
        } else {
            let next = self.without_chatter(model, here);
            next.map(|states| states.iter().for_each(|state| show(state)))
        };
        match result {
            Err(variable) if at_point => Step::Ends(Ending::OutOfRange(variable)),
            Ok(()) if n > 0 => Step::Continues,
            // Of a system that rests nothing needs to follow.
            _ if rests => Step::Ends(Ending::Quiescent),
            _ => Step::Ends(Ending::Contradiction),
        }
    }

    /// What can follow any of the states that differ from this one in ignored directions only, and
    /// those successors again without the directions that chatter.
    fn without_chatter(&mut self, model: &Model, here: Here<'_>) -> Result<Vec<State>, usize> {
        let plan = &model.regions[here.region].1;
        let partial: PartialState = here
            .values
            .iter()
            .map(|value| ValueSet::one(*value))
            .collect();
        let mut found: Vec<State> = Vec::new();
        let mut stuck = None;
        let Self {
            expander,
            chattering,
        } = self;
        // The state itself is one of them: it satisfies the constraints.
        let _ = completion::solve(model, here.frame, here.region, &partial, &mut |state| {
            let result = expander.expand(here.frame, plan, state, here.phase, &mut |next| {
                let next = abstracted(model, here.frame, here.region, chattering, next);
                if !found.contains(&next) {
                    found.push(next);
                }
            });
            stuck = stuck.or(result.err());
            ControlFlow::Continue(())
        });
        // What one of the states refuses may follow another.
        if let Some(removed) = &mut expander.removed {
            removed.retain(|refused| {
                let follows = |state: &State| {
                    let (found, value) = (state[refused.variable], refused.value);
                    let signs = found.direction().signs();
                    found.magnitude() == value.magnitude() && signs.meets(value.direction().signs())
                };
                !found.iter().any(follows)
            });
            let mut seen = FxHashSet::default();
            removed.retain(|refused| seen.insert((refused.variable, refused.value)));
        }
        match stuck {
            Some(variable) if found.is_empty() => Err(variable),
            _ => Ok(found),
        }
    }

    /// The state without the directions that chatter in it.
    pub(crate) fn abstracted(
        &self,
        model: &Model,
        frame: &Frame,
        region: usize,
        state: &[QValue],
    ) -> State {
        abstracted(model, frame, region, &self.chattering, state)
    }
}

/// The state without the directions that chatter in it: those of variables between landmarks that
/// could as well rest, or move otherwise, while nothing else is changed.
fn abstracted(
    model: &Model,
    frame: &Frame,
    region: usize,
    chattering: &[usize],
    state: &[QValue],
) -> State {
    let mut result: State = Box::from(state);
    let free = |variable: &&usize| !state[**variable].magnitude().is_landmark();
    let free: Vec<usize> = chattering.iter().filter(free).copied().collect();
    if free.is_empty() {
        return result;
    }
    let mut partial: PartialState = state.iter().map(|value| ValueSet::one(*value)).collect();
    for &variable in &free {
        let at = state[variable].magnitude();
        partial[variable] = ValueSet::between(at, at);
    }
    let mut possible = vec![Signs::NONE; free.len()];
    // The state itself is a solution.
    let _ = completion::solve(model, frame, region, &partial, &mut |other| {
        for (signs, &variable) in possible.iter_mut().zip(&free) {
            *signs = signs.or(other[variable].direction().signs());
        }
        ControlFlow::Continue(())
    });
    for (signs, &variable) in possible.into_iter().zip(&free) {
        if signs.meets(Signs::ZERO) && signs != Signs::ZERO {
            result[variable] = QValue::new(state[variable].magnitude(), Direction::Ignored);
        }
    }
    result
}

fn is_infinite(frame: &Frame, state: &[QValue]) -> bool {
    let mut values = frame.spaces.iter().zip(state);
    values.any(|(space, value)| space.is_infinite(value.magnitude()))
}

fn moves_at_infinity(frame: &Frame, state: &[QValue]) -> bool {
    let mut values = frame.spaces.iter().zip(state);
    is_infinite(frame, state)
        && values.any(|(space, value)| !value.may_rest() && !space.is_infinite(value.magnitude()))
}

/// The states in which a transition can enter its region.
fn entries(model: &Model, here: Here<'_>, number: usize, to: usize) -> Vec<State> {
    let mut partial: PartialState = (here.values.iter())
        .map(|value| ValueSet::between(value.magnitude(), value.magnitude()))
        .collect();
    for (variable, set) in &model.regions[here.region].0.transitions[number].set {
        partial[*variable] = set.carried(here.frame, &model.frame, *variable);
    }
    let mut found: Vec<State> = Vec::new();
    // A region that refuses every entry is a contradiction, which its caller sees.
    let _ = completion::solve(model, here.frame, to, &partial, &mut |state| {
        found.push(Box::from(state));
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found
}
