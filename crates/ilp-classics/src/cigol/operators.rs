//! The operators truncation and absorption.

use std::collections::BTreeSet;

use kibitz_prolog::Generalizer;
use kibitz_prolog::{Atom, Clause, Literal, Substitution, Term};

/// Truncation: the least general generalization of unit clauses; `None` for no atoms or for
/// different predicates.
pub(super) fn truncate(units: &[Atom]) -> Option<Atom> {
    let (first, rest) = units.split_first()?;
    let mut result = first.clone();
    for unit in rest {
        result = Generalizer::new().atoms(&result, unit)?;
    }
    Some(Clause::fact(result).normalized().head)
}

/// Whether an atom, whose variables count as constants, is an instance of a pattern of its
/// predicate.
fn is_instance(atom: &Atom, pattern: &Atom) -> bool {
    let mut theta = Substitution::new();
    let mut bind = |var, value: &Term| {
        if let Some(bound) = theta.get(var) {
            return bound == value;
        }
        theta.bind(var, value.clone());
        true
    };
    let mut places = pattern.args.iter().zip(atom.args.iter());
    places.all(|(place, arg)| place.matches(arg, &mut bind))
}

/// Absorption of a unit clause: clauses that, resolved with `unit`, give `clause`.
///
/// The condition added is an instance of the unit over terms of the clause's head, and the inverse
/// substitution turns each of those terms into a variable wherever it occurs. Results are ordered
/// by size, the smallest first; the clause itself is not among them.
pub(super) fn absorb_unit(clause: &Clause, unit: &Atom) -> Vec<Clause> {
    let offset = clause.var_bound();
    let unit = unit.map_vars(&mut |var| Term::var(var.0 + offset));
    let mut terms: BTreeSet<Term> = BTreeSet::new();
    for arg in clause.head.args.iter() {
        subterms(arg, &mut terms);
    }
    let terms: Vec<Term> = terms.into_iter().collect();
    let mut results: Vec<Clause> = Vec::new();
    let mut args: Vec<Term> = Vec::new();
    choose_args(clause, &unit, &terms, &mut args, &mut results);
    results.sort_by_key(Clause::size);
    results
}

fn subterms(term: &Term, found: &mut BTreeSet<Term>) {
    found.insert(term.clone());
    if let Term::Compound(_, args) = term {
        args.iter().for_each(|arg| subterms(arg, found));
    }
}

fn choose_args(
    clause: &Clause,
    unit: &Atom,
    terms: &[Term],
    args: &mut Vec<Term>,
    results: &mut Vec<Clause>,
) {
    if args.len() < unit.args.len() {
        for term in terms {
            args.push(term.clone());
            choose_args(clause, unit, terms, args, results);
            args.pop();
        }
        return;
    }
    let condition = Atom::new(unit.name, args.iter().cloned());
    if condition == clause.head || !is_instance(&condition, unit) {
        return;
    }
    let mut body = clause.body.clone();
    body.push(Literal::positive(condition));
    let mut result = Clause {
        head: clause.head.clone(),
        body,
    };
    let next = result.var_bound();
    let mut places: Vec<Term> = args
        .iter()
        .filter(|arg| !matches!(arg, Term::Var(_)))
        .cloned()
        .collect();
    // Larger terms first, so that a term is replaced before its parts are.
    places.sort_by_key(|term| std::cmp::Reverse(term.size()));
    places.dedup();
    for (var, place) in (next..).zip(places) {
        result = replace(&result, &place, &Term::var(var));
    }
    let result = result.normalized();
    // A condition that repeats the head says nothing.
    let circular = result
        .body
        .iter()
        .any(|literal| literal.atom == result.head);
    if !circular && !results.contains(&result) {
        results.push(result);
    }
}

fn replace(clause: &Clause, from: &Term, to: &Term) -> Clause {
    fn term(t: &Term, from: &Term, to: &Term) -> Term {
        if t == from {
            return to.clone();
        }
        match t {
            Term::Compound(name, args) => {
                Term::Compound(*name, args.iter().map(|arg| term(arg, from, to)).collect())
            }
            other => other.clone(),
        }
    }
    let atom = |a: &Atom| Atom::new(a.name, a.args.iter().map(|arg| term(arg, from, to)));
    Clause {
        head: atom(&clause.head),
        body: clause
            .body
            .iter()
            .map(|l| Literal {
                positive: l.positive,
                atom: atom(&l.atom),
            })
            .collect(),
    }
}
