//! The search for the behaviors that agree with samples.

use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::cover::{CheckError, CoverStep};
use super::observed_states::Change;
use crate::index::compact;
use crate::model::{Model, State};
use crate::options::Options;
use crate::partial::{PartialState, ValueSet};
use crate::quantity::QValue;
use crate::step::{Ending, StateRef, Step, Stepper};
use crate::transitions::Phase;

/// Whether a state has values in these sets.
pub(super) fn fits(state: &[QValue], sets: &[ValueSet]) -> bool {
    let mut values = sets.iter().zip(state);
    values.all(|(set, value)| set.contains(*value))
}

/// What samples say of the time between them: the values of all states, and the changes that some of
/// them make.
pub(super) type Between<'o> = (&'o [ValueSet], &'o [Change]);

/// Changes that are followed at most, those of the first variables: the bits of a set.
const MOST_CHANGES: usize = u64::BITS as usize;

/// The set of all changes.
fn all_of(changes: &[Change]) -> u64 {
    (0..changes.len().min(MOST_CHANGES)).fold(0, |set, at| set | 1 << at)
}

/// The set of changes that a state makes.
fn passed(state: &[QValue], changes: &[Change]) -> u64 {
    let changes = changes.iter().take(MOST_CHANGES).enumerate();
    let made = changes.filter(|(_, change)| {
        let direction = state[change.variable].direction();
        direction.signs().meets(change.sign)
    });
    made.fold(0, |set, (at, _)| set | 1 << at)
}

/// The possible successors of a state.
#[derive(Debug)]
struct Expansion {
    next: Vec<usize>,
    /// Whether they are in another region, or in the same one again.
    enters: bool,
    /// Whether it lasts: over an interval, or at rest.
    may_last: bool,
    ending: Option<Ending>,
}

impl Expansion {
    fn lasts(&self) -> bool {
        self.may_last && self.ending != Some(Ending::Contradiction)
    }
}

/// A state on a path along the samples.
#[derive(Clone, Copy, Debug)]
struct Entry {
    node: usize,
    history: usize,
    parent: Option<usize>,
    depth: usize,
    /// Number of the sample before.
    after: usize,
}

/// The states that agree with the samples so far, and how they were reached.
#[derive(Debug)]
pub(super) struct Search<'m> {
    pub(super) model: &'m Model,
    pub(super) options: Options,
    stepper: Stepper,
    nodes: IndexSet<(u16, Phase, State), FxBuildHasher>,
    expansions: Vec<Option<Rc<Expansion>>>,
    /// For the energy: sets of earlier points in time by their nodes, and whether no time has passed
    /// since. Points with the same position and velocity count once.
    histories: IndexSet<Vec<(usize, bool)>, FxBuildHasher>,
    entries: Vec<Entry>,
}

impl<'m> Search<'m> {
    pub(super) fn new(model: &'m Model, options: &Options) -> Self {
        let options = Options {
            explain: false,
            ..options.clone()
        };
        let mut histories = IndexSet::default();
        histories.insert(Vec::new());
        Self {
            model,
            stepper: Stepper::new(model, &options),
            options,
            nodes: IndexSet::default(),
            expansions: Vec::new(),
            histories,
            entries: Vec::new(),
        }
    }

    /// The region, the phase and the values of an entry.
    pub(super) fn place(&self, entry: usize) -> (usize, Phase, &State) {
        let (region, phase, state) = &self.nodes[self.entries[entry].node];
        (usize::from(*region), *phase, state)
    }

    /// Why the behavior ends at an entry, if it does.
    pub(super) fn ending(&self, entry: usize) -> Option<Ending> {
        let expansion = self.expansions[self.entries[entry].node].as_ref()?;
        expansion.ending
    }

    /// Forgets the entries after the first `n`.
    pub(super) fn truncate(&mut self, n: usize) {
        self.entries.truncate(n);
    }

    pub(super) fn n_entries(&self) -> usize {
        self.entries.len()
    }

    fn intern(&mut self, region: usize, phase: Phase, state: State) -> Result<usize, CheckError> {
        let (node, is_new) = self.nodes.insert_full((compact(region), phase, state));
        if is_new {
            self.expansions.push(None);
            let limit = self.options.max_states;
            if self.nodes.len() > limit {
                return Err(CheckError::TooManyStates { limit });
            }
        }
        Ok(node)
    }

    /// The initial states that agree with the first sample.
    pub(super) fn start(
        &mut self,
        initial: &[PartialState],
        sample: &[ValueSet],
    ) -> Result<Vec<usize>, CheckError> {
        let limit = self.options.max_states;
        let mut found = Vec::new();
        for partial in initial {
            let both = partial.iter().zip(sample);
            let both: PartialState = both.map(|(a, b)| a.and(*b)).collect();
            let states = self.model.starts_up_to(&both, limit.saturating_add(1));
            for state in states.unwrap_or_default() {
                let state = self
                    .stepper
                    .abstracted_start(self.model, initial, 0, &state);
                let node = self.intern(0, Phase::Point, state)?;
                if found
                    .iter()
                    .all(|entry: &usize| self.entries[*entry].node != node)
                {
                    found.push(self.entries.len());
                    self.entries.push(Entry {
                        node,
                        history: 0,
                        parent: None,
                        depth: 0,
                        after: 0,
                    });
                }
            }
        }
        Ok(found)
    }

    /// The entries at the next sample that can be reached from these.
    pub(super) fn follow(
        &mut self,
        here: &[usize],
        sample: usize,
        between: Between<'_>,
        next: &[ValueSet],
    ) -> Result<Vec<usize>, CheckError> {
        let mut reached = self.reach(here, sample, between)?;
        reached.retain(|entry| fits(self.place(*entry).2, next));
        Ok(reached)
    }

    /// The entries in which the system may be at the end of the time after a sample.
    pub(super) fn reach(
        &mut self,
        here: &[usize],
        sample: usize,
        (within, changes): Between<'_>,
    ) -> Result<Vec<usize>, CheckError> {
        let all = all_of(changes);
        // With the changes that were passed, as bits.
        let mut open: Vec<(usize, u64)> = Vec::new();
        let mut last = Vec::new();
        let mut seen: FxHashSet<(usize, usize, u64)> = FxHashSet::default();
        for &entry in here {
            let Entry { node, history, .. } = self.entries[entry];
            let passed = passed(&self.nodes[node].2, changes);
            open.push((entry, passed));
            if self.expand(node)?.lasts() {
                seen.insert((node, history, passed));
                if passed == all {
                    last.push(entry);
                }
            }
        }
        let mut at = 0;
        while at < open.len() {
            let (entry, known) = open[at];
            let Entry {
                node,
                history,
                depth,
                ..
            } = self.entries[entry];
            let expansion = self.expand(node)?;
            if at >= here.len() && known == all && expansion.ending != Some(Ending::Contradiction) {
                last.push(entry);
            }
            at += 1;
            for &to in &expansion.next {
                if !fits(&self.nodes[to].2, within) {
                    continue;
                }
                let Some(history) = self.energy_allows(node, history, to) else {
                    continue;
                };
                // A transition to a region may change a value at once, whatever the directions.
                let passed = if expansion.enters {
                    all
                } else {
                    known | passed(&self.nodes[to].2, changes)
                };
                if seen.insert((to, history, passed)) {
                    let limit = self.options.max_states;
                    if seen.len() > limit || self.histories.len() > limit {
                        return Err(CheckError::TooManyStates { limit });
                    }
                    open.push((self.entries.len(), passed));
                    self.entries.push(Entry {
                        node: to,
                        history,
                        parent: Some(entry),
                        depth: depth + 1,
                        after: sample,
                    });
                }
            }
        }
        Ok(last)
    }

    fn expand(&mut self, node: usize) -> Result<Rc<Expansion>, CheckError> {
        if let Some(known) = &self.expansions[node] {
            return Ok(Rc::clone(known));
        }
        let (region, phase, state) = self.nodes[node].clone();
        let region = usize::from(region);
        let here = StateRef {
            frame: &self.model.frame,
            values: &state,
            phase,
            region,
        };
        let mut found: Vec<State> = Vec::new();
        let step = self
            .stepper
            .step(self.model, &self.options, here, &mut |next, refused| {
                if refused.is_none() {
                    found.push(Box::from(next));
                }
            });
        let enters = matches!(step, Step::Enters(..));
        let rests = state.iter().all(|value| value.may_rest());
        let (to, next_phase, states, may_rest, ending) = match step {
            Step::Ends(ending) => (region, phase, Vec::new(), rests, Some(ending)),
            Step::Enters(to, states) => (to, Phase::Point, states, false, None),
            Step::Continues { may_rest } => (region, phase.other(), found, may_rest, None),
        };
        let next = states
            .into_iter()
            .map(|state| self.intern(to, next_phase, state));
        let expansion = Rc::new(Expansion {
            next: next.collect::<Result<_, _>>()?,
            enters,
            may_last: may_rest || phase == Phase::Interval,
            ending,
        });
        self.expansions[node] = Some(Rc::clone(&expansion));
        Ok(expansion)
    }

    /// The history of a successor; none if the energy forbids it.
    fn energy_allows(&mut self, from: usize, history: usize, to: usize) -> Option<usize> {
        let Some(energy) = self.model.energy().filter(|_| self.options.energy) else {
            return Some(history);
        };
        let frame = &self.model.frame;
        let (phase, state) = (self.nodes[to].1, &self.nodes[to].2);
        let mut points = self.histories[history].clone();
        if self.nodes[from].1 == Phase::Point {
            let rank = |node: usize, variable: usize| self.nodes[node].2[variable].rank();
            let alike = |known: usize| {
                rank(known, energy.position) == rank(from, energy.position)
                    && rank(known, energy.velocity) == rank(from, energy.velocity)
            };
            match points.iter_mut().find(|(known, _)| alike(*known)) {
                // Once more, now: then no time has passed since the last time.
                Some(known) => known.1 = true,
                None => points.push((from, true)),
            }
            points.sort_unstable();
        }
        // From a point to the interval after it and from that to its end, time passes.
        let passes = phase == Phase::Interval || self.nodes[from].1 == Phase::Interval;
        for (point, is_now) in &mut points {
            *is_now &= !passes;
            let before = &self.nodes[*point].2;
            let change = energy.change(frame, (frame, before), frame, state);
            if !change.meets(energy.allowed(!*is_now)) {
                return None;
            }
        }
        Some(self.histories.insert_full(points).0)
    }

    /// The way to the entry that took the fewest states.
    pub(super) fn shortest(&self, last: &[usize]) -> Vec<CoverStep> {
        let best = last.iter().min_by_key(|entry| self.entries[**entry].depth);
        let parent = |entry: &usize| self.entries[*entry].parent;
        let steps = std::iter::successors(best.copied(), parent).map(|entry| {
            let (region, phase, state) = self.place(entry);
            CoverStep {
                phase,
                region,
                state: state.clone(),
                after: self.entries[entry].after,
            }
        });
        let mut path: Vec<CoverStep> = steps.collect();
        path.reverse();
        path
    }
}
