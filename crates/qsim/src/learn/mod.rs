//! Learning of models from states: the constraints that a system satisfies.

mod dimension;
mod genetic;
mod genmodel;
mod noise;

pub use dimension::Dimension;
pub use genetic::{EvolvedModel, GeneticParams, evolve};
pub use genmodel::{
    GenmodelParams, contradicted_by_corresponding, genmodel, is_tested, with_corresponding,
};
pub use noise::{LearnedConstraint, genmodel_with_exceptions, mark_redundant};

use std::sync::Arc;

use crate::constraint::{Constraint, ConstraintKind};
use crate::model::Variable;
use crate::quantity::QuantitySpace;
use crate::relation::Relation;

/// The kinds of constraints that the learners of Morales 1992, section 8.4, use.
pub const LEARNED_KINDS: &[ConstraintKind] = &[
    ConstraintKind::Add,
    ConstraintKind::Minus,
    ConstraintKind::MPlus,
    ConstraintKind::MMinus,
    ConstraintKind::Deriv,
];

/// The candidate constraints: every well-formed constraint of these kinds over distinct variables,
/// in a fixed order.
///
/// Of symmetric ones, as X + Y = Z and Y + X = Z, only that whose first arguments are in the order of
/// the variables.
pub fn candidates(variables: &[Variable], kinds: &[ConstraintKind]) -> Vec<Constraint> {
    let spaces: Vec<Arc<QuantitySpace>> = (variables.iter())
        .map(|variable| Arc::new(variable.space.clone()))
        .collect();
    let mut found = Vec::new();
    for &kind in kinds {
        let mut arguments = vec![0; kind.arity()];
        loop {
            let distinct = (1..arguments.len()).all(|at| !arguments[..at].contains(&arguments[at]));
            let ordered = kind == ConstraintKind::Deriv
                || arguments.len() == 1
                || arguments[0] < arguments[1];
            let constraint = Constraint::new(kind, arguments.clone());
            let sensible = || Relation::new(&constraint, |v| spaces.get(v).cloned(), true).is_ok();
            if distinct && ordered && sensible() {
                found.push(constraint);
            }
            // The next tuple of variables, in order.
            let Some(place) = arguments.iter().rposition(|v| v + 1 < variables.len()) else {
                break;
            };
            arguments[place] += 1;
            arguments[place + 1..].fill(0);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundled::BundledSystem;

    #[test]
    fn symmetric_constraints_are_given_once() {
        let system = BundledSystem::find("table8-3/pal2")
            .unwrap()
            .read()
            .unwrap();
        let found = candidates(system.model.variables(), LEARNED_KINDS);
        let of = |kind| found.iter().filter(|c| c.kind == kind).count();
        assert!(
            LEARNED_KINDS
                .iter()
                .map(|kind| of(*kind))
                .eq([3, 3, 3, 3, 6])
        );
        let constant = candidates(system.model.variables(), &[ConstraintKind::Constant]);
        assert_eq!(constant.len(), 3);
    }
}
