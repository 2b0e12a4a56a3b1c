//! Clauses seen through the definitions of the predicates they call.

use rustc_hash::FxHashSet;

use crate::subsume::subsumes;
use crate::term::{Atom, Clause, Literal, Symbol, Term, Var, unify_atoms};

/// The body with everything that the definitions say of its literals, and of these in turn.
///
/// A literal is expanded if exactly one clause defines its predicate and the head fits it.
fn expanded(body: &[Literal], definitions: &[Clause]) -> Vec<Literal> {
    let mut seen: FxHashSet<Literal> = body.iter().cloned().collect();
    let mut all = body.to_vec();
    let mut bound = all.iter().map(var_bound).max().unwrap_or(0);
    let mut i = 0;
    while i < all.len() {
        if all[i].positive {
            let atom = all[i].atom.clone();
            if let Some(definition) = expansion(&atom, definitions) {
                let shifted = definition.shifted(bound);
                bound += definition.var_bound();
                // The head must be at least as general as the literal.
                let theta = unify_atoms(&shifted.head, &atom)
                    .filter(|theta| theta.apply_atom(&atom) == atom);
                let implied = theta.map(|theta| {
                    let body = shifted.body.iter();
                    body.map(|l| theta.apply_literal(l)).collect::<Vec<_>>()
                });
                for literal in implied.unwrap_or_default() {
                    if seen.insert(literal.clone()) {
                        all.push(literal);
                    }
                }
            }
        }
        i += 1;
    }
    all
}

/// The definition of an atom's predicate, none if there are alternatives.
fn expansion<'d>(atom: &Atom, definitions: &'d [Clause]) -> Option<&'d Clause> {
    let mut fitting = (definitions.iter()).filter(|d| d.head.predicate() == atom.predicate());
    let first = fitting.next()?;
    fitting.next().is_none().then_some(first)
}

fn var_bound(literal: &Literal) -> u32 {
    let mut bound = 0;
    literal
        .atom
        .for_each_var(&mut |var| bound = bound.max(var.0 + 1));
    bound
}

/// The clause without the literals that the definitions of the others imply.
///
/// # Source
/// Morales 1992, section 5.4.3.
#[must_use]
pub fn reduced_by_expansion(clause: &Clause, definitions: &[Clause]) -> Clause {
    let mut current = clause.clone();
    let mut i = 0;
    while i < current.body.len() {
        let mut shorter = current.clone();
        shorter.body.remove(i);
        let full = Clause {
            head: shorter.head.clone(),
            body: expanded(&shorter.body, definitions),
        };
        if subsumes(&current, &full) {
            current = shorter;
        } else {
            i += 1;
        }
    }
    current
}

/// The same for a definition of which only the first `n_described` arguments of the head and the
/// last one, the state, are given: the others only name what the body has, so that literals that
/// say less of another square than others do are left out with it.
///
/// # Source
/// Morales 1992, Table 5.4 and section 5.4.3.
#[must_use]
pub(super) fn reduced_definition(
    clause: &Clause,
    n_described: usize,
    definitions: &[Clause],
) -> Clause {
    let Some((state, args)) = clause.head.args.split_last() else {
        return reduced_by_expansion(clause, definitions);
    };
    let (described, named) = args.split_at(n_described.min(args.len()));
    let of = |named: &[&Term]| {
        let args = described.iter().chain(named.iter().copied());
        Atom::new(clause.head.name, args.chain([state]).cloned())
    };
    let core = Clause {
        head: of(&[]),
        body: clause.body.clone(),
    };
    let reduced = reduced_by_expansion(&core, definitions);
    let mut said: FxHashSet<&Term> = FxHashSet::default();
    for literal in &reduced.body {
        said.extend(literal.atom.args.iter());
    }
    let named: Vec<&Term> = named.iter().filter(|arg| said.contains(arg)).collect();
    Clause {
        head: of(&named),
        body: reduced.body,
    }
}

/// A definition seen through the definitions of the predicates it calls, ready to be compared with
/// others.
#[derive(Debug)]
pub(super) struct Seen {
    /// What a more special definition has to say, of the state alone.
    needed: Clause,
    /// All that it says, of the state alone.
    said: Clause,
}

impl Seen {
    pub(super) fn new(clause: &Clause, definitions: &[Clause]) -> Self {
        let said = expanded(&clause.body, definitions);
        let bound = clause.var_bound();
        let needed = (clause.body.iter())
            .filter(|literal| !said.iter().any(|known| denies_more(known, literal, bound)));
        Self {
            needed: of_state(clause, needed.cloned().collect()),
            said: of_state(clause, said),
        }
    }

    /// See [`covers_as_pattern`].
    pub(super) fn covers(&self, special: &Self) -> bool {
        subsumes(&self.needed, &special.said)
    }
}

/// Whether the body of `general` holds in a state wherever that of `special` does, by
/// theta-subsumption of the second clause with everything that the definitions say of it.
///
/// Only the state, the last argument, is compared of the heads: a concept has its arguments in the
/// order of the components of the example it was learned from.
pub fn covers_as_pattern(general: &Clause, special: &Clause, definitions: &[Clause]) -> bool {
    Seen::new(general, definitions).covers(&Seen::new(special, definitions))
}

/// Whether two definitions are theta-equivalent once both are expanded by the definitions, up to
/// the order of their arguments.
pub fn equivalent_as_patterns(a: &Clause, b: &Clause, definitions: &[Clause]) -> bool {
    let [a, b] = [a, b].map(|clause| Seen::new(clause, definitions));
    a.covers(&b) && b.covers(&a)
}

fn of_state(clause: &Clause, body: Vec<Literal>) -> Clause {
    let state: Option<Term> = clause.head.args.last().cloned();
    Clause {
        head: Atom::new(Symbol::TRUE, state),
        body,
    }
}

/// Whether a negative literal, whose variables from `bound` on stand for anything, says more than
/// another one: that no piece at all gives check says more than that this one does not.
fn denies_more(known: &Literal, literal: &Literal, bound: u32) -> bool {
    !known.positive
        && !literal.positive
        && known != literal
        && unify_atoms(&known.atom, &literal.atom).is_some_and(|theta| {
            theta.apply_atom(&literal.atom) == literal.atom
                && (0..bound).all(|var| theta.get(Var(var)).is_none())
        })
}
