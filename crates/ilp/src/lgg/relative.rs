use rustc_hash::{FxHashMap, FxHashSet};

use super::Generalizer;
use crate::term::{Atom, Clause, Literal, Predicate, Symbol, Term, Var};

/// Bounds on a relative least general generalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelativeLimits {
    /// Literals further from the head than this many steps are left out; 1 keeps those that share
    /// a variable with the head.
    pub depth: usize,
    /// Most body literals.
    pub literals: usize,
}

impl Default for RelativeLimits {
    fn default() -> Self {
        Self {
            depth: 2,
            literals: 10_000,
        }
    }
}

/// The part of the relative least general generalisation of two examples that is connected to the
/// head, with respect to ground background facts.
///
/// In full it is the least general generalisation of `left :- facts` and `right :- facts`, which has
/// a literal for every pair of facts of one predicate. Starting from the variables of the head, only
/// those pairs are formed that share a variable with what is there already; the others would be
/// dropped as unconnected. Not reduced; literals are in order of their distance from the head.
/// `None` if the examples have different predicates. Where the limit on literals is reached, the
/// clause is a generalisation, but not the least.
///
/// # Source
/// Plotkin 1971; Morales 1992, section 4.3 (ground theories) and 4.4.4 (variable connection).
///
/// # Examples
/// ```
/// # use kibitz_ilp::{SymbolTable, read_clauses, print_clause, reduced, rlgg, RelativeLimits};
/// let mut symbols = SymbolTable::new();
/// let facts: Vec<_> = read_clauses(
///     "parent(ann, bob). parent(cas, dan). female(ann). female(cas). male(bob). male(dan).",
///     &mut symbols,
/// )?.into_iter().map(|clause| clause.head).collect();
/// let examples = read_clauses("mother(ann, bob). mother(cas, dan).", &mut symbols)?;
/// let clause = rlgg(&examples[0].head, &examples[1].head, &facts, RelativeLimits::default());
/// let clause = reduced(&clause.expect("one predicate"));
/// assert_eq!(
///     print_clause(&clause, &symbols).to_string(),
///     "mother(A,B) :- parent(A,B), female(A), male(B)."
/// );
/// # Ok::<(), kibitz_ilp::ReadErrors>(())
/// ```
pub fn rlgg(left: &Atom, right: &Atom, facts: &[Atom], limits: RelativeLimits) -> Option<Clause> {
    let mut generalizer = Generalizer::new();
    let head = generalizer.atoms(left, right)?;
    let index = FactIndex::new(facts);
    let mut seen_pairs: FxHashSet<(usize, usize)> = FxHashSet::default();
    let mut body: indexmap::IndexSet<Literal, rustc_hash::FxBuildHasher> =
        indexmap::IndexSet::default();
    // Variables to start from, with the two terms each stands for.
    let mut frontier: Vec<(Term, Term)> = Vec::new();
    let mut known: FxHashSet<Var> = FxHashSet::default();
    for (a, b) in left.args.iter().zip(right.args.iter()) {
        collect_pairs(a, b, &mut generalizer, &mut known, &mut frontier);
    }
    'depth: for _ in 0..limits.depth {
        let mut next = Vec::new();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (a, b) in &frontier {
            for (place, at_left) in index.places(a) {
                for &i in at_left {
                    pairs.extend(index.at(place, b).iter().map(|&j| (i, j)));
                }
            }
        }
        pairs.sort_unstable();
        for (i, j) in pairs {
            if !seen_pairs.insert((i, j)) {
                continue;
            }
            if body.len() == limits.literals {
                break 'depth;
            }
            if let Some(atom) = generalizer.atoms(&facts[i], &facts[j]) {
                for (a, b) in facts[i].args.iter().zip(facts[j].args.iter()) {
                    collect_pairs(a, b, &mut generalizer, &mut known, &mut next);
                }
                body.insert(Literal::positive(atom));
            }
        }
        frontier = next;
    }
    Some(
        Clause {
            head,
            body: body.into_iter().collect(),
        }
        .normalized(),
    )
}

/// Pairs of terms that were generalised to a variable not met before.
fn collect_pairs(
    a: &Term,
    b: &Term,
    generalizer: &mut Generalizer,
    known: &mut FxHashSet<Var>,
    found: &mut Vec<(Term, Term)>,
) {
    match (a, b) {
        (Term::Const(x), Term::Const(y)) if x == y => {}
        (Term::Compound(f, xs), Term::Compound(g, ys)) if f == g && xs.len() == ys.len() => {
            for (x, y) in xs.iter().zip(ys.iter()) {
                collect_pairs(x, y, generalizer, known, found);
            }
        }
        _ => {
            if known.insert(generalizer.var(a, b, 0)) {
                found.push((a.clone(), b.clone()));
            }
        }
    }
}

/// A predicate, and a path of argument positions into its atoms.
type Place = (Predicate, Vec<(usize, Symbol)>);

/// Facts by the terms that occur in them, at every depth.
struct FactIndex {
    by_place: FxHashMap<(Place, Term), Vec<usize>>,
    places_of: FxHashMap<Term, Vec<Place>>,
}

impl FactIndex {
    fn new(facts: &[Atom]) -> Self {
        let mut index = Self {
            by_place: FxHashMap::default(),
            places_of: FxHashMap::default(),
        };
        for (i, fact) in facts.iter().enumerate() {
            let mut path = Vec::new();
            for (place, arg) in fact.args.iter().enumerate() {
                path.push((place, fact.name));
                index.insert(fact.predicate(), &mut path, arg, i);
                path.pop();
            }
        }
        index
    }

    fn insert(
        &mut self,
        predicate: Predicate,
        path: &mut Vec<(usize, Symbol)>,
        term: &Term,
        i: usize,
    ) {
        let place: Place = (predicate, path.clone());
        let facts = self
            .by_place
            .entry((place.clone(), term.clone()))
            .or_default();
        if facts.is_empty() {
            self.places_of.entry(term.clone()).or_default().push(place);
        }
        facts.push(i);
        if let Term::Compound(functor, args) = term {
            for (n, arg) in args.iter().enumerate() {
                path.push((n, *functor));
                self.insert(predicate, path, arg, i);
                path.pop();
            }
        }
    }

    fn places(&self, term: &Term) -> impl Iterator<Item = (&Place, &[usize])> {
        self.places_of
            .get(term)
            .into_iter()
            .flatten()
            .map(|place| (place, self.at(place, term)))
    }

    fn at(&self, place: &Place, term: &Term) -> &[usize] {
        self.by_place
            .get(&(place.clone(), term.clone()))
            .map_or(&[], Vec::as_slice)
    }
}
