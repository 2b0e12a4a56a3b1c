//! mFoil: top-down beam search guided by estimated accuracy.
//!
//! Like Foil it builds clause after clause from the head downwards, but a literal is judged by the
//! accuracy that the clause can be expected to have, estimated by the Laplace formula or by the
//! m-estimate, the best few clauses are kept instead of one, and a clause only counts if its
//! distribution of examples is significantly other than that of all of them. This takes few
//! examples and tolerates noise.
//!
//! # Source
//! Džeroski and Bratko 1992, Handling noise in inductive logic programming, as Morales 1992,
//! section 8.4.2, describes it; the significance is that of Clark and Niblett's CN2.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::foil::{VarInfo, fill};
use super::tables::{Arg, Descent, EQUALS, Lit, Problem, covered, decode};
use super::{LearnError, Learned, Learner, Progress, Stop};
use crate::coverage::{BitSet, all};
use crate::prover::Limits;
use crate::task::Task;

/// Most arguments looked at for the literals that may be added to one clause.
const MAX_VISITED: usize = 1_000_000;

/// How the accuracy of a clause is estimated from the examples it covers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Estimate {
    /// (p + 1) / (p + n + 2).
    Laplace,
    /// (p + m · prior) / (p + n + m): the prior probability of positive examples counts as much as
    /// `m` examples.
    M(f64),
}

/// mFoil with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields, default, rename_all = "kebab-case")
)]
pub struct Mfoil {
    /// How clauses are judged.
    pub estimate: Estimate,
    /// Clauses must be significant on this level, by the likelihood ratio: 0.99 is 99%.
    pub significance: f64,
    /// Clauses that are kept at a time.
    pub beam: usize,
    /// Most body literals, unless the bias says.
    pub max_literals: usize,
    /// Most variables that literals introduce, unless the bias limits the variables.
    pub max_new_variables: usize,
    /// Most candidate clauses evaluated in all.
    pub max_steps: u64,
    /// Bounds on the queries by which the background is listed, and on the memory it takes.
    pub limits: Limits,
}

impl Default for Mfoil {
    fn default() -> Self {
        Self {
            estimate: Estimate::M(2.0),
            significance: 0.99,
            beam: 5,
            max_literals: 10,
            max_new_variables: 3,
            max_steps: 5_000_000,
            limits: Limits::default(),
        }
    }
}

impl Mfoil {
    fn check(&self) -> Result<(), LearnError> {
        let wrong = |parameter, expected| {
            Err(LearnError::Parameter {
                parameter,
                expected,
            })
        };
        match self.estimate {
            Estimate::M(m) if !(m >= 0.0 && m.is_finite()) => wrong("estimate", "at least 0"),
            _ if !(0.0..1.0).contains(&self.significance) => {
                wrong("significance", "at least 0 and below 1")
            }
            _ if self.beam == 0 => wrong("beam", "at least 1"),
            _ => Ok(()),
        }
    }
}

impl Learner for Mfoil {
    fn name(&self) -> &'static str {
        "mfoil"
    }

    /// Needs positive and negative examples, and background that can be listed.
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
    params: &Mfoil,
    progress: &mut dyn Progress,
) -> Result<Learned, LearnError> {
    params.check()?;
    let (task, db) = (problem.task(), problem.database());
    let Some(problem) = Problem::to_learn(task, db, params.limits, progress)? else {
        return Ok(Learned::interrupted());
    };
    let descent = Descent::new(&problem, task.target);
    let mut search = Search {
        problem: &problem,
        task,
        params,
        places: descent.all_places(),
        descent,
        uncovered: all(task.positive.len()),
        tests: IndexMap::default(),
        steps: 0,
    };
    let (mut clauses, mut alternatives) = (Vec::new(), Vec::new());
    let stop = loop {
        if search.uncovered.is_clear() {
            break Stop::Complete;
        }
        if (task.bias.max_clauses).is_some_and(|max| clauses.len() >= max) {
            break Stop::ClauseLimit;
        }
        let (found, stop) = search.find_clause(progress);
        let [best, others @ ..] = &found[..] else {
            break stop.unwrap_or(Stop::NoMoreClauses);
        };
        let decoded = |partial: &Partial| decode(&problem, task.target.name, &partial.lits);
        let clause = decoded(best);
        let [positive, negative] = best.counts();
        progress.clause(&clause, &task.symbols, positive, negative);
        search.uncovered.difference_with(&best.covered[0]);
        search.places = search.descent.places(&best.lits, &search.places);
        clauses.push(clause);
        alternatives.push(others.iter().map(decoded).collect());
        if let Some(stop) = stop.filter(|_| !search.uncovered.is_clear()) {
            break stop;
        }
    };
    Ok(Learned {
        alternatives,
        ..Learned::new(clauses, stop, search.steps)
    })
}

/// A clause under construction.
#[derive(Clone)]
struct Partial {
    lits: Vec<Lit>,
    vars: Vec<VarInfo>,
    /// Of the examples that no earlier clause covers.
    covered: [BitSet; 2],
    /// Expected accuracy.
    score: f64,
}

impl Partial {
    fn counts(&self) -> [usize; 2] {
        self.covered.each_ref().map(|set| set.count_ones(..))
    }

    /// Whether nothing can make it better.
    fn is_pure(&self) -> bool {
        self.covered[1].is_clear()
    }
}

struct Search<'a> {
    problem: &'a Problem,
    task: &'a Task,
    params: &'a Mfoil,
    descent: Descent,
    /// Places at which all recursive literals so far are smaller than their heads.
    places: Vec<usize>,
    uncovered: BitSet,
    /// Of all the examples those of which each test of head variables holds.
    tests: IndexMap<Lit, [BitSet; 2], FxBuildHasher>,
    steps: u64,
}

impl Search<'_> {
    /// The best significant clause and then others without negative examples; none if no clause is
    /// better than to cover everything. And why the search ended early, if it did.
    ///
    /// Clauses without negative examples leave the beam, which they would only fill.
    fn find_clause(&mut self, progress: &mut dyn Progress) -> (Vec<Partial>, Option<Stop>) {
        let given = [self.uncovered.clone(), all(self.task.negative.len())];
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
        let start = Partial {
            lits: Vec::new(),
            vars: head.map(|&kind| VarInfo { kind, depth: 0 }).collect(),
            score: prior,
            covered: given,
        };
        let mut best = start.clone();
        let mut open = vec![start];
        // Clauses without negative examples, which nothing can make better, the best first.
        let mut pure: Vec<Partial> = Vec::new();
        let mut seen: IndexSet<Vec<Lit>, FxBuildHasher> = IndexSet::default();
        let max_literals = self.task.bias.max_body.unwrap_or(self.params.max_literals);
        for _ in 0..max_literals {
            let mut next = Vec::new();
            // What a clause must be able to reach: a place among the pure ones.
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
                    let covered = self.covered(partial, &lit);
                    let counts = covered.each_ref().map(|set| set.count_ones(..));
                    let useless = lit.n_new() == 0 && counts == partial.counts();
                    // At best it keeps the positive examples and no other.
                    let goal = [counts[0], 0];
                    let hopeless = !significant(goal) || score(goal) <= least;
                    if counts[0] == 0 || useless || hopeless {
                        continue;
                    }
                    let longer = Partial {
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
                let better = |partial: &&Partial| {
                    partial.score > best.score && significant(partial.counts())
                };
                if let Some(found) = partials.iter().find(better) {
                    best = found.clone();
                }
            }
            open = next;
            if open.is_empty() || stop.is_some() {
                break;
            }
        }
        self.steps = steps;
        if best.lits.is_empty() {
            return (Vec::new(), stop);
        }
        pure.retain(|partial| partial.lits != best.lits);
        pure.insert(0, best);
        (pure, stop)
    }

    /// Those of the examples that a clause covers which it still covers with a literal more.
    fn covered(&mut self, partial: &Partial, lit: &Lit) -> [BitSet; 2] {
        let problem = self.problem;
        let n_head = problem.head_kinds.len();
        if lit.n_new() > 0 || lit.vars().any(|var| var as usize >= n_head) {
            let lits: Vec<Lit> = partial.lits.iter().chain([lit]).cloned().collect();
            return [0, 1].map(|side| covered(problem, &lits, side, &partial.covered[side]));
        }
        // It holds of an example or not, whatever the other literals bind.
        if !self.tests.contains_key(lit) {
            let lits = std::slice::from_ref(lit);
            let whole = |side: usize| all(problem.examples[side].len);
            let holds = [0, 1].map(|side| covered(problem, lits, side, &whole(side)));
            self.tests.insert(lit.clone(), holds);
        }
        let holds = &self.tests[lit];
        [0, 1].map(|side| &partial.covered[side] & &holds[side])
    }

    fn extended(&self, partial: &Partial, lit: Lit, covered: [BitSet; 2]) -> Partial {
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
        Partial {
            lits: partial.lits.iter().cloned().chain([lit]).collect(),
            vars,
            covered,
            score: partial.score,
        }
    }

    /// The literals that may be added to a clause.
    fn literals(&self, partial: &Partial) -> Vec<Lit> {
        let (problem, bias) = (self.problem, &self.task.bias);
        let mut tests: IndexSet<Lit, FxBuildHasher> = IndexSet::default();
        let mut generators: IndexSet<Lit, FxBuildHasher> = IndexSet::default();
        for (left, a) in (0u32..).zip(&partial.vars) {
            for (right, b) in (0u32..).zip(&partial.vars).skip(left as usize + 1) {
                if a.kind == b.kind {
                    tests.insert(Lit::equal(left, Arg::Var(right)));
                }
            }
            for (_, values) in problem.constants.iter().filter(|(kind, _)| *kind == a.kind) {
                tests.extend(
                    values
                        .iter()
                        .map(|&value| Lit::equal(left, Arg::Const(value))),
                );
            }
        }
        let n_head = problem.head_kinds.len();
        let max_vars = bias
            .max_vars
            .unwrap_or(n_head + self.params.max_new_variables);
        let mut budget = MAX_VISITED;
        for mode in &problem.modes {
            let relation = &problem.relations[mode.relation as usize];
            if relation.len() == 0 {
                continue;
            }
            let symmetric = relation.is_symmetric();
            let mut emit = |args: &[Arg]| {
                let lit = Lit {
                    relation: mode.relation,
                    args: args.to_vec(),
                    positive: true,
                };
                let bound = args.is_empty() || lit.vars().next().is_some();
                let mirrored = symmetric && args[0] > args[1];
                let recursive = self.descent.is_recursive(&lit) && {
                    let longer: Vec<Lit> = partial.lits.iter().chain([&lit]).cloned().collect();
                    !self.descent.permits(&longer, &self.places)
                };
                if bound && !mirrored && !recursive {
                    if lit.n_new() == 0 {
                        tests.insert(lit);
                    } else if partial.vars.len() + lit.n_new() <= max_vars {
                        generators.insert(lit);
                    }
                }
                true
            };
            let mut args = Vec::with_capacity(mode.arguments.len());
            let (vars, arguments) = (&partial.vars, &mode.arguments);
            fill(
                problem,
                mode.relation,
                arguments,
                vars,
                &mut args,
                &mut budget,
                &mut emit,
            );
        }
        let negated = tests.iter().filter(|_| bias.negation).map(Lit::negated);
        let negated: Vec<Lit> = negated.collect();
        tests.into_iter().chain(negated).chain(generators).collect()
    }
}

/// What tells clauses apart: without new variables the order of their literals does not matter.
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

/// Twice the logarithm of how much likelier these counts are under their own shares than under the
/// prior probability of positive examples.
fn likelihood_ratio(counts: [usize; 2], prior: f64) -> f64 {
    let [p, n] = counts.map(|count| count as f64);
    let part = |count: f64, prior: f64| {
        if count > 0.0 {
            count * (count / (p + n) / prior).ln()
        } else {
            0.0
        }
    };
    2.0 * (part(p, prior) + part(n, 1.0 - prior))
}

/// The probability that a chi-square variable of one degree of freedom is below `x`: the error
/// function of √(x/2), by its series of positive terms.
fn chi_square(x: f64) -> f64 {
    let z = (x.max(0.0) / 2.0).sqrt();
    if z > 6.0 {
        return 1.0;
    }
    let (mut term, mut sum, mut k) = (z, 0.0, 1.0);
    while term > 1e-17 * sum {
        sum += term;
        k += 2.0;
        term *= 2.0 * z * z / k;
    }
    sum * (-z * z).exp() * std::f64::consts::FRAC_2_SQRT_PI
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::learn::NoProgress;
    use crate::{Source, print_clause};

    fn task(examples: &str, facts: &str, bias: &str) -> Task {
        let source = |name, text| Source { name, text };
        Task::from_popper(
            source("exs.pl", examples),
            source("bk.pl", facts),
            source("bias.pl", bias),
        )
        .expect("valid")
    }

    fn run(task: &mut Task, params: &Mfoil) -> (Learned, Vec<String>) {
        let problem = crate::Problem::new(task).expect("valid");
        let learned = params.learn(&problem, &mut NoProgress).expect("learned");
        let texts = learned.clauses.iter();
        let texts = texts.map(|clause| print_clause(clause, &problem.task().symbols).to_string());
        let texts = texts.collect();
        (learned, texts)
    }

    #[test]
    fn probabilities_are_those_of_the_tables() {
        for (x, probability) in [
            (0.0, 0.0),
            (0.454_936, 0.5),
            (3.841_46, 0.95),
            (6.634_9, 0.99),
        ] {
            assert!((chi_square(x) - probability).abs() < 1e-5, "{x}");
        }
        assert!(chi_square(71.9) <= 1.0 && chi_square(71.9) > 0.999_999);
        // All of 4 positive examples and none of 543 negative ones.
        let ratio = likelihood_ratio([4, 0], 4.0 / 547.0);
        assert!((ratio - 8.0 * (547.0_f64 / 4.0).ln()).abs() < 1e-9);
        assert!(likelihood_ratio([2, 6], 0.25).abs() < 1e-12);
    }

    #[test]
    fn new_variables_are_joined() {
        let mut examples = String::new();
        let mut facts = String::new();
        for i in 0..8 {
            let (a, b, c) = (3 * i, 3 * i + 1, 3 * i + 2);
            let _ = write!(
                examples,
                "pos(gf({a},{c})). neg(gf({a},{b})). neg(gf({c},{a})). "
            );
            let _ = write!(facts, "f({a},{b}). f({b},{c}). ");
        }
        let mut task = task(&examples, &facts, "head_pred(gf,2). body_pred(f,2).");
        let (learned, text) = run(&mut task, &Mfoil::default());
        assert_eq!(text, ["gf(A,B) :- f(A,C), f(C,B)."]);
        assert_eq!(learned.stop, Stop::Complete);
        assert_eq!(learned.alternatives.len(), 1);
        assert!(learned.alternatives[0].len() < Mfoil::default().beam);
    }

    /// One wrong label among forty does not make a clause of its own, and without significance and
    /// with an estimate that trusts every example it does.
    #[test]
    fn noise_is_not_learned() {
        let mut examples = "pos(p(50)). ".to_owned();
        let mut facts = "odd(50). ".to_owned();
        for i in 0..20 {
            let _ = write!(examples, "pos(p({i})). neg(p({})). ", i + 20);
            let _ = write!(facts, "small({i}). large({}). ", i + 20);
        }
        facts += "large(50). small(60).";
        let bias = "head_pred(p,1). body_pred(small,1). body_pred(large,1). body_pred(odd,1).";
        let mut task = task(&examples, &facts, bias);
        let (learned, text) = run(&mut task, &Mfoil::default());
        assert_eq!(text, ["p(A) :- small(A)."]);
        assert_eq!(learned.stop, Stop::NoMoreClauses);
        let trusting = Mfoil {
            estimate: Estimate::M(0.0),
            significance: 0.0,
            ..Mfoil::default()
        };
        let (learned, text) = run(&mut task, &trusting);
        assert_eq!(text, ["p(A) :- small(A).", "p(A) :- odd(A)."]);
        assert_eq!(learned.stop, Stop::Complete);
    }

    #[test]
    fn limits_end_the_search_with_what_there_is() {
        let mut task = task(
            "pos(p(1)). pos(p(2)). neg(p(3)). neg(p(4)).",
            "q(1). q(2). r(2). r(3).",
            "head_pred(p,1). body_pred(q,1). body_pred(r,1).",
        );
        let params = Mfoil {
            significance: 0.5,
            max_steps: 0,
            ..Mfoil::default()
        };
        let (learned, text) = run(&mut task, &params);
        assert_eq!((learned.stop, text.len()), (Stop::OutOfSteps, 0));
        let (_, text) = run(
            &mut task,
            &Mfoil {
                max_steps: 9,
                ..params
            },
        );
        assert_eq!(text, ["p(A) :- q(A)."]);
        let problem = crate::Problem::new(&mut task).expect("valid");
        for (params, name) in [
            (Mfoil { beam: 0, ..params }, "beam"),
            (
                Mfoil {
                    significance: 1.0,
                    ..params
                },
                "significance",
            ),
            (
                Mfoil {
                    estimate: Estimate::M(-1.0),
                    ..params
                },
                "estimate",
            ),
        ] {
            let error = params.learn(&problem, &mut NoProgress).expect_err("wrong");
            assert!(error.to_string().starts_with(name), "{error}");
        }
    }
}
