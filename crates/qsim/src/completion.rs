//! Completions of partial states: constraint satisfaction by arc consistency and backtracking.

use std::ops::ControlFlow;

use crate::frame::Frame;
use crate::model::variable::Variable;
use crate::partial::ValueSet;
use crate::plan::Plan;
use crate::quantity::QValue;
use crate::relation::Relation;

/// A value without support: no values of a constraint's other variables go with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Index of the variable.
    pub variable: usize,
    /// The value.
    pub value: QValue,
    /// Index of the constraint.
    pub constraint: usize,
}

/// Emits every completion of a partial state that the constraints of the plan accept.
///
/// # Errors
/// If a variable is left without values: the refusals.
pub(crate) fn solve(
    variables: &[Variable],
    frame: &Frame,
    plan: &Plan,
    partial: &[ValueSet],
    emit: &mut dyn FnMut(&[QValue]) -> ControlFlow<()>,
) -> Result<(), Vec<Refusal>> {
    assert_eq!(partial.len(), frame.spaces.len(), "one set a variable");
    let mut domains: Vec<Vec<QValue>> = (variables.iter().zip(&frame.spaces).zip(partial))
        .map(|((variable, space), set)| {
            let domain = variable.domain(space);
            domain.filter(|value| set.contains(*value)).collect()
        })
        .collect();
    make_consistent(frame, &plan.relations, &mut domains)?;

    let n = plan.order.len();
    let mut tried = vec![0; n];
    let mut state: Vec<QValue> = domains.iter().map(|domain| domain[0]).collect();
    let mut depth = 0;
    loop {
        let variable = plan.order[depth];
        let Some(&value) = domains[variable].get(tried[depth]) else {
            tried[depth] = 0;
            if depth == 0 {
                return Ok(());
            }
            depth -= 1;
            continue;
        };
        tried[depth] += 1;
        state[variable] = value;
        let holds = plan.closing[depth].iter().all(|&at| {
            let relation = &frame.relations[plan.relations[at]];
            relation.accepts(Frame::arguments(relation, &state))
        });
        if !holds {
            continue;
        }
        if depth + 1 == n {
            if emit(&state).is_break() {
                return Ok(());
            }
        } else {
            depth += 1;
        }
    }
}

/// Generalized arc consistency: removes values without support until every value has some.
fn make_consistent(
    frame: &Frame,
    relations: &[usize],
    domains: &mut [Vec<QValue>],
) -> Result<(), Vec<Refusal>> {
    let mut refusals: Vec<Refusal> = Vec::new();
    if domains.iter().any(Vec::is_empty) {
        return Err(refusals);
    }
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &constraint in relations {
            let relation = &frame.relations[constraint];
            let variables: [usize; 3] = relation.variables.map(usize::from);
            let supported = supported(relation, domains);
            for slot in 0..relation.arity() {
                let (variable, supported) = (variables[slot], &supported[slot]);
                let domain = &mut domains[variable];
                // The domain of a variable that occurs twice was revised with the first slot.
                if supported.len() != domain.len() || supported.iter().all(|found| *found) {
                    continue;
                }
                let mut supported = supported.iter();
                domain.retain(|&value| {
                    let stays = supported.next() == Some(&true);
                    if !stays {
                        refusals.push(Refusal {
                            variable,
                            value,
                            constraint,
                        });
                    }
                    stays
                });
                changed = true;
                if domain.is_empty() {
                    refusals.retain(|refusal| refusal.variable == variable);
                    return Err(refusals);
                }
            }
        }
    }
    Ok(())
}

/// For each argument of a constraint, which values of its domain have support.
fn supported(relation: &Relation, domains: &[Vec<QValue>]) -> [Vec<bool>; 3] {
    let n = relation.arity();
    let variables: [usize; 3] = relation.variables.map(usize::from);
    let mut found: [Vec<bool>; 3] =
        std::array::from_fn(|slot| vec![false; domains[variables[slot]].len()]);
    let values = |slot: usize| {
        let whole: &[QValue] = &domains[variables[slot]];
        if slot < n { whole } else { &whole[..1] }
    };
    for (a, &x) in values(0).iter().enumerate() {
        for (b, &y) in values(1).iter().enumerate() {
            if n > 1 && variables[1] == variables[0] && a != b {
                continue;
            }
            for (c, &z) in values(2).iter().enumerate() {
                if found[0][a] && found[1][b] && found[2][c] {
                    continue;
                }
                let tuple = [x, y, z];
                // A variable that occurs twice has one value.
                let alike = (0..n).all(|slot| {
                    (0..slot).all(|other| {
                        variables[slot] != variables[other] || tuple[slot] == tuple[other]
                    })
                });
                if alike && relation.accepts(tuple) {
                    found[0][a] = true;
                    found[1][b] = true;
                    found[2][c] = true;
                }
            }
        }
    }
    found
}
