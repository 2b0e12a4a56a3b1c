//! Genmodel: the conjunction of all constraints that the states satisfy.

use std::sync::Arc;

use super::dimension::{self, Dimension};
use super::{LEARNED_KINDS, candidates};
use crate::constraint::{Constraint, ConstraintKind};
use crate::frame::Frame;
use crate::model::{State, Variable};
use crate::quantity::{Direction, Magnitude, QValue, QuantitySpace};
use crate::relation::Relation;

/// Parameters of [`genmodel`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenmodelParams {
    /// Kinds of constraints to look for.
    pub kinds: Vec<ConstraintKind>,
    /// Whether to learn corresponding values: landmarks that the variables have in one state. A
    /// constraint that they contradict is dropped.
    pub corresponding: bool,
    /// The dimension of each variable, in their order; empty to do without dimensional analysis.
    pub dimensions: Vec<Dimension>,
    /// Whether sums and products care which values are infinite, as `infinities` of a system file.
    pub infinities: bool,
}

impl Default for GenmodelParams {
    /// The kinds of [`LEARNED_KINDS`], with corresponding values and infinities, without dimensions.
    fn default() -> Self {
        Self {
            kinds: LEARNED_KINDS.to_vec(),
            corresponding: true,
            dimensions: Vec::new(),
            infinities: true,
        }
    }
}

/// Whether some state can contradict the constraint: one that gives the directions that it compares.
///
/// Where directions are ignored, everything agrees with a constraint on them. The signs of sums, products and
/// opposites are compared without directions, if all their variables have a landmark `0`.
///
/// # Panics
/// If a state does not have one value for each variable.
pub fn is_tested(variables: &[Variable], constraint: &Constraint, states: &[State]) -> bool {
    let has_zero = |variable: &usize| variables[*variable].space.zero().is_some();
    let compared = match constraint.kind {
        ConstraintKind::Add | ConstraintKind::Mult | ConstraintKind::Minus
            if constraint.variables.iter().all(has_zero) =>
        {
            return true;
        }
        ConstraintKind::Constant | ConstraintKind::Deriv => &constraint.variables[..1],
        _ => &constraint.variables[..],
    };
    states.iter().any(|state| {
        let mut directions = compared.iter().map(|variable| state[*variable].direction());
        directions.all(|direction| direction != Direction::Ignored)
    })
}

/// Every constraint that accepts all these states: the most specific model of them.
///
/// Without states, these are all candidates. Constraints on directions that every state ignores are among
/// them, see [`is_tested`].
///
/// # Panics
/// If a state does not have one value for each variable, or there are dimensions but not one for each.
///
/// # Source
/// Coiera 1989, as Morales 1992, section 8.4.2, describes it. The section leaves open how redundant
/// constraints are treated; they are kept. It does not mention dimensions.
///
/// # Examples
/// ```
/// use kibitz_qsim::learn::{GenmodelParams, genmodel};
/// use kibitz_qsim::{BundledSystem, Model};
///
/// // The legal states of the spring determine its model, with constraints that follow from it.
/// let spring = BundledSystem::find("spring").ok_or("no such system")?.read()?.model;
/// let found = genmodel(spring.variables(), &spring.legal_states(), &GenmodelParams::default());
/// let learned = Model::new(spring.variables().to_vec(), found)?;
/// let names: Vec<String> = (0..learned.constraints().len()).map(|i| learned.constraint_name(i)).collect();
/// assert_eq!(names, ["minus(x, a)", "m_minus(x, a)", "deriv(x, v)", "deriv(v, a)"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn genmodel(
    variables: &[Variable],
    states: &[State],
    params: &GenmodelParams,
) -> Vec<Constraint> {
    assert!(
        params.dimensions.is_empty() || params.dimensions.len() == variables.len(),
        "one dimension a variable"
    );
    assert!(
        states.iter().all(|state| state.len() == variables.len()),
        "one value a variable"
    );
    let mut found = candidates(variables, &params.kinds);
    if !params.dimensions.is_empty() {
        found.retain(|constraint| dimension::is_homogeneous(constraint, &params.dimensions));
    }
    if params.corresponding {
        found = with_corresponding(variables, found, states);
    }
    let spaces = spaces(variables);
    found.retain(|constraint| accepts_all(&spaces, constraint, states, params.infinities));
    found
}

/// The constraints that [`genmodel`] leaves out only because their corresponding values contradict a state,
/// each with that state, counted from 0: the first that does not agree with those before it.
///
/// # Panics
/// As [`genmodel`].
pub fn contradicted_by_corresponding(
    variables: &[Variable],
    states: &[State],
    params: &GenmodelParams,
) -> Vec<(Constraint, usize)> {
    let plain = GenmodelParams {
        corresponding: false,
        ..params.clone()
    };
    let spaces = spaces(variables);
    let holds = |constraint: &Constraint, states: &[State]| {
        let with_rows = with_corresponding(variables, vec![constraint.clone()], states);
        let mut with_rows = with_rows.iter();
        with_rows.any(|constraint| accepts_all(&spaces, constraint, states, params.infinities))
    };
    let numbers: Vec<usize> = (0..states.len()).collect();
    let found = genmodel(variables, states, &plain).into_iter();
    found
        .filter(|constraint| !holds(constraint, states))
        .map(|constraint| {
            // More states have more corresponding values, and agree with fewer.
            let first = numbers.partition_point(|last| holds(&constraint, &states[..=*last]));
            (constraint, first)
        })
        .collect()
}

/// Whether a constraint is well-formed and accepts all these states.
fn accepts_all(
    spaces: &[Arc<QuantitySpace>],
    constraint: &Constraint,
    states: &[State],
    infinities: bool,
) -> bool {
    let space = |variable: usize| spaces.get(variable).cloned();
    let relation = Relation::new(constraint, space, infinities);
    relation.is_ok_and(|relation| {
        let values = |state| Frame::arguments(&relation, state);
        states.iter().all(|state| relation.accepts(values(state)))
    })
}

/// The constraints with corresponding values: the finite landmarks that their variables have in the
/// same state. Constraints that contradict theirs are left out.
///
/// # Panics
/// If a state does not have one value for each variable.
pub fn with_corresponding(
    variables: &[Variable],
    constraints: Vec<Constraint>,
    states: &[State],
) -> Vec<Constraint> {
    let spaces = spaces(variables);
    let relation =
        |constraint: &Constraint| Relation::new(constraint, |v| spaces.get(v).cloned(), true).ok();
    let with_rows = |constraint: Constraint| {
        let mut found = relation(&constraint)?;
        for state in states {
            let ranks = Frame::arguments(&found, state).map(QValue::rank);
            if found.is_news(ranks) {
                found.learn(ranks);
            }
        }
        let magnitudes = |row: &[u16; 3]| {
            let own = row[..found.arity()].iter();
            own.map(|rank| Magnitude(*rank)).collect()
        };
        let constraint = Constraint {
            corresponding: found.corresponding.iter().map(magnitudes).collect(),
            ..constraint
        };
        relation(&constraint).map(|_| constraint)
    };
    constraints.into_iter().filter_map(with_rows).collect()
}

pub(super) fn spaces(variables: &[Variable]) -> Vec<Arc<QuantitySpace>> {
    let spaces = variables.iter().map(|variable| variable.space.clone());
    spaces.map(Arc::new).collect()
}
