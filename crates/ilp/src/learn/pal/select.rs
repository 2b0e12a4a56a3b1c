use rustc_hash::FxHashMap;

use super::derive::Deriver;
use super::feature::{Label, leaves};
use super::pattern::{Labelled, Pattern};
use super::{Domain, Example, PalError};
use crate::term::{Atom, Constant, Term, Var};

type Bindings = FxHashMap<Var, Constant>;

/// Which literals of a pattern, by their places in [`Pattern::literals`], fail in an example.
///
/// A literal of the description fails if the component has another value than a constant there, or
/// if two values would be needed for one variable. A literal of the body is tried with the values
/// of the example at all places that come from a component, and fails if it cannot be proved; what
/// is said after a move must follow the move.
///
/// # Source
/// Morales 1992, section 5.3.2 and `change/10` of appendix H. The thesis leaves open whether the
/// description can fail; we let it, so that constants of which the body says nothing are tried too.
pub(super) fn failures<D: Domain>(
    pattern: &Pattern,
    example: &Example,
    deriver: &mut Deriver<'_, D>,
) -> Result<Vec<bool>, PalError> {
    let state = deriver.domain.state(example);
    let mut failed = Vec::with_capacity(pattern.description.len() + pattern.body.len());
    let mut theta = Bindings::default();
    for literal in &pattern.description {
        let mut fits = true;
        for (label, leaf) in literal.labels.iter().zip(leaves(&literal.literal.atom)) {
            if let Label::Of {
                component,
                attribute,
            } = *label
            {
                let value = example[component][attribute];
                fits &= match leaf {
                    Term::Var(var) => *theta.entry(*var).or_insert(value) == value,
                    Term::Const(constant) => *constant == value,
                    Term::Compound(..) => true,
                };
            }
        }
        failed.push(!fits);
    }
    let n_described = failed.len();
    failed.resize(n_described + pattern.body.len(), false);
    let by_predicate = |deriver: &Deriver<'_, D>, literal: &Labelled| -> Vec<usize> {
        let predicate = literal.literal.atom.predicate();
        let features = deriver.background.features.iter().enumerate();
        features
            .filter(|(_, f)| f.predicate() == predicate)
            .map(|(i, _)| i)
            .collect()
    };
    let holds = |deriver: &mut Deriver<'_, D>,
                 literal: &Labelled,
                 state: Constant,
                 bindings: &Bindings|
     -> Result<bool, PalError> {
        for feature in by_predicate(deriver, literal) {
            let facts = deriver.facts(state, feature)?;
            if facts
                .iter()
                .any(|fact| matches(literal, fact, example, &mut bindings.clone()))
            {
                return Ok(literal.literal.positive);
            }
        }
        Ok(!literal.literal.positive)
    };
    for (i, literal) in pattern.body.iter().enumerate() {
        if literal.after {
            continue;
        }
        if !literal.is_move() {
            failed[n_described + i] = !holds(deriver, literal, state, &theta)?;
            continue;
        }
        let next = literal.at(Label::Next);
        let following: Vec<usize> = (0..pattern.body.len())
            .filter(|&j| pattern.body[j].after && pattern.body[j].at(Label::State) == next)
            .collect();
        let mut possible = false;
        let mut together = false;
        let mut satisfied = vec![false; following.len()];
        for made in deriver.moves(state)?.iter() {
            let mut bindings = theta.clone();
            if !matches(literal, &made.atom, example, &mut bindings) {
                continue;
            }
            possible = true;
            let mut all = true;
            for (place, &j) in following.iter().enumerate() {
                let after = &pattern.body[j];
                let true_there =
                    if after.literal.atom.predicate() == deriver.domain.description().predicate() {
                        let described = deriver.described(made);
                        let found = described
                            .iter()
                            .any(|fact| matches(after, fact, example, &mut bindings.clone()));
                        found == after.literal.positive
                    } else {
                        holds(deriver, after, made.next, &bindings)?
                    };
                satisfied[place] |= true_there;
                all &= true_there;
            }
            together |= all;
        }
        for (place, &j) in following.iter().enumerate() {
            failed[n_described + j] = !satisfied[place];
        }
        // The move itself fails, too, if no single move satisfies everything.
        failed[n_described + i] =
            !possible || (!together && satisfied.iter().all(|satisfied| *satisfied));
    }
    Ok(failed)
}

/// Whether a fact is what a literal says, with the example's values at the labelled places.
fn matches(literal: &Labelled, fact: &Atom, example: &Example, bindings: &mut Bindings) -> bool {
    let pattern = leaves(&literal.literal.atom);
    let places = leaves(fact);
    literal.literal.atom.predicate() == fact.predicate()
        && pattern.len() == places.len()
        && literal
            .labels
            .iter()
            .zip(pattern.iter().zip(places))
            .all(|(label, (leaf, place))| {
                let Term::Const(found) = place else {
                    return false;
                };
                match (*label, leaf) {
                    (Label::State | Label::Next, _) => true,
                    (
                        Label::Of {
                            component,
                            attribute,
                        },
                        _,
                    ) => example[component][attribute] == *found,
                    (Label::Free, Term::Var(var)) => {
                        bindings.entry(*var).or_insert(*found) == found
                    }
                    (Label::Free, Term::Const(constant)) => constant == found,
                    (Label::Free, Term::Compound(..)) => false,
                }
            })
}
