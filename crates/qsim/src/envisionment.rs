//! The envisionment: the graph of all states that can be reached, or of all there are.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::index::compact;
use crate::model::{Model, State};
use crate::options::{Options, limit_reached};
use crate::partial::PartialState;
use crate::quantity::{Direction, QValue};
use crate::removal::Removal;
use crate::start::{StartError, initial_states};
use crate::step::{Ending, StateRef, Step, Stepper};
use crate::successors::TupleTables;
use crate::transitions::Phase;

/// The state graph: every state once, with its successors.
///
/// Landmarks are those of the model: none is discovered, because a state has no history. For the
/// same reason the energy constraint does not apply.
#[derive(Clone, Debug)]
pub struct Envisionment {
    n_variables: usize,
    /// The values of all states, one state after the other.
    values: Vec<QValue>,
    /// Region and phase of each state.
    tags: Vec<(u16, Phase)>,
    n_initial: usize,
    /// The successors of state `i` are `targets[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    targets: Vec<u32>,
    endings: Vec<Option<Ending>>,
    consistent: Vec<bool>,
    removals: Vec<Removal>,
    /// The variables to which transitions between regions give magnitudes.
    set: Vec<usize>,
    /// The limit on states, if it was reached.
    limit: Option<usize>,
}

impl Model {
    /// The graph of the states that can be reached from the completions of these partial states;
    /// see [`starts`](Self::starts).
    ///
    /// # Errors
    /// [`StartError`].
    ///
    /// # Panics
    /// If a partial state does not have one set for each variable.
    pub fn envision(
        &self,
        initial: &[PartialState],
        options: &Options,
    ) -> Result<Envisionment, StartError> {
        self.envision_while(initial, options, &mut || true)
    }

    /// The same for as long as `keep_going`, which is asked often, says yes.
    ///
    /// # Errors
    /// [`StartError`]: [`Interrupted`](StartError::Interrupted) once it said no.
    ///
    /// # Panics
    /// As [`envision`](Self::envision).
    pub fn envision_while(
        &self,
        initial: &[PartialState],
        options: &Options,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Envisionment, StartError> {
        let states = initial_states(self, initial, options.max_states, keep_going)?;
        let states = states.into_iter().map(|state| (0, Phase::Point, state));
        envision(self, states.collect(), initial, options, keep_going)
    }

    /// The graph of all states that the constraints of any region accept, with all directions:
    /// [`Options::ignore_chatter`] does not count.
    ///
    /// # Errors
    /// [`StartError::TooManyStates`].
    pub fn envision_all(&self, options: &Options) -> Result<Envisionment, StartError> {
        self.envision_all_while(options, &mut || true)
    }

    /// The same for as long as `keep_going`, which is asked often, says yes.
    ///
    /// # Errors
    /// [`StartError`]: [`Interrupted`](StartError::Interrupted) once it said no.
    pub fn envision_all_while(
        &self,
        options: &Options,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Envisionment, StartError> {
        let options = &Options {
            ignore_chatter: false,
            ..options.clone()
        };
        let mut states = Vec::new();
        for region in 0..self.regions.len() {
            let limit = options.max_states.saturating_add(1);
            let anything = self.anything();
            let legal = self.completions_while(&anything, region, limit, |_| true, keep_going);
            let legal = legal.unwrap_or_default();
            for state in legal {
                // Nothing moves and stays at a landmark over an interval of time.
                let lasts = (state.iter())
                    .all(|value| value.may_rest() || !value.magnitude().is_landmark());
                if lasts {
                    states.push((region, Phase::Interval, state.clone()));
                }
                states.push((region, Phase::Point, state));
            }
        }
        envision(self, states, &[], options, keep_going)
    }
}

/// Distinct states by number, in the order in which they were found.
struct Interner {
    /// Each state as the codes of its values, with region and phase behind them.
    known: IndexSet<Box<[u16]>, FxBuildHasher>,
    key: Vec<u16>,
}

impl Interner {
    /// The number of a state, a new one if the state is new.
    fn intern(&mut self, region: usize, phase: Phase, state: &[QValue]) -> usize {
        self.key.clear();
        self.key.extend(state.iter().map(|value| value.code()));
        (self.key).push(2 * compact::<u16>(region) + phase as u16);
        match self.known.get_index_of(self.key.as_slice()) {
            Some(number) => number,
            None => self.known.insert_full(self.key.as_slice().into()).0,
        }
    }

    fn len(&self) -> usize {
        self.known.len()
    }

    /// Region and phase of a state, and its values.
    fn get(&self, number: usize) -> (u16, Phase, impl Iterator<Item = QValue>) {
        let state = &self.known[number];
        let (tag, codes) = state.split_last().expect("a state ends with its tag");
        let phase = [Phase::Point, Phase::Interval][usize::from(tag % 2)];
        (
            tag / 2,
            phase,
            codes.iter().map(|code| QValue::from_code(*code)),
        )
    }
}

fn envision(
    model: &Model,
    states: Vec<(usize, Phase, State)>,
    given: &[PartialState],
    options: &Options,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Envisionment, StartError> {
    let mut stepper = Stepper::new(model, options);
    stepper.expander.tables = Some(TupleTables::new(&model.frame));
    let n = model.variables().len();
    let mut known = Interner {
        known: IndexSet::default(),
        key: Vec::with_capacity(n + 1),
    };
    for (region, phase, state) in states {
        let state = stepper.abstracted_start(model, given, region, &state);
        known.intern(region, phase, &state);
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
        set: (model.regions())
            .flat_map(|region| &region.transitions)
            .flat_map(|transition| transition.set.iter().map(|(variable, _)| *variable))
            .collect(),
        limit: None,
    };
    let mut number = 0;
    while number < known.len() {
        if !keep_going() {
            return Err(StartError::Interrupted);
        }
        let (region, phase, values) = known.get(number);
        found.tags.push((region, phase));
        found.values.extend(values);
        let ending = if known.len() > options.max_states {
            found.limit = Some(options.max_states);
            Some(Ending::NotExpanded)
        } else {
            found.expand(number, model, options, &mut stepper, &mut known)
        };
        found.endings.push(ending);
        found.starts.push(compact(found.targets.len()));
        number += 1;
    }
    found.mark_contradictions();
    Ok(found)
}

impl Envisionment {
    /// Adds the successors of the last state.
    fn expand(
        &mut self,
        number: usize,
        model: &Model,
        options: &Options,
        stepper: &mut Stepper,
        known: &mut Interner,
    ) -> Option<Ending> {
        let (region, phase) = self.tags[number];
        let region = usize::from(region);
        let here = StateRef {
            frame: &model.frame,
            values: &self.values[number * self.n_variables..],
            phase,
            region,
        };
        let (targets, removals) = (&mut self.targets, &mut self.removals);
        let step = stepper.step(model, options, here, &mut |next, refused| match refused {
            None => targets.push(compact(known.intern(region, phase.other(), next))),
            Some(filter) if options.explain => {
                removals.push(Removal::of_state(number, next, filter));
            }
            Some(_) => {}
        });
        let removed = stepper.expander.removed.as_deref();
        removals.extend(Removal::of_values(number, removed));
        match step {
            Step::Ends(ending) => Some(ending),
            Step::Enters(to, states) => {
                for state in &states {
                    targets.push(compact(known.intern(to, Phase::Point, state)));
                }
                None
            }
            Step::Continues { may_rest } => may_rest.then_some(Ending::Quiescent),
        }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// Number of initial states; they come first.
    pub(crate) fn n_initial(&self) -> usize {
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

    /// Why a state has no successors, or no others.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn ending(&self, number: usize) -> Option<Ending> {
        self.endings[number]
    }

    /// Whether the state is on a behavior that does not end in a contradiction.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn is_consistent(&self, number: usize) -> bool {
        self.consistent[number]
    }

    /// Number of edges: pairs of a state and a successor.
    pub(crate) fn n_edges(&self) -> usize {
        self.targets.len()
    }

    /// The successors that were filtered out, if [`Options::explain`] is set.
    pub fn removals(&self) -> &[Removal] {
        &self.removals
    }

    /// Whether the limit on states was not reached.
    pub fn is_complete(&self) -> bool {
        self.limit.is_none()
    }

    /// If the limit on states was reached: the number of open states, and what helps.
    pub fn limit_message(&self) -> Option<String> {
        let limit = self.limit?;
        let open = self
            .endings
            .iter()
            .filter(|end| **end == Some(Ending::NotExpanded))
            .count();
        Some(limit_reached(limit, open, self.len()))
    }

    /// The cycles: strongly connected components of several states, each sorted, the one with the
    /// lowest number first. A component in which some variable moves in one direction only is not one:
    /// nothing comes back.
    ///
    /// # Source
    /// Tarjan 1972, Depth-first search and linear graph algorithms, SIAM Journal on Computing 1 (2),
    /// 146–160, without recursion.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
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
                    // The component is the part of the stack from this state on.
                    let at = stack.iter().rposition(|other| *other == state);
                    let mut set = stack.split_off(at.unwrap_or(0));
                    for member in &set {
                        on_stack[*member] = false;
                    }
                    set.sort_unstable();
                    if set.len() > 1 && !self.drifts(&set) {
                        found.push(set);
                    }
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether a variable that no transition sets moves in one direction only in all of these states.
    fn drifts(&self, states: &[usize]) -> bool {
        let goes = |variable: usize, wanted: Direction| {
            states.iter().all(|&state| {
                let direction = self.values(state)[variable].direction();
                let rests = direction == Direction::Std && self.phase(state) == Phase::Point;
                direction == wanted || rests
            })
        };
        (0..self.n_variables)
            .filter(|variable| !self.set.contains(variable))
            .any(|variable| goes(variable, Direction::Inc) || goes(variable, Direction::Dec))
    }

    /// Marks the states from which every path ends in a contradiction, backwards from the
    /// contradictions.
    fn mark_contradictions(&mut self) {
        let n = self.len();
        self.consistent = (self.endings.iter())
            .map(|ending| *ending != Some(Ending::Contradiction))
            .collect();
        let mut out_degrees: Vec<usize> =
            (0..n).map(|number| self.successors(number).len()).collect();
        let mut open: Vec<usize> = (0..n).filter(|number| !self.consistent[*number]).collect();
        if open.is_empty() {
            return;
        }
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); n];
        for number in 0..n {
            for &target in self.successors(number) {
                predecessors[target as usize].push(compact(number));
            }
        }
        while let Some(number) = open.pop() {
            for &earlier in &predecessors[number] {
                let earlier = earlier as usize;
                out_degrees[earlier] -= 1;
                if out_degrees[earlier] == 0 && self.endings[earlier].is_none() {
                    self.consistent[earlier] = false;
                    open.push(earlier);
                }
            }
        }
    }
}
