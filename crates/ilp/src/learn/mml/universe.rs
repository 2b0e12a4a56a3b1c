//! Which constants an existential variable may stand for, example by example.

use kibitz_prolog::{Direction, Predicate, Symbol};
use rustc_hash::FxHashMap;

use crate::encoded::{EncodedProblem, number};

/// Most pairs of an example and a constant in all.
const MAX_PAIRS: usize = 1 << 22;

/// Where the bits of examples stand: the negative ones begin at a word of their own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) n: [usize; 2],
    /// Words of the positive ones, and of all.
    pub(super) n_positive: usize,
    pub(super) n_words: usize,
}

impl Layout {
    pub(super) fn new(n: [usize; 2]) -> Self {
        let [n_positive, n_negative] = n.map(|n| n.div_ceil(64));
        Self {
            n,
            n_positive,
            n_words: n_positive + n_negative,
        }
    }

    /// The bit of an example, counted through both signs.
    pub(super) fn bit(&self, example: usize) -> usize {
        match example.checked_sub(self.n[0]) {
            None => example,
            Some(negative) => 64 * self.n_positive + negative,
        }
    }

    /// All examples.
    pub(super) fn all(&self) -> Vec<u64> {
        let mut words = vec![0; self.n_words];
        (0..self.n[0] + self.n[1]).for_each(|example| set(&mut words, self.bit(example)));
        words
    }

    /// How many examples of either sign a set holds.
    pub(super) fn count(&self, words: &[u64]) -> [usize; 2] {
        let (positive, negative) = words.split_at(self.n_positive);
        [ones(positive), ones(negative)]
    }
}

pub(super) fn set(words: &mut [u64], bit: usize) {
    words[bit / 64] |= 1 << (bit % 64);
}

pub(super) fn has(words: &[u64], bit: usize) -> bool {
    words[bit / 64] >> (bit % 64) & 1 == 1
}

pub(super) fn ones(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// The bits of a set, ascending.
pub(super) fn bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(i, &word)| {
        let rest = |word: &u64| Some(word & (word - 1)).filter(|rest| *rest != 0);
        let first = Some(word).filter(|word| *word != 0);
        std::iter::successors(first, rest).map(move |word| 64 * i + word.trailing_zeros() as usize)
    })
}

/// The pairs of an example and a constant of one type.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// For each example the places of its pairs.
    starts: Vec<u32>,
    /// The constants, ascending for each example.
    pub(super) values: Vec<u32>,
    /// The examples.
    pub(super) owners: Vec<u32>,
}

impl Pairs {
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn n_words(&self) -> usize {
        self.len().div_ceil(64)
    }

    /// The places of the pairs of an example.
    pub(super) fn of(&self, example: usize) -> std::ops::Range<usize> {
        self.starts[example] as usize..self.starts[example + 1] as usize
    }

    /// The place of a pair.
    pub(super) fn place(&self, example: usize, value: u32) -> Option<u32> {
        let own = self.of(example);
        let found = self.values[own.clone()].binary_search(&value).ok()?;
        Some(number(own.start + found))
    }
}

/// The pairs of all types: those that a chain of literals from the head leads to.
#[derive(Debug, Default)]
pub(super) struct Universe {
    pub(super) kinds: FxHashMap<Symbol, Pairs>,
    /// Most literals between the head and a variable, if there would be too many pairs beyond.
    pub(super) max_depth: Option<usize>,
}

impl Universe {
    pub(super) fn new(problem: &EncodedProblem, target: Predicate) -> Self {
        for max_depth in [usize::MAX, 3, 2, 1] {
            let limit = (max_depth < usize::MAX).then_some(max_depth);
            let mut reached = Walk::new(problem, target).reach(max_depth);
            // Where nothing leads to, what other predicates yield may be tried out.
            let is_reached = |kind: &Symbol| {
                let reached = reached.as_ref().and_then(|kinds| kinds.get(kind));
                reached.is_some_and(|pairs| pairs.len() > 0)
            };
            let mut generating = Walk::new(problem, target);
            if generating.generate(is_reached) {
                reached = generating.reach(max_depth);
            }
            if let Some(kinds) = reached {
                return Self {
                    kinds,
                    max_depth: limit,
                };
            }
        }
        Self {
            kinds: FxHashMap::default(),
            max_depth: Some(0),
        }
    }
}

/// A walk from the head of each example along the relations.
struct Walk<'p> {
    problem: &'p EncodedProblem,
    /// Modes of other predicates than the target.
    modes: Vec<usize>,
    kinds: Vec<Symbol>,
    /// By type and term the last example, counted from 1, by which the term was met: at all, and as the
    /// value of an existential variable.
    met: Vec<[Vec<u32>; 2]>,
    /// By type the terms that some predicate yields without any input, where others need one.
    generated: Vec<Vec<u32>>,
}

impl<'p> Walk<'p> {
    fn new(problem: &'p EncodedProblem, target: Predicate) -> Self {
        let is_other = |mode: &usize| {
            let relation = problem.modes[*mode].relation as usize;
            problem.relations[relation].predicate != target
        };
        let modes: Vec<usize> = (0..problem.modes.len()).filter(is_other).collect();
        let mut kinds = problem.head_kinds.clone();
        for &mode in &modes {
            kinds.extend(problem.modes[mode].arguments.iter().map(|own| own.1));
        }
        kinds.sort_unstable();
        kinds.dedup();
        Self {
            problem,
            modes,
            met: (kinds.iter())
                .map(|_| [vec![0; problem.terms.len()], vec![0; problem.terms.len()]])
                .collect(),
            generated: vec![Vec::new(); kinds.len()],
            kinds,
        }
    }

    fn kind(&self, kind: Symbol) -> usize {
        self.kinds.binary_search(&kind).unwrap_or(0)
    }

    /// Begins with what predicates yield without any input, of types that are needed and not reached;
    /// whether there is something.
    fn generate(&mut self, is_reached: impl Fn(&Symbol) -> bool) -> bool {
        let arguments = self.modes.iter();
        let arguments = arguments.flat_map(|&mode| &self.problem.modes[mode].arguments);
        let needed: Vec<Symbol> = arguments
            .filter(|own| own.0 == Direction::In)
            .map(|own| own.1)
            .filter(|kind| !is_reached(kind))
            .collect();
        for &mode in &self.modes {
            let mode = &self.problem.modes[mode];
            if mode.arguments.iter().any(|own| own.0 == Direction::In) {
                continue;
            }
            for (place, (direction, kind)) in mode.arguments.iter().enumerate() {
                if *direction == Direction::Out && needed.contains(kind) {
                    let values = self.problem.relations[mode.relation as usize].values(place);
                    let kind = self.kind(*kind);
                    self.generated[kind].extend(values);
                }
            }
        }
        for own in &mut self.generated {
            own.sort_unstable();
            own.dedup();
        }
        self.generated.iter().any(|own| !own.is_empty())
    }

    /// The pairs within so many literals; `None` if there are too many.
    fn reach(mut self, max_depth: usize) -> Option<FxHashMap<Symbol, Pairs>> {
        let problem = self.problem;
        let mut pairs: Vec<Pairs> = vec![Pairs::default(); self.kinds.len()];
        let mut n_pairs = 0;
        let mut example = 0;
        for side in &problem.examples {
            for row in 0..side.len {
                for own in &mut pairs {
                    own.starts.push(number(own.len()));
                }
                let stamp = example + 1;
                // Terms that were met in the last round, with their types.
                let mut front: Vec<(usize, u32)> = Vec::new();
                for (column, kind) in side.columns.iter().zip(&problem.head_kinds) {
                    let kind = self.kind(*kind);
                    if std::mem::replace(&mut self.met[kind][0][column[row] as usize], stamp)
                        != stamp
                    {
                        front.push((kind, column[row]));
                    }
                }
                let firsts: Vec<usize> = pairs.iter().map(Pairs::len).collect();
                for kind in 0..self.kinds.len() {
                    for i in 0..self.generated[kind].len() {
                        let value = self.generated[kind][i];
                        self.meet(kind, value, stamp, &mut pairs, &mut front);
                    }
                }
                let mut depth = 0;
                while !front.is_empty() && depth < max_depth {
                    let last = std::mem::take(&mut front);
                    for (kind, value) in last {
                        self.step(kind, value, stamp, &mut pairs, &mut front);
                    }
                    depth += 1;
                }
                for (own, first) in pairs.iter_mut().zip(firsts) {
                    own.values[first..].sort_unstable();
                    let n_new = own.len() - first;
                    n_pairs += n_new;
                    own.owners.extend(std::iter::repeat_n(example, n_new));
                }
                if n_pairs > MAX_PAIRS {
                    return None;
                }
                example += 1;
            }
        }
        for own in &mut pairs {
            own.starts.push(number(own.len()));
        }
        Some(self.kinds.into_iter().zip(pairs).collect())
    }

    /// Meets the outputs of all literals that have a term among their arguments.
    fn step(
        &mut self,
        kind: usize,
        value: u32,
        stamp: u32,
        pairs: &mut [Pairs],
        front: &mut Vec<(usize, u32)>,
    ) {
        let problem = self.problem;
        for i in 0..self.modes.len() {
            let mode = &problem.modes[self.modes[i]];
            let relation = &problem.relations[mode.relation as usize];
            let is_output = |place: usize| mode.arguments[place].0 == Direction::Out;
            if relation.len() == 0 || !(0..mode.arguments.len()).any(is_output) {
                continue;
            }
            for (place, (direction, own)) in mode.arguments.iter().enumerate() {
                if *direction == Direction::Constant || self.kinds[kind] != *own {
                    continue;
                }
                for &row in relation.index(place).rows(value) {
                    let row = relation.row(row);
                    let is_known = |(value, (direction, own)): (&u32, &(Direction, Symbol))| {
                        *direction != Direction::In
                            || self.met[self.kind(*own)][0][*value as usize] == stamp
                    };
                    if !row.iter().zip(&mode.arguments).all(is_known) {
                        continue;
                    }
                    for (place, (direction, own)) in mode.arguments.iter().enumerate() {
                        if *direction == Direction::Out {
                            let own = self.kind(*own);
                            self.meet(own, row[place], stamp, pairs, front);
                        }
                    }
                }
            }
        }
    }

    fn meet(
        &mut self,
        kind: usize,
        value: u32,
        stamp: u32,
        pairs: &mut [Pairs],
        front: &mut Vec<(usize, u32)>,
    ) {
        let [met, yielded] = &mut self.met[kind];
        if std::mem::replace(&mut yielded[value as usize], stamp) != stamp {
            pairs[kind].values.push(value);
        }
        if std::mem::replace(&mut met[value as usize], stamp) != stamp {
            front.push((kind, value));
        }
    }
}
