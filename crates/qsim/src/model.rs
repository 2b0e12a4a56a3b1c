//! A qualitative model: variables, constraints, operating regions, and which states it accepts.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::completion::{self, Refusal};
use crate::constraint::{Constraint, ConstraintError, Objection};
use crate::frame::{Frame, Plan};
use crate::partial::{PartialState, ValueSet};
use crate::quantity::{Direction, Magnitude, QValue, QuantitySpace};
use crate::relation::Relation;

/// One value for each variable, in the order of the model.
pub type State = Box<[QValue]>;

/// Most variables, and most operating regions, of a model.
const MAX_VARIABLES: usize = 60_000;
const MAX_REGIONS: usize = 30_000;

/// A quantity of the system.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The values it can have.
    pub space: QuantitySpace,
    /// Whether its directions of change are not told apart, against chatter.
    pub ignore_direction: bool,
}

impl Variable {
    /// A variable whose directions are told apart.
    pub fn new(name: impl Into<String>, space: QuantitySpace) -> Self {
        Self {
            name: name.into(),
            space,
            ignore_direction: false,
        }
    }
}

/// A way from one operating region to another.
#[derive(Clone, Debug)]
pub struct Transition {
    /// It is taken at every point in time at which the state is one of these.
    pub when: PartialState,
    /// The region it leads to; none if the behavior ends here.
    pub to: Option<usize>,
    /// Variables whose magnitudes are not carried over, and what they can be instead.
    pub set: Vec<(usize, ValueSet)>,
    /// What to call it in messages.
    pub name: String,
}

/// A part of the system's life in which some of the constraints hold.
#[derive(Clone, Debug)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Indices of the constraints that hold in it.
    pub constraints: Vec<usize>,
    /// The ways out of it; the first that applies is taken.
    pub transitions: Vec<Transition>,
}

/// What becomes of the energy of a system with a position and a velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EnergyTrend {
    /// It stays as it is.
    Conserved,
    /// It becomes less as long as the system moves.
    Dissipated,
}

/// An argument about energy, used to refuse states that no real motion reaches.
///
/// The kinetic energy grows with the distance of the velocity from zero, the potential energy with
/// the distance of the position from rest, on either side of it.
///
/// # Source
/// Fouché and Kuipers 1992, Reasoning about energy in qualitative simulation, IEEE Transactions
/// on Systems, Man, and Cybernetics 22 (1), 47–63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Energy {
    /// Index of the position.
    pub position: usize,
    /// Landmark of the position at which the potential energy is least.
    pub rest: Magnitude,
    /// Index of the velocity; its space has a zero.
    pub velocity: usize,
    /// What becomes of the energy.
    pub trend: EnergyTrend,
}

/// Why variables and constraints make no model.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A model has a variable at least, and not more than can be indexed.
    #[error("a model has 1 to {MAX_VARIABLES} variables")]
    NVariables,
    /// A model has a region at least, and not more than can be indexed.
    #[error("a model has 1 to {MAX_REGIONS} operating regions")]
    NRegions,
    /// A constraint that makes no sense.
    #[error("constraint {index}: {source}")]
    Constraint {
        /// Index of the constraint.
        index: usize,
        /// What is wrong with it.
        source: ConstraintError,
    },
    /// An index in a region, a transition or the energy that nothing has.
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

/// Variables and constraints, ready to judge states.
#[derive(Clone, Debug)]
pub struct Model {
    variables: Vec<Variable>,
    constraints: Vec<Constraint>,
    pub(crate) regions: Vec<(Region, Plan)>,
    energy: Option<Energy>,
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

    /// As [`new`](Self::new); if `check_infinities` is false, sums and products do not care
    /// whether values are finite.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_infinities(
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
            frame,
        })
    }

    /// The same with these operating regions; behaviors start in the first.
    ///
    /// # Errors
    /// [`ModelError::NoSuch`] for an index that nothing has.
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

    /// The same with an argument about energy.
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

    /// The same without distinguishing the directions of these variables.
    #[must_use]
    pub fn ignoring_directions(mut self, variables: impl IntoIterator<Item = usize>) -> Self {
        for variable in variables {
            self.variables[variable].ignore_direction = true;
        }
        self
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

    /// The argument about energy, if there is one.
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

    /// What a constraint says, as a formula.
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
    /// If the state has not one value for each variable.
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
    /// If the state has not one value for each variable, or there is no such region.
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

    /// A partial state that says nothing.
    pub fn anything(&self) -> PartialState {
        vec![ValueSet::ANY; self.variables.len()]
    }

    /// Whether some state with these values is accepted: the constraints hold for suitable values
    /// of the variables that are not known.
    pub fn accepts_partial(&self, partial: &[ValueSet]) -> bool {
        let mut found = false;
        // What is refused is not asked for.
        let _ = completion::solve(self, &self.frame, 0, partial, &mut |_| {
            found = true;
            ControlFlow::Break(())
        });
        found
    }

    /// All states of a region with these values that its constraints accept, in order.
    ///
    /// # Errors
    /// The [`Refusal`]s that leave a variable without values, if there is no such state; none if
    /// only all constraints together refuse.
    ///
    /// # Panics
    /// If the partial state has not one set for each variable, or there is no such region.
    pub fn completions(
        &self,
        partial: &[ValueSet],
        region: usize,
    ) -> Result<Vec<State>, Vec<Refusal>> {
        self.collect(partial, region, usize::MAX, |_| true)
    }

    /// The [`completions`](Self::completions) in the first region that a behavior can start in: at
    /// a finite time nothing is infinite, unless the partial state says so.
    ///
    /// # Errors
    /// As [`completions`](Self::completions).
    ///
    /// # Panics
    /// As [`completions`](Self::completions).
    pub fn starts(&self, partial: &[ValueSet]) -> Result<Vec<State>, Vec<Refusal>> {
        self.starts_up_to(partial, usize::MAX)
    }

    pub(crate) fn starts_up_to(
        &self,
        partial: &[ValueSet],
        limit: usize,
    ) -> Result<Vec<State>, Vec<Refusal>> {
        self.collect(partial, 0, limit, |state| {
            let mut values = partial.iter().zip(state).zip(&self.variables);
            values.all(|((set, value), variable)| {
                set.low == set.high || !variable.space.is_infinite(value.magnitude())
            })
        })
    }

    /// The completions that are wanted, in order; those found first, if there are more than `limit`.
    pub(crate) fn collect(
        &self,
        partial: &[ValueSet],
        region: usize,
        limit: usize,
        wanted: impl Fn(&[QValue]) -> bool,
    ) -> Result<Vec<State>, Vec<Refusal>> {
        let mut found: Vec<State> = Vec::new();
        completion::solve(self, &self.frame, region, partial, &mut |state| {
            if wanted(state) {
                found.push(Box::from(state));
            }
            if found.len() < limit {
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

    /// Every state of the quantity spaces that the constraints of the first region accept.
    pub fn legal_states(&self) -> Vec<State> {
        self.completions(&self.anything(), 0).unwrap_or_default()
    }

    /// Every state of the quantity spaces, accepted or not.
    pub fn states(&self) -> States {
        let domains: Vec<Vec<QValue>> = (0..self.variables.len())
            .map(|variable| self.values(&self.frame, variable).collect())
            .collect();
        States {
            next: Some(vec![0; domains.len()]),
            domains,
        }
    }

    /// Every value that a variable can have.
    pub(crate) fn values(
        &self,
        frame: &Frame,
        variable: usize,
    ) -> impl Iterator<Item = QValue> + use<> {
        let directions: &[Direction] = if self.variables[variable].ignore_direction {
            &[Direction::Ignored]
        } else {
            &Direction::ALL
        };
        let magnitudes = frame.spaces[variable].magnitudes();
        magnitudes.flat_map(|at| directions.iter().map(move |way| QValue::new(at, *way)))
    }

    /// The state as the field writes it, variable by variable.
    pub fn show(&self, state: &[QValue]) -> String {
        self.show_in(&self.frame, state)
    }

    pub(crate) fn show_in(&self, frame: &Frame, state: &[QValue]) -> String {
        let shown: Vec<String> = (self.variables.iter().zip(&frame.spaces).zip(state))
            .map(|((variable, space), value)| format!("{}={}", variable.name, space.show(*value)))
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
