//! Why a trajectory is not among the behaviors of a system.

use kibitz_text::Diagnostic;

use super::observed_states::{Change, ObservedStates};
use super::search::{Search, fits};
use super::{LandmarkValues, Trajectory};
use crate::completion::Refusal;
use crate::model::State;
use crate::partial::{PartialState, ValueSet};
use crate::quantity::QValue;
use crate::step::{Ending, Filter, StateRef, Stepper};
use crate::system::System;

/// The first sample that no behavior agrees with, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct UncoveredSample {
    /// Number of the sample, counted from 0.
    pub sample: usize,
    /// Which part of the model does not allow it.
    pub blame: Blame,
    /// The variables each of which alone, were it not observed here, would let a behavior agree, with
    /// the values it would have; if none, it takes several to disagree.
    pub variables: Vec<(usize, Vec<QValue>)>,
    /// Values that agree with the samples, and the constraints that refuse them.
    pub refusals: Vec<Refusal>,
    /// Global filters that refuse states which agree with the samples.
    pub filters: Vec<Filter>,
    /// Endings of the behaviors that agreed so far, with their operating regions.
    pub endings: Vec<(usize, Ending)>,
    /// The states that agreed with the sample before.
    pub before: Vec<State>,
    /// The values of the landmarks.
    pub landmarks: LandmarkValues,
}

/// Which part of a model does not allow a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blame {
    /// A variable's quantity space.
    Space(usize),
    /// The initial states.
    Start,
    /// The constraints, in every operating region that was reached.
    Constraints,
    /// The transitions from the states before.
    Transition,
}

/// Maximum number of values and states listed.
const SHOWN: usize = 6;

impl UncoveredSample {
    /// Finds out why no state at `sample` follows the entries `here` at the sample before.
    pub(super) fn new(
        search: &mut Search<'_>,
        initial: &[PartialState],
        observed: &ObservedStates,
        landmarks: &LandmarkValues,
        sample: usize,
        here: &[usize],
    ) -> Self {
        let mut found = Self {
            sample,
            blame: if sample == 0 {
                Blame::Start
            } else {
                Blame::Transition
            },
            variables: Vec::new(),
            refusals: Vec::new(),
            filters: Vec::new(),
            endings: Vec::new(),
            before: Vec::new(),
            landmarks: landmarks.clone(),
        };
        let mut before = here.iter().map(|entry| search.place(*entry).2.clone());
        found.before = before.by_ref().take(SHOWN).collect();
        drop(before);
        if let Some((_, variable)) = observed.outside.filter(|(at, _)| *at == sample) {
            found.blame = Blame::Space(variable);
            return found;
        }
        found.look_at_constraints(search, &observed.at[sample], sample, here);
        found.relax(search, initial, observed, here);
        if found.blame == Blame::Transition {
            found.look_at_transitions(search, observed, here);
        }
        found
    }

    /// Whether no state with the values of the sample satisfies the constraints.
    fn look_at_constraints(
        &mut self,
        search: &Search<'_>,
        values: &[ValueSet],
        sample: usize,
        here: &[usize],
    ) {
        let model = search.model;
        let mut regions: Vec<usize> = here.iter().map(|entry| search.place(*entry).0).collect();
        if sample == 0 {
            regions.push(0);
        }
        regions.sort_unstable();
        regions.dedup();
        let refused = |region: &usize| model.completions(values, *region, 1, |_| true).err();
        let refusals: Vec<_> = regions.iter().filter_map(refused).collect();
        if refusals.len() == regions.len() {
            self.blame = Blame::Constraints;
            self.refusals = refusals.into_iter().flatten().take(SHOWN).collect();
        }
    }

    /// Leaves out one variable after the other.
    fn relax(
        &mut self,
        search: &mut Search<'_>,
        initial: &[PartialState],
        observed: &ObservedStates,
        here: &[usize],
    ) {
        let sample = self.sample;
        let n_entries = search.n_entries();
        for variable in 0..search.model.variables().len() {
            let mut at = observed.at[sample].clone();
            if at[variable] == ValueSet::ANY {
                continue;
            }
            at[variable] = ValueSet::ANY;
            let reached = match sample.checked_sub(1) {
                None => search.start(initial, &at),
                Some(before) => {
                    let mut within = observed.between[before].clone();
                    within[variable] = ValueSet::ANY;
                    let changes = observed.changes[before].iter().copied();
                    let others: Vec<Change> =
                        changes.filter(|own| own.variable != variable).collect();
                    search.follow(here, before, (&within, &others), &at)
                }
            };
            // Where too many states agree, nothing is learned about the variable.
            let reached = reached.unwrap_or_default();
            let mut values: Vec<QValue> = (reached.iter())
                .map(|entry| search.place(*entry).2[variable])
                .collect();
            values.sort_unstable();
            values.dedup();
            if !values.is_empty() {
                self.variables.push((variable, values));
            }
            search.truncate(n_entries);
        }
    }

    /// What refuses the successors that would agree, and whether behaviors end before.
    fn look_at_transitions(
        &mut self,
        search: &mut Search<'_>,
        observed: &ObservedStates,
        here: &[usize],
    ) {
        const MANY: usize = 1_000;
        let before = self.sample - 1;
        let within = &observed.between[before];
        let n_entries = search.n_entries();
        let mut open = here.to_vec();
        open.extend(
            search
                .reach(here, before, (within, &[]))
                .unwrap_or_default(),
        );
        open.extend(n_entries..search.n_entries());
        open.sort_unstable();
        open.dedup();
        let model = search.model;
        let mut options = search.options.clone();
        options.explain = true;
        let mut stepper = Stepper::new(model, &options);
        let agrees = |variable: usize, value: QValue| {
            within[variable] != ValueSet::ANY
                && within[variable].contains(value)
                && observed.at[self.sample][variable].contains(value)
        };
        for &entry in open.iter().take(MANY) {
            let (region, phase, state) = search.place(entry);
            let ending = search.ending(entry).map(|ending| (region, ending));
            let new = ending.filter(|ending| !self.endings.contains(ending));
            self.endings.extend(new);
            let here = StateRef {
                frame: &model.frame,
                values: state,
                phase,
                region,
            };
            let filters = &mut self.filters;
            stepper.step(model, &options, here, &mut |next, refused| {
                if let Some(filter) = refused.filter(|_| fits(next, within)) {
                    filters.push(filter);
                }
            });
            let removed = stepper.expander.removed.iter().flatten();
            for found in removed.filter(|found| agrees(found.variable, found.value)) {
                let refusal = Refusal {
                    variable: found.variable,
                    value: found.value,
                    constraint: found.constraint,
                };
                if self.refusals.len() < SHOWN && !self.refusals.contains(&refusal) {
                    self.refusals.push(refusal);
                }
            }
        }
        self.filters.sort_unstable();
        self.filters.dedup();
        // The state before and the sample may be the same.
        self.filters.retain(|filter| *filter != Filter::NoChange);
        search.truncate(n_entries);
        search.options.energy = false;
        let between = (&within[..], &observed.changes[before][..]);
        let without = search.follow(here, before, between, &observed.at[self.sample]);
        if without.is_ok_and(|reached| !reached.is_empty()) {
            self.filters.push(Filter::Energy);
        }
    }

    /// The message, at the place in the file if the trajectory was read from one.
    pub fn diagnostic(&self, system: &System, trajectory: &Trajectory) -> Diagnostic {
        let model = &system.model;
        let name = |variable: usize| &model.variables()[variable].name;
        let show = |variable: usize, value: &QValue| model.variables()[variable].space.show(*value);
        let several = |variable: usize, values: &[QValue]| {
            let shown = values.iter().take(SHOWN).map(|value| show(variable, value));
            let shown: Vec<String> = shown.collect();
            let more = if values.len() > SHOWN { ", …" } else { "" };
            format!("{}{more}", shown.join(", "))
        };
        let time = trajectory.times[self.sample];
        let what = match self.blame {
            Blame::Space(variable) => {
                format!("`{}` leaves its quantity space", name(variable))
            }
            Blame::Start => "it does not begin in an initial state".to_owned(),
            Blame::Constraints => "the constraints refuse its values".to_owned(),
            Blame::Transition => "no transition leads to its values".to_owned(),
        };
        let message = format!(
            "the trajectory is not among the behaviors of the system: at time {time} {what}"
        );
        let mut diagnostic = Diagnostic::new(message);
        // The place is the field of the variable at fault if there is one, else the line of the
        // sample.
        let culprit = match self.blame {
            Blame::Space(variable) => Some(variable),
            _ => self.variables.first().map(|(variable, _)| *variable),
        };
        if let Some(table) = &trajectory.table {
            let place = table.place(self.sample, culprit);
            diagnostic = diagnostic.at(place);
        }
        // Outside of the quantity space there are no candidates, so nothing below applies.
        if let Blame::Space(variable) = self.blame {
            let space = &model.variables()[variable].space;
            let landmarks: Vec<&str> = space.landmarks().collect();
            return diagnostic.with_label(format!("it has {}", landmarks.join(", ")));
        }
        for (at, (variable, values)) in self.variables.iter().enumerate() {
            let has = format!(
                "the model would have `{}` at {}",
                name(*variable),
                several(*variable, values)
            );
            diagnostic = if at == 0 {
                diagnostic.with_label(has)
            } else {
                diagnostic.with_note(format!("or {has}"))
            };
        }
        if self.variables.is_empty() {
            diagnostic = diagnostic.with_label("no single variable is at fault");
        }
        // One note for each constraint and variable; refusals come sorted by both.
        let same =
            |a: &Refusal, b: &Refusal| (a.constraint, a.variable) == (b.constraint, b.variable);
        for refusals in self.refusals.chunk_by(same) {
            let Refusal {
                variable,
                constraint,
                ..
            } = refusals[0];
            let values: Vec<QValue> = refusals.iter().map(|refusal| refusal.value).collect();
            diagnostic = diagnostic.with_note(format!(
                "`{}` refuses {} = {}",
                model.constraint_name(constraint),
                name(variable),
                several(variable, &values)
            ));
        }
        for filter in &self.filters {
            diagnostic = diagnostic.with_note(format!("a state is refused: {}", filter.reason()));
        }
        for (region, ending) in &self.endings {
            let said = ending_note(system, *region, *ending);
            diagnostic = diagnostic.with_note(said);
        }
        if let Some(before) = self.before.first() {
            let or = match self.before.len() {
                1 => String::new(),
                _ => ", or another state".to_owned(),
            };
            diagnostic = diagnostic.with_note(format!("before: {}{or}", model.show(before)));
        }
        diagnostic
    }
}

fn ending_note(system: &System, region: usize, ending: Ending) -> String {
    let model = &system.model;
    let transition = |number: usize| {
        let found = model.regions().nth(region);
        found.map_or("", |region| region.transitions[number].name.as_str())
    };
    match ending {
        Ending::OutOfRange(variable) => format!(
            "a behavior ends before: `{}` leaves its range",
            model.variables()[variable].name
        ),
        Ending::Exit(number) => {
            format!(
                "a behavior ends before by the transition {}",
                transition(number)
            )
        }
        Ending::NoEntry(number) => format!(
            "a behavior ends before: the transition {} has no state to enter",
            transition(number)
        ),
        Ending::Quiescent => "a behavior comes to rest before".to_owned(),
        Ending::Divergent => "a behavior goes to infinity before".to_owned(),
        _ => "a behavior cannot go on from the state before".to_owned(),
    }
}
