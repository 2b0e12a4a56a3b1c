//! Theta-subsumption, equivalence and reduction of clauses.
//!
//! A clause C subsumes a clause D when some substitution of C's variables makes every literal of C
//! a literal of D, head to head and sign to sign. Both clauses are first flattened, so that a
//! compound term becomes a tuple of a relation; this leaves a constraint satisfaction problem
//! over the terms of D, solved in `matcher`.
//!
//! # Source
//! Plotkin 1971; Morales 1992, section 4.3.

mod flatten;
mod matcher;

use std::collections::BTreeMap;

use kibitz_prolog::{Clause, Literal, Predicate, Term, Var};

use flatten::flatten;
use matcher::Matcher;

/// Tuples looked at before a search for a substitution is given up.
const MAX_STEPS: u64 = 20_000_000;

/// Whether `general` theta-subsumes `specific`.
///
/// A search that looks at twenty million tuples without an answer counts as a failure, here and
/// below.
///
/// # Examples
/// ```
/// # use kibitz_ilp::subsumes;
/// # use kibitz_prolog::{SymbolTable, read_clause};
/// let mut symbols = SymbolTable::new();
/// let general = read_clause("p(X) :- q(X, Y), q(Y, Z).", &mut symbols)?;
/// let specific = read_clause("p(A) :- q(A, A), r(A).", &mut symbols)?;
/// assert!(subsumes(&general, &specific));
/// assert!(!subsumes(&specific, &general));
/// # Ok::<(), kibitz_prolog::ReadErrors>(())
/// ```
pub fn subsumes(general: &Clause, specific: &Clause) -> bool {
    subsuming_substitution(general, specific).is_some()
}

/// The substitution θ with `general`θ ⊆ `specific`, if there is one.
///
/// Variables of `specific` count as constants; the two clauses need not be standardized apart.
pub fn subsuming_substitution(general: &Clause, specific: &Clause) -> Option<BTreeMap<Var, Term>> {
    search(general, specific, &mut { MAX_STEPS })
}

fn search(general: &Clause, specific: &Clause, left: &mut u64) -> Option<BTreeMap<Var, Term>> {
    let (problem, terms) = flatten(general, specific)?;
    let mut matcher = Matcher::new(&problem, left);
    if !matcher.solve() {
        return None;
    }
    let bound = |&(var, slot): &(Var, u32)| {
        let term = matcher.value(slot)?;
        Some((var, terms[term as usize].clone()))
    };
    Some(problem.named_vars.iter().filter_map(bound).collect())
}

/// Whether the clauses subsume each other.
pub fn equivalent(a: &Clause, b: &Clause) -> bool {
    subsumes(a, b) && subsumes(b, a)
}

/// Plotkin's reduction: the smallest clause that is theta-equivalent, unique up to the names of
/// variables. A clause that takes too many steps is reduced in part.
///
/// # Source
/// Plotkin 1970; Morales 1992, section 4.3 (logical reduction without background knowledge).
#[must_use]
pub fn reduced(clause: &Clause) -> Clause {
    let mut current = deduplicated(clause);
    let mut next = 0;
    let mut left = MAX_STEPS;
    while next < current.body.len() && left > 0 {
        // Making the problem takes a look at every literal.
        left = left.saturating_sub(current.body.len() as u64);
        if !could_be_mapped(&current, next) {
            next += 1;
            continue;
        }
        let mut smaller = current.clone();
        smaller.body.remove(next);
        match search(&current, &smaller, &mut left) {
            Some(theta) => {
                current = deduplicated(
                    &current.map_vars(&mut |v| theta.get(&v).cloned().unwrap_or(Term::Var(v))),
                );
                // The other literals keep their order, but earlier ones may be gone.
                next = 0;
            }
            None => next += 1,
        }
    }
    current
}

/// The clause without repeated body literals.
fn deduplicated(clause: &Clause) -> Clause {
    let body: indexmap::IndexSet<&Literal, rustc_hash::FxBuildHasher> =
        clause.body.iter().collect();
    Clause {
        head: clause.head.clone(),
        body: body.into_iter().cloned().collect(),
    }
}

/// A literal can only be dropped if another one of its predicate and sign can take its place.
fn could_be_mapped(clause: &Clause, index: usize) -> bool {
    let literal = &clause.body[index];
    let key = |l: &Literal| -> (Predicate, bool) { (l.atom.predicate(), l.positive) };
    clause.body.iter().enumerate().any(|(i, other)| {
        i != index
            && key(other) == key(literal)
            && literal
                .atom
                .args
                .iter()
                .zip(other.atom.args.iter())
                .all(|(a, b)| match (a, b) {
                    (Term::Const(x), Term::Const(y)) => x == y,
                    (Term::Const(_), Term::Var(_)) => false,
                    _ => true,
                })
    })
}

#[cfg(test)]
mod tests;
