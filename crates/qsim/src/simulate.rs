//! Simulation: growing the tree of behaviors, breadth first.

use std::borrow::Cow;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::discovery::discover;
use crate::index::compact;
use crate::model::{Model, State};
use crate::options::Options;
use crate::partial::PartialState;
use crate::quantity::QValue;
use crate::removal::Removal;
use crate::start::{StartError, initial_states};
use crate::step::{Ending, Filter, StateRef, Step, Stepper};
use crate::transitions::Phase;
use crate::tree::{BehaviorTree, Node};

impl Model {
    /// All behaviors from the completions of these partial states in the first region; see
    /// [`starts`](Self::starts).
    ///
    /// States and behaviors come in a fixed order: breadth first, successors in the order of the
    /// transition tables.
    ///
    /// # Errors
    /// [`StartError`].
    ///
    /// # Panics
    /// If a partial state does not have one set for each variable.
    pub fn simulate(
        &self,
        initial: &[PartialState],
        options: &Options,
    ) -> Result<BehaviorTree<'_>, StartError> {
        self.simulate_while(initial, options, &mut || true)
    }

    /// The same for as long as `keep_going`, which is asked often, says yes.
    ///
    /// # Errors
    /// [`StartError`]: [`Interrupted`](StartError::Interrupted) once it said no.
    ///
    /// # Panics
    /// As [`simulate`](Self::simulate).
    pub fn simulate_while(
        &self,
        initial: &[PartialState],
        options: &Options,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<BehaviorTree<'_>, StartError> {
        let mut stepper = Stepper::new(self, options);
        let limit = options.max_states;
        let starts: IndexSet<State, FxBuildHasher> =
            (initial_states(self, initial, limit, keep_going)?.iter())
                .map(|state| stepper.abstracted_start(self, initial, 0, state))
                .collect();
        if starts.len() > limit {
            return Err(StartError::TooManyStates { limit });
        }
        let mut tree = BehaviorTree {
            model: self,
            options: options.clone(),
            frames: vec![self.frame.clone()],
            nodes: Vec::new(),
            values: Vec::new(),
            removals: Vec::new(),
            limit_reached: false,
        };
        for state in &starts {
            tree.push(None, 0, 0, Phase::Point, 0, state);
        }
        tree.grow(&mut stepper, keep_going)?;
        tree.mark_contradictions();
        Ok(tree)
    }
}

impl BehaviorTree<'_> {
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

    /// Expands every state until none is open.
    fn grow(
        &mut self,
        stepper: &mut Stepper,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<(), StartError> {
        let mut work = Work::default();
        let mut number = 0;
        while number < self.nodes.len() {
            if !keep_going() {
                return Err(StartError::Interrupted);
            }
            if self.nodes.len() >= self.options.max_states {
                self.limit_reached = true;
                self.nodes[number].ending = Some(Ending::NotExpanded);
            } else if let Some(earlier) = self.repeated(number) {
                self.nodes[number].ending = Some(Ending::Cycle(earlier));
            } else {
                self.expand(number, stepper, &mut work);
            }
            number += 1;
        }
        Ok(())
    }

    /// Adds the successors of a state.
    fn expand(&mut self, number: usize, stepper: &mut Stepper, work: &mut Work) {
        let n = self.model.variables().len();
        let node = self.nodes[number].clone();
        let first: u32 = compact(self.nodes.len());
        let Work { state, next } = work;
        state.clear();
        state.extend_from_slice(self.slice(number));
        next.clear();
        let removals = &mut self.removals;
        let explain = self.options.explain;
        let step = stepper.step(
            self.model,
            &self.options,
            StateRef {
                frame: &self.frames[node.frame as usize],
                values: state,
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
                let parent = Some(compact(number));
                for state in &states {
                    if !self.energy_refuses(number, Phase::Point, node.time, state) {
                        let region = compact(region);
                        self.push(parent, node.frame, region, Phase::Point, node.time, state);
                    }
                }
            }
            Step::Continues { may_rest } => {
                let time = node.time + u32::from(node.phase == Phase::Interval);
                for state in next.chunks_exact(n) {
                    self.attach(number, node.phase.other(), time, state);
                }
                if may_rest {
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
    }

    /// Marks the states from which every path ends in a contradiction.
    fn mark_contradictions(&mut self) {
        for number in (0..self.nodes.len()).rev() {
            let node = &self.nodes[number];
            let consistent = match node.ending {
                Some(ending) => ending != Ending::Contradiction,
                None => (node.children.clone()).any(|child| self.nodes[child as usize].consistent),
            };
            self.nodes[number].consistent = consistent;
        }
    }

    /// The ancestor at a point in time that this state repeats.
    fn repeated(&self, number: usize) -> Option<usize> {
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

    /// Whether the energy at `parent`, or at a point in time before it, forbids this successor.
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
                // No time passes between exit from a region and entry into the next.
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

    /// Adds a successor, with the landmarks it discovers, unless the energy forbids it.
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
}

/// The work space of [`BehaviorTree::expand`], kept from state to state.
#[derive(Default)]
struct Work {
    state: Vec<QValue>,
    /// The successors, one after the other.
    next: Vec<QValue>,
}
