//! Parts of components: literals with one open variable and the variables that other concepts hang on.

use std::hash::Hasher as _;

use kibitz_prolog::Symbol;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::template::Template;
use super::universe::Universe;
use crate::encoded::{EncodedProblem, Relation};

/// Most tuples of all parts.
pub(super) const MAX_TUPLES: usize = 1 << 24;
/// Most tuples that literals are joined to cycles with.
const MAX_CYCLE_TUPLES: usize = 1 << 18;
/// Most parts that are cycles, and most tuples looked at for them in any case.
const MAX_CYCLES: usize = 2_000;
const MAX_CYCLE_WORK: usize = 1 << 22;

/// What an existential variable of a literal is to a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Target,
    /// A variable that a concept is about.
    Source(usize),
    /// A variable that occurs in this literal only.
    Free,
    /// A variable that several literals of the part share, by its number.
    Shared(usize),
}

/// Literals that join an open variable, the target, to sources.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Templates, with the roles of their existential variables.
    pub(super) literals: SmallVec<[(u32, SmallVec<[Role; 3]>); 1]>,
    /// Types of target and sources, by number.
    pub(super) target: usize,
    pub(super) sources: SmallVec<[usize; 2]>,
    /// Places of pairs: of the sources, then of the target.
    pub(super) tuples: Vec<u32>,
    pub(super) size: usize,
    pub(super) n_free: usize,
    pub(super) target_needed: bool,
    pub(super) source_needed: SmallVec<[bool; 2]>,
    pub(super) is_linked: bool,
    /// Whether the target has the values that occur, or the others.
    pub(super) positive: bool,
}

impl Part {
    pub(super) fn n_tuples(&self) -> usize {
        self.tuples.len() / (self.sources.len() + 1)
    }
}

/// All parts of single literals, and those of two or three that make a cycle as far as the effort goes;
/// whether some were left out.
pub(super) fn parts(
    problem: &EncodedProblem,
    templates: &[Template],
    universe: &Universe,
    kinds: &[Symbol],
    (effort, max_tuples): (u64, u64),
    keep_going: &dyn Fn() -> bool,
) -> (Vec<Part>, bool) {
    let max_tuples = usize::try_from(max_tuples).unwrap_or(usize::MAX);
    let mut maker = Maker {
        problem,
        universe,
        kinds,
        all: Vec::new(),
        known: FxHashMap::default(),
        n_tuples: 0,
        is_cut_short: false,
    };
    for (id, template) in (0u32..).zip(templates) {
        if template.existentials.is_empty() {
            continue;
        }
        if maker.n_tuples > MAX_TUPLES.min(max_tuples) || !keep_going() {
            maker.is_cut_short = true;
            break;
        }
        let left = max_tuples - maker.n_tuples;
        match maker.tuples(template, left, keep_going) {
            Some(tuples) => maker.single(id, template, &tuples),
            None => maker.is_cut_short = true,
        }
    }
    maker.cycles(effort, keep_going);
    (maker.all, maker.is_cut_short)
}

struct Maker<'p> {
    problem: &'p EncodedProblem,
    universe: &'p Universe,
    kinds: &'p [Symbol],
    all: Vec<Part>,
    known: FxHashMap<u64, Vec<usize>>,
    n_tuples: usize,
    is_cut_short: bool,
}

impl Maker<'_> {
    fn kind(&self, kind: Symbol) -> usize {
        self.kinds.binary_search(&kind).unwrap_or(0)
    }

    /// The parts of one literal: every variable as target, with no source, one or two.
    fn single(&mut self, id: u32, template: &Template, tuples: &[u32]) {
        let n = template.existentials.len();
        self.n_tuples += tuples.len();
        let mut choices: Vec<(usize, SmallVec<[usize; 2]>)> = Vec::new();
        for target in 0..n {
            choices.push((target, SmallVec::new()));
            let others: Vec<usize> = (0..n).filter(|i| *i != target).collect();
            for (at, &a) in others.iter().enumerate() {
                choices.push((target, SmallVec::from_slice(&[a])));
                let later = others[at + 1..].iter();
                choices.extend(later.map(|&b| (target, SmallVec::from_slice(&[a, b]))));
            }
        }
        for (target, sources) in choices {
            let roles = (0..n).map(|i| {
                let source = sources.iter().position(|own| *own == i);
                match (i == target, source) {
                    (true, _) => Role::Target,
                    (_, Some(source)) => Role::Source(source),
                    (_, None) => Role::Free,
                }
            });
            let roles: SmallVec<[Role; 3]> = roles.collect();
            let is_free = |i: &usize| roles[*i] == Role::Free;
            let needs = |i: usize| template.existentials[i].is_needed;
            if (0..n).filter(is_free).any(needs) {
                continue;
            }
            let columns = sources.iter().copied().chain([target]);
            let columns: SmallVec<[usize; 3]> = columns.collect();
            let rows = tuples.chunks_exact(n);
            let rows = rows.map(|row| columns.iter().map(|i| row[*i]).collect());
            let mut rows: Vec<SmallVec<[u32; 3]>> = rows.collect();
            rows.sort_unstable();
            rows.dedup();
            let kind = |i: usize| self.kind(template.existentials[i].kind);
            self.push(Part {
                target: kind(target),
                sources: sources.iter().map(|i| kind(*i)).collect(),
                tuples: rows.into_iter().flatten().collect(),
                size: 1,
                n_free: (0..n).filter(is_free).count(),
                target_needed: needs(target),
                source_needed: sources.iter().map(|i| needs(*i)).collect(),
                is_linked: template.is_linked(),
                positive: template.lit.positive,
                literals: [(id, roles)].into_iter().collect(),
            });
        }
    }

    /// Keeps a part that no other one is as good as.
    fn push(&mut self, part: Part) {
        if part.tuples.is_empty() && part.positive {
            return;
        }
        let mut hasher = FxHasher::default();
        hasher.write_usize(part.target);
        part.sources.iter().for_each(|own| hasher.write_usize(*own));
        part.tuples.iter().for_each(|own| hasher.write_u32(*own));
        let known = self.known.entry(hasher.finish()).or_default();
        let at_most = |own: &[bool], new: &[bool]| own.iter().zip(new).all(|(a, b)| a <= b);
        let is_as_good = |id: &usize| {
            let own = &self.all[*id];
            own.size <= part.size
                && own.n_free <= part.n_free
                && own.target == part.target
                && own.sources == part.sources
                && own.positive == part.positive
                && own.is_linked >= part.is_linked
                && own.target_needed <= part.target_needed
                && at_most(&own.source_needed, &part.source_needed)
                && own.tuples == part.tuples
        };
        if !known.iter().any(is_as_good) {
            known.push(self.all.len());
            self.all.push(part);
        }
    }

    /// For each example and each way to satisfy a literal the places of the values of its variables;
    /// `None` if there are more than so many, or if it is interrupted.
    fn tuples(
        &self,
        template: &Template,
        most: usize,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<Vec<u32>> {
        let mut tuples = Vec::new();
        let mut example = 0;
        let n = template.existentials.len();
        for side in &self.problem.examples {
            for row in 0..side.len {
                if tuples.len() > most || !keep_going() {
                    return None;
                }
                let head = |i: u32| side.columns[i as usize][row];
                let relation = &self.problem.relations[template.lit.relation as usize];
                let mut places: SmallVec<[u32; 4]> = SmallVec::from_elem(0, n);
                self.rows(template, relation, example, head, &mut |row| {
                    places.fill(u32::MAX);
                    for (&arg, &value) in template.lit.args.iter().zip(row) {
                        let agrees = match template.existential(arg) {
                            None => arg.value(head) == Some(value),
                            Some(i) => {
                                let pairs = &self.universe.kinds[&template.existentials[i].kind];
                                let place = pairs.place(example, value);
                                let is_new = places[i] == u32::MAX;
                                let known = places[i];
                                places[i] = place.unwrap_or(u32::MAX);
                                place.is_some_and(|place| is_new || place == known)
                            }
                        };
                        if !agrees {
                            return;
                        }
                    }
                    tuples.extend_from_slice(&places);
                });
                example += 1;
            }
        }
        Some(tuples)
    }

    /// Calls `visit` for the rows that may agree with a literal, by its shortest index.
    fn rows(
        &self,
        template: &Template,
        relation: &Relation,
        example: usize,
        head: impl Fn(u32) -> u32,
        visit: &mut dyn FnMut(&[u32]),
    ) {
        let args = || template.lit.args.iter().copied().enumerate();
        let known = args().filter(|(_, arg)| template.existential(*arg).is_none());
        let known = known.filter_map(|(place, arg)| {
            let value = arg.value(&head)?;
            Some(relation.index(place).rows(value))
        });
        if let Some(rows) = known.min_by_key(|rows| rows.len()) {
            for row in rows {
                visit(relation.row(*row));
            }
            return;
        }
        for (place, arg) in args() {
            if let Some(i) = template.existential(arg) {
                let pairs = &self.universe.kinds[&template.existentials[i].kind];
                for pair in pairs.of(example) {
                    let rows = relation.index(place).rows(pairs.values[pair]);
                    for row in rows {
                        visit(relation.row(*row));
                    }
                }
                return;
            }
        }
    }

    /// Two literals between the same two variables, and triangles of three.
    fn cycles(&mut self, effort: u64, keep_going: &dyn Fn() -> bool) {
        let is_edge = |part: &&Part| {
            part.sources.len() == 1
                && part.positive
                && part.n_free == 0
                && part.tuples.len() <= MAX_CYCLE_TUPLES
        };
        let edges: Vec<Part> = self.all.iter().filter(is_edge).cloned().collect();
        let most = self.all.len() + MAX_CYCLES;
        let mut left = usize::try_from(effort / 8)
            .unwrap_or(usize::MAX)
            .min(MAX_CYCLE_WORK);
        let mut may = |maker: &mut Self, n: usize| {
            left = left.saturating_sub(n);
            let may = left > 0 && maker.all.len() < most && keep_going();
            maker.is_cut_short |= !may;
            may
        };
        for (i, a) in edges.iter().enumerate() {
            for b in &edges[i + 1..] {
                let is_parallel = a.target == b.target && a.sources == b.sources;
                if !is_parallel || !may(self, a.tuples.len() + b.tuples.len()) {
                    continue;
                }
                let tuples = common(&a.tuples, &b.tuples);
                if tuples.len() < a.tuples.len().min(b.tuples.len()) {
                    self.push(both(a, b, tuples));
                }
            }
        }
        for first in &edges {
            for second in edges.iter().filter(|own| own.sources[0] == first.target) {
                let closes =
                    |own: &&Part| own.sources == first.sources && own.target == second.target;
                for third in edges.iter().filter(closes) {
                    let n = first.tuples.len() + second.tuples.len() + third.tuples.len();
                    if !may(self, n) {
                        return;
                    }
                    let tuples = triangle(first, second, third);
                    if tuples.len() < third.tuples.len() {
                        self.push(closed(first, second, third, tuples));
                    }
                }
            }
        }
    }
}

fn pairs(tuples: &[u32]) -> impl Iterator<Item = [u32; 2]> + '_ {
    tuples.chunks_exact(2).map(|pair| [pair[0], pair[1]])
}

/// The pairs of both lists, which are in order.
fn common(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut right = pairs(b).peekable();
    let mut found = Vec::new();
    for pair in pairs(a) {
        while right.next_if(|own| *own < pair).is_some() {}
        if right.peek() == Some(&pair) {
            found.extend(pair);
        }
    }
    found
}

/// Literals between the same two variables.
fn both(a: &Part, b: &Part, tuples: Vec<u32>) -> Part {
    Part {
        literals: a.literals.iter().chain(&b.literals).cloned().collect(),
        tuples,
        size: a.size + b.size,
        target_needed: a.target_needed && b.target_needed,
        source_needed: [a.source_needed[0] && b.source_needed[0]]
            .into_iter()
            .collect(),
        is_linked: a.is_linked || b.is_linked,
        ..a.clone()
    }
}

/// The pairs of the third part between which the first and the second lead through some value.
fn triangle(first: &Part, second: &Part, third: &Part) -> Vec<u32> {
    let mut from: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for [source, middle] in pairs(&first.tuples) {
        from.entry(source).or_default().push(middle);
    }
    let steps: rustc_hash::FxHashSet<[u32; 2]> = pairs(&second.tuples).collect();
    let leads = |[source, target]: &[u32; 2]| {
        let middles = from.get(source).into_iter().flatten();
        middles
            .into_iter()
            .any(|middle| steps.contains(&[*middle, *target]))
    };
    pairs(&third.tuples).filter(leads).flatten().collect()
}

fn closed(first: &Part, second: &Part, third: &Part, tuples: Vec<u32>) -> Part {
    let renamed = |part: &Part, target: Role, source: Role| {
        let literals = part.literals.iter().cloned().map(move |(id, roles)| {
            let roles = roles.into_iter().map(|role| match role {
                Role::Target => target,
                Role::Source(_) => source,
                other => other,
            });
            (id, roles.collect())
        });
        literals.collect::<Vec<_>>()
    };
    let literals = renamed(first, Role::Shared(0), Role::Source(0))
        .into_iter()
        .chain(renamed(second, Role::Target, Role::Shared(0)))
        .chain(third.literals.iter().cloned());
    Part {
        literals: literals.collect(),
        tuples,
        size: first.size + second.size + third.size,
        n_free: 1,
        target_needed: second.target_needed && third.target_needed,
        source_needed: [first.source_needed[0] && third.source_needed[0]]
            .into_iter()
            .collect(),
        is_linked: first.is_linked || second.is_linked || third.is_linked,
        ..third.clone()
    }
}
