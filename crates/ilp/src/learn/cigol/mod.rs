//! Cigol's operators: truncation, absorption and intra-construction.
//!
//! They invert resolution, and are judged by how much shorter they make the theory.
//!
//! # Source
//! Muggleton and Buntine 1988; Morales 1992, sections 4.5.1.2 and 5.2.4 (the example-order
//! demonstration).

mod absorb;
mod intra_construct;

pub use absorb::{absorb, absorb_unit};
pub use intra_construct::intra_construct;

use std::collections::BTreeSet;

use crate::lgg::Generalizer;
use crate::subsume::subsumes;
use crate::term::{Atom, Clause, Term, unify_atoms};

/// Truncation: the least general generalisation of unit clauses; `None` for no atoms or for
/// different predicates.
pub fn truncate(units: &[Atom]) -> Option<Atom> {
    let (first, rest) = units.split_first()?;
    let mut result = first.clone();
    for unit in rest {
        result = Generalizer::new().atoms(&result, unit)?;
    }
    Some(Clause::fact(result).normalized().head)
}

/// Symbols saved when clauses are replaced by others; negative if the theory grows.
pub fn compression(removed: &[Clause], added: &[Clause]) -> i64 {
    let size = |clauses: &[Clause]| clauses.iter().map(Clause::size).sum::<usize>();
    i64::try_from(size(removed)).unwrap_or(i64::MAX) - i64::try_from(size(added)).unwrap_or(0)
}

/// A theory under construction, one example at a time: the example-order demonstration.
///
/// A new unit clause is kept unless it follows already; with a bias towards short theories it is
/// then truncated with like unit clauses and absorbed, and each step is put to the user.
#[derive(Clone, Debug, Default)]
pub struct Cigol {
    theory: Vec<Clause>,
}

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
        if self.theory.iter().any(|clause| subsumes(clause, &example)) {
            return false;
        }
        self.theory.push(example);
        true
    }

    /// Generalises as long as something makes the theory shorter and `accept` agrees: the user, who
    /// sees each new clause. Returns the clauses accepted, in order.
    pub fn generalise(&mut self, mut accept: impl FnMut(&Clause) -> bool) -> Vec<Clause> {
        let mut accepted = Vec::new();
        let mut refused: BTreeSet<Clause> = BTreeSet::new();
        loop {
            let mut proposals = self.proposals();
            proposals.retain(|(gain, clause, _)| *gain > 0 && !refused.contains(clause));
            proposals.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            let Some((_, clause, removed)) = proposals.into_iter().next() else {
                return accepted;
            };
            if accept(&clause) {
                self.theory
                    .retain(|own| !removed.contains(own) && !subsumes(&clause, own));
                self.theory.push(clause.clone());
                accepted.push(clause);
            } else {
                refused.insert(clause);
            }
        }
    }

    /// Possible steps: symbols saved, the new clause, and the clauses it replaces.
    fn proposals(&self) -> Vec<(i64, Clause, Vec<Clause>)> {
        let units: Vec<&Clause> = self
            .theory
            .iter()
            .filter(|clause| clause.body.is_empty())
            .collect();
        let mut proposals = Vec::new();
        for (i, a) in units.iter().enumerate() {
            for b in &units[i + 1..] {
                if let Some(head) = truncate(&[a.head.clone(), b.head.clone()]) {
                    let clause = Clause::fact(head);
                    let removed: Vec<Clause> = self
                        .theory
                        .iter()
                        .filter(|own| subsumes(&clause, own))
                        .cloned()
                        .collect();
                    proposals.push((
                        compression(&removed, std::slice::from_ref(&clause)),
                        clause,
                        removed,
                    ));
                }
            }
            for b in &units {
                if a == b {
                    continue;
                }
                for clause in absorb_unit(a, &b.head) {
                    // The resolvent must be the clause that is replaced.
                    let removed = vec![(*a).clone()];
                    proposals.push((
                        compression(&removed, std::slice::from_ref(&clause)),
                        clause,
                        removed,
                    ));
                }
            }
        }
        proposals
    }
}

/// Whether resolving a clause's last condition with a unit clause gives an instance that subsumes
/// `expected`: the law absorption obeys.
pub fn resolves_to(clause: &Clause, unit: &Atom, expected: &Clause) -> bool {
    let Some((last, rest)) = clause.body.split_last() else {
        return false;
    };
    let unit = unit.map_vars(&mut |var| Term::var(var.0 + clause.var_bound()));
    unify_atoms(&last.atom, &unit).is_some_and(|theta| {
        let resolvent = Clause {
            head: clause.head.clone(),
            body: rest.to_vec(),
        };
        subsumes(&theta.apply_clause(&resolvent), expected)
    })
}

#[cfg(test)]
mod tests;
