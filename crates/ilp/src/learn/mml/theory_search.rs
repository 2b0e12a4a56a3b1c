//! The theory with the shortest message: greedily from several starts, then by removing, replacing and
//! exchanging clauses until nothing helps.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::clause_search::{Context, FeatureClause, Space};
use super::message::NEVER;

/// Theories with more clauses have no pairs exchanged.
const MAX_EXCHANGED: usize = 6;
/// A start without any false positive may try so many times fewer features for a clause: it is seldom
/// the best, and has nothing to rule clauses out by.
const HASTE: u64 = 4;

/// A theory with its message.
#[derive(Clone, Debug, Default)]
pub(super) struct Theory {
    pub(super) clauses: Vec<FeatureClause>,
    /// Covered examples of either sign.
    pub(super) counts: [usize; 2],
    /// Bits of the clauses, and of theory and labels.
    pub(super) bits: f64,
    pub(super) message: f64,
}

impl Space<'_> {
    /// The theory of these clauses.
    pub(super) fn theory(&self, clauses: Vec<FeatureClause>) -> Theory {
        let context = self.context(&clauses, 0.0);
        let theory = self.code.theory(clauses.len(), context.bits);
        let [p, q] = context.counts;
        Theory {
            clauses,
            counts: [p, q],
            bits: theory,
            message: theory + self.code.labels(p, q),
        }
    }

    /// Whether it is right more often than wrong.
    pub(super) fn admits_theory(&self, theory: &Theory) -> bool {
        let [p, q] = theory.counts;
        theory.clauses.is_empty() || self.code.admits_theory(p, q)
    }

    pub(super) fn context(&self, clauses: &[FeatureClause], price: f64) -> Context {
        let mut covered = vec![0; self.features.layout.n_words];
        for clause in clauses {
            for (word, own) in covered.iter_mut().zip(&clause.words) {
                *word |= own;
            }
        }
        Context {
            counts: self.features.count(&covered),
            covered,
            n_clauses: clauses.len(),
            bits: clauses.iter().map(|clause| clause.cost).sum(),
            price,
        }
    }
}

/// Searches for the shortest message.
pub(super) struct TheorySearch<'s> {
    pub(super) space: &'s Space<'s>,
    pub(super) best: Theory,
    /// Features that were tried, and most of them.
    pub(super) steps: u64,
    pub(super) max_steps: u64,
    /// Most features to be tried for one clause.
    pub(super) max_steps_a_clause: u64,
    /// Whether that bound was met.
    pub(super) is_cut_short: bool,
    /// What was found beside other clauses, which are in order, at a price.
    known: FxHashMap<(Clauses, u64), CachedClause>,
}

/// Clauses by their features, in order.
type Clauses = Vec<SmallVec<[u32; 4]>>;

/// The best clause with a message shorter than a bound, and its message.
struct CachedClause {
    below: f64,
    found: Option<(FeatureClause, f64)>,
}

impl<'s> TheorySearch<'s> {
    pub(super) fn new(space: &'s Space<'s>, steps: u64, max_steps: u64) -> Self {
        Self {
            space,
            best: space.theory(Vec::new()),
            steps,
            max_steps,
            max_steps_a_clause: u64::MAX,
            is_cut_short: false,
            known: FxHashMap::default(),
        }
    }

    fn is_over(&self) -> bool {
        self.steps >= self.max_steps || !(self.space.keep_going)()
    }

    /// The best clause beside others, if it makes the message shorter than a bound.
    fn clause(
        &mut self,
        others: &[FeatureClause],
        price: f64,
        below: f64,
    ) -> Option<(FeatureClause, f64)> {
        let mut key: Vec<_> = others.iter().map(|own| own.features.clone()).collect();
        key.sort_unstable();
        let key = (key, price.to_bits());
        if let Some(known) = self.known.get(&key) {
            match &known.found {
                Some((_, message)) if *message >= below => return None,
                Some(found) => return Some(found.clone()),
                None if below <= known.below => return None,
                None => {}
            }
        }
        let context = self.space.context(others, price);
        let left = self.max_steps.saturating_sub(self.steps);
        let usual = if price >= NEVER {
            self.max_steps_a_clause / HASTE
        } else {
            self.max_steps_a_clause
        };
        let most = left.min(usual);
        let outcome = self.space.best_clause(&context, below, most);
        self.steps += outcome.steps;
        self.is_cut_short |= outcome.steps > most;
        let found = outcome.found.clone();
        self.known.insert(key, CachedClause { below, found });
        outcome.found
    }

    /// Takes a theory if it is better than the best.
    fn take(&mut self, theory: Theory) -> bool {
        let is_better = theory.message < self.best.message - 1e-9;
        if is_better && self.space.admits_theory(&theory) {
            self.best = theory;
            return true;
        }
        false
    }

    /// From a theory and from nothing, with several prices of a false positive.
    pub(super) fn run(&mut self, start: Vec<FeatureClause>) {
        let start = self.space.theory(start);
        self.take(start);
        self.take_all_covered();
        let mut seen: Vec<Vec<FeatureClause>> = Vec::new();
        for price in [0.0, 3.0, NEVER] {
            // Without a false positive a price changes nothing.
            if self.is_over() || (price > 0.0 && self.best.counts[1] == 0) {
                break;
            }
            let greedy = self.greedy(price);
            if !seen.contains(&greedy.clauses) {
                seen.push(greedy.clauses.clone());
                let improved = self.improved(greedy);
                self.take(improved);
            }
        }
    }

    /// Takes the clause without conditions, where mistakes cost differently or examples have weights, if it is
    /// better than the best: to cover everything may cost less than any condition.
    fn take_all_covered(&mut self) {
        let space = self.space;
        if space.code.has_weights() && space.max_clauses > 0 && (space.permits)(&[]) {
            let words = space.features.layout.all();
            let clause = FeatureClause {
                features: SmallVec::new(),
                counts: space.features.count(&words),
                words,
                cost: space.code.clause(0, 0.0),
            };
            self.take(space.theory(vec![clause]));
        }
    }

    /// Adds the best clause as long as that helps.
    fn greedy(&mut self, price: f64) -> Theory {
        let mut theory = self.space.theory(Vec::new());
        let mut priced = theory.message;
        while let Some((clause, message)) = self.clause(&theory.clauses, price, priced) {
            let mut clauses = theory.clauses;
            clauses.push(clause);
            theory = self.space.theory(clauses);
            // The price is for what this clause adds.
            priced = if price > 0.0 { theory.message } else { message };
            if self.is_over() {
                break;
            }
        }
        theory
    }

    /// Changes a theory until no change makes it better.
    fn improved(&mut self, mut theory: Theory) -> Theory {
        loop {
            let next = self
                .without_one(&theory)
                .or_else(|| self.with_another(&theory, 0))
                .or_else(|| self.with_another(&theory, 1))
                .or_else(|| self.with_another(&theory, 2));
            match next {
                Some(better) => theory = better,
                None => return theory,
            }
            if self.is_over() {
                return theory;
            }
        }
    }

    /// Whether perfect labels would save what a clause costs.
    fn is_worth_a_clause(&self, theory: &Theory) -> bool {
        let code = self.space.code;
        let least = code.labels(code.n[0], 0);
        theory.message - theory.bits - least > code.cheapest_clause()
    }

    fn without_one(&self, theory: &Theory) -> Option<Theory> {
        let shorter = (0..theory.clauses.len()).map(|i| {
            let mut clauses = theory.clauses.clone();
            clauses.remove(i);
            self.space.theory(clauses)
        });
        let best = shorter.min_by(|a, b| a.message.total_cmp(&b.message))?;
        (best.message < theory.message - 1e-9).then_some(best)
    }

    /// The theory with `n_out` clauses less, and the best others for them.
    fn with_another(&mut self, theory: &Theory, n_out: usize) -> Option<Theory> {
        let n = theory.clauses.len();
        let outs: Vec<Vec<usize>> = match n_out {
            0 => vec![Vec::new()],
            1 => (0..n).map(|i| vec![i]).collect(),
            // What is left of the labels would not pay for a clause.
            _ if !self.is_worth_a_clause(theory) => return None,
            // Without two of two clauses there is nothing left to begin with.
            _ if !(3..=MAX_EXCHANGED).contains(&n) => return None,
            _ => (0..n)
                .flat_map(|i| (i + 1..n).map(move |j| vec![i, j]))
                .collect(),
        };
        for out in outs {
            if self.is_over() {
                return None;
            }
            let mut clauses = theory.clauses.clone();
            out.iter().rev().for_each(|i| {
                clauses.remove(*i);
            });
            let below = theory.message - 1e-9;
            // Of a pair the first need only be better than none.
            let first_below = if n_out < 2 {
                below
            } else {
                self.space.theory(clauses.clone()).message
            };
            let Some((first, message)) = self.clause(&clauses, 0.0, first_below) else {
                continue;
            };
            clauses.push(first);
            if message < below {
                return Some(self.space.theory(clauses));
            }
            if n_out == 2
                && let Some((second, _)) = self.clause(&clauses, 0.0, below)
            {
                clauses.push(second);
                return Some(self.space.theory(clauses));
            }
        }
        None
    }
}
