//! States that a partial description leaves open: constraint satisfaction over whole spaces.

use std::ops::ControlFlow;

use crate::frame::Frame;
use crate::model::Model;
use crate::partial::ValueSet;
use crate::quantity::QValue;

/// A value that a constraint leaves no place for, whatever the other variables have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Index of the variable.
    pub variable: usize,
    /// The value.
    pub value: QValue,
    /// Index of the constraint.
    pub constraint: usize,
}

/// Shows every state of a region with these values that its constraints accept.
///
/// # Errors
/// If a variable is left without values: what refused them.
pub(crate) fn solve(
    model: &Model,
    frame: &Frame,
    region: usize,
    partial: &[ValueSet],
    emit: &mut dyn FnMut(&[QValue]) -> ControlFlow<()>,
) -> Result<(), Vec<Refusal>> {
    assert_eq!(partial.len(), frame.spaces.len(), "one set a variable");
    let mut domains: Vec<Vec<QValue>> = (partial.iter().enumerate())
        .map(|(variable, set)| {
            (model.values(frame, variable))
                .filter(|value| set.contains(*value))
                .collect()
        })
        .collect();
    let plan = &model.regions[region].1;
    narrow(frame, &plan.relations, &mut domains)?;

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

/// Takes away the values that a single constraint leaves no place for, until there are none.
fn narrow(
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
            let n = relation.arity();
            let variables: [usize; 3] = relation.variables.map(usize::from);
            let mut kept: [Vec<bool>; 3] =
                std::array::from_fn(|slot| vec![false; domains[variables[slot]].len()]);
            let rest = |slot: usize| {
                let whole: &[QValue] = &domains[variables[slot]];
                if slot < n { whole } else { &whole[..1] }
            };
            for (a, &x) in rest(0).iter().enumerate() {
                for (b, &y) in rest(1).iter().enumerate() {
                    if n > 1 && variables[1] == variables[0] && a != b {
                        continue;
                    }
                    for (c, &z) in rest(2).iter().enumerate() {
                        if kept[0][a] && kept[1][b] && kept[2][c] {
                            continue;
                        }
                        let tuple = [x, y, z];
                        // A variable that is given twice has one value.
                        let alike = (0..n).all(|slot| {
                            (0..slot).all(|other| {
                                variables[slot] != variables[other] || tuple[slot] == tuple[other]
                            })
                        });
                        if alike && relation.accepts(tuple) {
                            kept[0][a] = true;
                            kept[1][b] = true;
                            kept[2][c] = true;
                        }
                    }
                }
            }
            for slot in 0..n {
                let variable = variables[slot];
                let domain = &mut domains[variable];
                if kept[slot].len() != domain.len() || kept[slot].iter().all(|kept| *kept) {
                    continue;
                }
                let mut kept = kept[slot].iter();
                domain.retain(|&value| {
                    let stays = kept.next() == Some(&true);
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
