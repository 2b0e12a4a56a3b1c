//! Simulation: growing the tree of behaviors, breadth first.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::discovery::discover;
use crate::index::compact;
use crate::model::{Model, State};
use crate::options::Options;
use crate::partial::PartialState;
use crate::quantity::{Direction, QValue, QuantitySpace};
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
            } else if let Some(ending) = self.repetition(number) {
                self.nodes[number].ending = Some(ending);
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
        let ends =
            node.phase == Phase::Interval && self.options.ignore_chatter && self.options.divergence;
        let ends_at = ends.then(|| self.frames[node.frame as usize].spaces.clone());
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
                None => add_state(next, state, ends_at.as_deref()),
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

    /// The ending of a state at a point in time that repeats an ancestor: a cycle if any of them is
    /// one, otherwise a drift from the nearest.
    fn repetition(&self, number: usize) -> Option<Ending> {
        let node = &self.nodes[number];
        if !self.options.cycles || node.phase == Phase::Interval {
            return None;
        }
        let mut drift = None;
        let repeated = self.ancestors(number).filter(|&earlier| {
            let before = &self.nodes[earlier];
            before.phase == Phase::Point
                && before.region == node.region
                && before.time < node.time
                && self.frame_of(number).same_state(
                    self.frame_of(earlier),
                    self.slice(earlier),
                    self.slice(number),
                )
        });
        for earlier in repeated {
            match self.drifting(earlier, number) {
                None => return Some(Ending::Cycle(earlier)),
                Some(variable) => {
                    drift.get_or_insert(Ending::Drift { earlier, variable });
                }
            }
        }
        drift
    }

    /// The first variable that has only risen, or only fallen, from an earlier state to this one.
    fn drifting(&self, earlier: usize, number: usize) -> Option<usize> {
        let mut path: Vec<usize> = std::iter::once(number)
            .chain(self.ancestors(number).take_while(|at| *at != earlier))
            .collect();
        path.push(earlier);
        (0..self.model.variables().len()).find(|&variable| {
            let goes = |wanted: Direction| {
                let mut moves = false;
                let holds = path.iter().all(|&at| {
                    let direction = self.slice(at)[variable].direction();
                    moves |= direction == wanted && self.nodes[at].phase == Phase::Interval;
                    direction == wanted || direction == Direction::Std
                });
                holds && moves
            };
            (goes(Direction::Inc) || goes(Direction::Dec)) && !self.may_jump(&path, variable)
        })
    }

    /// Whether a transition between regions on this path may give the variable another magnitude.
    fn may_jump(&self, path: &[usize], variable: usize) -> bool {
        path.windows(2).any(|pair| {
            let [after, before] = [pair[0], pair[1]].map(|at| &self.nodes[at]);
            let enters = after.phase == Phase::Point && before.phase == Phase::Point;
            let region = &self.model.regions[usize::from(before.region)].0;
            let mut sets = region.transitions.iter().flat_map(|way| &way.set);
            enters && sets.any(|(of, _)| *of == variable)
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

/// Adds a successor, one state after the other; where a behavior ends at infinity, without the
/// directions of infinite values, and each such state once.
fn add_state(next: &mut Vec<QValue>, state: &[QValue], ends_at: Option<&[Arc<QuantitySpace>]>) {
    let start = next.len();
    next.extend_from_slice(state);
    let Some(spaces) = ends_at else {
        return;
    };
    let (known, new) = next.split_at_mut(start);
    let mut is_end = false;
    for (value, space) in new.iter_mut().zip(spaces) {
        if space.is_infinite(value.magnitude()) {
            *value = QValue::new(value.magnitude(), Direction::Ignored);
            is_end = true;
        }
    }
    if is_end && known.chunks_exact(state.len()).any(|other| other == new) {
        next.truncate(start);
    }
}

/// The work space of [`BehaviorTree::expand`], kept from state to state.
#[derive(Default)]
struct Work {
    state: Vec<QValue>,
    /// The successors, one after the other.
    next: Vec<QValue>,
}
