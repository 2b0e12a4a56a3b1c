//! One step of the simulation, shared by the behavior tree and the envisionment.

use std::fmt;
use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use crate::completion;
use crate::constraint::{Constraint, ConstraintKind};
use crate::frame::Frame;
use crate::model::variable::Variable;
use crate::model::{Model, State};
use crate::options::Options;
use crate::partial::{PartialState, ValueSet};
use crate::quantity::{Direction, QValue};
use crate::sign::Signs;
use crate::successors::Expander;
use crate::transitions::Phase;

/// The ending of a behavior at a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ending {
    /// Quiescence: every variable rests.
    Quiescent,
    /// A cycle: the state of this number is repeated.
    Cycle(usize),
    /// The state looks like the earlier one of this number, but a variable has moved in one direction
    /// since: this is not a cycle, and the behavior continues as it did from there.
    Drift {
        /// Number of the earlier state.
        earlier: usize,
        /// Index of the first such variable.
        variable: usize,
    },
    /// This variable is about to leave its quantity space.
    OutOfRange(usize),
    /// A variable has become infinite, and time with it.
    Divergent,
    /// The region's transition of this number ends the behavior.
    Exit(usize),
    /// The region's transition of this number leads to a region that has no state for it.
    NoEntry(usize),
    /// Every successor is filtered out: no real behavior passes here.
    Contradiction,
    /// The limit on states was reached before this one was expanded.
    NotExpanded,
}

impl Ending {
    /// Its name in pictures and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quiescent => "quiescent",
            Self::Cycle(_) => "cycle",
            Self::Drift { .. } => "drift",
            Self::OutOfRange(_) => "out-of-range",
            Self::Divergent => "divergent",
            Self::Exit(_) => "exit",
            Self::NoEntry(_) => "no-entry",
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

/// A global filter: one that applies to whole states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Filter {
    /// A point in time at which nothing has changed.
    NoChange,
    /// An infinite value while a finite variable moves.
    InfiniteTime,
    /// The energy constraint.
    Energy,
}

impl Filter {
    /// Its reason to refuse a state, in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NoChange => "nothing has changed since the interval before",
            Self::InfiniteTime => "something is infinite while a finite variable moves",
            Self::Energy => "the energy would be wrong",
        }
    }
}

/// The state to expand, with its place in time and space.
#[derive(Clone, Copy)]
pub(crate) struct StateRef<'a> {
    pub(crate) frame: &'a Frame,
    pub(crate) values: &'a [QValue],
    pub(crate) phase: Phase,
    pub(crate) region: usize,
}

/// The result of a step.
pub(crate) enum Step {
    /// The behavior ends here.
    Ends(Ending),
    /// The behavior enters this region, at the same point in time, in one of these states.
    Enters(usize, Vec<State>),
    /// The behavior continues; the successors were emitted.
    Continues {
        /// Whether the behavior may also rest here for ever.
        may_rest: bool,
    },
}

/// Whether every variable rests in a state, which may leave directions open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Some variable moves.
    No,
    /// Every variable may rest, or some may move.
    Possible,
    /// The constraints admit no other directions.
    Forced,
}

/// Expands states, and keeps the work space for it.
#[derive(Debug, Default)]
pub(crate) struct Stepper {
    pub(crate) expander: Expander,
    /// The variables that may chatter, if chatter is abstracted.
    chattering: Vec<usize>,
    /// The variables of the model, with directions for all of them.
    directed: Vec<Variable>,
    /// By operating region: whether it has inputs, which may go on when all else rests.
    driven: Vec<bool>,
}

impl Stepper {
    pub(crate) fn new(model: &Model, options: &Options) -> Self {
        let mut chattering = Vec::new();
        if options.ignore_chatter {
            chattering = model.chattering();
            chattering.retain(|variable| !model.variables()[*variable].ignore_direction);
        }
        let directed = model.variables().iter().cloned().map(|variable| Variable {
            ignore_direction: false,
            ..variable
        });
        Self {
            expander: Expander::new(options.explain),
            chattering,
            directed: directed.collect(),
            driven: (0..model.regions().len())
                .map(|region| model.has_inputs(region))
                .collect(),
        }
    }

    /// Expands a state by transitions, constraints and the global filters that need no history;
    /// `emit` gets each successor, with the filter that refuses it if one does.
    pub(crate) fn step(
        &mut self,
        model: &Model,
        options: &Options,
        here: StateRef<'_>,
        emit: &mut dyn FnMut(&[QValue], Option<Filter>),
    ) -> Step {
        if let Some(removed) = &mut self.expander.removed {
            removed.clear();
        }
        let at_point = here.phase == Phase::Point;
        if at_point {
            if options.divergence && is_infinite(here.frame, here.values) {
                return Step::Ends(Ending::Divergent);
            }
            if let Some(left) = leave_region(model, here) {
                return left;
            }
        }
        let rest = self.rest(model, here);
        let may_leave = options.departures || self.driven[here.region];
        if rest == Rest::Forced && !(may_leave && at_point) {
            return Step::Ends(Ending::Quiescent);
        }
        let mut n = 0;
        let mut filter = |next: &[QValue]| {
            let same = next == here.values;
            let refused = if at_point {
                (rest == Rest::Forced && same).then_some(Filter::NoChange)
            } else if options.no_change && same {
                Some(Filter::NoChange)
            } else {
                (options.infinite_time && moves_at_infinity(model, here, next))
                    .then_some(Filter::InfiniteTime)
            };
            n += usize::from(refused.is_none());
            emit(next, refused);
        };
        let result = if self.chattering.is_empty() {
            let plan = &model.regions[here.region].1;
            (self.expander).expand(here.frame, plan, here.values, here.phase, &mut filter)
        } else {
            let next = self.without_chatter(model, here);
            next.map(|states| states.iter().for_each(|state| filter(state)))
        };
        match result {
            Err(variable) if at_point => Step::Ends(Ending::OutOfRange(variable)),
            Ok(()) if n > 0 => Step::Continues {
                may_rest: rest != Rest::No,
            },
            // A system at rest needs no successor.
            _ if rest != Rest::No => Step::Ends(Ending::Quiescent),
            _ => Step::Ends(Ending::Contradiction),
        }
    }

    /// Whether every variable is steady, as far as the constraints determine ignored directions.
    fn rest(&self, model: &Model, here: StateRef<'_>) -> Rest {
        if !here.values.iter().all(|value| value.may_rest()) {
            return Rest::No;
        }
        let is_open = |value: &QValue| value.direction() == Direction::Ignored;
        if !here.values.iter().any(is_open) {
            return Rest::Forced;
        }
        let partial: PartialState = (here.values.iter())
            .map(|value| ValueSet::one(*value))
            .collect();
        let plan = &model.regions[here.region].1;
        let (mut may_rest, mut may_move) = (false, false);
        // Without a completion the state satisfies no constraints in any directions: it rests nowhere.
        let _ = completion::solve(&self.directed, here.frame, plan, &partial, &mut |state| {
            let rests = state.iter().all(|value| value.may_rest());
            may_rest |= rests;
            may_move |= !rests;
            if may_rest && may_move {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        match (may_rest, may_move) {
            (false, _) => Rest::No,
            (true, true) => Rest::Possible,
            (true, false) => Rest::Forced,
        }
    }

    /// The successors of all states that an abstract state represents, abstracted again: chatter box
    /// abstraction.
    fn without_chatter(&mut self, model: &Model, here: StateRef<'_>) -> Result<Vec<State>, usize> {
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
            ..
        } = self;
        // There is a completion: the state satisfies the constraints.
        let _ = model.complete(here.frame, here.region, &partial, &mut |state| {
            let result = expander.expand(here.frame, plan, state, here.phase, &mut |next| {
                let next = abstracted(model, here.frame, here.region, chattering, next);
                if !found.contains(&next) {
                    found.push(next);
                }
            });
            stuck = stuck.or(result.err());
            ControlFlow::Continue(())
        });
        // A value removed after one of the states may follow another.
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

    /// An initial state without the directions that chatter, but with those that are given.
    pub(crate) fn abstracted_start(
        &self,
        model: &Model,
        initial: &[PartialState],
        region: usize,
        state: &[QValue],
    ) -> State {
        let mut result = self.abstracted(model, &model.frame, region, state);
        let agrees = |partial: &&PartialState| {
            let mut values = partial.iter().zip(state);
            values.all(|(set, value)| set.contains(*value))
        };
        for partial in initial.iter().filter(agrees) {
            for ((result, value), set) in result.iter_mut().zip(state).zip(partial) {
                if set.directions != Signs::ANY {
                    *result = *value;
                }
            }
        }
        result
    }

    /// The state without the directions that chatter.
    fn abstracted(&self, model: &Model, frame: &Frame, region: usize, state: &[QValue]) -> State {
        abstracted(model, frame, region, &self.chattering, state)
    }
}

/// The state without the directions that chatter: those of variables between landmarks that could as
/// well rest, or move otherwise, while all else stays the same.
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
    // There is a completion: the state itself.
    let _ = model.complete(frame, region, &partial, &mut |other| {
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

/// Whether a finite variable moves although time is infinite.
///
/// Time is infinite where a variable is and its derivative is not: what grows at a bounded rate never
/// gets there. With an infinite derivative it may escape in finite time, as x' = x² does.
fn moves_at_infinity(model: &Model, here: StateRef<'_>, state: &[QValue]) -> bool {
    let is_infinite =
        |variable: usize| here.frame.spaces[variable].is_infinite(state[variable].magnitude());
    let constraints = model.regions[here.region].0.constraints.iter();
    let is_endless = { constraints }.any(|at| {
        let Constraint {
            kind, variables, ..
        } = &model.constraints()[*at];
        *kind == ConstraintKind::Deriv && is_infinite(variables[0]) && !is_infinite(variables[1])
    });
    let mut values = state.iter().enumerate();
    is_endless && values.any(|(variable, value)| !value.may_rest() && !is_infinite(variable))
}

/// The first transition of the region whose condition holds, if one does.
fn leave_region(model: &Model, here: StateRef<'_>) -> Option<Step> {
    let transitions = &model.regions[here.region].0.transitions;
    let holds = |when: &PartialState| {
        let sets = when.iter().enumerate();
        (sets.zip(here.values)).all(|((variable, set), value)| {
            set.carried(here.frame, &model.frame, variable)
                .contains(*value)
        })
    };
    let number = transitions.iter().position(|way| holds(&way.when))?;
    Some(match transitions[number].to {
        None => Step::Ends(Ending::Exit(number)),
        Some(to) => match entries(model, here, number, to) {
            states if states.is_empty() => Step::Ends(Ending::NoEntry(number)),
            states => Step::Enters(to, states),
        },
    })
}

/// The states in which a transition can enter its region.
fn entries(model: &Model, here: StateRef<'_>, number: usize, to: usize) -> Vec<State> {
    let mut partial: PartialState = (here.values.iter())
        .map(|value| ValueSet::between(value.magnitude(), value.magnitude()))
        .collect();
    for (variable, set) in &model.regions[here.region].0.transitions[number].set {
        partial[*variable] = set.carried(here.frame, &model.frame, *variable);
    }
    let mut found: Vec<State> = Vec::new();
    // A region that refuses every entry has an ending of its own.
    let _ = model.complete(here.frame, to, &partial, &mut |state| {
        found.push(Box::from(state));
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found
}
