//! Learning from states of which some are wrong, and constraints that follow from others.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::genmodel::{GenmodelParams, spaces};
use super::{candidates, dimension};
use crate::constraint::{Constraint, ConstraintKind};
use crate::frame::Frame;
use crate::model::{Model, State, Variable};
use crate::quantity::{Magnitude, QValue, QuantitySpace};
use crate::relation::Relation;

/// A constraint that all states satisfy, with some exceptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedConstraint {
    /// The constraint.
    pub constraint: Constraint,
    /// The states that it refuses, by number, counted from 0.
    pub exceptions: Vec<usize>,
    /// Whether it follows from the others: see [`mark_redundant`].
    pub is_redundant: bool,
}

/// Every constraint that refuses at most this many of the states, with those that it refuses.
///
/// Corresponding values are learned from landmarks that several states have together, the most frequent
/// first, as long as they add no more exceptions than that. With `most_exceptions` 0 it finds what
/// [`genmodel`](super::genmodel()) finds, but for corresponding values that a single state shows.
///
/// # Panics
/// As [`genmodel`](super::genmodel()).
pub fn genmodel_with_exceptions(
    variables: &[Variable],
    states: &[State],
    params: &GenmodelParams,
    most_exceptions: usize,
) -> Vec<LearnedConstraint> {
    let spaces = spaces(variables);
    let mut found = Vec::new();
    for constraint in candidates(variables, &params.kinds) {
        let is_homogeneous = params.dimensions.is_empty()
            || dimension::is_homogeneous(&constraint, &params.dimensions);
        if !is_homogeneous {
            continue;
        }
        let judge = Judge {
            spaces: &spaces,
            states,
            infinities: params.infinities,
        };
        let Some(mut exceptions) = judge.exceptions(&constraint) else {
            continue;
        };
        if exceptions.len() > most_exceptions {
            continue;
        }
        let mut constraint = constraint;
        if params.corresponding {
            for row in judge.rows(&constraint) {
                let wider = constraint.clone().at(row);
                let refused = judge.exceptions(&wider);
                if let Some(refused) = refused.filter(|found| found.len() <= most_exceptions) {
                    (constraint, exceptions) = (wider, refused);
                }
            }
        }
        found.push(LearnedConstraint {
            constraint,
            exceptions,
            is_redundant: false,
        });
    }
    found
}

struct Judge<'s> {
    spaces: &'s [Arc<QuantitySpace>],
    states: &'s [State],
    infinities: bool,
}

impl Judge<'_> {
    fn relation(&self, constraint: &Constraint) -> Option<Relation> {
        let space = |variable: usize| self.spaces.get(variable).cloned();
        Relation::new(constraint, space, self.infinities).ok()
    }

    /// The numbers of the states that a constraint refuses; none if it is ill-formed.
    fn exceptions(&self, constraint: &Constraint) -> Option<Vec<usize>> {
        let relation = self.relation(constraint)?;
        let refuses = |state: &State| !relation.accepts(Frame::arguments(&relation, state));
        let states = self.states.iter().enumerate();
        Some(
            states
                .filter(|(_, state)| refuses(state))
                .map(|(number, _)| number)
                .collect(),
        )
    }

    /// The finite landmarks that its variables have together in several states, the most frequent first.
    fn rows(&self, constraint: &Constraint) -> Vec<Vec<Magnitude>> {
        let Some(relation) = self.relation(constraint) else {
            return Vec::new();
        };
        let mut counts: BTreeMap<Vec<Magnitude>, usize> = BTreeMap::new();
        for state in self.states {
            let ranks = Frame::arguments(&relation, state).map(QValue::rank);
            if relation.is_news(ranks) {
                let row = ranks[..relation.arity()].iter();
                let row = row.map(|rank| Magnitude(*rank)).collect();
                *counts.entry(row).or_default() += 1;
            }
        }
        let mut rows: Vec<(Vec<Magnitude>, usize)> =
            counts.into_iter().filter(|(_, n)| *n > 1).collect();
        rows.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        rows.into_iter().map(|(row, _)| row).collect()
    }
}

/// Maximum number of constraints that are checked for redundancy.
const MOST_CONSTRAINTS: usize = 60;
/// Maximum number of other states tested on one constraint.
const MOST_STATES: usize = 20_000;

/// Marks constraints that follow from the others: every state that the others accept, they accept too.
///
/// Functions go before sums and opposites, those before derivatives, and of those that follow from each
/// other one stays. Returns whether all were looked at: there is a limit on constraints and states.
///
/// # Panics
/// If an index of a variable or a landmark is out of range.
pub fn mark_redundant(
    variables: &[Variable],
    found: &mut [LearnedConstraint],
    infinities: bool,
) -> bool {
    if found.len() > MOST_CONSTRAINTS {
        return false;
    }
    let spaces = spaces(variables);
    let weight = |kind: ConstraintKind| match kind {
        ConstraintKind::MPlus | ConstraintKind::MMinus => 0,
        ConstraintKind::Mult => 1,
        ConstraintKind::Add => 2,
        ConstraintKind::Minus => 3,
        ConstraintKind::Deriv => 4,
        ConstraintKind::Constant => 5,
    };
    let mut order: Vec<usize> = (0..found.len()).rev().collect();
    order.sort_by_key(|at| weight(found[*at].constraint.kind));
    let mut is_whole = true;
    for at in order {
        let others = (0..found.len()).filter(|other| *other != at && !found[*other].is_redundant);
        let others: Vec<Constraint> = others
            .map(|other| found[other].constraint.clone())
            .collect();
        let Ok(model) = Model::with_infinities(variables.to_vec(), others, infinities) else {
            continue;
        };
        let space = |variable: usize| spaces.get(variable).cloned();
        let Ok(relation) = Relation::new(&found[at].constraint, space, infinities) else {
            continue;
        };
        let (mut n, mut follows) = (0, true);
        let anything = model.anything();
        // Without any state the constraint follows, as anything does.
        let _ = model.complete(&model.frame, 0, &anything, &mut |state| {
            n += 1;
            follows = relation.accepts(Frame::arguments(&relation, state)) && n <= MOST_STATES;
            if follows {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        is_whole &= n <= MOST_STATES;
        found[at].is_redundant = follows;
    }
    is_whole
}
