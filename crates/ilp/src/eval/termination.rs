//! Termination of recursive clauses.

use kibitz_prolog::{Predicate, Symbol};
use smallvec::{SmallVec, smallvec};

use super::{Arg, EQUALS, Lit};
use crate::encoded::{EncodedProblem, Relation, number};

/// A well-founded order of terms that keeps recursive clauses from calling themselves forever, given by
/// background relations whose rows always lead from a larger to a smaller term.
///
/// A recursive literal may be used if, at some place of the target, other literals of the clause lead
/// down from the head's argument to its own, at least one of them to a smaller term and the others to one
/// that is not larger. Where its argument is not larger there, a second place may decide, as in
/// Ackermann's function; all recursive literals of a theory must agree on such [`Places`].
///
/// # Source
/// Quinlan 1990 and Cameron-Jones and Quinlan 1993 order constants in the same spirit. They compare
/// the training tuples; we ask for literals that say so, which holds for every example.
#[derive(Debug)]
pub(crate) struct TerminationOrder {
    target: Option<u32>,
    /// By relation.
    links: Vec<Vec<Link>>,
    n_head: usize,
}

/// Places of the target at which calls are compared with heads, one after the other: a call is smaller
/// at one of them, and not larger at those before.
pub(crate) type Places = SmallVec<[usize; 2]>;

/// Two places of a relation.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The place of the larger term.
    larger: usize,
    /// The place of the smaller one.
    smaller: usize,
    /// Whether it is always smaller, and never the same.
    is_strict: bool,
}

/// One order for each type: relations join it as long as it has no cycles.
struct Orders<'p> {
    /// The constants that clauses may name, by type.
    named: &'p [(Symbol, Vec<u32>)],
    of_kind: Vec<(Symbol, Vec<(u32, u32)>)>,
    n_terms: usize,
}

impl Orders<'_> {
    /// The links of a relation that join the orders; without `is_strict` rows of equal terms do not count.
    fn join(&mut self, relation: &Relation, kinds: &[Symbol], is_strict: bool) -> Vec<Link> {
        let mut links = Vec::new();
        for i in 0..kinds.len() {
            for j in (i + 1..kinds.len()).filter(|&j| kinds[i] == kinds[j]) {
                let at = self.of_kind.iter().position(|(own, _)| *own == kinds[i]);
                let at = at.unwrap_or_else(|| {
                    self.of_kind.push((kinds[i], Vec::new()));
                    self.of_kind.len() - 1
                });
                let order = &mut self.of_kind[at].1;
                // Calls end at a term that a clause may name, if there is one.
                let mut directions = [(i, j), (j, i)];
                directions.sort_by_key(|&(larger, smaller)| {
                    !ends_in_named(relation, larger, smaller, kinds[i], self.named)
                });
                for (larger, smaller) in directions {
                    let known = order.len();
                    let rows = (0..number(relation.len())).map(|row| relation.row(row));
                    let pairs = rows.map(|row| (row[larger], row[smaller]));
                    order.extend(pairs.filter(|(a, b)| is_strict || a != b));
                    if is_acyclic(order, self.n_terms) {
                        links.push(Link {
                            larger,
                            smaller,
                            is_strict,
                        });
                        break;
                    }
                    order.truncate(known);
                }
            }
        }
        links
    }
}

/// Whether the rows of a relation lead to a constant of a type that clauses may name, and from there to
/// none.
fn ends_in_named(
    relation: &Relation,
    larger: usize,
    smaller: usize,
    kind: Symbol,
    named: &[(Symbol, Vec<u32>)],
) -> bool {
    let named = named.iter().filter(|(own, _)| *own == kind);
    let mut constants = named.flat_map(|(_, constants)| constants);
    constants.any(|constant| {
        let is_at = |place: usize| {
            let mut rows = (0..number(relation.len())).map(|row| relation.row(row));
            rows.any(|row| row[place] == *constant)
        };
        is_at(smaller) && !is_at(larger)
    })
}

impl TerminationOrder {
    pub(crate) fn new(problem: &EncodedProblem, target: Predicate) -> Self {
        let position = problem.relations.iter().position(|r| r.predicate == target);
        let mut termination = Self {
            target: position.map(number),
            links: vec![Vec::new(); problem.relations.len()],
            n_head: problem.head_kinds.len(),
        };
        if termination.target.is_none() {
            return termination;
        }
        let mut orders = Orders {
            named: &problem.constants,
            of_kind: Vec::new(),
            n_terms: problem.terms.len(),
        };
        for is_strict in [true, false] {
            for mode in &problem.modes {
                let links = &mut termination.links[mode.relation as usize];
                if Some(mode.relation) == termination.target || !links.is_empty() {
                    continue;
                }
                let kinds: Vec<Symbol> = mode.arguments.iter().map(|(_, kind)| *kind).collect();
                let relation = &problem.relations[mode.relation as usize];
                *links = orders.join(relation, &kinds, is_strict);
            }
        }
        termination
    }

    /// Whether a literal calls the target.
    pub(crate) fn is_recursive(&self, lit: &Lit) -> bool {
        Some(lit.relation) == self.target
    }

    /// All places of the target, alone and in pairs.
    pub(crate) fn all_places(&self) -> Vec<Places> {
        if self.target.is_none() {
            return Vec::new();
        }
        let single = (0..self.n_head).map(|place| smallvec![place]);
        let pairs = (0..self.n_head).flat_map(|first| {
            let others = (0..self.n_head).filter(move |second| *second != first);
            others.map(move |second| smallvec![first, second])
        });
        single.chain(pairs).collect()
    }

    /// Whether the recursive literals of a clause, if any, agree on some of the places.
    pub(crate) fn permits(&self, lits: &[Lit], among: &[Places]) -> bool {
        !lits.iter().any(|lit| self.is_recursive(lit)) || !self.places(lits, among).is_empty()
    }

    /// Those of the places at which every recursive literal of the clause is smaller than its head.
    pub(crate) fn places(&self, lits: &[Lit], among: &[Places]) -> Vec<Places> {
        if !lits.iter().any(|lit| self.is_recursive(lit)) {
            return among.to_vec();
        }
        let mut next = number(self.n_head);
        let mut below: Vec<(u32, u32, bool)> = Vec::new();
        let mut calls: Vec<Vec<Option<u32>>> = Vec::new();
        for lit in lits.iter().filter(|lit| lit.relation != EQUALS) {
            let args: Vec<Option<u32>> = (lit.args.iter())
                .map(|arg| match arg {
                    Arg::Var(var) => Some(*var),
                    Arg::Const(_) => None,
                    Arg::New => {
                        next += 1;
                        Some(next - 1)
                    }
                })
                .collect();
            if self.is_recursive(lit) {
                calls.push(args);
            } else if lit.positive {
                for link in &self.links[lit.relation as usize] {
                    let pair = args[link.larger].zip(args[link.smaller]);
                    below.extend(pair.map(|(larger, smaller)| (larger, smaller, link.is_strict)));
                }
            }
        }
        let calls: Vec<Vec<Compared>> = (calls.iter())
            .map(|args| {
                let arguments = (0..number(args.len())).zip(args);
                let compared = arguments.map(|(head, var)| match var {
                    Some(var) => compare(&below, head, *var),
                    None => Compared::Unknown,
                });
                compared.collect()
            })
            .collect();
        // What is smaller at one place may be anything at those after it.
        let is_smaller = |call: &[Compared], places: &Places| {
            let mut compared = places.iter().map(|place| call[*place]);
            compared.find(|own| *own != Compared::NotLarger) == Some(Compared::Smaller)
        };
        let holds = |places: &&Places| calls.iter().all(|call| is_smaller(call, places));
        among.iter().filter(holds).cloned().collect()
    }
}

/// How an argument of a call compares with the head's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compared {
    Smaller,
    NotLarger,
    Unknown,
}

/// Compares a variable with one of the head by links from larger to smaller terms, which say whether they
/// are strict.
fn compare(links: &[(u32, u32, bool)], head: u32, var: u32) -> Compared {
    // Variables with whether something on the way is smaller.
    let mut reached = vec![(head, false)];
    let mut i = 0;
    while let Some(&(at, is_below)) = reached.get(i) {
        i += 1;
        for &(larger, smaller, is_strict) in links {
            let next = (smaller, is_below || is_strict);
            if larger == at && !reached.contains(&next) {
                reached.push(next);
            }
        }
    }
    if head != var && reached.contains(&(var, true)) {
        Compared::Smaller
    } else if reached.contains(&(var, false)) {
        Compared::NotLarger
    } else {
        Compared::Unknown
    }
}

/// Whether a graph on the terms has no cycle.
fn is_acyclic(edges: &[(u32, u32)], n_terms: usize) -> bool {
    let mut incoming = vec![0u32; n_terms];
    let mut starts = vec![0usize; n_terms + 1];
    for &(from, to) in edges {
        incoming[to as usize] += 1;
        starts[from as usize + 1] += 1;
    }
    for i in 0..n_terms {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut targets = vec![0u32; edges.len()];
    for &(from, to) in edges {
        targets[next[from as usize]] = to;
        next[from as usize] += 1;
    }
    let mut free: Vec<u32> = (0..number(n_terms))
        .filter(|&term| incoming[term as usize] == 0)
        .collect();
    let mut done = 0;
    while let Some(term) = free.pop() {
        done += 1;
        for &to in &targets[starts[term as usize]..starts[term as usize + 1]] {
            incoming[to as usize] -= 1;
            if incoming[to as usize] == 0 {
                free.push(to);
            }
        }
    }
    done == n_terms
}
