//! Cigol's operators truncation and absorption.
//!
//! They invert resolution, and are judged by how much shorter they make the theory.
//!
//! # Source
//! Muggleton and Buntine 1988; Morales 1992, sections 4.5.1.2 and 5.2.4 (the example-order
//! demonstration).

mod absorb;

pub use absorb::absorb_unit;

use std::collections::BTreeSet;

use crate::lgg::Generalizer;
use crate::term::{Atom, Clause, Literal, Term, unify_atoms};

/// Truncation: the least general generalization of unit clauses; `None` for no atoms or for
/// different predicates.
pub fn truncate(units: &[Atom]) -> Option<Atom> {
    let (first, rest) = units.split_first()?;
    let mut result = first.clone();
    for unit in rest {
        result = Generalizer::new().atoms(&result, unit)?;
    }
    Some(Clause::fact(result).normalized().head)
}

/// Symbols saved when clauses are replaced by others; negative if the theory grows. The sign of a
/// condition counts as a symbol.
pub fn compression(removed: &[Clause], added: &[Clause]) -> i64 {
    let size = |clauses: &[Clause]| {
        let sizes = clauses.iter().map(|c| c.size() + c.body.len());
        i64::try_from(sizes.sum::<usize>()).unwrap_or(i64::MAX)
    };
    size(removed).saturating_sub(size(added))
}

/// Resolution steps in which a clause must follow from others.
const MAX_RESOLUTIONS: usize = 20;

/// Whether a clause follows from others: with its variables as new constants and its conditions as
/// facts, its head is proved in a few steps.
fn follows(clause: &Clause, from: &[Clause]) -> bool {
    // Numbers from the far end of their range, which no example uses.
    let ground = clause.map_vars(&mut |var| Term::int(i64::MIN + i64::from(var.0)));
    let mut program = from.to_vec();
    program.extend(ground.body.into_iter().map(|l| Clause::fact(l.atom)));
    proves(&program, &[ground.head], MAX_RESOLUTIONS)
}

fn proves(program: &[Clause], goals: &[Atom], resolutions: usize) -> bool {
    let Some((goal, rest)) = goals.split_first() else {
        return true;
    };
    let query = Clause {
        head: goal.clone(),
        body: rest.iter().cloned().map(Literal::positive).collect(),
    };
    resolutions > 0
        && program.iter().any(|clause| {
            let clause = clause.shifted(query.var_bound());
            unify_atoms(goal, &clause.head).is_some_and(|theta| {
                let body = clause.body.iter().chain(&query.body);
                let goals: Vec<Atom> = body.map(|l| theta.apply_atom(&l.atom)).collect();
                proves(program, &goals, resolutions - 1)
            })
        })
}

/// A theory under construction, one example at a time: the example-order demonstration.
///
/// A new unit clause is kept unless it follows already. Examples are truncated in pairs; what that
/// gives is absorbed into other unit clauses. Each step must make the theory shorter and is put to
/// the user; clauses that follow from the rest then go.
///
/// # Source
/// Morales 1992, Table 4.3: truncation, "as a filter", is applied to new unit clause examples only, and
/// the other operators to its results.
#[derive(Clone, Debug, Default)]
pub struct Cigol {
    theory: Vec<Clause>,
}

/// A possible step: symbols saved, the new clause, and the clauses it replaces.
type Proposal = (i64, Clause, Vec<Clause>);

impl Cigol {
    /// An empty theory.
    pub fn new() -> Self {
        Self::default()
    }

    /// The present theory.
    pub fn theory(&self) -> &[Clause] {
        &self.theory
    }

    /// Takes an example. Returns whether it was new.
    pub fn tell(&mut self, example: Atom) -> bool {
        let example = Clause::fact(example).normalized();
        if follows(&example, &self.theory) {
            return false;
        }
        self.theory.push(example);
        true
    }

    /// Generalizes as long as something makes the theory shorter and `accept` agrees: the user, who
    /// sees each new clause. Returns the clauses accepted, in order.
    pub fn generalize(&mut self, mut accept: impl FnMut(&Clause) -> bool) -> Vec<Clause> {
        let mut accepted = Vec::new();
        let mut refused: BTreeSet<Clause> = BTreeSet::new();
        loop {
            let useful = |proposals: Vec<Proposal>| {
                let open = |(gain, clause, _): &Proposal| *gain > 0 && !refused.contains(clause);
                proposals
                    .into_iter()
                    .filter(open)
                    .min_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)))
            };
            let best = useful(self.truncations()).or_else(|| useful(self.absorptions()));
            let Some((_, clause, removed)) = best else {
                return accepted;
            };
            if accept(&clause) {
                self.theory.retain(|own| !removed.contains(own));
                self.theory.push(clause.clone());
                accepted.push(clause);
            } else {
                refused.insert(clause);
            }
        }
    }

    /// What a new clause saves once the clauses that follow from it and the others are gone.
    fn proposal(&self, clause: Clause) -> Proposal {
        let mut rest = self.theory.clone();
        let mut removed = Vec::new();
        for own in &self.theory {
            let mut others: Vec<Clause> = rest.iter().filter(|c| *c != own).cloned().collect();
            others.push(clause.clone());
            if follows(own, &others) {
                removed.push(own.clone());
                rest.retain(|c| c != own);
            }
        }
        let gain = compression(&removed, std::slice::from_ref(&clause));
        (gain, clause, removed)
    }

    fn truncations(&self) -> Vec<Proposal> {
        let examples: Vec<&Clause> = self.theory.iter().filter(|c| c.is_ground()).collect();
        let pairs = examples
            .iter()
            .enumerate()
            .flat_map(|(i, a)| examples[i + 1..].iter().map(move |b| (a, b)));
        pairs
            .filter_map(|(a, b)| truncate(&[a.head.clone(), b.head.clone()]))
            .map(|head| self.proposal(Clause::fact(head)))
            .collect()
    }

    fn absorptions(&self) -> Vec<Proposal> {
        let units: Vec<&Clause> = self.theory.iter().filter(|c| c.body.is_empty()).collect();
        let mut proposals = Vec::new();
        for a in units.iter().filter(|clause| !clause.is_ground()) {
            for b in units.iter().filter(|b| a != *b) {
                for clause in absorb_unit(a, &b.head) {
                    proposals.push(self.proposal(clause));
                }
            }
        }
        proposals
    }
}

#[cfg(test)]
mod tests;
