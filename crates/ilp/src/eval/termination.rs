//! Termination of recursive clauses.

use kibitz_prolog::{Predicate, Symbol};
use smallvec::{SmallVec, smallvec};

use super::{Arg, EQUALS, Lit};
use crate::encoded::{Columns, EncodedProblem, Relation, number};

/// A well-founded order of terms that keeps recursive clauses from calling themselves forever, given by
/// background relations whose rows always lead from a larger to a smaller term.
///
/// The order ranks the terms of a type: a term's rank is the length of the longest way down from it. For
/// two places of a relation its rows bound the difference of the ranks, from below and from above. The
/// literals before a recursive one so bound how much smaller each of its arguments is than the head's. A
/// recursive literal may be used if it is smaller at some place of the target. Where it is not larger
/// there, a second place may decide, as in Ackermann's function; all recursive literals of a theory must
/// agree on such [`Places`].
///
/// What a call answers is bounded, too: as the positive examples are. This is an induction hypothesis. It
/// may be used as long as every clause of the theory keeps to it; see
/// [`TerminationOrder::keeps_to_bounds`].
///
/// # Source
/// Quinlan 1990 and Cameron-Jones and Quinlan 1993 order constants in the same spirit. They compare
/// the training tuples; we ask for literals that say so, which holds for every example.
#[derive(Debug)]
pub(crate) struct TerminationOrder {
    target: Option<u32>,
    /// By relation.
    bounds: Vec<Vec<Bound>>,
    /// Those of the positive examples.
    of_target: Vec<Bound>,
    /// Whether they hold for what a call answers.
    trusts_target: bool,
    /// The types of the arguments, by relation.
    kinds: Vec<Vec<Symbol>>,
    head_kinds: Vec<Symbol>,
    /// By type, the ranks of all terms.
    ranks: Vec<(Symbol, Vec<i32>)>,
}

/// Places of the target at which calls are compared with heads, one after the other: a call is smaller
/// at one of them, and not larger at those before.
pub(crate) type Places = SmallVec<[usize; 2]>;

/// The rank at one place of a relation exceeds that at another by this much at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bound {
    place: usize,
    other: usize,
    least: i32,
}

/// One order for each type: relations join it as long as it has no cycles.
struct Orders<'p> {
    /// The constants that clauses may name, by type.
    named: &'p [(Symbol, Vec<u32>)],
    of_kind: Vec<(Symbol, Vec<(u32, u32)>)>,
    n_terms: usize,
}

impl Orders<'_> {
    /// Joins the pairs of places of a relation to the orders; without `is_strict` rows of equal terms do
    /// not count. Whether any joined.
    fn join(&mut self, relation: &Relation, kinds: &[Symbol], is_strict: bool) -> bool {
        let mut any = false;
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
                    if heights(order, self.n_terms).is_some() {
                        any = true;
                        break;
                    }
                    order.truncate(known);
                }
            }
        }
        any
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
            bounds: vec![Vec::new(); problem.relations.len()],
            of_target: Vec::new(),
            trusts_target: false,
            kinds: vec![Vec::new(); problem.relations.len()],
            head_kinds: problem.head_kinds.clone(),
            ranks: Vec::new(),
        };
        if termination.target.is_none() {
            return termination;
        }
        for mode in &problem.modes {
            let kinds = &mut termination.kinds[mode.relation as usize];
            if kinds.is_empty() {
                kinds.extend(mode.arguments.iter().map(|(_, kind)| *kind));
            }
        }
        termination.ranks = ranks(problem, &termination);
        let head = |side: &Columns, row: usize| -> Vec<u32> {
            side.columns.iter().map(|column| column[row]).collect()
        };
        let side = &problem.examples[0];
        let rows: Vec<Vec<u32>> = (0..side.len).map(|row| head(side, row)).collect();
        let rows: Vec<&[u32]> = rows.iter().map(Vec::as_slice).collect();
        termination.of_target = termination.bounds_of(&termination.head_kinds, &rows);
        for (at, relation) in problem.relations.iter().enumerate() {
            if Some(number(at)) != termination.target {
                let rows = (0..number(relation.len())).map(|row| relation.row(row));
                let rows: Vec<&[u32]> = rows.collect();
                termination.bounds[at] = termination.bounds_of(&termination.kinds[at], &rows);
            }
        }
        termination
    }

    /// What rows say of the ranks of their terms, for each pair of places of one type that is ordered.
    fn bounds_of(&self, kinds: &[Symbol], rows: &[&[u32]]) -> Vec<Bound> {
        let mut bounds = Vec::new();
        for place in 0..kinds.len() {
            let Some(ranks) = self.ranks_of(kinds[place]) else {
                continue;
            };
            for other in (0..kinds.len()).filter(|&other| other != place) {
                let rank = |row: &[u32], place: usize| ranks[row[place] as usize];
                let differences = rows.iter().map(|row| rank(row, place) - rank(row, other));
                if kinds[other] == kinds[place]
                    && let Some(least) = differences.min()
                {
                    bounds.push(Bound {
                        place,
                        other,
                        least,
                    });
                }
            }
        }
        bounds
    }

    fn ranks_of(&self, kind: Symbol) -> Option<&[i32]> {
        let known = self.ranks.iter().find(|(own, _)| *own == kind);
        known.map(|(_, ranks)| &ranks[..])
    }

    /// Whether what a call answers is held to be bounded as the positive examples are.
    pub(crate) fn trust_target(&mut self, trusts: bool) {
        self.trusts_target = trusts;
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
        let n_head = self.head_kinds.len();
        let single = (0..n_head).map(|place| smallvec![place]);
        let pairs = (0..n_head).flat_map(|first| {
            let others = (0..n_head).filter(move |second| *second != first);
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
        Descent::new(self, lits, among).places
    }

    /// Whether a clause has a call that is smaller only because of what another one answers.
    pub(crate) fn needs_trust(&mut self, lits: &[Lit], among: &[Places]) -> bool {
        let trusts = std::mem::replace(&mut self.trusts_target, false);
        let needs = !self.permits(lits, among);
        self.trusts_target = trusts;
        needs
    }

    /// Whether what a clause proves is bounded as the positive examples are, if what it calls is.
    pub(crate) fn keeps_to_bounds(&self, lits: &[Lit]) -> bool {
        let descent = Descent::new(self, lits, &[]);
        let mut bounds = self.of_target.iter();
        bounds.all(|own| {
            descent
                .least(own.place, own.other)
                .is_some_and(|it| it >= own.least)
        })
    }
}

/// The ranks of the terms of each type that background relations order.
fn ranks(problem: &EncodedProblem, termination: &TerminationOrder) -> Vec<(Symbol, Vec<i32>)> {
    let mut orders = Orders {
        named: &problem.constants,
        of_kind: Vec::new(),
        n_terms: problem.terms.len(),
    };
    let mut has_joined = vec![false; problem.relations.len()];
    for is_strict in [true, false] {
        for mode in &problem.modes {
            let at = mode.relation as usize;
            if Some(mode.relation) != termination.target && !has_joined[at] {
                let kinds: Vec<Symbol> = mode.arguments.iter().map(|(_, kind)| *kind).collect();
                has_joined[at] = orders.join(&problem.relations[at], &kinds, is_strict);
            }
        }
    }
    let of_kind = orders.of_kind.into_iter();
    let ordered = of_kind.filter(|(_, edges)| !edges.is_empty());
    let ranked = ordered
        .filter_map(|(kind, edges)| heights(&edges, problem.terms.len()).map(|own| (kind, own)));
    ranked.collect()
}

/// No bound on a difference is known.
const UNKNOWN: i32 = i32::MIN;

/// How the ranks of a clause's variables differ, as far as its literals tell, and the places at which all
/// its calls are smaller than its head.
pub(crate) struct Descent<'t> {
    order: &'t TerminationOrder,
    /// The variables, and last what has rank 0.
    n: usize,
    /// By pair of these, the least difference of their ranks: `n` in a row.
    least: Vec<i32>,
    kinds: Vec<Symbol>,
    pub(crate) places: Vec<Places>,
}

impl<'t> Descent<'t> {
    pub(crate) fn new(order: &'t TerminationOrder, lits: &[Lit], among: &[Places]) -> Self {
        let n_new: usize = lits.iter().map(Lit::n_new).sum();
        let n = order.head_kinds.len() + n_new + 1;
        let mut descent = Self {
            order,
            n,
            least: vec![UNKNOWN; n * n],
            kinds: order.head_kinds.clone(),
            places: among.to_vec(),
        };
        for i in 0..n {
            descent.least[i * n + i] = 0;
            descent.least[i * n + n - 1] = 0;
        }
        for lit in lits {
            descent.add(lit);
        }
        descent
    }

    /// Those of the places at which a further call is smaller.
    fn smaller_at(&self, lit: &Lit) -> impl Fn(&Places) -> bool {
        let compared: Vec<Option<i32>> = (0..lit.args.len())
            .map(|place| {
                let kind = self.order.head_kinds[place];
                let (var, rank) = self.node(lit.args[place], kind)?;
                Some(self.least(place, var)? - rank)
            })
            .collect();
        // What is smaller at one place may be anything at those after it.
        move |places: &Places| {
            let mut compared = places.iter().map(|place| compared[*place]);
            let decides = compared.find(|own| *own != Some(0));
            decides.flatten().is_some_and(|least| least > 0)
        }
    }

    /// Whether a further call agrees with the others on some place at which it is smaller.
    pub(crate) fn permits(&self, lit: &Lit) -> bool {
        self.places.iter().any(self.smaller_at(lit))
    }

    /// What stands for an argument, and how much more its rank is; none for a new variable.
    fn node(&self, arg: Arg, kind: Symbol) -> Option<(usize, i32)> {
        match arg {
            Arg::Var(var) => Some((var as usize, 0)),
            Arg::Const(constant) => {
                let ranks = self.order.ranks_of(kind)?;
                Some((self.n - 1, ranks[constant as usize]))
            }
            Arg::New => None,
        }
    }

    /// The least difference of the ranks of two variables.
    fn least(&self, var: usize, other: usize) -> Option<i32> {
        Some(self.least[var * self.n + other]).filter(|least| *least != UNKNOWN)
    }

    fn add(&mut self, lit: &Lit) {
        if lit.relation == EQUALS {
            self.equate(lit);
            return;
        }
        let kinds = &self.order.kinds[lit.relation as usize];
        let is_call = self.order.is_recursive(lit);
        if is_call && lit.positive {
            let places = std::mem::take(&mut self.places).into_iter();
            self.places = places.filter(self.smaller_at(lit)).collect();
        }
        let first_new = self.kinds.len();
        let mut next = first_new;
        let mut nodes = Vec::with_capacity(lit.args.len());
        for (place, arg) in lit.args.iter().enumerate() {
            let kind = kinds.get(place).copied().unwrap_or(Symbol::TRUE);
            nodes.push(self.node(*arg, kind));
            if *arg == Arg::New {
                nodes[place] = Some((next, 0));
                next += 1;
                self.kinds.push(kind);
            }
        }
        let bounds = match is_call {
            _ if !lit.positive => return,
            true if self.order.trusts_target => &self.order.of_target,
            true => return,
            false => &self.order.bounds[lit.relation as usize],
        };
        for bound in bounds {
            if let Some((pair, other)) = nodes[bound.place].zip(nodes[bound.other]) {
                self.bound(pair.0, other.0, bound.least - pair.1 + other.1);
            }
        }
    }

    /// A variable is equal to another, or to a constant.
    fn equate(&mut self, lit: &Lit) {
        let [Arg::Var(left), right] = *lit.args else {
            return;
        };
        let kind = self.kinds.get(left as usize).copied();
        let right = kind.and_then(|kind| self.node(right, kind));
        if let Some((right, rank)) = right.filter(|_| lit.positive) {
            self.bound(left as usize, right, rank);
            self.bound(right, left as usize, -rank);
        }
    }

    /// The rank of one variable exceeds that of another by this much, and so do those beyond.
    fn bound(&mut self, var: usize, other: usize, least: i32) {
        let n = self.n;
        if self.least[var * n + other] >= least {
            return;
        }
        for i in 0..n {
            let Some(before) = self.least(i, var) else {
                continue;
            };
            for j in 0..n {
                let after = self.least[other * n + j];
                if after != UNKNOWN {
                    let sum = before.saturating_add(least).saturating_add(after);
                    let own = &mut self.least[i * n + j];
                    *own = sum.max(*own);
                }
            }
        }
    }
}

/// The lengths of the longest ways from the terms along edges; none if there is a cycle.
fn heights(edges: &[(u32, u32)], n_terms: usize) -> Option<Vec<i32>> {
    let mut outgoing = vec![0u32; n_terms];
    let mut starts = vec![0usize; n_terms + 1];
    for &(from, to) in edges {
        outgoing[from as usize] += 1;
        starts[to as usize + 1] += 1;
    }
    for i in 0..n_terms {
        starts[i + 1] += starts[i];
    }
    let mut next = starts.clone();
    let mut sources = vec![0u32; edges.len()];
    for &(from, to) in edges {
        sources[next[to as usize]] = from;
        next[to as usize] += 1;
    }
    let mut free: Vec<u32> = (0..number(n_terms))
        .filter(|&term| outgoing[term as usize] == 0)
        .collect();
    let mut heights = vec![0; n_terms];
    let mut done = 0;
    while let Some(term) = free.pop() {
        done += 1;
        for &from in &sources[starts[term as usize]..starts[term as usize + 1]] {
            heights[from as usize] = heights[from as usize].max(heights[term as usize] + 1);
            outgoing[from as usize] -= 1;
            if outgoing[from as usize] == 0 {
                free.push(from);
            }
        }
    }
    (done == n_terms).then_some(heights)
}
