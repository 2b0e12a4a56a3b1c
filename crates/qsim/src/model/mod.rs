//! Qualitative models (qualitative differential equations), and the states they accept.

mod connection;
mod energy;
mod region;
pub(crate) mod variable;

pub use connection::UnconnectedVariables;
pub use energy::{Energy, EnergyTrend};
pub use region::{Region, Transition};
pub use variable::Variable;

use std::ops::ControlFlow;
use std::sync::Arc;

use thiserror::Error;

use crate::completion::{self, Refusal};
use crate::constraint::{Constraint, ConstraintError, Objection};
use crate::frame::Frame;
use crate::partial::{PartialState, ValueSet};
use crate::plan::Plan;
use crate::quantity::QValue;
use crate::relation::Relation;

/// One value for each variable, in the order of the model.
pub type State = Box<[QValue]>;

/// Limits on the variables and operating regions of a model.
const MAX_VARIABLES: usize = 60_000;
const MAX_REGIONS: usize = 30_000;

/// Why variables and constraints make no model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// No variable, or more than can be indexed.
    #[error("a model has 1 to {MAX_VARIABLES} variables")]
    NVariables,
    /// No region, or more than can be indexed.
    #[error("a model has 1 to {MAX_REGIONS} operating regions")]
    NRegions,
    /// A constraint that makes no sense.
    #[error("constraint {index}: {source}")]
    Constraint {
        /// Index of the constraint.
        index: usize,
        /// The error.
        source: ConstraintError,
    },
    /// An index in a region, a transition or the energy that is out of range.
    #[error("{what} {index} does not exist")]
    NoSuch {
        /// "variable", "constraint" or "region".
        what: &'static str,
        /// The index.
        index: usize,
    },
    /// The velocity of the energy has no landmark 0.
    #[error("the energy needs a velocity with the landmark `0`")]
    EnergyWithoutZero,
}

/// A qualitative differential equation: variables, constraints and operating regions.
#[derive(Clone, Debug)]
pub struct Model {
    variables: Vec<Variable>,
    constraints: Vec<Constraint>,
    pub(crate) regions: Vec<(Region, Plan)>,
    energy: Option<Energy>,
    has_infinities: bool,
    pub(crate) frame: Frame,
}

impl Model {
    /// A model with one region in which all constraints hold, with infinite values checked.
    ///
    /// # Errors
    /// [`ModelError`] with the first constraint that makes no sense.
    pub fn new(variables: Vec<Variable>, constraints: Vec<Constraint>) -> Result<Self, ModelError> {
        Self::with_infinities(variables, constraints, true)
    }

    /// As [`new`](Self::new); if `check_infinities` is false, sums and products ignore whether
    /// values are finite.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn with_infinities(
        variables: Vec<Variable>,
        constraints: Vec<Constraint>,
        check_infinities: bool,
    ) -> Result<Self, ModelError> {
        if variables.is_empty() || variables.len() > MAX_VARIABLES {
            return Err(ModelError::NVariables);
        }
        let spaces: Vec<_> = (variables.iter())
            .map(|variable| Arc::new(variable.space.clone()))
            .collect();
        let relations = (constraints.iter().enumerate())
            .map(|(index, constraint)| {
                Relation::new(constraint, |v| spaces.get(v).cloned(), check_infinities)
                    .map_err(|source| ModelError::Constraint { index, source })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let frame = Frame::new(spaces, relations);
        let region = Region {
            name: "always".to_owned(),
            constraints: (0..constraints.len()).collect(),
            transitions: Vec::new(),
        };
        let plan = Plan::new(&frame, region.constraints.clone());
        Ok(Self {
            variables,
            constraints,
            regions: vec![(region, plan)],
            energy: None,
            has_infinities: check_infinities,
            frame,
        })
    }

    /// The same with these operating regions; behaviors start in the first.
    ///
    /// # Errors
    /// [`ModelError::NoSuch`] for an index that is out of range.
    pub fn with_regions(mut self, regions: Vec<Region>) -> Result<Self, ModelError> {
        let check = |what, index, n| {
            if index < n {
                Ok(())
            } else {
                Err(ModelError::NoSuch { what, index })
            }
        };
        if regions.is_empty() || regions.len() > MAX_REGIONS {
            return Err(ModelError::NRegions);
        }
        for region in &regions {
            for &index in &region.constraints {
                check("constraint", index, self.constraints.len())?;
            }
            for transition in &region.transitions {
                check("region", transition.to.unwrap_or(0), regions.len())?;
                let n = transition.when.len();
                check("variable", n.saturating_sub(1), self.variables.len())?;
                for (variable, _) in &transition.set {
                    check("variable", *variable, self.variables.len())?;
                }
            }
        }
        self.regions = (regions.into_iter())
            .map(|region| {
                let plan = Plan::new(&self.frame, region.constraints.clone());
                (region, plan)
            })
            .collect();
        Ok(self)
    }

    /// The same with an energy constraint.
    ///
    /// # Errors
    /// [`ModelError::NoSuch`], [`ModelError::EnergyWithoutZero`].
    pub fn with_energy(mut self, energy: Energy) -> Result<Self, ModelError> {
        for index in [energy.position, energy.velocity] {
            if index >= self.variables.len() {
                let what = "variable";
                return Err(ModelError::NoSuch { what, index });
            }
        }
        if self.variables[energy.velocity].space.zero().is_none() {
            return Err(ModelError::EnergyWithoutZero);
        }
        self.energy = Some(energy);
        Ok(self)
    }

    /// The variables, in the order of every state.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The constraints.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The operating regions.
    pub fn regions(&self) -> impl ExactSizeIterator<Item = &Region> {
        self.regions.iter().map(|(region, _)| region)
    }

    /// Whether sums and products care which values are infinite.
    pub fn has_infinities(&self) -> bool {
        self.has_infinities
    }

    /// The energy constraint, if there is one.
    pub fn energy(&self) -> Option<Energy> {
        self.energy
    }

    /// Index of the variable of this name.
    pub fn variable(&self, name: &str) -> Option<usize> {
        (self.variables.iter()).position(|variable| variable.name == name)
    }

    /// A constraint as people write it: `add(lb, diff, la)`.
    pub fn constraint_name(&self, index: usize) -> String {
        let constraint = &self.constraints[index];
        format!("{}({})", constraint.kind, self.arguments(index).join(", "))
    }

    /// A constraint as a formula: `lb + diff = la`.
    pub fn constraint_formula(&self, index: usize) -> String {
        self.constraints[index].kind.reads(&self.arguments(index))
    }

    fn arguments(&self, index: usize) -> Vec<&str> {
        let constraint = &self.constraints[index];
        (constraint.variables.iter())
            .map(|&variable| self.variables[variable].name.as_str())
            .collect()
    }

    /// Whether all constraints of the first region accept the state.
    ///
    /// # Panics
    /// If the state does not have one value for each variable.
    pub fn accepts(&self, state: &[QValue]) -> bool {
        assert_eq!(state.len(), self.variables.len(), "one value a variable");
        let plan = &self.regions[0].1;
        plan.relations.iter().all(|&index| {
            let relation = &self.frame.relations[index];
            relation.accepts(Frame::arguments(relation, state))
        })
    }

    /// The constraints of a region that refuse the state, by their index, and what each objects to.
    ///
    /// # Panics
    /// If the state does not have one value for each variable, or there is no such region.
    pub fn objections(&self, state: &[QValue], region: usize) -> Vec<(usize, Objection)> {
        assert_eq!(state.len(), self.variables.len(), "one value a variable");
        let plan = &self.regions[region].1;
        let found = plan.relations.iter().filter_map(|&index| {
            let relation = &self.frame.relations[index];
            let objection = relation.objection(Frame::arguments(relation, state))?;
            Some((index, objection))
        });
        found.collect()
    }

    /// The partial state in which nothing is known.
    pub fn anything(&self) -> PartialState {
        vec![ValueSet::ANY; self.variables.len()]
    }

    /// Whether the first region accepts some completion of the partial state.
    ///
    /// # Panics
    /// If the partial state does not have one set for each variable.
    pub fn accepts_partial(&self, partial: &[ValueSet]) -> bool {
        self.completions(partial, 0, 1, |_| true).is_ok()
    }

    /// The completions of a partial state in which a behavior can start, in order: those that the
    /// first region accepts. Magnitudes are finite unless the partial state says otherwise, since time
    /// is finite.
    ///
    /// # Errors
    /// The [`Refusal`]s that leave a variable without values, if there is no such state; none if
    /// only all constraints together refuse.
    ///
    /// # Panics
    /// If the partial state does not have one set for each variable.
    pub fn starts(&self, partial: &[ValueSet]) -> Result<Vec<State>, Vec<Refusal>> {
        self.starts_up_to(partial, usize::MAX)
    }

    pub(crate) fn starts_up_to(
        &self,
        partial: &[ValueSet],
        limit: usize,
    ) -> Result<Vec<State>, Vec<Refusal>> {
        self.starts_while(partial, limit, &mut || true)
    }

    /// Those found until `keep_going` says no.
    pub(crate) fn starts_while(
        &self,
        partial: &[ValueSet],
        limit: usize,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<State>, Vec<Refusal>> {
        let wanted = |state: &[QValue]| {
            let mut values = partial.iter().zip(state).zip(&self.variables);
            values.all(|((set, value), variable)| {
                set.low == set.high || !variable.space.is_infinite(value.magnitude())
            })
        };
        self.completions_while(partial, 0, limit, wanted, keep_going)
    }

    /// The completions of a partial state that a region accepts and that are `wanted`, in order;
    /// the `limit` found first, if there are more.
    ///
    /// # Errors
    /// As [`starts`](Self::starts).
    pub(crate) fn completions(
        &self,
        partial: &[ValueSet],
        region: usize,
        limit: usize,
        wanted: impl Fn(&[QValue]) -> bool,
    ) -> Result<Vec<State>, Vec<Refusal>> {
        self.completions_while(partial, region, limit, wanted, &mut || true)
    }

    /// Those found until `keep_going` says no.
    pub(crate) fn completions_while(
        &self,
        partial: &[ValueSet],
        region: usize,
        limit: usize,
        wanted: impl Fn(&[QValue]) -> bool,
        keep_going: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<State>, Vec<Refusal>> {
        let mut found: Vec<State> = Vec::new();
        self.complete(&self.frame, region, partial, &mut |state| {
            if wanted(state) {
                found.push(Box::from(state));
            }
            if found.len() < limit && keep_going() {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        found.sort_unstable();
        if found.is_empty() {
            return Err(Vec::new());
        }
        Ok(found)
    }

    /// Emits every completion of a partial state in this frame that a region accepts.
    ///
    /// # Errors
    /// If a variable is left without values: the refusals.
    pub(crate) fn complete(
        &self,
        frame: &Frame,
        region: usize,
        partial: &[ValueSet],
        emit: &mut dyn FnMut(&[QValue]) -> ControlFlow<()>,
    ) -> Result<(), Vec<Refusal>> {
        let plan = &self.regions[region].1;
        completion::solve(&self.variables, frame, plan, partial, emit)
    }

    /// Every state of the quantity spaces that the constraints of the first region accept.
    pub fn legal_states(&self) -> Vec<State> {
        let legal = self.completions(&self.anything(), 0, usize::MAX, |_| true);
        legal.unwrap_or_default()
    }

    /// Every state of the quantity spaces, accepted or not.
    pub fn states(&self) -> States {
        let domains: Vec<Vec<QValue>> = (self.variables.iter())
            .map(|variable| variable.domain(&variable.space).collect())
            .collect();
        States {
            next: Some(vec![0; domains.len()]),
            domains,
        }
    }

    /// The state in the notation of the field, variable by variable.
    pub fn show(&self, state: &[QValue]) -> String {
        let shown: Vec<String> = (self.variables.iter().zip(state))
            .map(|(variable, value)| format!("{}={}", variable.name, variable.space.show(*value)))
            .collect();
        shown.join(" ")
    }
}

/// All states of a model's quantity spaces; see [`Model::states`].
#[derive(Clone, Debug)]
pub struct States {
    domains: Vec<Vec<QValue>>,
    next: Option<Vec<usize>>,
}

impl Iterator for States {
    type Item = State;

    fn next(&mut self) -> Option<State> {
        let at = self.next.as_mut()?;
        let state = (at.iter().zip(&self.domains)).map(|(at, domain)| domain[*at]);
        let state = state.collect();
        let last = (at.iter().zip(&self.domains)).rposition(|(at, domain)| at + 1 < domain.len());
        match last {
            Some(place) => {
                at[place] += 1;
                at[place + 1..].fill(0);
            }
            None => self.next = None,
        }
        Some(state)
    }
}
