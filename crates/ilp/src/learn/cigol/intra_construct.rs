use std::collections::BTreeSet;

use super::absorb::subterms;
use crate::lgg::Generalizer;
use crate::term::{Atom, Clause, Literal, Symbol, Term, Var};

/// Intra-construction: what two clauses share becomes one clause that calls a new predicate, which
/// is defined by what is left of each.
///
/// Returns the shared clause and the two definitions, or `None` if the heads have different
/// predicates or nothing is left of one of the clauses.
pub fn intra_construct(first: &Clause, second: &Clause, name: Symbol) -> Option<[Clause; 3]> {
    let second = second.shifted(first.var_bound());
    let mut generalizer = Generalizer::new();
    let head = generalizer.atoms(&first.head, &second.head)?;
    let mut shared = Vec::new();
    let mut taken = vec![false; second.body.len()];
    let mut left_over = Vec::new();
    for a in &first.body {
        // A pair is shared if its generalisation does no more than rename variables.
        let partner = second.body.iter().enumerate().position(|(j, b)| {
            let mut attempt = generalizer.clone();
            !taken[j]
                && a.positive == b.positive
                && attempt.atoms(&a.atom, &b.atom).is_some()
                && only_renames(&attempt.pairs(), generalizer.len())
        });
        match partner {
            Some(j) => {
                taken[j] = true;
                let atom = generalizer.atoms(&a.atom, &second.body[j].atom)?;
                shared.push(Literal {
                    positive: a.positive,
                    atom,
                });
            }
            None => left_over.push(a.clone()),
        }
    }
    let right_over: Vec<Literal> = second
        .body
        .iter()
        .zip(&taken)
        .filter(|(_, taken)| !**taken)
        .map(|(l, _)| l.clone())
        .collect();
    if left_over.is_empty() || right_over.is_empty() {
        return None;
    }
    // The new predicate is about those variables whose values the rests speak of.
    let pairs = generalizer.pairs();
    let mentions = |body: &[Literal], term: &Term| {
        body.iter().any(|literal| {
            let mut found = BTreeSet::new();
            literal
                .atom
                .args
                .iter()
                .for_each(|arg| subterms(arg, &mut found));
            found.contains(term)
        })
    };
    let args: Vec<(Var, Term, Term)> = pairs
        .into_iter()
        .filter(|(_, left, right)| mentions(&left_over, left) || mentions(&right_over, right))
        .collect();
    let call = Atom::new(name, args.iter().map(|(var, ..)| Term::Var(*var)));
    shared.push(Literal::positive(call));
    let left_head = Atom::new(name, args.iter().map(|(_, left, _)| left.clone()));
    let right_head = Atom::new(name, args.iter().map(|(_, _, right)| right.clone()));
    Some([
        Clause { head, body: shared }.normalized(),
        Clause {
            head: left_head,
            body: left_over,
        }
        .normalized(),
        Clause {
            head: right_head,
            body: right_over,
        }
        .normalized(),
    ])
}

/// Whether the pairs from `known` on are pairs of variables, each in no other pair.
fn only_renames(pairs: &[(Var, Term, Term)], known: usize) -> bool {
    pairs
        .iter()
        .enumerate()
        .skip(known)
        .all(|(i, (_, left, right))| {
            matches!((left, right), (Term::Var(_), Term::Var(_)))
                && pairs[..i].iter().all(|(_, l, r)| l != left && r != right)
        })
}
