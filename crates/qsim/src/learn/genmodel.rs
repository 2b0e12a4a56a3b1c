//! Genmodel: every constraint that all the states obey.

use std::sync::Arc;

use super::dimension::{self, Dimension};
use super::{LEARNED_KINDS, candidates};
use crate::constraint::{Constraint, ConstraintKind};
use crate::frame::Frame;
use crate::model::{State, Variable};
use crate::quantity::{Magnitude, QValue, QuantitySpace};
use crate::relation::Relation;

/// What [`genmodel`] knows besides the states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenmodelParams {
    /// Kinds of constraints to look for.
    pub kinds: Vec<ConstraintKind>,
    /// Whether landmarks that variables have together in a state are corresponding values: a
    /// constraint that they contradict is dropped, and the others are given with them.
    pub corresponding: bool,
    /// What each variable is a quantity of, in their order; empty if that is not known.
    pub dimensions: Vec<Dimension>,
}

impl Default for GenmodelParams {
    /// The kinds of [`LEARNED_KINDS`], with corresponding values, without dimensions.
    fn default() -> Self {
        Self {
            kinds: LEARNED_KINDS.to_vec(),
            corresponding: true,
            dimensions: Vec::new(),
        }
    }
}

/// Every constraint that accepts all these states: the most special model of them.
///
/// Without states that is every constraint that there can be.
///
/// # Panics
/// If a state has not one value for each variable, or there are dimensions but not one for each.
///
/// # Source
/// Coiera 1989, as Morales 1992, section 8.4.2, describes it. The section leaves open how redundant
/// constraints are treated; they are kept. It does not speak of dimensions.
///
/// # Examples
/// ```
/// use kibitz_qsim::learn::{GenmodelParams, genmodel};
/// use kibitz_qsim::{Bundled, Model};
///
/// // What all legal states of the spring have in common is its model, and more that follows from it.
/// let spring = Bundled::find("spring").ok_or("no such system")?.read()?.model;
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
    let spaces: Vec<Arc<QuantitySpace>> = (variables.iter())
        .map(|variable| Arc::new(variable.space.clone()))
        .collect();
    candidates(variables, &params.kinds)
        .into_iter()
        .filter(|constraint| {
            params.dimensions.is_empty() || dimension::fits(constraint, &params.dimensions)
        })
        .filter_map(|constraint| {
            let relation = Relation::new(&constraint, |v| spaces.get(v).cloned(), true).ok()?;
            obeyed(relation, constraint, states, params.corresponding)
        })
        .collect()
}

/// The constraint with the corresponding values that the states give it, if all states obey it.
fn obeyed(
    mut relation: Relation,
    constraint: Constraint,
    states: &[State],
    corresponding: bool,
) -> Option<Constraint> {
    let accepts = |relation: &Relation, state: &State| {
        let values = Frame::arguments(relation, state);
        relation.accepts(values).then_some(values)
    };
    for state in states {
        let ranks = accepts(&relation, state)?.map(QValue::rank);
        if corresponding && relation.is_news(ranks) {
            relation.learn(ranks);
        }
    }
    // What was met later counts for the earlier states, too.
    let all = states
        .iter()
        .all(|state| accepts(&relation, state).is_some());
    let rows = relation.corresponding.iter();
    let rows = rows.map(|row| {
        row[..relation.arity()]
            .iter()
            .map(|rank| Magnitude(*rank))
            .collect()
    });
    all.then(|| Constraint {
        corresponding: rows.collect(),
        ..constraint
    })
}
