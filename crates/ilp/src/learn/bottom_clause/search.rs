//! One search for a clause that covers an example, in the space below its bottom clause.

use std::sync::Arc;

use kibitz_prolog::{BitSet, Clause, Database, ProverError, Term, all_bits};
use rustc_hash::{FxHashMap, FxHashSet};

use super::coverage_cache::{KnownCoverage, renumbered};
use super::example::ExampleMemo;
use super::examples::Examples;
use super::{Bottom, Bounds, refine};
use crate::encoded::{Language, number};
use crate::eval::{Constants, Key, Node, Pattern, PatternMatcher, Plan};
use crate::learn::proof_count::is_asked_for;
use crate::task::Task;

/// The coverage of a clause.
#[derive(Clone, Debug)]
pub(in crate::learn) struct ClauseCoverage {
    /// Positive examples that no earlier clause covers, and negative ones.
    pub(in crate::learn) covered: [BitSet; 2],
    /// Their numbers.
    pub(in crate::learn) counts: [usize; 2],
}

/// The clauses that are part of one example's bottom clause, as far as they have been looked at.
pub(in crate::learn) struct Search<'a> {
    task: &'a Task,
    matcher: PatternMatcher<'a>,
    examples: &'a Examples,
    /// Positive examples that no earlier clause covers.
    open: &'a BitSet,
    seed: usize,
    bounds: &'a Bounds,
    /// Clauses grow by one of these, which have numbers in all searches; by single literals if there
    /// are none.
    macros: Option<Vec<(usize, Pattern)>>,
    constants: Constants,
    /// The numbers that all searches have for them.
    shared: Vec<u32>,
    judged: FxHashMap<Key, Arc<ClauseCoverage>>,
    successors: FxHashMap<Key, Arc<Vec<Node>>>,
    /// Whether clauses that macros made are part of the bottom clause of the seed.
    is_part: FxHashMap<Key, bool>,
    /// Times that a search came back to a clause and counted it again.
    n_again: usize,
    is_limited: bool,
    /// Asked before each clause.
    keep_going: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Search<'a> {
    /// A search from this positive example.
    #[expect(
        clippy::too_many_arguments,
        reason = "what all searches share, and what is its own"
    )]
    pub(in crate::learn) fn new(
        task: &'a Task,
        language: &'a Language,
        db: &'a Database,
        examples: &'a Examples,
        open: &'a BitSet,
        seed: usize,
        bounds: &'a Bounds,
        keep_going: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        Self {
            task,
            matcher: PatternMatcher::new(language, db, bounds.limits),
            examples,
            open,
            seed,
            bounds,
            macros: None,
            constants: Constants::default(),
            shared: Vec::new(),
            judged: FxHashMap::default(),
            successors: FxHashMap::default(),
            is_part: FxHashMap::default(),
            n_again: 0,
            is_limited: false,
            keep_going,
        }
    }

    pub(in crate::learn) fn language(&self) -> &'a Language {
        self.matcher.language
    }

    pub(in crate::learn) fn bounds(&self) -> &'a Bounds {
        self.bounds
    }

    /// Different clauses whose examples were counted, and those counted again.
    pub(in crate::learn) fn n_clauses(&self) -> usize {
        self.judged.len() + self.n_again
    }

    /// Counts a clause again if it has been looked at, and says whether clauses may still be.
    pub(in crate::learn) fn come_back(&mut self, (key, _): &Node) -> bool {
        if self.judged.contains_key(key) {
            self.is_limited |= self.n_clauses() >= self.bounds.max_clauses;
            self.n_again += usize::from(!self.is_limited);
        }
        !self.is_limited
    }

    /// Whether the bound on clauses ended the search.
    pub(in crate::learn) fn is_limited(&self) -> bool {
        self.is_limited
    }

    /// The bottom clause of the seed.
    pub(in crate::learn) fn bottom(&mut self) -> Result<Bottom, ProverError> {
        let known = &mut *self.examples.positive[self.seed].known();
        Bottom::new(&mut self.matcher, known, self.bounds)
    }

    /// From now on clauses grow by macros, which name these constants.
    pub(in crate::learn) fn grow_by(&mut self, macros: &[Pattern], constants: &[Term]) {
        // In order, so that searches from other examples write the same clauses in the same way.
        let mut ordered = constants.to_vec();
        ordered.sort_unstable();
        self.constants.extend(ordered);
        let mut place_of = |term: &Term| number(self.constants.insert_full(term.clone()).0);
        let numbers: Vec<u32> = constants.iter().map(&mut place_of).collect();
        let numbered = macros.iter().map(|it| {
            let operator = it.with_constants(&numbers);
            (self.examples.merged.number(&operator), operator)
        });
        self.macros = Some(numbered.collect());
    }

    /// The head alone.
    pub(in crate::learn) fn root(&mut self) -> Node {
        let atom = &self.examples.positive[self.seed].atom;
        let constants = &mut self.constants;
        let root = Pattern::of_head(self.matcher.language, |place| {
            number(constants.insert_full(atom.args[place].clone()).0)
        });
        (root.key(), Arc::new(root))
    }

    /// The coverage of a clause among the examples that a shorter one covers; `None` when no more
    /// clauses may be evaluated.
    pub(in crate::learn) fn judge(
        &mut self,
        (key, pattern): &Node,
        shorter: Option<&ClauseCoverage>,
    ) -> Result<Option<Arc<ClauseCoverage>>, ProverError> {
        if let Some(known) = self.judged.get(key) {
            return Ok(Some(Arc::clone(known)));
        }
        self.is_limited |= self.n_clauses() >= self.bounds.max_clauses;
        if self.is_limited || !(self.keep_going)() {
            return Ok(None);
        }
        let examples = self.examples;
        let negatives = all_bits(examples.negative.len());
        let among = shorter.map_or([self.open, &negatives], |shorter| {
            shorter.covered.each_ref()
        });
        let name = self.shared_key(key);
        let known = name.as_ref().map(|name| examples.covers.of(name));
        let mut looked = known.unwrap_or_default();
        let mut plan = None;
        let Some(positive) = self.look(pattern, &mut plan, among[0], 0, &mut looked)? else {
            return Ok(None);
        };
        let n_positive = positive.count_ones(..);
        // A clause that covers too few is given up: its negative examples need not be counted.
        let negative = if n_positive < self.bounds.min_positives {
            among[1].clone()
        } else {
            match self.look(pattern, &mut plan, among[1], 1, &mut looked)? {
                Some(negative) => negative,
                None => return Ok(None),
            }
        };
        if let (Some(name), Some(_)) = (name, plan) {
            examples.covers.add(name, looked);
        }
        let judged = Arc::new(ClauseCoverage {
            counts: [n_positive, negative.count_ones(..)],
            covered: [positive, negative],
        });
        self.judged.insert(key.clone(), Arc::clone(&judged));
        Ok(Some(judged))
    }

    /// The key of a clause in the numbers that all searches have for constants.
    fn shared_key(&mut self, key: &Key) -> Option<Key> {
        if self.shared.len() < self.constants.len() {
            self.shared = self.examples.covers.numbers(self.constants.iter())?;
        }
        Some(renumbered(key, &self.shared))
    }

    /// Those of some examples on one side that a clause covers; `None` if the search is to end.
    fn look(
        &mut self,
        pattern: &Pattern,
        plan: &mut Option<Plan>,
        among: &BitSet,
        side: usize,
        looked: &mut [KnownCoverage; 2],
    ) -> Result<Option<BitSet>, ProverError> {
        let looked = &mut looked[side];
        let open = looked.open(among);
        if !open.is_empty() {
            let plan = plan.get_or_insert_with(|| {
                let terms: Vec<Term> = self.constants.iter().cloned().collect();
                Plan::new(self.matcher.language, pattern, &terms)
            });
            let (matcher, go_on) = (&mut self.matcher, self.keep_going);
            if !(self.examples).look(matcher, plan, side, &open, looked, go_on)? {
                return Ok(None);
            }
        }
        Ok(Some(looked.covered(among)))
    }

    /// Whether some longer clause may be returned.
    pub(in crate::learn) fn is_promising(&self, judged: &ClauseCoverage) -> bool {
        judged.counts[0] >= self.bounds.min_positives
    }

    /// Whether a clause may be returned.
    pub(in crate::learn) fn is_acceptable(
        &self,
        pattern: &Pattern,
        judged: &ClauseCoverage,
    ) -> bool {
        self.is_promising(judged)
            && judged.counts[1] <= self.bounds.max_false_positives
            && pattern.n_missing() == 0
            && is_asked_for(self.task, judged.counts)
            && (self.task.bias.constraints.is_empty() || {
                let clause = self.clause(pattern);
                self.task
                    .bias
                    .constraints
                    .permit(&clause, &self.task.symbols)
            })
    }

    /// Whether the bias lets clauses begin with this one.
    fn is_permitted(&self, pattern: &Pattern) -> bool {
        let constraints = &self.task.bias.constraints;
        let max_vars = self.task.bias.max_vars;
        max_vars.is_none_or(|most| pattern.vars.len() <= most)
            && (constraints.is_empty()
                || constraints.permit_beginning(&self.clause(pattern), &self.task.symbols))
    }

    /// The clauses with one operator more, each once.
    pub(in crate::learn) fn successors(
        &mut self,
        (key, pattern): &Node,
    ) -> Result<Arc<Vec<Node>>, ProverError> {
        if let Some(known) = self.successors.get(key) {
            return Ok(Arc::clone(known));
        }
        let examples = self.examples;
        let known = &mut *examples.positive[self.seed].known();
        // Macros and their constants are the same in every search from the same example.
        if let (Some((before, nodes)), Some(_)) = (known.longer.get(key), &self.macros)
            && before == pattern
        {
            let nodes = Arc::clone(nodes);
            self.successors.insert(key.clone(), Arc::clone(&nodes));
            return Ok(nodes);
        }
        let nodes = if pattern.lits.len() >= self.bounds.max_literals {
            Vec::new()
        } else if let Some(macros) = &self.macros {
            let mut nodes = Vec::new();
            for node in merged(examples, &self.matcher, macros, pattern, self.bounds) {
                if self.is_part(known, &node)? {
                    nodes.push(node);
                }
            }
            nodes
        } else {
            let constants = &mut self.constants;
            let longer =
                refine::literals(&mut self.matcher, known, self.bounds, pattern, constants)?;
            distinct(longer)
        };
        let mut nodes = nodes;
        nodes.retain(|(_, pattern)| self.is_permitted(pattern));
        let nodes = Arc::new(nodes);
        if self.macros.is_some() && self.examples.may_keep(nodes.len()) {
            let kept = (Arc::clone(pattern), Arc::clone(&nodes));
            known.longer.insert(key.clone(), kept);
        }
        self.successors.insert(key.clone(), Arc::clone(&nodes));
        Ok(nodes)
    }

    /// Whether a clause is part of the bottom clause of the seed, of which this is known.
    fn is_part(
        &mut self,
        known: &mut ExampleMemo,
        (key, pattern): &Node,
    ) -> Result<bool, ProverError> {
        if let Some(&is_part) = self.is_part.get(key) {
            return Ok(is_part);
        }
        let is_part = refine::is_part(&mut self.matcher, known, pattern, &self.constants)?;
        self.is_part.insert(key.clone(), is_part);
        Ok(is_part)
    }

    /// The clause, with its constants.
    pub(in crate::learn) fn clause(&self, pattern: &Pattern) -> Clause {
        let terms: Vec<Term> = self.constants.iter().cloned().collect();
        pattern.clause(self.matcher.language, &terms)
    }
}

/// Clauses with their keys, each once.
fn distinct(patterns: Vec<Pattern>) -> Vec<Node> {
    let mut seen: FxHashSet<Key> = FxHashSet::default();
    let nodes = patterns.into_iter().map(|pattern| (pattern.key(), pattern));
    let new = nodes.filter(|(key, _)| seen.insert(key.clone()));
    new.map(|(key, pattern)| (key, Arc::new(pattern))).collect()
}

/// The clauses that a clause and a macro make together, each once.
fn merged(
    examples: &Examples,
    matcher: &PatternMatcher<'_>,
    macros: &[(usize, Pattern)],
    pattern: &Arc<Pattern>,
    bounds: &Bounds,
) -> Vec<Node> {
    let known = (examples.merged).of(pattern, macros.iter().map(|(number, _)| number));
    let mut new = Vec::new();
    let mut seen: FxHashSet<Key> = FxHashSet::default();
    let mut all = Vec::new();
    for ((number, operator), known) in macros.iter().zip(known) {
        let nodes = known.unwrap_or_else(|| {
            let made = refine::merges(matcher, pattern, operator, bounds.max_literals);
            let made: Arc<[Node]> = distinct(made).into();
            new.push((*number, Arc::clone(&made)));
            made
        });
        let first = nodes.iter().filter(|(key, _)| seen.insert(key.clone()));
        all.extend(first.cloned());
    }
    if !new.is_empty() {
        examples.merged.add(pattern, new);
    }
    all
}

/// Muggleton's compression: positive examples less negative ones less body literals.
pub(in crate::learn) fn compression(judged: &ClauseCoverage, pattern: &Pattern) -> i64 {
    let [p, n] = judged.counts.map(usize::cast_signed);
    (p - n - pattern.lits.len().cast_signed()) as i64
}
