//! Concepts: what a tree of literals says of one open variable, as sets of pairs of an example and a
//! constant, built from small to large. A concept whose set another one has already is dropped; labels
//! are not looked at.

use std::hash::Hasher as _;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::part::Part;
use super::universe::{Pairs, Universe, has, ones, set};
use crate::encoded::number;

/// Most literals of a concept that does not mention the head: what hangs on a variable beside the way
/// from the head through it. A component of `n` literals has a variable from which no such branch is
/// longer than `(n - 1) / 2`, so that all components of at most `2 MAX_BRANCH + 2` literals are built.
pub(super) const MAX_BRANCH: usize = 2;

/// A condition on one open variable.
#[derive(Clone, Debug)]
pub(super) struct Concept {
    pub(super) kind: usize,
    /// Where its words stand among those of its type.
    place: u32,
    /// Literals.
    pub(super) size: usize,
    /// Existential variables beside the open one.
    pub(super) n_inner: usize,
    /// Whether it gives the open variable values, instead of needing them.
    pub(super) provides: bool,
    /// Whether it mentions the head.
    pub(super) is_linked: bool,
    pub(super) origin: Origin,
}

/// How a concept is made.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// Literals, with concepts of their source variables.
    Part(u32, SmallVec<[u32; 2]>),
    And(u32, u32),
}

/// All concepts up to a size.
pub(super) struct Concepts<'t> {
    pairs: Vec<&'t Pairs>,
    pub(super) parts: Vec<Part>,
    pub(super) all: Vec<Concept>,
    /// The words of all concepts of a type, one after the other.
    words: Vec<Vec<u64>>,
    by_hash: FxHashMap<(usize, u64), SmallVec<[u32; 1]>>,
    /// By size and type.
    by_size: Vec<Vec<Vec<u32>>>,
    /// Whether variables are bounded, so that concepts with fewer are worth keeping.
    counts_vars: bool,
    /// Words and tuples that were looked at.
    pub(super) work: u64,
}

/// Why concepts stop growing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GrowthEnd {
    Memory,
    Interrupted,
}

impl<'t> Concepts<'t> {
    pub(super) fn new(
        parts: Vec<Part>,
        kinds: &[kibitz_prolog::Symbol],
        universe: &'t Universe,
        counts_vars: bool,
    ) -> Self {
        Self {
            pairs: kinds.iter().map(|kind| &universe.kinds[kind]).collect(),
            parts,
            all: Vec::new(),
            words: vec![Vec::new(); kinds.len()],
            by_hash: FxHashMap::default(),
            by_size: vec![vec![Vec::new(); kinds.len()]],
            counts_vars,
            work: 0,
        }
    }

    pub(super) fn pairs(&self, kind: usize) -> &'t Pairs {
        self.pairs[kind]
    }

    pub(super) fn words(&self, concept: &Concept) -> &[u64] {
        let n = self.pairs[concept.kind].n_words();
        &self.words[concept.kind][concept.place as usize * n..][..n]
    }

    pub(super) fn bytes(&self) -> usize {
        8 * self.words.iter().map(Vec::len).sum::<usize>() + 96 * self.all.len()
    }

    fn of(&self, size: usize, kind: usize) -> &[u32] {
        self.by_size.get(size).map_or(&[], |kinds| &kinds[kind])
    }

    fn is_atomic(&self, id: u32) -> bool {
        matches!(self.all[id as usize].origin, Origin::Part(..))
    }

    /// What the concepts of the next size take to build, in words and tuples.
    pub(super) fn cost_of_next(&self) -> u64 {
        let size = self.by_size.len();
        // Concepts of a size and type: all or only those that may be a source, linked ones and others.
        let count = |size: usize, kind: usize, is_needed: bool| {
            let mut counts = [0_u64; 2];
            for id in self.of(size, kind) {
                let own = &self.all[*id as usize];
                counts[usize::from(own.is_linked)] += u64::from(own.provides || !is_needed);
            }
            counts
        };
        let may_be_free = u64::from(size <= MAX_BRANCH);
        let mut cost = 0_u64;
        for part in &self.parts {
            let Some(rest) = size.checked_sub(part.size) else {
                continue;
            };
            let is_linked = u64::from(part.is_linked);
            let of = |own: usize, i: usize| count(own, part.sources[i], part.source_needed[i]);
            let n = match part.sources.len() {
                0 => u64::from(rest == 0),
                1 => {
                    let [free, linked] = of(rest, 0);
                    linked + free * is_linked.max(may_be_free)
                }
                _ => {
                    let pairs = (1..rest).map(|own| {
                        let ([a, b], [c, d]) = (of(own, 0), of(rest - own, 1));
                        let free = a.saturating_mul(c) * is_linked.max(may_be_free);
                        free.saturating_add(b.saturating_mul(c + d))
                            .saturating_add(a.saturating_mul(d))
                    });
                    pairs.fold(0, u64::saturating_add)
                }
            };
            cost = cost.saturating_add(n.saturating_mul(part.n_tuples() as u64 + 8));
        }
        for kind in 0..self.pairs.len() {
            let n_words = self.pairs[kind].n_words() as u64;
            for own in 1..size {
                let [free, linked] = count(own, kind, false);
                let mut atoms = [0_u64; 2];
                for id in self.of(size - own, kind) {
                    if self.is_atomic(*id) {
                        atoms[usize::from(self.all[*id as usize].is_linked)] += 1;
                    }
                }
                let n = linked
                    .saturating_mul(atoms[0] + atoms[1])
                    .saturating_add(free.saturating_mul(atoms[1] + atoms[0] * may_be_free));
                cost = cost.saturating_add(n.saturating_mul(n_words + 8));
            }
        }
        cost
    }

    /// The size of the largest concepts.
    pub(super) fn size(&self) -> usize {
        self.by_size.len() - 1
    }

    /// Builds the concepts of the next size and gives the numbers of those that are new.
    pub(super) fn grow(
        &mut self,
        memory: usize,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Vec<u32>, GrowthEnd> {
        let size = self.by_size.len();
        self.by_size.push(vec![Vec::new(); self.pairs.len()]);
        let first = self.all.len();
        for part in 0..self.parts.len() {
            let Some(rest) = size.checked_sub(self.parts[part].size) else {
                continue;
            };
            self.check(memory, keep_going)?;
            self.with_sources(part, rest, memory, keep_going)?;
        }
        for kind in 0..self.pairs.len() {
            for own in 1..size {
                let atoms = self.of(size - own, kind).iter().copied();
                let atoms: Vec<u32> = atoms.filter(|id| self.is_atomic(*id)).collect();
                for i in 0..self.of(own, kind).len() {
                    let left = self.of(own, kind)[i];
                    self.check(memory, keep_going)?;
                    for &atom in &atoms {
                        if !self.is_atomic(left) || left < atom {
                            self.intersect(left, atom);
                        }
                    }
                }
            }
        }
        Ok((number(first)..number(self.all.len())).collect())
    }

    fn check(&self, memory: usize, keep_going: &dyn Fn() -> bool) -> Result<(), GrowthEnd> {
        if self.bytes() > memory {
            Err(GrowthEnd::Memory)
        } else if !keep_going() {
            Err(GrowthEnd::Interrupted)
        } else {
            Ok(())
        }
    }

    /// The concepts of a part with sources of so many literals in all.
    fn with_sources(
        &mut self,
        part: usize,
        rest: usize,
        memory: usize,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<(), GrowthEnd> {
        let sources = self.parts[part].sources.clone();
        match sources[..] {
            [] if rest == 0 => self.apply(part, &[]),
            [kind] if rest > 0 => {
                for i in 0..self.of(rest, kind).len() {
                    self.apply(part, &[self.of(rest, kind)[i]]);
                }
            }
            [a, b] => {
                for own in 1..rest {
                    for i in 0..self.of(own, a).len() {
                        self.check(memory, keep_going)?;
                        for j in 0..self.of(rest - own, b).len() {
                            let pair = [self.of(own, a)[i], self.of(rest - own, b)[j]];
                            self.apply(part, &pair);
                        }
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The values of a part's target for which its sources have values in these concepts.
    fn apply(&mut self, part: usize, sources: &[u32]) {
        let own = &self.parts[part];
        let concepts = || sources.iter().map(|id| &self.all[*id as usize]);
        let size = own.size + concepts().map(|concept| concept.size).sum::<usize>();
        let is_linked = own.is_linked || concepts().any(|concept| concept.is_linked);
        if !is_linked && size > MAX_BRANCH {
            return;
        }
        let needs = concepts().zip(&own.source_needed);
        let mut needs = needs.filter(|(concept, is_needed)| **is_needed && !concept.provides);
        if needs.next().is_some() {
            return;
        }
        let mut words = vec![0; self.pairs[own.target].n_words()];
        let mut sets = concepts().map(|concept| self.words(concept));
        match (sets.next(), sets.next()) {
            (None, _) => own.tuples.iter().for_each(|t| set(&mut words, *t as usize)),
            (Some(a), None) => {
                for t in own.tuples.chunks_exact(2) {
                    if has(a, t[0] as usize) {
                        set(&mut words, t[1] as usize);
                    }
                }
            }
            (Some(a), Some(b)) => {
                for t in own.tuples.chunks_exact(3) {
                    if has(a, t[0] as usize) && has(b, t[1] as usize) {
                        set(&mut words, t[2] as usize);
                    }
                }
            }
        }
        if !own.positive {
            self.complement(own.target, &mut words);
        }
        let own = &self.parts[part];
        let concept = Concept {
            kind: own.target,
            place: 0,
            size,
            n_inner: own.n_free + concepts().map(|concept| concept.n_inner + 1).sum::<usize>(),
            provides: !own.target_needed,
            is_linked,
            origin: Origin::Part(number(part), sources.into()),
        };
        self.work += own.n_tuples() as u64 + 8;
        self.insert(concept, &words);
    }

    fn complement(&self, kind: usize, words: &mut [u64]) {
        for word in words.iter_mut() {
            *word = !*word;
        }
        let rest = self.pairs[kind].len() % 64;
        if let Some(last) = words.last_mut().filter(|_| rest > 0) {
            *last &= (1 << rest) - 1;
        }
    }

    fn intersect(&mut self, left: u32, atom: u32) {
        let [a, b] = [left, atom].map(|id| &self.all[id as usize]);
        // Without the head they hang on a variable one by one.
        if !a.is_linked && !b.is_linked && a.size + b.size > MAX_BRANCH {
            return;
        }
        let both = self.words(a).iter().zip(self.words(b));
        let words: SmallVec<[u64; 64]> = both.map(|(a, b)| a & b).collect();
        let concept = Concept {
            kind: a.kind,
            place: 0,
            size: a.size + b.size,
            n_inner: a.n_inner + b.n_inner,
            provides: a.provides || b.provides,
            is_linked: a.is_linked || b.is_linked,
            origin: Origin::And(left, atom),
        };
        self.work += words.len() as u64 + 8;
        self.insert(concept, &words);
    }

    /// Keeps a concept that says something new.
    fn insert(&mut self, concept: Concept, words: &[u64]) {
        if !concept.is_linked && concept.size > MAX_BRANCH {
            return;
        }
        if words.iter().all(|word| *word == 0) {
            return;
        }
        let says_nothing = !concept.is_linked && !concept.provides;
        if says_nothing && ones(words) == self.pairs[concept.kind].len() {
            return;
        }
        let mut hasher = FxHasher::default();
        for word in words {
            hasher.write_u64(*word);
        }
        let key = (concept.kind, hasher.finish());
        let is_as_good = |id: &u32| {
            let own = &self.all[*id as usize];
            (own.provides || !concept.provides)
                && (own.is_linked || !concept.is_linked)
                && (!self.counts_vars || own.n_inner <= concept.n_inner)
                && self.words(own) == words
        };
        let known = self.by_hash.get(&key);
        if known.is_some_and(|known| known.iter().any(is_as_good)) {
            return;
        }
        let id = number(self.all.len());
        self.by_hash.entry(key).or_default().push(id);
        let n_words = words.len().max(1);
        let own = &mut self.words[concept.kind];
        let place = number(own.len() / n_words);
        own.extend_from_slice(words);
        self.by_size[concept.size][concept.kind].push(id);
        self.all.push(Concept { place, ..concept });
    }
}
