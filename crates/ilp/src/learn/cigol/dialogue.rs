//! The dialogue of Cigol and its user, example by example.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::operators::{absorb_unit, truncate};
use crate::term::{Atom, Clause, Literal, Term, unify_atoms};

/// Symbols saved when clauses are replaced by others; negative if the theory grows. The sign of a
/// condition counts as a symbol.
fn compression(removed: &[Clause], added: &[Clause]) -> i64 {
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
pub(super) fn follows(clause: &Clause, from: &[Clause]) -> bool {
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
pub struct Dialogue {
    theory: Vec<Clause>,
}

/// A possible step: symbols saved, the new clause, and the clauses it replaces.
type Proposal = (i64, Clause, Vec<Clause>);

impl Dialogue {
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
        self.generalize_while(&mut || true, |clause, _| accept(clause))
    }

    /// The same, for as long as `goes_on`, which is asked before each proposal; the user sees the
    /// theory as well.
    pub(super) fn generalize_while(
        &mut self,
        goes_on: &mut dyn FnMut() -> bool,
        mut accept: impl FnMut(&Clause, &[Clause]) -> bool,
    ) -> Vec<Clause> {
        let mut accepted = Vec::new();
        let mut refused: BTreeSet<Clause> = BTreeSet::new();
        while let Some((clause, removed)) = self.best(&refused, goes_on) {
            if accept(&clause, &self.theory) {
                self.theory.retain(|own| !removed.contains(own));
                self.theory.push(clause.clone());
                accepted.push(clause);
            } else {
                refused.insert(clause);
            }
        }
        accepted
    }

    /// The clause that saves most and was not refused, of truncations or else of absorptions, and the
    /// clauses that it replaces; `None` if there is none, or it does not go on.
    fn best(
        &self,
        refused: &BTreeSet<Clause>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<(Clause, Vec<Clause>)> {
        for clauses in [Self::truncations, Self::absorptions] {
            let mut best: Option<Proposal> = None;
            for clause in clauses(self) {
                if !goes_on() {
                    return None;
                }
                let proposal = self.proposal(clause);
                let rank = |(gain, clause, _): &Proposal| (Reverse(*gain), clause.clone());
                let is_open = proposal.0 > 0 && !refused.contains(&proposal.1);
                if is_open && (best.as_ref()).is_none_or(|best| rank(&proposal) < rank(best)) {
                    best = Some(proposal);
                }
            }
            if let Some((_, clause, removed)) = best {
                return Some((clause, removed));
            }
        }
        None
    }

    /// The compression of a new clause that replaces the clauses entailed by it and the others.
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

    fn truncations(&self) -> Vec<Clause> {
        let examples: Vec<&Clause> = self.theory.iter().filter(|c| c.is_ground()).collect();
        let pairs = (examples.iter().enumerate())
            .flat_map(|(i, a)| examples[i + 1..].iter().map(move |b| (a, b)));
        pairs
            .filter_map(|(a, b)| truncate(&[a.head.clone(), b.head.clone()]))
            .map(Clause::fact)
            .collect()
    }

    fn absorptions(&self) -> Vec<Clause> {
        let units: Vec<&Clause> = self.theory.iter().filter(|c| c.body.is_empty()).collect();
        let mut clauses = Vec::new();
        for a in units.iter().filter(|clause| !clause.is_ground()) {
            for b in units.iter().filter(|b| a != *b) {
                clauses.extend(absorb_unit(a, &b.head));
            }
        }
        clauses
    }
}
