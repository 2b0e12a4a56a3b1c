//! Features: what a clause may say in one component, as sets of examples. A feature is a literal over the
//! arguments of the head, or a concept of a variable for which there is some value.

use std::hash::Hasher as _;

use rustc_hash::{FxHashMap, FxHasher};
use smallvec::SmallVec;

use super::concepts::Concepts;
use super::masses::Masses;
use super::message::Code;
use super::template::Template;
use super::universe::{Layout, bits, ones, set};
use crate::encoded::{EncodedProblem, number};
use crate::eval::{Arg, EQUALS, Lit};

/// A component of clauses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Feature {
    /// 1 for literals over the head, 1 more than their literals for others.
    pub(super) class: usize,
    pub(super) n_literals: usize,
    /// Literals that stand in the body, and variables beside those of the head.
    pub(super) n_body: usize,
    pub(super) n_vars: usize,
    pub(super) source: Source,
    /// The bits that name it.
    pub(super) cost: f64,
}

/// What a feature says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A template without existential variables.
    Literal(u32),
    /// A concept.
    Concept(u32),
}

/// All features up to a size; their sets differ.
#[derive(Debug)]
pub(super) struct Features {
    pub(super) layout: Layout,
    /// For how much each example counts, where that differs.
    pub(super) masses: Option<Masses>,
    pub(super) all: Vec<Feature>,
    words: Vec<u64>,
    /// All examples.
    pub(super) whole: Vec<u64>,
    by_hash: FxHashMap<u64, SmallVec<[u32; 1]>>,
    /// The number of features of each class.
    pub(super) n_in_class: Vec<usize>,
}

impl Features {
    pub(super) fn new(layout: Layout, masses: Option<Masses>) -> Self {
        Self {
            layout,
            masses,
            whole: layout.all(),
            all: Vec::new(),
            words: Vec::new(),
            by_hash: FxHashMap::default(),
            n_in_class: Vec::new(),
        }
    }

    pub(super) fn words(&self, feature: u32) -> &[u64] {
        let n = self.layout.n_words;
        &self.words[feature as usize * n..][..n]
    }

    /// For how much the examples of either sign in a set count: how many they are, or their masses.
    pub(super) fn count(&self, words: &[u64]) -> [usize; 2] {
        match &self.masses {
            None => self.layout.count(words),
            Some(masses) => masses.count(words),
        }
    }

    /// For how much a part of a set counts that begins at a word.
    pub(super) fn sum(&self, words: &[u64], first: usize) -> usize {
        match &self.masses {
            None => ones(words),
            Some(masses) => masses.sum(words, first),
        }
    }

    /// For how much all examples of either sign count.
    pub(super) fn sums(&self) -> [usize; 2] {
        self.masses.as_ref().map_or(self.layout.n, |own| own.all)
    }

    pub(super) fn bytes(&self) -> usize {
        8 * self.words.len() + 96 * self.all.len()
    }

    /// Takes in the literals over the head.
    pub(super) fn add_literals(&mut self, problem: &EncodedProblem, templates: &[Template]) {
        let layout = self.layout;
        for (id, template) in (0u32..).zip(templates) {
            if !template.existentials.is_empty() {
                continue;
            }
            let mut words = vec![0; layout.n_words];
            for (side, examples) in problem.examples.iter().enumerate() {
                let first = side * layout.n[0];
                let holds = holds(problem, &template.lit, &examples.columns);
                (0..examples.len)
                    .filter(|row| holds(*row) == template.lit.positive)
                    .for_each(|row| set(&mut words, layout.bit(first + row)));
            }
            let feature = Feature {
                class: 1,
                n_literals: 1,
                n_body: usize::from(!template.is_merged()),
                n_vars: 0,
                source: Source::Literal(id),
                cost: 0.0,
            };
            self.add(feature, &words);
        }
    }

    /// Takes in what concepts say of examples.
    pub(super) fn add_concepts(&mut self, concepts: &Concepts<'_>, ids: &[u32]) {
        for &id in ids {
            let concept = &concepts.all[id as usize];
            if !concept.provides || !concept.is_linked {
                continue;
            }
            let owners = &concepts.pairs(concept.kind).owners;
            let mut words = vec![0; self.layout.n_words];
            for pair in bits(concepts.words(concept)) {
                set(&mut words, self.layout.bit(owners[pair] as usize));
            }
            let feature = Feature {
                class: concept.size + 1,
                n_literals: concept.size,
                n_body: concept.size,
                n_vars: concept.n_inner + 1,
                source: Source::Concept(id),
                cost: 0.0,
            };
            self.add(feature, &words);
        }
    }

    /// Keeps a feature that says something, and something else than the others.
    fn add(&mut self, feature: Feature, words: &[u64]) {
        let counts = self.layout.count(words);
        if counts == self.layout.n || counts == [0, 0] {
            return;
        }
        let mut hasher = FxHasher::default();
        for word in words {
            hasher.write_u64(*word);
        }
        let known = self.by_hash.entry(hasher.finish()).or_default();
        let n = self.layout.n_words;
        if known
            .iter()
            .any(|id| self.words[*id as usize * n..][..n] == *words)
        {
            return;
        }
        known.push(number(self.all.len()));
        self.words.extend_from_slice(words);
        self.all.push(feature);
        if self.n_in_class.len() <= feature.class {
            self.n_in_class.resize(feature.class + 1, 0);
        }
        self.n_in_class[feature.class] += 1;
    }

    /// Gives every feature its bits.
    pub(super) fn set_costs(&mut self, code: &mut Code) {
        for feature in &mut self.all {
            let n = self.n_in_class[feature.class];
            feature.cost = code.component(feature.class, n, feature.n_literals);
        }
        let costs = self.all.iter().map(|feature| feature.cost);
        code.set_cheapest(costs.fold(f64::INFINITY, f64::min));
    }
}

/// Whether the atom of a literal over the head is true, by the row of an example's arguments.
fn holds<'p>(
    problem: &'p EncodedProblem,
    lit: &'p Lit,
    columns: &'p [Vec<u32>],
) -> Box<dyn Fn(usize) -> bool + 'p> {
    let value = move |arg: &Arg, row: usize| arg.value(|var| columns[var as usize][row]);
    if lit.relation == EQUALS {
        return Box::new(move |row| value(&lit.args[0], row) == value(&lit.args[1], row));
    }
    let relation = &problem.relations[lit.relation as usize];
    match (&*lit.args, relation.pair_test()) {
        ([Arg::Var(a), Arg::Var(b)], Some(test)) => {
            let (a, b) = (&columns[*a as usize], &columns[*b as usize]);
            Box::new(move |row| test.holds(a[row], b[row]))
        }
        ([Arg::Var(a)], _) => {
            let (a, index) = (&columns[*a as usize], relation.index(0));
            Box::new(move |row| index.contains(a[row]))
        }
        (args, _) => {
            Box::new(move |row| relation.contains(args.iter().filter_map(|arg| value(arg, row))))
        }
    }
}
