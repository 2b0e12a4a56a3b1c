//! Beam search for one clause.

use indexmap::{IndexMap, IndexSet};
use kibitz_prolog::{BitSet, ProverError, all_bits};
use rustc_hash::FxBuildHasher;

use super::params::{Estimate, Mfoil};
use super::significance::{chi_square, likelihood_ratio};
use crate::encoded::EncodedProblem;
use crate::eval::{Arg, EQUALS, Lit, Places, TerminationOrder, covered, decode};
use crate::learn::foil::{Formation, Lits, VarInfo};
use crate::learn::proof_count::{ProofCount, is_asked_for};
use crate::learn::{Progress, Stop};
use crate::task::Task;

/// Most arguments looked at for the literals that may be added to one clause.
const MAX_VISITED: usize = 1_000_000;

/// A clause under construction.
#[derive(Clone)]
pub(super) struct PartialClause {
    pub(super) lits: Vec<Lit>,
    vars: Vec<VarInfo>,
    /// Of the examples that no earlier clause covers.
    pub(super) covered: [BitSet; 2],
    /// Expected accuracy.
    score: f64,
}

impl PartialClause {
    pub(super) fn counts(&self) -> [usize; 2] {
        self.covered.each_ref().map(|set| set.count_ones(..))
    }

    /// Whether nothing can make it better.
    fn is_pure(&self) -> bool {
        self.covered[1].is_clear()
    }
}

/// A search for clauses, clause by clause.
pub(super) struct Search<'a> {
    pub(super) problem: &'a EncodedProblem,
    pub(super) task: &'a Task,
    pub(super) params: &'a Mfoil,
    proofs: ProofCount<'a>,
    pub(super) termination: TerminationOrder,
    /// Places at which all recursive literals so far are smaller than their heads.
    pub(super) places: Vec<Places>,
    pub(super) uncovered: BitSet,
    /// Of all the examples those of which each test of head variables holds.
    tests: IndexMap<Lit, [BitSet; 2], FxBuildHasher>,
    pub(super) steps: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        problem: &'a EncodedProblem,
        task: &'a Task,
        params: &'a Mfoil,
        proofs: ProofCount<'a>,
    ) -> Self {
        let termination = TerminationOrder::new(problem, task.target);
        Self {
            problem,
            task,
            params,
            proofs,
            places: termination.all_places(),
            termination,
            uncovered: all_bits(task.positive.len()),
            tests: IndexMap::default(),
            steps: 0,
        }
    }

    /// The best significant clause and then others without negative examples; none if no clause is
    /// better than to cover everything. And why the search ended early, if it did.
    ///
    /// Clauses without negative examples leave the beam, which they would only fill.
    ///
    /// # Errors
    /// [`ProverError`] for clauses that cannot be carried out.
    pub(super) fn find_clause(
        &mut self,
        progress: &mut dyn Progress,
    ) -> Result<(Vec<PartialClause>, Option<Stop>), ProverError> {
        let given = [self.uncovered.clone(), all_bits(self.task.negative.len())];
        let n = given.each_ref().map(|set| set.count_ones(..) as f64);
        let prior = n[0] / (n[0] + n[1]);
        let score = |counts: [usize; 2]| {
            let [p, n] = counts.map(|count| count as f64);
            match self.params.estimate {
                Estimate::Laplace => (p + 1.0) / (p + n + 2.0),
                Estimate::M(m) => (p + m * prior) / (p + n + m),
            }
        };
        let significant = |counts| {
            let ratio = likelihood_ratio(counts, prior);
            chi_square(ratio) >= self.params.significance
        };
        let mut steps = self.steps;
        let mut stop = None;
        let head = self.problem.head_kinds.iter();
        let start = PartialClause {
            lits: Vec::new(),
            vars: head.map(|&kind| VarInfo { kind, depth: 0 }).collect(),
            score: prior,
            covered: given,
        };
        let mut best = start.clone();
        let mut open = vec![start];
        // Clauses without negative examples, which nothing can make better, the best first.
        let mut pure: Vec<PartialClause> = Vec::new();
        let mut seen: IndexSet<Vec<Lit>, FxBuildHasher> = IndexSet::default();
        let max_literals = self.task.bias.max_body.unwrap_or(self.params.max_literals);
        for _ in 0..max_literals {
            let mut next = Vec::new();
            // The score that a clause must be able to beat: that of the last of the pure ones.
            let full = pure.len() == self.params.beam;
            let least = pure.last().filter(|_| full).map_or(0.0, |last| last.score);
            'beam: for partial in &open {
                for lit in self.literals(partial) {
                    if steps >= self.params.max_steps {
                        stop = Some(Stop::OutOfSteps);
                    } else if !progress.keep_going() {
                        stop = Some(Stop::Interrupted);
                    }
                    if stop.is_some() {
                        break 'beam;
                    }
                    steps += 1;
                    if !self.permits(&partial.lits, Some(&lit)) {
                        continue;
                    }
                    let covered = self.covered(partial, &lit);
                    let counts = covered.each_ref().map(|set| set.count_ones(..));
                    let useless = lit.n_new() == 0 && counts == partial.counts();
                    // At best it keeps the positive examples and no other.
                    let goal = [counts[0], 0];
                    let hopeless = !significant(goal) || score(goal) <= least;
                    if counts[0] == 0 || useless || hopeless {
                        continue;
                    }
                    let longer = PartialClause {
                        score: score(counts),
                        ..self.extended(partial, lit, covered)
                    };
                    if !seen.insert(key(&longer.lits)) {
                        continue;
                    }
                    if longer.is_pure() {
                        pure.push(longer);
                    } else {
                        next.push(longer);
                    }
                }
            }
            for partials in [&mut pure, &mut next] {
                // Of equals the shorter, then the one that was found first.
                partials.sort_by(|a, b| {
                    let shorter = a.lits.len().cmp(&b.lits.len());
                    b.score.total_cmp(&a.score).then(shorter)
                });
                partials.truncate(self.params.beam);
                let better = |partial: &PartialClause| {
                    partial.score > best.score && significant(partial.counts())
                };
                let mut found = None;
                for partial in partials.iter().filter(|own| better(own)) {
                    let proved = self.proved(partial, score)?;
                    found = proved.filter(|own| better(own) && self.is_permitted(own));
                    if found.is_some() {
                        break;
                    }
                }
                best = found.unwrap_or(best);
            }
            open = next;
            if open.is_empty() || stop.is_some() {
                break;
            }
        }
        self.steps = steps;
        if best.lits.is_empty() {
            return Ok((Vec::new(), stop));
        }
        pure.retain(|partial| partial.lits != best.lits);
        pure.insert(0, best);
        Ok((pure, stop))
    }

    /// Whether the bias lets a clause have these literals, and perhaps one more.
    fn permits(&self, lits: &[Lit], more: Option<&Lit>) -> bool {
        let constraints = &self.task.bias.constraints;
        constraints.is_empty() || {
            let longer: Vec<Lit> = lits.iter().chain(more).cloned().collect();
            let clause = decode(self.problem, self.task.target.name, &longer);
            if more.is_some() {
                constraints.permit_beginning(&clause, &self.task.symbols)
            } else {
                constraints.permit(&clause, &self.task.symbols)
            }
        }
    }

    fn is_permitted(&self, partial: &PartialClause) -> bool {
        is_asked_for(self.task, partial.counts()) && self.permits(&partial.lits, None)
    }

    /// A clause with what it covers by proof; `None` if that is no positive example.
    fn proved(
        &mut self,
        partial: &PartialClause,
        score: impl Fn([usize; 2]) -> f64,
    ) -> Result<Option<PartialClause>, ProverError> {
        let Some(mut covered) = self.proofs.covered(self.problem, &partial.lits)? else {
            return Ok(Some(partial.clone()));
        };
        covered[0].intersect_with(&self.uncovered);
        let counts = covered.each_ref().map(|set| set.count_ones(..));
        Ok((counts[0] > 0).then(|| PartialClause {
            score: score(counts),
            covered,
            ..partial.clone()
        }))
    }

    /// Those of the examples that a clause covers which it still covers with a literal more.
    fn covered(&mut self, partial: &PartialClause, lit: &Lit) -> [BitSet; 2] {
        let problem = self.problem;
        let n_head = problem.head_kinds.len();
        if lit.n_new() > 0 || lit.vars().any(|var| var as usize >= n_head) {
            let lits: Vec<Lit> = partial.lits.iter().chain([lit]).cloned().collect();
            return [0, 1].map(|side| covered(problem, &lits, side, &partial.covered[side]));
        }
        // It holds of an example or not, independently of the other literals.
        if !self.tests.contains_key(lit) {
            let lits = std::slice::from_ref(lit);
            let whole = |side: usize| all_bits(problem.examples[side].len);
            let holds = [0, 1].map(|side| covered(problem, lits, side, &whole(side)));
            self.tests.insert(lit.clone(), holds);
        }
        let holds = &self.tests[lit];
        [0, 1].map(|side| &partial.covered[side] & &holds[side])
    }

    fn extended(&self, partial: &PartialClause, lit: Lit, covered: [BitSet; 2]) -> PartialClause {
        let mut vars = partial.vars.clone();
        if lit.relation != EQUALS {
            let depth = lit.vars().map(|var| partial.vars[var as usize].depth);
            let depth = depth.max().unwrap_or(0).saturating_add(1);
            let mode = (self.problem.modes.iter()).find(|mode| mode.relation == lit.relation);
            let kinds = mode.into_iter().flat_map(|mode| &mode.arguments);
            for (arg, &(_, kind)) in lit.args.iter().zip(kinds) {
                if *arg == Arg::New {
                    vars.push(VarInfo { kind, depth });
                }
            }
        }
        PartialClause {
            lits: partial.lits.iter().cloned().chain([lit]).collect(),
            vars,
            covered,
            score: partial.score,
        }
    }

    /// The literals that may be added to a clause: tests, negated tests, literals with new variables.
    fn literals(&self, partial: &PartialClause) -> Vec<Lit> {
        let (problem, bias) = (self.problem, &self.task.bias);
        let (mut tests, mut generators) = (Lits::default(), Lits::default());
        let exact = problem.exact_variables(&partial.lits);
        let is_exact = |var: u32| exact.get(var as usize).copied().unwrap_or(false);
        for (left, a) in (0u32..).zip(&partial.vars) {
            for (right, b) in (0u32..).zip(&partial.vars).skip(left as usize + 1) {
                if a.kind == b.kind && !is_exact(right) {
                    tests.insert(Lit::equal(left, Arg::Var(right)));
                }
            }
            let constants = problem.constants.iter().filter(|(kind, _)| *kind == a.kind);
            for (_, values) in constants.filter(|_| !is_exact(left)) {
                let constants = values.iter().copied().map(Arg::Const);
                tests.extend(constants.map(|constant| Lit::equal(left, constant)));
            }
        }
        let n_head = problem.head_kinds.len();
        let formation = Formation {
            problem,
            lits: &partial.lits,
            vars: &partial.vars,
            max_vars: bias
                .max_vars
                .unwrap_or(n_head + self.params.max_new_variables),
            max_depth: self.task.search.depth_or(u8::MAX, u8::MAX),
            termination: &self.termination,
            places: &self.places,
            names_twice: true,
            max_literals: usize::MAX,
            max_visited: MAX_VISITED,
        };
        formation.form(&mut tests, &mut generators);
        let negated = tests.iter().filter(|_| bias.negation).map(Lit::negated);
        let negated: Vec<Lit> = negated.collect();
        tests.into_iter().chain(negated).chain(generators).collect()
    }
}

/// A key of clauses: without new variables the order of their literals does not matter.
fn key(lits: &[Lit]) -> Vec<Lit> {
    let mut key = lits.to_vec();
    if lits.iter().all(|lit| lit.n_new() == 0) {
        key.sort_by(|a, b| {
            let own = |lit: &Lit| (lit.relation, lit.positive);
            own(a).cmp(&own(b)).then_with(|| a.args.cmp(&b.args))
        });
    }
    key
}
