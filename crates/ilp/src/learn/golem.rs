//! Golem: bottom-up search by relative least general generalization.
//!
//! Positive examples are sampled in pairs, each pair is generalized relative to the ground
//! background facts, the consistent generalization that covers most is generalized further with
//! sampled examples while its cover grows, and negative examples tell which of its literals are
//! needed. Only determinate literals are formed: their outputs follow from their inputs, so that the
//! generalization of any number of examples stays small.
//!
//! # Source
//! Muggleton and Feng 1990; Morales 1992, section 4.5.2.1 and Table 4.5.

mod params;
mod rlgg;

use kibitz_prolog::{BitSet, Clause, Limits, all_bits};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashSet;

pub use self::params::Golem;
use self::rlgg::Rlgg;
use super::encode::encode;
use super::proof_count::{ProofCount, is_asked_for};
use super::{Hypothesis, LearnError, Learner, Progress, Reach, Stop};
use crate::encoded::EncodedProblem;
use crate::eval::{Lit, Matcher, covered, decode, is_spare, without};
use crate::task::Task;

/// Clauses that the examples of the moment lead to, but that may not be returned, before it gives up.
const MAX_REFUSED: usize = 20;

impl Golem {
    /// The relative least general generalization of all positive examples, before negative ones reduce
    /// it; `None` without positive examples, or if it is interrupted.
    ///
    /// # Errors
    /// As [`learn`](Learner::learn).
    pub fn generalization(
        &self,
        problem: &crate::Problem<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Option<Clause>, LearnError> {
        let target = problem.task().target.name;
        let encoded = encode(problem, self.limits, self.max_steps, progress)?.ok();
        Ok(encoded.filter(|own| own.examples[0].len > 0).map(|own| {
            let examples: Vec<usize> = (0..own.examples[0].len).collect();
            decode(&own, target, &Rlgg::new(&own, self).of(&examples))
        }))
    }
}

impl Learner for Golem {
    fn name(&self) -> &'static str {
        "golem"
    }

    /// Needs positive and negative examples, and background that can be listed.
    ///
    /// Arguments without a declared direction count as inputs. Positive examples that no consistent
    /// generalization of a pair covers are left uncovered, and the result says so.
    fn learn(
        &self,
        problem: &crate::Problem<'_>,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        learn(problem, self, progress)
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn reach(&self, task: &Task) -> Reach {
        Reach {
            max_depth: Some(task.search.max_depth.unwrap_or(self.max_depth)),
            ..Reach::of_bias(task)
        }
    }
}

fn learn(
    problem: &crate::Problem<'_>,
    params: &Golem,
    progress: &mut dyn Progress,
) -> Result<Hypothesis, LearnError> {
    let task = problem.task();
    let search = &task.search;
    let params = &Golem {
        max_depth: search.depth_or(params.max_depth, usize::MAX),
        max_false_positives: search.false_positives_or(params.max_false_positives),
        ..*params
    };
    let mut proofs = ProofCount::new(problem, params.limits);
    let problem = match encode(problem, params.limits, params.max_steps, progress)? {
        Ok(problem) => problem,
        Err(unlisted) => return Ok(unlisted.into()),
    };
    let mut search = Search {
        problem: &problem,
        rlgg: Rlgg::new(&problem, params),
        params,
        rng: ChaCha8Rng::seed_from_u64(params.seed),
        uncovered: all_bits(task.positive.len()),
        suspects: Vec::new(),
        steps: 0,
    };
    let mut clauses = Vec::new();
    let mut n_refused = 0;
    let stop = loop {
        if search.uncovered.is_clear() {
            break Stop::Complete;
        }
        if task
            .bias
            .max_clauses
            .is_some_and(|max| clauses.len() >= max)
        {
            break Stop::ClauseLimit;
        }
        if search.steps >= params.max_steps {
            break Stop::OutOfSteps;
        }
        if !progress.keep_going() {
            break Stop::Interrupted;
        }
        let Some(lits) = search.find_clause(progress) else {
            break Stop::NoMoreClauses;
        };
        let by_proof = proofs.covered(&problem, &lits)?;
        let [positive, negative] = by_proof.unwrap_or_else(|| {
            [0, 1].map(|side| covered(&problem, &lits, side, &all_bits(problem.examples[side].len)))
        });
        let clause = decode(&problem, task.target.name, &lits);
        let counts = [&positive, &negative].map(|set| set.count_ones(..));
        let is_new = positive.intersection_count(&search.uncovered) > 0;
        let is_consistent = counts[1] <= params.max_false_positives;
        if !(is_new
            && is_consistent
            && is_asked_for(task, counts)
            && !clause.is_tautology()
            && task.bias.constraints.permit(&clause, &task.symbols))
        {
            // The next pairs are others.
            n_refused += 1;
            if n_refused > MAX_REFUSED {
                break Stop::NoMoreClauses;
            }
            continue;
        }
        progress.clause(&clause, &task.symbols, counts[0], counts[1]);
        search.uncovered.difference_with(&positive);
        clauses.push(clause);
    };
    Ok(Hypothesis::new(clauses, stop, search.steps))
}

/// A search for clauses, clause by clause.
struct Search<'a> {
    problem: &'a EncodedProblem,
    rlgg: Rlgg<'a>,
    params: &'a Golem,
    rng: ChaCha8Rng,
    uncovered: BitSet,
    /// Negative examples that clauses covered before, the last one first.
    suspects: Vec<usize>,
    steps: u64,
}

/// A consistent generalization: the examples it was made from and the number it covers.
struct Generalization {
    examples: Vec<usize>,
    lits: Vec<Lit>,
    cover: usize,
}

impl Search<'_> {
    fn find_clause(&mut self, progress: &mut dyn Progress) -> Option<Vec<Lit>> {
        let open: Vec<usize> = self.uncovered.ones().collect();
        let mut best: Option<Generalization> = None;
        let mut tried: FxHashSet<Vec<usize>> = FxHashSet::default();
        for _ in 0..self.params.pairs {
            if !progress.keep_going() {
                break;
            }
            let mut pair = open.clone();
            if open.len() > 1 {
                let (chosen, _) = pair.partial_shuffle(&mut self.rng, 2);
                pair = chosen.to_vec();
            }
            pair.sort_unstable();
            // A pair that is drawn again counts, but is no better than it was.
            if tried.insert(pair.clone()) {
                best = better(best, self.generalize(pair));
            } else {
                self.steps += 1;
            }
            if open.len() <= 2 {
                break;
            }
        }
        // A lone example that fits with no other is generalized by reduction alone.
        let mut best = match best {
            Some(best) => best,
            None => open.iter().find_map(|&e| self.generalize(vec![e]))?,
        };
        loop {
            let now = covered(self.problem, &best.lits, 0, &self.uncovered);
            let mut rest: Vec<usize> = open.iter().copied().filter(|&e| !now.contains(e)).collect();
            if rest.is_empty() || !progress.keep_going() {
                break;
            }
            let amount = self.params.sample.min(rest.len());
            let (sample, _) = rest.partial_shuffle(&mut self.rng, amount);
            let mut sample = sample.to_vec();
            sample.sort_unstable();
            let mut next: Option<Generalization> = None;
            for example in sample {
                let mut examples = best.examples.clone();
                examples.push(example);
                next = better(next, self.generalize(examples));
            }
            match next {
                Some(next) if next.cover > best.cover => best = next,
                _ => break,
            }
        }
        Some(self.reduce(best.lits))
    }

    /// The relative least general generalization of examples, if it is consistent.
    fn generalize(&mut self, examples: Vec<usize>) -> Option<Generalization> {
        self.steps += 1;
        let lits = self.rlgg.of(&examples);
        let matcher = Matcher::new(self.problem, &lits);
        if !self.is_consistent(&matcher) {
            return None;
        }
        let cover = matcher.covered(0, &self.uncovered).count_ones(..);
        Some(Generalization {
            examples,
            lits,
            cover,
        })
    }

    fn is_consistent(&mut self, matcher: &Matcher<'_>) -> bool {
        let negatives = all_bits(self.problem.examples[1].len);
        let most = self.params.max_false_positives;
        matcher
            .covered_at_most(1, &negatives, most, &mut self.suspects)
            .is_some()
    }

    /// Negative-based reduction: the shortest consistent prefix, then single literals from the
    /// back. Equalities of head arguments count as literals.
    fn reduce(&mut self, mut lits: Vec<Lit>) -> Vec<Lit> {
        let n_head = self.problem.head_kinds.len();
        let (mut low, mut high) = (0, lits.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.is_consistent(&Matcher::new(self.problem, &lits[..middle])) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        lits.truncate(low);
        loop {
            let before = lits.len();
            let mut i = lits.len();
            while i > 0 {
                i -= 1;
                if is_spare(&lits, i, n_head)
                    && self.is_consistent(&Matcher::leaving_out(self.problem, &lits, Some(i)))
                    && let Some(shorter) = without(&lits, i, n_head)
                {
                    lits = shorter;
                }
            }
            if lits.len() == before {
                return lits;
            }
        }
    }
}

fn better(a: Option<Generalization>, b: Option<Generalization>) -> Option<Generalization> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.cover > a.cover { b } else { a }),
        (a, b) => a.or(b),
    }
}
