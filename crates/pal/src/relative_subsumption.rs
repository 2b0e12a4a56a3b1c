//! Theta-subsumption, equivalence and reduction of clauses relative to the definitions of the
//! predicates they call.

use kibitz_ilp::subsumes;
use kibitz_prolog::{Atom, Clause, Literal, Symbol, Term, Var, unify_atoms};
use rustc_hash::FxHashSet;

/// The body saturated with the definitions: with the bodies of its literals' definitions, and those
/// of the new literals in turn.
///
/// A literal is expanded if exactly one clause defines its predicate and the head subsumes it.
fn saturated(body: &[Literal], definitions: &[Clause]) -> Vec<Literal> {
    let mut seen: FxHashSet<Literal> = body.iter().cloned().collect();
    let mut all = body.to_vec();
    let mut bound = all.iter().map(var_bound).max().unwrap_or(0);
    let mut i = 0;
    while i < all.len() {
        if all[i].positive {
            let atom = all[i].atom.clone();
            if let Some(definition) = unique_definition(&atom, definitions) {
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

/// The only clause of an atom's predicate; `None` if there are several.
fn unique_definition<'d>(atom: &Atom, definitions: &'d [Clause]) -> Option<&'d Clause> {
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

/// Reduces a clause relative to definitions: drops literals that the definitions of the others
/// imply.
///
/// # Source
/// Morales 1992, section 5.4.3.
#[must_use]
pub fn reduced_relative_to(clause: &Clause, definitions: &[Clause]) -> Clause {
    let mut current = clause.clone();
    let mut i = 0;
    while i < current.body.len() {
        let mut shorter = current.clone();
        shorter.body.remove(i);
        let full = Clause {
            head: shorter.head.clone(),
            body: saturated(&shorter.body, definitions),
        };
        if subsumes(&current, &full) {
            current = shorter;
        } else {
            i += 1;
        }
    }
    current
}

/// Reduces a pattern definition relative to definitions. Only the first `n_described` arguments of
/// its head and the state, its last argument, are fixed. The others name terms of the body, and are
/// dropped with the last literal that contains them.
///
/// # Source
/// Morales 1992, Table 5.4 and section 5.4.3.
#[must_use]
pub(crate) fn reduced_pattern(
    clause: &Clause,
    n_described: usize,
    definitions: &[Clause],
) -> Clause {
    let Some((state, args)) = clause.head.args.split_last() else {
        return reduced_relative_to(clause, definitions);
    };
    let (described, named) = args.split_at(n_described.min(args.len()));
    let head = |named: &[&Term]| {
        let args = described.iter().chain(named.iter().copied());
        Atom::new(clause.head.name, args.chain([state]).cloned())
    };
    let core = Clause {
        head: head(&[]),
        body: clause.body.clone(),
    };
    let reduced = reduced_relative_to(&core, definitions);
    let mut used: FxHashSet<&Term> = FxHashSet::default();
    for literal in &reduced.body {
        used.extend(literal.atom.args.iter());
    }
    let named: Vec<&Term> = named.iter().filter(|arg| used.contains(arg)).collect();
    Clause {
        head: head(&named),
        body: reduced.body,
    }
}

/// A clause saturated with definitions, for comparisons with others.
#[derive(Debug)]
pub(crate) struct SaturatedClause {
    /// The literals that must subsume a more specific clause; the head is the state alone.
    core: Clause,
    /// The saturated clause; the head is the state alone.
    whole: Clause,
}

impl SaturatedClause {
    pub(crate) fn new(clause: &Clause, definitions: &[Clause]) -> Self {
        let whole = saturated(&clause.body, definitions);
        let bound = clause.var_bound();
        let core = (clause.body.iter()).filter(|literal| {
            !whole
                .iter()
                .any(|known| implies_negative(known, literal, bound))
        });
        Self {
            core: about_state(clause, core.cloned().collect()),
            whole: about_state(clause, whole),
        }
    }

    /// See [`subsumes_relative_to`].
    pub(crate) fn subsumes(&self, special: &Self) -> bool {
        subsumes(&self.core, &special.whole)
    }
}

/// Whether a pattern theta-subsumes another one relative to definitions: whether `general` subsumes
/// `special` saturated with the definitions.
///
/// Of the heads only the last argument, the state, is compared: the order of the others depends on
/// the example from which a pattern was learned.
pub fn subsumes_relative_to(general: &Clause, special: &Clause, definitions: &[Clause]) -> bool {
    SaturatedClause::new(general, definitions).subsumes(&SaturatedClause::new(special, definitions))
}

/// Whether two patterns theta-subsume each other relative to definitions, up to the order of their
/// arguments.
pub fn equivalent_relative_to(a: &Clause, b: &Clause, definitions: &[Clause]) -> bool {
    let [a, b] = [a, b].map(|clause| SaturatedClause::new(clause, definitions));
    a.subsumes(&b) && b.subsumes(&a)
}

/// A body with the state as only argument of the head.
fn about_state(clause: &Clause, body: Vec<Literal>) -> Clause {
    let state: Option<Term> = clause.head.args.last().cloned();
    Clause {
        head: Atom::new(Symbol::TRUE, state),
        body,
    }
}

/// Whether a negative literal implies another one that is an instance of it: no piece gives check, so
/// this one does not. Variables of the first literal from `bound` on are universally quantified.
fn implies_negative(known: &Literal, literal: &Literal, bound: u32) -> bool {
    !known.positive
        && !literal.positive
        && known != literal
        && unify_atoms(&known.atom, &literal.atom).is_some_and(|theta| {
            theta.apply_atom(&literal.atom) == literal.atom
                && (0..bound).all(|var| theta.get(Var(var)).is_none())
        })
}
