//! The clause that makes a theory's message shortest: depth first through the features, with a bound.
//!
//! Longer clauses cover no more positive examples and cost more bits, and the labels take least at a
//! corner: all positive examples that a clause covers and none of the negative ones. What is not shorter
//! even then is not looked at.

use rayon::prelude::*;
use smallvec::SmallVec;

use super::features::Features;
use super::message::{Code, MAX_COMPONENTS};
use crate::encoded::number;

/// Clauses that are looked through side by side; the same for any number of threads.
const ROUND: usize = 32;
/// Features that each may try in any case.
const MIN_SHARE: u64 = 500;
/// Words to be looked at that are worth a thread.
const WORTH_THREADS: usize = 1 << 18;

/// A clause by its features.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FeatureClause {
    pub(super) features: SmallVec<[u32; 4]>,
    /// The examples that it covers, alone.
    pub(super) words: Vec<u64>,
    pub(super) counts: [usize; 2],
    pub(super) cost: f64,
}

/// Which clauses there are.
pub(super) struct Space<'a> {
    pub(super) features: &'a Features,
    pub(super) code: &'a Code,
    /// Most literals in a body, and variables beside those of the head.
    pub(super) max_body: usize,
    pub(super) max_vars: usize,
    pub(super) max_clauses: usize,
    pub(super) min_positives: usize,
    /// Whether a clause of these features may stand in a theory.
    pub(super) permits: &'a (dyn Fn(&[u32]) -> bool + Sync),
    pub(super) keep_going: &'a (dyn Fn() -> bool + Sync),
}

/// A theory to which a clause is to be added.
#[derive(Clone, Debug)]
pub(super) struct Context {
    /// Examples that the other clauses cover.
    pub(super) covered: Vec<u64>,
    pub(super) counts: [usize; 2],
    /// The number of the other clauses, and their bits.
    pub(super) n_clauses: usize,
    pub(super) bits: f64,
    /// Further bits for each negative example that the clause covers beside them.
    pub(super) price: f64,
}

/// A feature that a clause may go on with.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    feature: u32,
    counts: [usize; 2],
    /// The least message of all clauses with it.
    lower: f64,
}

/// What one more feature can do at most: positive examples that it keeps, and negative ones that it takes
/// away. No feature keeps and takes away more than one of these.
type Stairs = SmallVec<[[u32; 2]; 8]>;

/// A clause in the making.
#[derive(Clone)]
struct Node {
    features: SmallVec<[u32; 4]>,
    /// Bits of its features.
    sum: f64,
    n_body: usize,
    n_vars: usize,
    /// Examples that it covers and the context does not, and how many of either sign.
    open: SmallVec<[u64; 32]>,
    counts: [usize; 2],
}

/// The best clause so far, and what may still be done.
#[derive(Clone)]
struct BestClause {
    message: f64,
    features: Option<SmallVec<[u32; 4]>>,
    steps: u64,
    left: u64,
    is_over: bool,
}

/// What a search for a clause found.
pub(super) struct Outcome {
    pub(super) found: Option<(FeatureClause, f64)>,
    pub(super) steps: u64,
}

impl Space<'_> {
    /// The examples that a clause covers, alone.
    pub(super) fn coverage(&self, features: &[u32]) -> Vec<u64> {
        let mut words = self.features.whole.clone();
        for &feature in features {
            and(&mut words, self.features.words(feature));
        }
        words
    }

    pub(super) fn found(&self, features: SmallVec<[u32; 4]>) -> FeatureClause {
        let words = self.coverage(&features);
        let sum = features
            .iter()
            .map(|id| self.features.all[*id as usize].cost);
        FeatureClause {
            counts: self.features.count(&words),
            cost: self.code.clause(features.len(), sum.sum()),
            words,
            features,
        }
    }

    /// Whether a clause may be used.
    pub(super) fn admits(&self, features: &[u32]) -> bool {
        let words = self.coverage(features);
        let [p, q] = self.features.count(&words);
        // It is about the number of examples.
        let n = match self.features.masses {
            None => p,
            Some(_) => self.features.layout.count(&words)[0],
        };
        n >= self.min_positives && self.code.admits(p, q) && (self.permits)(features)
    }

    /// The clause with which a theory's message is shortest and shorter than a bound. At most so many
    /// features are tried.
    pub(super) fn best_clause(&self, context: &Context, below: f64, most: u64) -> Outcome {
        let mut search = Search {
            space: self,
            context,
            max_components: MAX_COMPONENTS,
        };
        let mut open = SmallVec::from_slice(&self.features.whole);
        for (word, covered) in open.iter_mut().zip(&context.covered) {
            *word &= !covered;
        }
        let root = Node {
            features: SmallVec::new(),
            sum: 0.0,
            n_body: 0,
            n_vars: 0,
            counts: self.features.count(&open),
            open,
        };
        let mut best = BestClause {
            message: below,
            features: None,
            steps: 0,
            left: most,
            is_over: false,
        };
        if context.n_clauses < self.max_clauses {
            let all: Vec<u32> = (0..number(self.features.all.len())).collect();
            // Short clauses first: where the end comes early they are looked at all the same.
            for max_components in [2, MAX_COMPONENTS] {
                search.max_components = max_components;
                if !best.is_over {
                    search.root(&root, &all, &mut best);
                }
            }
        }
        Outcome {
            found: best
                .features
                .map(|features| (self.found(features), best.message)),
            steps: best.steps,
        }
    }
}

pub(super) fn and(words: &mut [u64], others: &[u64]) {
    for (word, other) in words.iter_mut().zip(others) {
        *word &= other;
    }
}

/// How many bits two sets share. The bits of each byte are counted in place, for so many words that no
/// byte overflows, which needs no instruction of its own to be fast.
fn count_and(words: &[u64], others: &[u64]) -> usize {
    const TWOS: u64 = 0x5555_5555_5555_5555;
    const FOURS: u64 = 0x3333_3333_3333_3333;
    const BYTES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const PAIRS: u64 = 0x00ff_00ff_00ff_00ff;
    let mut n = 0;
    for (words, others) in words.chunks(31).zip(others.chunks(31)) {
        let bytes = words.iter().zip(others).fold(0_u64, |bytes, (a, b)| {
            let bits = a & b;
            let twos = bits.wrapping_sub(bits >> 1 & TWOS);
            let fours = (twos & FOURS).wrapping_add(twos >> 2 & FOURS);
            bytes.wrapping_add(fours.wrapping_add(fours >> 4) & BYTES)
        });
        let pairs = (bytes & PAIRS) + (bytes >> 8 & PAIRS);
        n += (pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48) as usize;
    }
    n
}

#[derive(Clone, Copy)]
struct Search<'s> {
    space: &'s Space<'s>,
    context: &'s Context,
    max_components: usize,
}

impl Search<'_> {
    /// The bits of the theory with a clause.
    fn theory(&self, clause: f64) -> f64 {
        let Context {
            n_clauses, bits, ..
        } = *self.context;
        self.space.code.theory(n_clauses + 1, bits + clause)
    }

    fn message(&self, theory: f64, [p, q]: [usize; 2]) -> f64 {
        let [p0, q0] = self.context.counts;
        let price = if q == 0 {
            0.0
        } else {
            self.context.price * q as f64
        };
        theory + self.space.code.labels(p0 + p, q0 + q) + price
    }

    /// The features with which a clause may go on, best first; clauses that are better are taken.
    fn candidates(&self, node: &Node, from: &[u32], best: &mut BestClause) -> Vec<Candidate> {
        let Space { features, code, .. } = *self.space;
        let k = node.features.len();
        let n_positive = features.layout.n_positive;
        let masses = features.masses.as_ref();
        // For how much the examples count that two sets share, which begin at a word.
        let shared = |own: &[u64], others: &[u64], first: usize| match masses {
            None => count_and(own, others),
            Some(masses) => {
                let mut both = own.to_vec();
                and(&mut both, others);
                masses.sum(&both, first)
            }
        };
        let (positive, negative) = node.open.split_at(n_positive);
        let [p0, q0] = self.context.counts;
        let mut is_admitted = (k == 0).then_some(true);
        let mut candidates = Vec::new();
        for &id in from {
            let own = &features.all[id as usize];
            best.steps += 1;
            let fits = node.n_body + own.n_body <= self.space.max_body
                && node.n_vars + own.n_vars <= self.space.max_vars;
            if !fits {
                continue;
            }
            let theory = self.theory(code.clause(k + 1, node.sum + own.cost));
            let words = features.words(id);
            let p = shared(positive, &words[..n_positive], 0);
            let most = [p, node.counts[1]];
            let lower = theory
                + code.least_more_components(k + 1)
                + code.least_labels([p0, q0], [p0 + p, q0 + most[1]]);
            if p == 0 || lower >= best.message {
                continue;
            }
            let q = shared(negative, &words[n_positive..], n_positive);
            // A feature that takes nothing away only costs, unless it makes a clause possible.
            let admits = || self.space.admits(&node.features);
            if [p, q] == node.counts && *is_admitted.get_or_insert_with(admits) {
                continue;
            }
            let message = self.message(theory, [p, q]);
            if message < best.message {
                let mut longer = node.features.clone();
                longer.push(id);
                if self.space.admits(&longer) {
                    best.message = message;
                    best.features = Some(longer);
                }
            }
            if k + 1 >= self.max_components {
                continue;
            }
            candidates.push(Candidate {
                feature: id,
                counts: [p, q],
                lower,
            });
        }
        candidates.retain(|own| own.lower < best.message);
        candidates.sort_unstable_by(|a, b| {
            let lower = a.lower.total_cmp(&b.lower);
            lower
                .then(a.counts[1].cmp(&b.counts[1]))
                .then(a.feature.cmp(&b.feature))
        });
        candidates
    }

    fn child(&self, node: &Node, candidate: &Candidate) -> Node {
        let features = self.space.features;
        let own = &features.all[candidate.feature as usize];
        let mut child = node.clone();
        child.features.push(candidate.feature);
        child.sum += own.cost;
        child.n_body += own.n_body;
        child.n_vars += own.n_vars;
        child.counts = candidate.counts;
        and(&mut child.open, features.words(candidate.feature));
        child
    }

    /// For each candidate what the later ones do at most.
    fn stairs(node: &Node, candidates: &[Candidate]) -> Vec<Stairs> {
        let mut stairs = Stairs::new();
        let mut of_later = Vec::with_capacity(candidates.len());
        for own in candidates.iter().rev() {
            of_later.push(stairs.clone());
            let kept = number(own.counts[0]);
            let taken = number(node.counts[1] - own.counts[1]);
            let is_less = |step: &[u32; 2]| step[0] >= kept && step[1] >= taken;
            if !stairs.iter().any(is_less) {
                stairs.retain(|step| step[0] > kept || step[1] > taken);
                stairs.push([kept, taken]);
            }
        }
        of_later.reverse();
        of_later
    }

    /// Whether clauses that go on from a candidate with others may be better.
    fn may_pay(
        &self,
        node: &Node,
        candidate: &Candidate,
        stairs: &Stairs,
        best: &BestClause,
    ) -> bool {
        let code = self.space.code;
        let first = node.features.len() + 1;
        if first >= self.max_components || candidate.lower >= best.message {
            return false;
        }
        let own = &self.space.features.all[candidate.feature as usize];
        let theory = self.theory(code.clause(first, node.sum + own.cost));
        let [p0, q0] = self.context.counts;
        let [p, q] = candidate.counts;
        for n_more in 1..=self.max_components - first {
            let theory = theory + code.more_components(first, n_more);
            let most = [p0 + p, q0 + q];
            if !code.may_be_below(best.message - theory, [p0, q0], most) {
                continue;
            }
            for step in stairs {
                let [kept, taken] = step.map(|n| n as usize);
                let most = [p0 + p.min(kept), q0 + q];
                let least = [p0, q0 + q.saturating_sub(n_more * taken)];
                if code.may_be_below(best.message - theory, least, most) {
                    return true;
                }
            }
        }
        false
    }

    fn root(&mut self, root: &Node, all: &[u32], best: &mut BestClause) {
        let candidates = self.candidates(root, all, best);
        let stairs = Self::stairs(root, &candidates);
        let n_words = root.open.len();
        let is_large = candidates.len() * candidates.len() * n_words > WORTH_THREADS;
        if !is_large {
            self.look(root, &candidates, best);
            return;
        }
        let mut first = 0;
        while first < candidates.len() {
            let last = (first + ROUND).min(candidates.len());
            if best.steps > best.left || !(self.space.keep_going)() {
                best.is_over = true;
                return;
            }
            let before = BestClause {
                steps: 0,
                left: (best.left - best.steps) / ROUND as u64 + MIN_SHARE,
                ..best.clone()
            };
            let search = *self;
            let one = |at: usize| {
                let mut own = before.clone();
                search.go_on(root, &candidates, at, &stairs[at], &mut own);
                own
            };
            let round: Vec<usize> = (first..last)
                .filter(|at| self.may_pay(root, &candidates[*at], &stairs[*at], best))
                .collect();
            let results: Vec<BestClause> = round.into_par_iter().map(one).collect();
            for own in results {
                best.steps += own.steps;
                if own.message < best.message {
                    best.message = own.message;
                    best.features = own.features;
                }
            }
            first = last;
        }
    }

    /// Looks through the clauses that go on from each candidate with later ones.
    fn look(&self, node: &Node, candidates: &[Candidate], best: &mut BestClause) {
        let stairs = Self::stairs(node, candidates);
        for (at, stairs) in stairs.iter().enumerate() {
            self.go_on(node, candidates, at, stairs, best);
            if best.is_over {
                return;
            }
        }
    }

    fn go_on(
        &self,
        node: &Node,
        candidates: &[Candidate],
        at: usize,
        stairs: &Stairs,
        best: &mut BestClause,
    ) {
        let candidate = &candidates[at];
        if !self.may_pay(node, candidate, stairs, best) {
            return;
        }
        if best.steps > best.left || !(self.space.keep_going)() {
            best.is_over = true;
            return;
        }
        let child = self.child(node, candidate);
        let later = candidates[at + 1..]
            .iter()
            .filter(|own| own.lower < best.message);
        let later: Vec<u32> = later.map(|own| own.feature).collect();
        let next = self.candidates(&child, &later, best);
        self.look(&child, &next, best);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_bits_are_counted() {
        let word = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for n in [0, 1, 30, 31, 32, 100] {
            let a: Vec<u64> = (0..n)
                .map(|i| if n == 31 { u64::MAX } else { word(i) })
                .collect();
            let b: Vec<u64> = (0..n)
                .map(|i| if n == 31 { u64::MAX } else { !word(i / 2) })
                .collect();
            let plain = a.iter().zip(&b).map(|(a, b)| (a & b).count_ones() as usize);
            assert_eq!(count_and(&a, &b), plain.sum::<usize>(), "{n}");
        }
    }
}
