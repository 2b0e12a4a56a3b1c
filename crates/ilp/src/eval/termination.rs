//! Termination of recursive clauses.

use super::{Arg, EQUALS, Lit};
use crate::encoded::{EncodedProblem, Relation, number};
use crate::term::{Predicate, Symbol};

/// A well-founded order of terms that keeps recursive clauses from calling themselves forever, given by
/// background relations whose rows always lead from a larger to a smaller term.
///
/// A recursive literal may be used if, at some place of the target, other literals of the clause lead
/// down from the head's argument to its own, at least one of them to a smaller term and the others to one
/// that is not larger; all recursive literals of a theory must agree on such a place.
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
struct Orders {
    of_kind: Vec<(Symbol, Vec<(u32, u32)>)>,
    n_terms: usize,
}

impl Orders {
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
                for (larger, smaller) in [(i, j), (j, i)] {
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

    /// All places of the target.
    pub(crate) fn all_places(&self) -> Vec<usize> {
        (0..self.n_head).collect()
    }

    /// Whether the recursive literals of a clause, if any, agree on one of the places.
    pub(crate) fn permits(&self, lits: &[Lit], among: &[usize]) -> bool {
        !lits.iter().any(|lit| self.is_recursive(lit)) || !self.places(lits, among).is_empty()
    }

    /// Those of the places at which every recursive literal of the clause is smaller than its head.
    pub(crate) fn places(&self, lits: &[Lit], among: &[usize]) -> Vec<usize> {
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
        let descends = |from: u32, to: u32| {
            // Variables with whether something on the way is smaller.
            let mut reached = vec![(from, false)];
            let mut i = 0;
            while let Some(&(var, is_below)) = reached.get(i) {
                i += 1;
                for &(larger, smaller, is_strict) in &below {
                    let next = (smaller, is_below || is_strict);
                    if larger == var && !reached.contains(&next) {
                        reached.push(next);
                    }
                }
            }
            from != to && reached.contains(&(to, true))
        };
        let holds = |place: usize| {
            calls
                .iter()
                .all(|args| args[place].is_some_and(|var| descends(number(place), var)))
        };
        among
            .iter()
            .copied()
            .filter(|&place| holds(place))
            .collect()
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
