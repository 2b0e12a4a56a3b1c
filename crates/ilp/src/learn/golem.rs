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

use indexmap::{IndexMap, IndexSet};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::tables::{Arg, Lit, Matcher, Problem, covered, decode, is_spare, number, without};
use super::{LearnError, Learned, Learner, Progress, Stop};
use crate::coverage::{BitSet, all};
use crate::mode::Direction;
use crate::prover::Limits;
use crate::term::Symbol;

/// Most inputs of literals looked at for one generalization.
const MAX_VISITED: usize = 1_000_000;

/// Golem with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Golem {
    /// i: variables may be this many literals away from the head.
    pub max_depth: usize,
    /// j: literals have at most this many inputs.
    pub max_inputs: usize,
    /// Pairs sampled for the first generalization of a clause.
    pub pairs: usize,
    /// Examples sampled in each round of further generalization.
    pub sample: usize,
    /// Negative examples a clause may cover.
    pub max_false_positives: usize,
    /// Most body literals of an unreduced clause.
    pub max_literals: usize,
    /// Seed of the sampling.
    pub seed: u64,
    /// Most generalizations formed in all.
    pub max_steps: u64,
    /// Bounds on the queries by which the background is listed, and on the memory it takes.
    pub limits: Limits,
}

impl Default for Golem {
    fn default() -> Self {
        Self {
            max_depth: 2,
            max_inputs: 2,
            pairs: 50,
            sample: 25,
            max_false_positives: 0,
            max_literals: 2_000,
            seed: 1,
            max_steps: 100_000,
            limits: Limits::default(),
        }
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
    ) -> Result<Learned, LearnError> {
        learn(problem, self, progress)
    }

    fn limits(&self) -> Limits {
        self.limits
    }
}

fn learn(
    problem: &crate::Problem<'_>,
    params: &Golem,
    progress: &mut dyn Progress,
) -> Result<Learned, LearnError> {
    let (task, db) = (problem.task(), problem.database());
    let Some(problem) = Problem::to_learn(task, db, params.limits, progress)? else {
        return Ok(Learned::interrupted());
    };
    let mut search = Search {
        problem: &problem,
        modes: determinate_modes(&problem, params),
        params,
        rng: ChaCha8Rng::seed_from_u64(params.seed),
        uncovered: all(task.positive.len()),
        suspects: Vec::new(),
        steps: 0,
    };
    let mut clauses = Vec::new();
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
        let positive = covered(&problem, &lits, 0, &all(task.positive.len()));
        let negative = covered(&problem, &lits, 1, &all(task.negative.len()));
        let clause = decode(&problem, task.target.name, &lits);
        progress.clause(
            &clause,
            &task.symbols,
            positive.count_ones(..),
            negative.count_ones(..),
        );
        search.uncovered.difference_with(&positive);
        clauses.push(clause);
    };
    Ok(Learned::new(clauses, stop, search.steps))
}

/// A mode with its inputs and outputs by place.
struct DeterminateMode {
    relation: u32,
    kinds: Vec<Symbol>,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
}

fn determinate_modes(problem: &Problem, params: &Golem) -> Vec<DeterminateMode> {
    let mut modes = Vec::new();
    for mode in &problem.modes {
        // Without any declared direction the predicate can only test.
        let undeclared = mode
            .arguments
            .iter()
            .all(|(direction, _)| *direction == Direction::Out);
        let (inputs, outputs): (Vec<usize>, Vec<usize>) = (0..mode.arguments.len())
            .partition(|&place| undeclared || mode.arguments[place].0 != Direction::Out);
        if inputs.len()
            <= params
                .max_inputs
                .max(if outputs.is_empty() { inputs.len() } else { 0 })
        {
            modes.push(DeterminateMode {
                relation: mode.relation,
                kinds: mode.arguments.iter().map(|(_, kind)| *kind).collect(),
                inputs,
                outputs,
            });
        }
    }
    modes
}

struct Search<'a> {
    problem: &'a Problem,
    modes: Vec<DeterminateMode>,
    params: &'a Golem,
    rng: ChaCha8Rng,
    uncovered: BitSet,
    /// Negative examples that clauses covered before, the last one first.
    suspects: Vec<usize>,
    steps: u64,
}

/// A term of a generalization, by its type and its value for each example, and the variable that
/// stands for it.
type Known = ((Symbol, Vec<u32>), u32);

/// A consistent generalization: the examples it was made from and what it covers.
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
        let lits = self.rlgg(&examples);
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
        let negatives = all(self.problem.examples[1].len);
        let most = self.params.max_false_positives;
        matcher
            .covered_at_most(1, &negatives, most, &mut self.suspects)
            .is_some()
    }

    /// Literals that hold, with the same pattern of equal terms, for all the examples.
    ///
    /// A term of the generalization is a vector: its value for each example. Equal vectors are
    /// one variable, constant vectors are constants.
    fn rlgg(&self, examples: &[usize]) -> Vec<Lit> {
        let n_head = self.problem.head_kinds.len();
        let mut lits = Vec::new();
        // Vectors by type, with the variable that stands for each, and its distance from the head.
        let mut terms: IndexMap<(Symbol, Vec<u32>), (u32, usize), FxBuildHasher> =
            IndexMap::default();
        for (var, kind) in (0u32..).zip(&self.problem.head_kinds) {
            let column = &self.problem.examples[0].columns[var as usize];
            let vector: Vec<u32> = examples.iter().map(|&e| column[e]).collect();
            if examples.len() > 1 && vector.iter().all(|value| *value == vector[0]) {
                lits.push(Lit::equal(var, Arg::Const(vector[0])));
            }
            match terms.get(&(*kind, vector.clone())) {
                Some(&(left, _)) => lits.push(Lit::equal(left, Arg::Var(var))),
                None => {
                    terms.insert((*kind, vector), (var, 0));
                }
            }
        }
        let mut next_var = number(n_head);
        let mut seen: IndexSet<(u32, Vec<u32>), FxBuildHasher> = IndexSet::default();
        let mut budget = MAX_VISITED;
        for depth in 0..=self.params.max_depth {
            let known: Vec<Known> = terms
                .iter()
                .map(|(key, (var, _))| (key.clone(), *var))
                .collect();
            // What was known at the last depth was tried then.
            let n_old = terms.values().filter(|(_, own)| *own < depth).count();
            for mode in &self.modes {
                // Past the last depth only tests are added.
                if depth == self.params.max_depth && !mode.outputs.is_empty() {
                    continue;
                }
                let choices = Choices::of(mode, &known, n_old);
                let mut chosen = Vec::with_capacity(mode.inputs.len());
                choices.fill(&mut chosen, depth > 0, &mut budget, &mut |chosen| {
                    if lits.len() >= self.params.max_literals {
                        return;
                    }
                    let Some(outputs) = self.outputs(mode, &known, chosen, examples.len()) else {
                        return;
                    };
                    let vars: Vec<u32> = chosen.iter().map(|&i| known[i].1).collect();
                    if !seen.insert((mode.relation, vars)) {
                        return;
                    }
                    let mut args = vec![Arg::New; mode.kinds.len()];
                    for (&place, &i) in mode.inputs.iter().zip(chosen) {
                        args[place] = Arg::Var(known[i].1);
                    }
                    let mut fresh = Vec::new();
                    for (&place, vector) in mode.outputs.iter().zip(outputs) {
                        let key = (mode.kinds[place], vector);
                        match terms.get(&key) {
                            Some(&(var, _)) if var < next_var => args[place] = Arg::Var(var),
                            _ => fresh.push((place, key)),
                        }
                    }
                    fresh.sort_by_key(|(place, _)| *place);
                    for (_, key) in fresh {
                        terms.entry(key).or_insert((next_var, depth + 1));
                        next_var += 1;
                    }
                    lits.push(Lit {
                        relation: mode.relation,
                        args,
                        positive: true,
                    });
                });
            }
        }
        lits
    }

    /// The output vectors that follow from the inputs, if they are determined for every example.
    fn outputs(
        &self,
        mode: &DeterminateMode,
        known: &[Known],
        chosen: &[usize],
        n: usize,
    ) -> Option<Vec<Vec<u32>>> {
        let relation = &self.problem.relations[mode.relation as usize];
        if mode.outputs.is_empty() {
            // The inputs are all arguments, in their order.
            let holds = |e: usize| relation.contains(chosen.iter().map(|&i| known[i].0.1[e]));
            return (0..n).all(holds).then(Vec::new);
        }
        let mut outputs = vec![Vec::with_capacity(n); mode.outputs.len()];
        let mut inputs = vec![None; mode.kinds.len()];
        for e in 0..n {
            for (&place, &i) in mode.inputs.iter().zip(chosen) {
                inputs[place] = Some(known[i].0.1[e]);
            }
            let mut found: Option<Vec<u32>> = None;
            let mut unique = true;
            relation.matches(&inputs, |row| {
                let values: Vec<u32> = mode.outputs.iter().map(|&place| row[place]).collect();
                match &found {
                    Some(first) if *first != values => unique = false,
                    Some(_) => {}
                    None => found = Some(values),
                }
                unique
            });
            let values = found.filter(|_| unique)?;
            for (vector, value) in outputs.iter_mut().zip(values) {
                vector.push(value);
            }
        }
        Some(outputs)
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

/// The known terms that each input of a mode may be.
struct Choices {
    /// For each input the terms in order, and how many of them are old.
    inputs: Vec<(Vec<usize>, usize)>,
}

impl Choices {
    /// The first `n_old` of the known terms are old.
    fn of(mode: &DeterminateMode, known: &[Known], n_old: usize) -> Self {
        let of_place = |place: &usize| {
            let fits = |i: &usize| known[*i].0.0 == mode.kinds[*place];
            let terms: Vec<usize> = (0..known.len()).filter(fits).collect();
            let n_old = terms.partition_point(|i| *i < n_old);
            (terms, n_old)
        };
        Self {
            inputs: mode.inputs.iter().map(of_place).collect(),
        }
    }

    /// Calls `emit` for every choice that is not of old terms alone, as long as the budget lasts. All
    /// choices take of the budget.
    fn fill(
        &self,
        chosen: &mut Vec<usize>,
        is_old: bool,
        budget: &mut usize,
        emit: &mut impl FnMut(&[usize]),
    ) {
        if *budget == 0 {
            return;
        }
        *budget -= 1;
        let Some((terms, n_old)) = self.inputs.get(chosen.len()) else {
            *budget = budget.saturating_sub(chosen.len());
            if !is_old {
                emit(chosen);
            }
            return;
        };
        let is_last = chosen.len() + 1 == self.inputs.len();
        // Old terms behind old ones are only counted.
        let n_counted = if is_old && is_last { *n_old } else { 0 };
        *budget = budget.saturating_sub(n_counted * (1 + self.inputs.len()));
        for (at, i) in terms.iter().enumerate().skip(n_counted) {
            chosen.push(*i);
            self.fill(chosen, is_old && at < *n_old, budget, emit);
            chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Choices;

    #[test]
    fn choices_of_old_terms_are_passed_over_but_counted() {
        let inputs = vec![(vec![0, 2, 3], 1), (vec![0, 1, 2], 2), (vec![1, 3], 1)];
        let all_new = inputs.iter().map(|(terms, _)| (terms.clone(), 0));
        let every = Choices {
            inputs: all_new.collect(),
        };
        let choices = Choices { inputs };
        let filled = |choices: &Choices, mut budget: usize| {
            let mut found: Vec<Vec<usize>> = Vec::new();
            let mut emit = |chosen: &[usize]| found.push(chosen.to_vec());
            choices.fill(&mut Vec::new(), true, &mut budget, &mut emit);
            (found, budget)
        };
        for budget in 0..120 {
            let (mut slow, left) = filled(&every, budget);
            slow.retain(|chosen| {
                let mut own = chosen.iter().zip(&choices.inputs);
                !own.all(|(i, (terms, n_old))| terms[..*n_old].contains(i))
            });
            assert_eq!(filled(&choices, budget), (slow, left), "{budget}");
        }
    }
}
