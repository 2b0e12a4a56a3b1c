//! The envisionment: the graph of all states that can be reached, or of all there are.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::behaviors::{Removal, StartError};
use crate::frame::compact;
use crate::model::{Model, State};
use crate::options::Options;
use crate::partial::PartialState;
use crate::quantity::QValue;
use crate::step::{Ending, Here, Step, Stepper};
use crate::successors::TupleTables;
use crate::transitions::Phase;

/// States and what can follow what, each state once.
///
/// Landmarks are those of the model: none is discovered, because a state knows no history. For the
/// same reason the argument about energy does not apply.
#[derive(Clone, Debug)]
pub struct Envisionment {
    n_variables: usize,
    values: Vec<QValue>,
    tags: Vec<(u16, Phase)>,
    n_initial: usize,
    starts: Vec<u32>,
    targets: Vec<u32>,
    endings: Vec<Option<Ending>>,
    consistent: Vec<bool>,
    removals: Vec<Removal>,
    limit: Option<usize>,
}

/// Distinct states, each a slice of values with a tag for region and phase at its end.
type Interned = IndexSet<Box<[u16]>, FxBuildHasher>;

impl Model {
    /// The graph of the states that can be reached from those that the partial states leave open;
    /// see [`starts`](Self::starts).
    ///
    /// # Errors
    /// [`StartError`].
    ///
    /// # Panics
    /// If a partial state has not one set for each variable.
    pub fn envision(
        &self,
        initial: &[PartialState],
        options: &Options,
    ) -> Result<Envisionment, StartError> {
        let mut states = Vec::new();
        for (number, partial) in initial.iter().enumerate() {
            let found = self.starts_up_to(partial, options.max_states.saturating_add(1));
            let found = found.map_err(|refusals| StartError::Inconsistent {
                initial: number,
                refusals,
            })?;
            states.extend(found.into_iter().map(|state| (0, Phase::Point, state)));
        }
        envision(self, states, options)
    }

    /// The graph of all states that the constraints of any region accept.
    ///
    /// # Errors
    /// [`StartError::TooManyStates`].
    pub fn envision_all(&self, options: &Options) -> Result<Envisionment, StartError> {
        let mut states = Vec::new();
        for region in 0..self.regions.len() {
            let limit = options.max_states.saturating_add(1);
            let legal = self.collect(&self.anything(), region, limit, |_| true);
            let legal = legal.unwrap_or_default();
            for state in legal {
                // Over an interval of time nothing moves and stays at a landmark.
                let lasts = (state.iter())
                    .all(|value| value.may_rest() || !value.magnitude().is_landmark());
                if lasts {
                    states.push((region, Phase::Interval, state.clone()));
                }
                states.push((region, Phase::Point, state));
            }
        }
        envision(self, states, options)
    }
}

fn envision(
    model: &Model,
    initial: Vec<(usize, Phase, State)>,
    options: &Options,
) -> Result<Envisionment, StartError> {
    let mut stepper = Stepper::new(model, options);
    stepper.expander.tables = Some(TupleTables::new(&model.frame));
    if options.explain {
        stepper.expander.removed = Some(Vec::new());
    }
    let n = model.variables().len();
    let mut known = Interned::default();
    let mut key: Vec<u16> = Vec::with_capacity(n + 1);
    let mut intern = |known: &mut Interned, region: usize, phase: Phase, state: &[QValue]| {
        key.clear();
        key.extend(state.iter().map(|value| value.code()));
        key.push(2 * compact::<u16>(region) + phase as u16);
        match known.get_index_of(key.as_slice()) {
            Some(number) => number,
            None => known.insert_full(key.as_slice().into()).0,
        }
    };
    for (region, phase, state) in initial {
        let state = stepper.abstracted(model, &model.frame, region, &state);
        intern(&mut known, region, phase, &state);
    }
    if known.len() > options.max_states {
        let limit = options.max_states;
        return Err(StartError::TooManyStates { limit });
    }
    let mut found = Envisionment {
        n_variables: n,
        values: Vec::new(),
        tags: Vec::new(),
        n_initial: known.len(),
        starts: vec![0],
        targets: Vec::new(),
        endings: Vec::new(),
        consistent: Vec::new(),
        removals: Vec::new(),
        limit: None,
    };
    let mut number = 0;
    while number < known.len() {
        let state = &known[number];
        let tag = state[n];
        let phase = [Phase::Point, Phase::Interval][usize::from(tag % 2)];
        let region = tag / 2;
        found.tags.push((region, phase));
        let start = found.values.len();
        found
            .values
            .extend(state[..n].iter().map(|code| QValue::from_code(*code)));
        let mut ending = None;
        if known.len() > options.max_states {
            found.limit = Some(options.max_states);
            ending = Some(Ending::NotExpanded);
        } else {
            let here = Here {
                frame: &model.frame,
                values: &found.values[start..],
                phase,
                region: usize::from(region),
            };
            let region = usize::from(region);
            let (targets, removals) = (&mut found.targets, &mut found.removals);
            let step = stepper.step(model, options, here, &mut |next, refused| match refused {
                None => targets.push(compact(intern(&mut known, region, phase.other(), next))),
                Some(filter) if options.explain => {
                    removals.push(Removal::of_state(number, next, filter));
                }
                Some(_) => {}
            });
            let removed = stepper.expander.removed.as_deref();
            found.removals.extend(Removal::of_values(number, removed));
            match step {
                Step::Ends(end) => ending = Some(end),
                Step::Enters(to, states) => {
                    for state in &states {
                        targets.push(compact(intern(&mut known, to, Phase::Point, state)));
                    }
                    if states.is_empty() {
                        ending = Some(Ending::Contradiction);
                    }
                }
                Step::Continues => {
                    if here.values.iter().all(|value| value.may_rest()) {
                        ending = Some(Ending::Quiescent);
                    }
                }
            }
        }
        found.endings.push(ending);
        found.starts.push(compact(found.targets.len()));
        number += 1;
    }
    found.mark_contradictions();
    Ok(found)
}

impl Envisionment {
    /// How many states there are.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// How many of the states, the first ones, were given.
    pub fn n_initial(&self) -> usize {
        self.n_initial
    }

    /// The values of a state, in the model's quantity spaces.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn values(&self, number: usize) -> &[QValue] {
        &self.values[number * self.n_variables..(number + 1) * self.n_variables]
    }

    /// At a point in time, or over an interval.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn phase(&self, number: usize) -> Phase {
        self.tags[number].1
    }

    /// Index of a state's operating region.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn region(&self, number: usize) -> usize {
        usize::from(self.tags[number].0)
    }

    /// The numbers of the states that can follow.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn successors(&self, number: usize) -> &[u32] {
        &self.targets[self.starts[number] as usize..self.starts[number + 1] as usize]
    }

    /// Why nothing, or nothing else, follows a state.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn ending(&self, number: usize) -> Option<Ending> {
        self.endings[number]
    }

    /// Whether a behavior that does not end in a contradiction goes on from the state.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn is_consistent(&self, number: usize) -> bool {
        self.consistent[number]
    }

    /// How many pairs of a state and a successor there are.
    pub fn n_edges(&self) -> usize {
        self.targets.len()
    }

    /// What was refused, if [`Options::explain`] asked for it.
    pub fn removals(&self) -> &[Removal] {
        &self.removals
    }

    /// Whether nothing was left out for the limit on states.
    pub fn is_complete(&self) -> bool {
        self.limit.is_none()
    }

    /// If something was left out: how much, and what helps.
    pub fn limit_message(&self) -> Option<String> {
        let limit = self.limit?;
        let open = self
            .endings
            .iter()
            .filter(|end| **end == Some(Ending::NotExpanded))
            .count();
        Some(format!(
            "the limit of {limit} states is reached: of {} states {open} are not followed; raise \
             max-states",
            self.len()
        ))
    }

    /// The states that can come back, by cycle: sets of states each of which can be reached from
    /// all of its set. Sorted, the set with the lowest number first.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        // Tarjan 1972, without recursion.
        const NEW: u32 = u32::MAX;
        let n = self.len();
        let mut index = vec![NEW; n];
        let mut low = vec![0_u32; n];
        let mut on_stack = vec![false; n];
        let mut stack = Vec::new();
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut found = Vec::new();
        let mut next = 0;
        for root in 0..n {
            if index[root] != NEW {
                continue;
            }
            path.push((root, 0));
            while let Some((state, edge)) = path.pop() {
                if edge == 0 {
                    index[state] = next;
                    low[state] = next;
                    next += 1;
                    stack.push(state);
                    on_stack[state] = true;
                }
                if let Some(&target) = self.successors(state).get(edge) {
                    path.push((state, edge + 1));
                    let target = target as usize;
                    if index[target] == NEW {
                        path.push((target, 0));
                    } else if on_stack[target] {
                        low[state] = low[state].min(index[target]);
                    }
                    continue;
                }
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[state]);
                }
                if low[state] == index[state] {
                    // The state is on the stack, under what was reached from it.
                    let at = stack.iter().rposition(|other| *other == state);
                    let mut set = stack.split_off(at.unwrap_or(0));
                    for member in &set {
                        on_stack[*member] = false;
                    }
                    set.sort_unstable();
                    if set.len() > 1 {
                        found.push(set);
                    }
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// What leads to contradictions only is contradictory, again and again.
    fn mark_contradictions(&mut self) {
        let n = self.len();
        self.consistent = (self.endings.iter())
            .map(|ending| *ending != Some(Ending::Contradiction))
            .collect();
        let mut left: Vec<usize> = (0..n).map(|number| self.successors(number).len()).collect();
        let mut wrong: Vec<usize> = (0..n).filter(|number| !self.consistent[*number]).collect();
        if wrong.is_empty() {
            return;
        }
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); n];
        for number in 0..n {
            for &target in self.successors(number) {
                before[target as usize].push(compact(number));
            }
        }
        while let Some(number) = wrong.pop() {
            for &earlier in &before[number] {
                let earlier = earlier as usize;
                left[earlier] -= 1;
                if left[earlier] == 0 && self.endings[earlier].is_none() {
                    self.consistent[earlier] = false;
                    wrong.push(earlier);
                }
            }
        }
    }
}
