//! The covering loop, over examples that may become more.

use kibitz_prolog::{Atom, BitSet, Clause, Database, Evaluator, Mode, ProverError, all_bits};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Bounds;
use super::example::Example;
use super::examples::Examples;
use super::search::{ClauseCoverage, Search, compression};
use crate::encoded::Language;
use crate::eval::{Pattern, PatternMatcher, Plan};
use crate::learn::outcome::Watch;
use crate::learn::{Hypothesis, LearnError, Progress, SearchReport, Stop};
use crate::problem::Problem;
use crate::task::{Bias, Task};

/// How a clause is looked for.
pub(in crate::learn) type Find<'a> =
    dyn Fn(&mut Search<'_>) -> Result<Option<ChosenClause>, ProverError> + Sync + 'a;

/// How examples are covered.
#[derive(Clone, Copy)]
pub(in crate::learn) struct Covering<'a> {
    pub(in crate::learn) bounds: Bounds,
    /// Examples that are searched from side by side.
    pub(in crate::learn) seeds: usize,
    /// Seed of the choice of examples; without it they are taken in their order.
    pub(in crate::learn) shuffle: Option<u64>,
    /// Most clauses evaluated in all.
    pub(in crate::learn) max_steps: u64,
    pub(in crate::learn) find: &'a Find<'a>,
}

/// The clause that a search chose.
#[derive(Clone, Debug)]
pub(in crate::learn) struct ChosenClause {
    pub(in crate::learn) clause: Clause,
    /// Its compression.
    pub(in crate::learn) worth: i64,
}

impl ChosenClause {
    pub(in crate::learn) fn new(
        search: &Search<'_>,
        pattern: &Pattern,
        judged: &ClauseCoverage,
    ) -> Self {
        Self {
            clause: search.clause(pattern),
            worth: compression(judged, pattern),
        }
    }
}

/// A clause of the theory.
struct Rule {
    clause: Clause,
    plan: Plan,
}

/// A covering loop: a learner's input, and the rules found so far.
pub(in crate::learn) struct Session<'a> {
    db: &'a Database,
    task: &'a Task,
    language: Language,
    /// Whether some predicates are given by rules, so that proofs may find other answers than those
    /// that were remembered.
    needs_proofs: bool,
    max_rules: Option<usize>,
    covering: Covering<'a>,
    examples: Examples,
    rules: Vec<Rule>,
    /// Positive examples that no rule covers.
    open: BitSet,
    rng: ChaCha8Rng,
    searches: Vec<SearchReport>,
}

impl<'a> Session<'a> {
    pub(in crate::learn) fn new(problem: &'a Problem<'_>, covering: Covering<'a>) -> Self {
        let task = problem.task();
        Self {
            db: problem.database(),
            task,
            language: Language::new(&task.bias),
            needs_proofs: task.bias.body.iter().any(|mode| {
                let db = problem.database();
                let predicate = mode.predicate;
                predicate != task.target
                    && !db.is_extensional(predicate)
                    && !db.is_native(predicate)
            }),
            max_rules: task.bias.max_clauses,
            covering,
            examples: Examples::new(covering.bounds.limits.memory),
            rules: Vec::new(),
            open: BitSet::new(),
            rng: ChaCha8Rng::seed_from_u64(covering.shuffle.unwrap_or(0)),
            searches: Vec::new(),
        }
    }

    /// The same session with other modes for the literals of bodies.
    pub(in crate::learn) fn with_modes(mut self, body: Vec<Mode>) -> Self {
        let bias = &self.task.bias;
        self.language = Language::new(&Bias {
            body,
            ..bias.clone()
        });
        self
    }

    /// The theory so far.
    pub(in crate::learn) fn clauses(&self) -> Vec<Clause> {
        self.rules.iter().map(|rule| rule.clause.clone()).collect()
    }

    /// Adds examples.
    pub(in crate::learn) fn add(
        &mut self,
        positive: &[Atom],
        negative: &[Atom],
    ) -> Result<(), ProverError> {
        let examples =
            |atoms: &[Atom]| -> Vec<Example> { atoms.iter().cloned().map(Example::new).collect() };
        self.examples.positive.extend(examples(positive));
        self.examples.negative.extend(examples(negative));
        self.reopen()
    }

    /// Keeps the rules for which this holds.
    pub(in crate::learn) fn retain(
        &mut self,
        mut keep: impl FnMut(usize) -> bool,
    ) -> Result<(), ProverError> {
        let mut number = 0;
        self.rules.retain(|_| {
            number += 1;
            keep(number - 1)
        });
        self.reopen()
    }

    /// Drops the rules that cover more negative examples than a rule may.
    pub(in crate::learn) fn drop_refuted(&mut self) -> Result<(), ProverError> {
        let negatives = all_bits(self.examples.negative.len());
        let mut is_refuted = Vec::with_capacity(self.rules.len());
        for rule in &self.rules {
            let wrong = self.covered(&rule.plan, 1, &negatives)?;
            is_refuted.push(wrong.count_ones(..) > self.covering.bounds.max_false_positives);
        }
        self.retain(|number| !is_refuted[number])
    }

    fn covered(&self, plan: &Plan, side: usize, among: &BitSet) -> Result<BitSet, ProverError> {
        let mut matcher = PatternMatcher::new(&self.language, self.db, self.covering.bounds.limits);
        self.examples.covered(&mut matcher, plan, side, among)
    }

    /// Finds the positive examples that no rule covers.
    fn reopen(&mut self) -> Result<(), ProverError> {
        let mut open = all_bits(self.examples.positive.len());
        for rule in &self.rules {
            let right = self.covered(&rule.plan, 0, &open)?;
            open.difference_with(&right);
        }
        self.open = open;
        Ok(())
    }

    /// Adds rules until every positive example is covered, or no search finds one.
    pub(in crate::learn) fn cover(&mut self, watch: &Watch<'_>) -> Result<Stop, LearnError> {
        // Examples from which nothing was found; fewer open ones make that no easier.
        let mut is_hopeless = BitSet::with_capacity(self.examples.positive.len());
        loop {
            let mut left: Vec<usize> = self.open.difference(&is_hopeless).collect();
            let n_clauses = self.searches.iter().map(|search| search.n_clauses as u64);
            if self.open.is_clear() {
                return Ok(Stop::Complete);
            } else if left.is_empty() {
                return Ok(Stop::NoMoreClauses);
            } else if self.max_rules.is_some_and(|max| self.rules.len() >= max) {
                return Ok(Stop::ClauseLimit);
            } else if n_clauses.sum::<u64>() >= self.covering.max_steps {
                return Ok(Stop::OutOfSteps);
            } else if !watch.keep_going() {
                return Ok(Stop::Interrupted);
            }
            let n_seeds = self.covering.seeds.min(left.len());
            let seeds = match self.covering.shuffle {
                Some(_) => left.partial_shuffle(&mut self.rng, n_seeds).0,
                None => &mut left[..n_seeds],
            };
            let results: Vec<(Option<ChosenClause>, SearchReport)> = (seeds.par_iter())
                .map(|&seed| self.search(seed, watch))
                .collect::<Result<_, _>>()?;
            let mut best: Option<(ChosenClause, usize)> = None;
            for (&seed, (found, report)) in seeds.iter().zip(results) {
                self.searches.push(report);
                match found {
                    None => is_hopeless.insert(seed),
                    // Of equals the first.
                    Some(found)
                        if best
                            .as_ref()
                            .is_none_or(|(best, _)| found.worth > best.worth) =>
                    {
                        best = Some((found, seed));
                    }
                    Some(_) => {}
                }
            }
            if let Some((found, seed)) = best
                && !self.adopt(found.clause, watch)?
            {
                is_hopeless.insert(seed);
            }
        }
    }

    /// Adds a clause to the theory, unless proofs find that it covers other examples than it may.
    fn adopt(&mut self, clause: Clause, watch: &Watch<'_>) -> Result<bool, ProverError> {
        let Some((pattern, constants)) = Pattern::of_clause(&self.language, &clause) else {
            return Ok(false);
        };
        let plan = Plan::new(&self.language, &pattern, &constants);
        let [positive, negative] =
            [0, 1].map(|side| self.covered(&plan, side, &all_bits(self.examples.side(side).len())));
        let (mut positive, mut negative) = (positive?, negative?);
        if self.needs_proofs {
            [positive, negative] = self.proved(&clause)?;
            let bounds = &self.covering.bounds;
            let n_new = positive.intersection_count(&self.open);
            let n_negative = negative.count_ones(..);
            if n_new < bounds.min_positives || n_negative > bounds.max_false_positives {
                return Ok(false);
            }
        }
        let counts = [positive.count_ones(..), negative.count_ones(..)];
        watch.clause(&clause, &self.task.symbols, counts);
        self.open.difference_with(&positive);
        self.rules.push(Rule { clause, plan });
        Ok(true)
    }

    /// The examples that a clause covers by proof.
    fn proved(&self, clause: &Clause) -> Result<[BitSet; 2], ProverError> {
        let atoms = |examples: &[Example]| -> Vec<Atom> {
            examples
                .iter()
                .map(|example| example.atom.clone())
                .collect()
        };
        let (positive, negative) = (
            atoms(&self.examples.positive),
            atoms(&self.examples.negative),
        );
        let limits = self.covering.bounds.limits;
        let mut evaluator = Evaluator::new(self.db, limits, &positive, &negative);
        let coverage = evaluator.clause(clause)?;
        Ok([coverage.positive.clone(), coverage.negative.clone()])
    }

    /// Searches from one positive example.
    fn search(
        &self,
        seed: usize,
        watch: &Watch<'_>,
    ) -> Result<(Option<ChosenClause>, SearchReport), ProverError> {
        let bounds = &self.covering.bounds;
        let (language, examples) = (&self.language, &self.examples);
        let keep_going = || watch.keep_going();
        let mut search = Search::new(
            self.task,
            language,
            self.db,
            examples,
            &self.open,
            seed,
            bounds,
            &keep_going,
        );
        let found = (self.covering.find)(&mut search)?;
        let report = SearchReport {
            n_clauses: search.n_clauses(),
            is_limited: search.is_limited(),
            has_found: found.is_some(),
        };
        Ok((found, report))
    }

    /// Covers the examples there are.
    pub(in crate::learn) fn run(
        mut self,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Hypothesis, LearnError> {
        if self.examples.positive.is_empty() {
            return Err(LearnError::NoPositives);
        }
        if self.examples.negative.is_empty() {
            return Err(LearnError::NoNegatives);
        }
        let stop = self.cover(&Watch::new(progress))?;
        Ok(self.into_learned(stop))
    }

    pub(in crate::learn) fn into_learned(self, stop: Stop) -> Hypothesis {
        let n_clauses = self.searches.iter().map(|search| search.n_clauses as u64);
        let steps = n_clauses.sum();
        let clauses = self.rules.into_iter().map(|rule| rule.clause).collect();
        Hypothesis {
            searches: self.searches,
            ..Hypothesis::new(clauses, stop, steps)
        }
    }
}
