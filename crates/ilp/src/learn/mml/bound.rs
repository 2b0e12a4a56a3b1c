//! Branch and bound over sets of clauses: what no theory can be shorter than.
//!
//! Some positive example that no clause covers yet is covered by one of the clauses that can, or is left
//! uncovered for good. The labels of all theories that go on from there take least at a corner of what
//! may be covered still, where every further clause covers no more positive examples than the most
//! frequent feature does.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::clause_search::{FeatureClause, Space, and};
use super::message::{MAX_CLAUSES, MAX_COMPONENTS};
use super::theory_search::Theory;
use super::universe::{bits, has, set};

/// Most clauses that a branching keeps.
const MAX_CHILDREN: usize = 20_000;
/// What messages must differ by.
const SLACK: f64 = 1e-9;

/// The best theory, and a message that none is shorter than.
pub(super) struct BoundedTheory {
    pub(super) best: Theory,
    pub(super) least: f64,
    pub(super) steps: u64,
}

/// Looks for shorter theories until there are none or so many features were tried.
pub(super) fn prove(space: &Space<'_>, best: Theory, most: u64) -> BoundedTheory {
    let layout = space.features.layout;
    // Examples that few features are true of have few clauses.
    let mut rarity: Vec<(usize, usize)> = (0..layout.n[0]).map(|bit| (0, bit)).collect();
    for id in 0..crate::encoded::number(space.features.all.len()) {
        for bit in bits(&space.features.words(id)[..layout.n_positive]) {
            rarity[bit].0 += 1;
        }
    }
    rarity.sort_unstable();
    let mut search = Search {
        space,
        best,
        order: rarity.into_iter().map(|(_, bit)| bit).collect(),
        least: f64::INFINITY,
        steps: 0,
        most,
    };
    let root = Node {
        clauses: Vec::new(),
        covered: vec![0; layout.n_words],
        counts: [0, 0],
        bits: 0.0,
        left_out: vec![0; layout.n_positive],
    };
    search.node(&root);
    // A theory takes no less than nothing, even where the order of many cheap clauses is not told.
    let labels = space.code.least_labels([0, 0], space.features.sums());
    BoundedTheory {
        least: search.least.max(labels).min(search.best.message),
        best: search.best,
        steps: search.steps,
    }
}

/// Theories that begin with some clauses.
#[derive(Clone)]
struct Node {
    clauses: Vec<FeatureClause>,
    covered: Vec<u64>,
    counts: [usize; 2],
    bits: f64,
    /// Positive examples that no clause may cover.
    left_out: Vec<u64>,
}

struct Search<'s> {
    space: &'s Space<'s>,
    best: Theory,
    /// The positive examples in the order in which they are decided.
    order: Vec<usize>,
    /// The least bound of what was not looked at.
    least: f64,
    steps: u64,
    most: u64,
}

/// A clause in the making that covers a certain example.
struct PartialClause {
    features: SmallVec<[u32; 4]>,
    sum: f64,
    n_body: usize,
    n_vars: usize,
    words: Vec<u64>,
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.steps >= self.most || !(self.space.keep_going)()
    }

    /// The least message of theories of `m` clauses that take so many bits, or more of them. The `m`
    /// cover at least `least` examples, at most `p` of the positive ones; each further clause at most
    /// `each` of them, all together at most `ceiling`.
    fn bound(&self, m: usize, bits: f64, least: [usize; 2], p: usize, view: Reach) -> f64 {
        let code = self.space.code;
        let mut bound = f64::INFINITY;
        for more in 0..=MAX_CLAUSES.saturating_sub(m) {
            let theory = code.theory(m + more, bits + more as f64 * code.cheapest_clause());
            if theory >= self.best.message && more > 0 && code.grows() {
                break;
            }
            let most = view.ceiling.min(p + more * view.each).max(least[0]);
            bound = bound.min(theory + code.least_labels(least, [most, code.n[1]]));
        }
        bound
    }

    fn node(&mut self, node: &Node) {
        let [p, q] = node.counts;
        let m = node.clauses.len();
        let code = self.space.code;
        let theory = code.theory(m, node.bits);
        let message = theory + code.labels(p, q);
        if message < self.best.message - SLACK && (m == 0 || code.admits_theory(p, q)) {
            self.best = Theory {
                clauses: node.clauses.clone(),
                counts: node.counts,
                bits: theory,
                message,
            };
        }
        if m >= self.space.max_clauses {
            return;
        }
        let features = self.space.features;
        let mut open = features.whole.clone();
        for (word, covered) in open.iter_mut().zip(&node.covered) {
            *word &= !covered;
        }
        let ceiling = features.sums()[0] - features.sum(&node.left_out, 0);
        let mut open_positive: Vec<u64> = open[..features.layout.n_positive].to_vec();
        for (word, out) in open_positive.iter_mut().zip(&node.left_out) {
            *word &= !out;
        }
        let mut each = 0;
        for id in 0..crate::encoded::number(features.all.len()) {
            let mut words = open_positive.clone();
            and(&mut words, features.words(id));
            each = each.max(features.sum(&words, 0));
        }
        self.steps += features.all.len() as u64;
        // Theories with at least one more clause.
        let reach = Reach { each, ceiling };
        let bits = node.bits + code.cheapest_clause();
        let bound = self.bound(m + 1, bits, [p, q], p + each, reach);
        if bound >= self.best.message - SLACK {
            return;
        }
        let mut order = self.order.iter().copied();
        let next = order.find(|bit| has(&open_positive, *bit));
        let Some(example) = next.filter(|_| !self.is_over()) else {
            self.least = self.least.min(bound);
            return;
        };
        match self.children(node, &open, example, reach) {
            None => self.least = self.least.min(bound),
            Some(children) => {
                for (child, clause) in children {
                    if child >= self.best.message - SLACK {
                        break;
                    }
                    if self.is_over() {
                        self.least = self.least.min(child);
                        break;
                    }
                    let next = self.with_clause(node, clause);
                    self.node(&next);
                }
            }
        }
        let mut next = node.clone();
        set(&mut next.left_out, example);
        self.node(&next);
    }

    fn with_clause(&self, node: &Node, clause: FeatureClause) -> Node {
        let mut next = node.clone();
        for (word, own) in next.covered.iter_mut().zip(&clause.words) {
            *word |= own;
        }
        next.counts = self.space.features.count(&next.covered);
        next.bits += clause.cost;
        next.clauses.push(clause);
        next
    }

    /// The clauses that cover an example and may be part of a shorter theory, with their bounds, the
    /// least first; `None` if there are too many to look at.
    fn children(
        &mut self,
        node: &Node,
        open: &[u64],
        example: usize,
        reach: Reach,
    ) -> Option<Vec<(f64, FeatureClause)>> {
        let features = self.space.features;
        let all = 0..crate::encoded::number(features.all.len());
        let covering: Vec<u32> = all.filter(|id| has(features.words(*id), example)).collect();
        let root = PartialClause {
            features: SmallVec::new(),
            sum: 0.0,
            n_body: 0,
            n_vars: 0,
            words: features.whole.clone(),
        };
        let mut found: FxHashMap<Vec<u64>, (f64, FeatureClause)> = FxHashMap::default();
        let view = View { node, open, reach };
        self.make(&view, &root, &covering, &mut found)?;
        let mut children: Vec<(f64, FeatureClause)> = found.into_values().collect();
        children.sort_by(|a, b| {
            let bound = a.0.total_cmp(&b.0);
            bound.then_with(|| a.1.features.cmp(&b.1.features))
        });
        Some(children)
    }

    /// Adds the clauses that go on with some features.
    fn make(
        &mut self,
        view: &View<'_>,
        making: &PartialClause,
        from: &[u32],
        found: &mut FxHashMap<Vec<u64>, (f64, FeatureClause)>,
    ) -> Option<()> {
        let Space { features, code, .. } = *self.space;
        let node = view.node;
        let [p0, q0] = node.counts;
        let m = node.clauses.len();
        let k = making.features.len();
        if k >= MAX_COMPONENTS {
            return Some(());
        }
        let mut is_admitted = (k == 0).then_some(true);
        for (at, &id) in from.iter().enumerate() {
            if self.is_over() || found.len() > MAX_CHILDREN {
                return None;
            }
            self.steps += 1;
            let own = &features.all[id as usize];
            if making.n_body + own.n_body > self.space.max_body
                || making.n_vars + own.n_vars > self.space.max_vars
            {
                continue;
            }
            let mut words = making.words.clone();
            and(&mut words, features.words(id));
            let admits = || self.space.admits(&making.features);
            if words == making.words && *is_admitted.get_or_insert_with(admits) {
                continue;
            }
            let mut beside = words.clone();
            and(&mut beside, view.open);
            let [p, q] = features.count(&beside);
            let cost = code.clause(k + 1, making.sum + own.cost);
            // What follows has one clause of these features or more, and others.
            let least = cost + code.least_more_components(k + 1);
            let bound = self.bound(m + 1, node.bits + least, [p0, q0], p0 + p, view.reach);
            if bound >= self.best.message - SLACK {
                continue;
            }
            let mut longer = making.features.clone();
            longer.push(id);
            let covers_left_out = words.iter().zip(&node.left_out).any(|(a, b)| a & b != 0);
            if !covers_left_out && self.space.admits(&longer) {
                let bits = node.bits + cost;
                let bound = self.bound(m + 1, bits, [p0 + p, q0 + q], p0 + p, view.reach);
                let known = found.get(&words).is_some_and(|(_, own)| own.cost <= cost);
                if bound < self.best.message - SLACK && !known {
                    let clause = FeatureClause {
                        features: longer.clone(),
                        counts: features.count(&words),
                        words: words.clone(),
                        cost,
                    };
                    found.insert(words.clone(), (bound, clause));
                }
            }
            let next = PartialClause {
                features: longer,
                sum: making.sum + own.cost,
                n_body: making.n_body + own.n_body,
                n_vars: making.n_vars + own.n_vars,
                words,
            };
            self.make(view, &next, &from[at + 1..], found)?;
        }
        Some(())
    }
}

/// How many positive examples clauses may cover: one beside the others, and all together.
#[derive(Clone, Copy)]
struct Reach {
    each: usize,
    ceiling: usize,
}

/// What a branching is about.
struct View<'n> {
    node: &'n Node,
    open: &'n [u64],
    reach: Reach,
}
