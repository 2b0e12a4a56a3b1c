//! All behaviors from given states: the tree of QSIM.

use kibitz_text::{Diagnostic, Exit, Failure};
use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use thiserror::Error;

use crate::completion::Refusal;
use crate::frame::{Frame, compact};
use crate::landmarks::discover;
use crate::model::{Model, State};
use crate::options::Options;
use crate::partial::PartialState;
use crate::quantity::QValue;
use crate::step::{Ending, Filter, Here, Step, Stepper};
use crate::successors::RemovedValue;
use crate::transitions::Phase;
use crate::tree_state::TreeState;

/// Why a simulation does not start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StartError {
    /// No state of the first region has the given values; the refusals say which values of one
    /// variable the constraints leave no place for, if that alone shows it.
    #[error("no state with the initial values satisfies the constraints")]
    Inconsistent {
        /// Which of the initial states it is.
        initial: usize,
        /// What leaves a variable without values.
        refusals: Vec<Refusal>,
    },
    /// There are more initial states than the limit on states.
    #[error("there are more initial states than the limit of {limit} states")]
    TooManyStates {
        /// The limit.
        limit: usize,
    },
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        let exit = match error {
            StartError::Inconsistent { .. } => Exit::BadInput,
            StartError::TooManyStates { .. } => Exit::Failed,
        };
        Failure::new(exit, Diagnostic::new(error.to_string()))
    }
}

/// What was refused while a state was expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Number of the state that was expanded.
    pub state: usize,
    /// What was refused.
    pub removed: Removed,
}

/// A value or a whole state that cannot follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Removed {
    /// A value of a variable, for which this constraint leaves no place beside what the other
    /// variables can have.
    Value {
        /// Index of the variable.
        variable: usize,
        /// The value, in the quantity spaces of the state that was expanded.
        value: QValue,
        /// Index of the constraint.
        constraint: usize,
    },
    /// A state that satisfies the constraints.
    State {
        /// The state, in the quantity spaces of the state that was expanded.
        values: State,
        /// The filter that refuses it.
        filter: Filter,
    },
}

impl Removal {
    /// What the constraints took away while the state was expanded.
    pub(crate) fn of_values(
        state: usize,
        removed: Option<&[RemovedValue]>,
    ) -> impl Iterator<Item = Self> {
        let removed = removed.unwrap_or_default().iter();
        removed.map(move |found| Self {
            state,
            removed: Removed::Value {
                variable: found.variable,
                value: found.value,
                constraint: found.constraint,
            },
        })
    }

    /// What a filter refuses after the state.
    pub(crate) fn of_state(state: usize, values: &[QValue], filter: Filter) -> Self {
        let values = Box::from(values);
        Self {
            state,
            removed: Removed::State { values, filter },
        }
    }
}

/// A state of the tree, without its values.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) frame: u32,
    pub(crate) parent: Option<u32>,
    pub(crate) children: Range<u32>,
    pub(crate) region: u16,
    pub(crate) phase: Phase,
    pub(crate) time: u32,
    pub(crate) ending: Option<Ending>,
    pub(crate) consistent: bool,
}

/// The tree of all behaviors from some initial states.
#[derive(Clone, Debug)]
pub struct Behaviors<'m> {
    model: &'m Model,
    options: Options,
    frames: Vec<Frame>,
    pub(crate) nodes: Vec<Node>,
    values: Vec<QValue>,
    removals: Vec<Removal>,
    limit_reached: bool,
}

/// One behavior: the numbers of its states from an initial one to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behavior {
    /// Numbers of its states.
    pub states: Vec<usize>,
    /// Why it ends.
    pub ending: Ending,
}

impl Model {
    /// All behaviors from the states that these partial ones leave open, in the first region; see
    /// [`starts`](Self::starts).
    ///
    /// States and behaviors come in a fixed order: breadth first, successors in the order of the
    /// transition tables.
    ///
    /// # Errors
    /// [`StartError`].
    ///
    /// # Panics
    /// If a partial state has not one set for each variable.
    pub fn simulate(
        &self,
        initial: &[PartialState],
        options: &Options,
    ) -> Result<Behaviors<'_>, StartError> {
        let mut stepper = Stepper::new(self, options);
        if options.explain {
            stepper.expander.removed = Some(Vec::new());
        }
        let mut tree = Behaviors {
            model: self,
            options: options.clone(),
            frames: vec![self.frame.clone()],
            nodes: Vec::new(),
            values: Vec::new(),
            removals: Vec::new(),
            limit_reached: false,
        };
        let mut starts: IndexSet<State, FxBuildHasher> = IndexSet::default();
        for (number, partial) in initial.iter().enumerate() {
            let found = self.starts_up_to(partial, options.max_states.saturating_add(1));
            let found = found.map_err(|refusals| StartError::Inconsistent {
                initial: number,
                refusals,
            })?;
            let states = found
                .iter()
                .map(|state| stepper.abstracted(self, &self.frame, 0, state));
            starts.extend(states);
        }
        if starts.len() > options.max_states {
            let limit = options.max_states;
            return Err(StartError::TooManyStates { limit });
        }
        for state in &starts {
            tree.push(None, 0, 0, Phase::Point, 0, state);
        }
        tree.grow(&mut stepper);
        Ok(tree)
    }
}

impl<'m> Behaviors<'m> {
    fn push(
        &mut self,
        parent: Option<u32>,
        frame: u32,
        region: u16,
        phase: Phase,
        time: u32,
        state: &[QValue],
    ) {
        self.values.extend_from_slice(state);
        self.nodes.push(Node {
            frame,
            parent,
            children: 0..0,
            region,
            phase,
            time,
            ending: None,
            consistent: true,
        });
    }

    pub(crate) fn slice(&self, number: usize) -> &[QValue] {
        let n = self.model.variables().len();
        &self.values[number * n..(number + 1) * n]
    }

    fn grow(&mut self, stepper: &mut Stepper) {
        let n = self.model.variables().len();
        let mut next = Vec::new();
        let mut here = Vec::new();
        let mut number = 0;
        while number < self.nodes.len() {
            let node = self.nodes[number].clone();
            let first: u32 = compact(self.nodes.len());
            if self.nodes.len() >= self.options.max_states {
                self.limit_reached = true;
                self.nodes[number].ending = Some(Ending::NotExpanded);
                number += 1;
                continue;
            }
            if let Some(earlier) = self.repeats(number) {
                self.nodes[number].ending = Some(Ending::Cycle(earlier));
                number += 1;
                continue;
            }
            here.clear();
            here.extend_from_slice(self.slice(number));
            next.clear();
            let removals = &mut self.removals;
            let explain = self.options.explain;
            let step = stepper.step(
                self.model,
                &self.options,
                Here {
                    frame: &self.frames[node.frame as usize],
                    values: &here,
                    phase: node.phase,
                    region: usize::from(node.region),
                },
                &mut |state, refused| match refused {
                    None => next.extend_from_slice(state),
                    Some(filter) if explain => {
                        removals.push(Removal::of_state(number, state, filter));
                    }
                    Some(_) => {}
                },
            );
            match step {
                Step::Ends(ending) => self.nodes[number].ending = Some(ending),
                Step::Enters(region, states) => {
                    for state in &states {
                        if self.energy_refuses(number, Phase::Point, node.time, state) {
                            continue;
                        }
                        self.push(
                            Some(compact(number)),
                            node.frame,
                            compact(region),
                            Phase::Point,
                            node.time,
                            state,
                        );
                    }
                }
                Step::Continues => {
                    let time = node.time + u32::from(node.phase == Phase::Interval);
                    for state in next.chunks_exact(n) {
                        self.attach(number, node.phase.other(), time, state);
                    }
                    if self.nodes[number].ending.is_none() && here.iter().all(|v| v.may_rest()) {
                        self.nodes[number].ending = Some(Ending::Quiescent);
                    }
                }
            }
            self.nodes[number].children = first..compact(self.nodes.len());
            if self.nodes[number].ending.is_none() && first as usize == self.nodes.len() {
                self.nodes[number].ending = Some(Ending::Contradiction);
            }
            let removed = stepper.expander.removed.as_deref();
            self.removals.extend(Removal::of_values(number, removed));
            number += 1;
        }
        // What leads to contradictions only is contradictory.
        for number in (0..self.nodes.len()).rev() {
            let node = &self.nodes[number];
            let consistent = match node.ending {
                Some(ending) => ending != Ending::Contradiction,
                None => (node.children.clone()).any(|child| self.nodes[child as usize].consistent),
            };
            self.nodes[number].consistent = consistent;
        }
    }

    /// The states from which `number` comes, the nearest first.
    fn ancestors(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let parent = |number: usize| self.nodes[number].parent.map(|parent| parent as usize);
        std::iter::successors(parent(number), move |number| parent(*number))
    }

    pub(crate) fn frame_of(&self, number: usize) -> &Frame {
        &self.frames[self.nodes[number].frame as usize]
    }

    /// The earlier point in time whose state this is again.
    fn repeats(&self, number: usize) -> Option<usize> {
        let node = &self.nodes[number];
        if !self.options.cycles || node.phase == Phase::Interval {
            return None;
        }
        self.ancestors(number).find(|&earlier| {
            let before = &self.nodes[earlier];
            before.phase == Phase::Point
                && before.region == node.region
                && before.time < node.time
                && self.frame_of(number).same_state(
                    self.frame_of(earlier),
                    self.slice(earlier),
                    self.slice(number),
                )
        })
    }

    /// Whether the energy at a point in time on the way to `parent` forbids that this state follows.
    fn energy_refuses(&mut self, parent: usize, phase: Phase, time: u32, state: &[QValue]) -> bool {
        let Some(energy) = self.model.energy().filter(|_| self.options.energy) else {
            return false;
        };
        let now = self.frame_of(parent);
        let refused = std::iter::once(parent)
            .chain(self.ancestors(parent))
            .filter(|before| self.nodes[*before].phase == Phase::Point)
            .any(|before| {
                let earlier = (self.frame_of(before), self.slice(before));
                // Between an exit and an entry no time passes.
                let passed = phase == Phase::Interval || self.nodes[before].time < time;
                let change = energy.change(now, earlier, &self.frames[0], state);
                !change.meets(energy.allowed(passed))
            });
        if refused && self.options.explain {
            let energy = Removal::of_state(parent, state, Filter::Energy);
            self.removals.push(energy);
        }
        refused
    }

    /// Makes a successor, with new landmarks if they are asked for, unless the energy forbids it.
    fn attach(&mut self, parent: usize, phase: Phase, time: u32, state: &[QValue]) {
        let mut frame = self.nodes[parent].frame;
        let mut state = Cow::Borrowed(state);
        if self.energy_refuses(parent, phase, time, &state) {
            return;
        }
        if self.options.new_landmarks && phase == Phase::Point {
            let before = self.slice(parent);
            let region = usize::from(self.nodes[parent].region);
            let relations = &self.model.regions[region].1.relations;
            let old = self.frame_of(parent);
            let found = discover(self.model, &self.options, old, relations, before, &state);
            if let Some((wider, renamed)) = found {
                frame = compact(self.frames.len());
                self.frames.push(wider);
                state = Cow::Owned(renamed);
            }
        }
        let region = self.nodes[parent].region;
        self.push(Some(compact(parent)), frame, region, phase, time, &state);
    }

    /// The model that was simulated.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A state by its number; initial states come first.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn state(&self, number: usize) -> TreeState<'_> {
        assert!(number < self.len(), "no state {number}");
        TreeState { tree: self, number }
    }

    /// All states.
    pub fn states(&self) -> impl ExactSizeIterator<Item = TreeState<'_>> {
        (0..self.len()).map(|number| self.state(number))
    }

    /// All behaviors: the ways from an initial state to an end that is no contradiction.
    pub fn behaviors(&self) -> Vec<Behavior> {
        let mut found = Vec::new();
        // From top to bottom, so that behaviors come in the order of a drawn tree.
        let mut open: Vec<usize> = (0..self.len())
            .filter(|number| self.nodes[*number].parent.is_none())
            .rev()
            .collect();
        while let Some(number) = open.pop() {
            let node = &self.nodes[number];
            if !node.consistent {
                continue;
            }
            open.extend(node.children.clone().rev().map(|child| child as usize));
            if let Some(ending) = node.ending {
                let mut states: Vec<usize> = std::iter::once(number)
                    .chain(self.ancestors(number))
                    .collect();
                states.reverse();
                found.push(Behavior { states, ending });
            }
        }
        found
    }

    /// Whether nothing was left out for the limit on states.
    pub fn is_complete(&self) -> bool {
        !self.limit_reached
    }

    /// If something was left out: how much, and what helps.
    pub fn limit_message(&self) -> Option<String> {
        if !self.limit_reached {
            return None;
        }
        let open = (self.nodes.iter())
            .filter(|node| node.ending == Some(Ending::NotExpanded))
            .count();
        let mut message = format!(
            "the limit of {} states is reached: of {} states {open} are not followed; raise \
             max-states",
            self.options.max_states,
            self.len()
        );
        let names: Vec<&str> = (self.model.chattering().iter())
            .map(|variable| &self.model.variables()[*variable])
            .filter(|variable| !variable.ignore_direction)
            .map(|variable| variable.name.as_str())
            .collect();
        if !names.is_empty() && !self.options.ignore_chatter {
            let _ = write!(
                message,
                ", or ignore the directions of what can chatter ({}) with ignore-chatter",
                names.join(", ")
            );
        }
        if self.options.new_landmarks && self.frames.len() > 1 {
            message += ", or do without new-landmarks";
        }
        Some(message)
    }

    /// What was refused, if [`Options::explain`] asked for it.
    pub fn removals(&self) -> &[Removal] {
        &self.removals
    }
}
