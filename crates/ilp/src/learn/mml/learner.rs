//! From a task to the theory with the shortest message: how far features grow, and the search.

use kibitz_prolog::Symbol;

use super::bound::prove;
use super::clause_search::{FeatureClause, Space};
use super::clauses::Writer;
use super::concepts::{Concepts, GrowthEnd, MAX_BRANCH};
use super::features::{Feature, Features};
use super::masses::Masses;
use super::message::{Code, MAX_CLAUSES, own_examples};
use super::part::{MAX_TUPLES, parts};
use super::recursion::better;
use super::template::{Template, templates};
use super::theory_search::{Theory, TheorySearch};
use super::universe::{Layout, Universe};
use super::{Message, Mml, Noise, Subject};
use crate::encoded::EncodedProblem;
use crate::learn::encode::encode;
use crate::learn::outcome::Watch;
use crate::learn::{Hypothesis, LearnError, Progress, Stop};
use crate::problem::Problem;
use crate::task::Task;

/// What is looked at where existential variables are not worth their work.
const HEAD_ONLY: &str = "literals over the arguments of the head";
/// Words and tuples that may be looked at for each bit of the labels that is left, where all of them are.
const WORK_A_BIT: f64 = 262_144.0;
/// How often each feature may be tried in the search for one clause, and how often all of them in any
/// case.
const TRIES_A_FEATURE: u64 = 32;
const MIN_TRIES: u64 = 40_000;
/// How often each feature will be looked at in all searches.
const LOOKS_A_FEATURE: u64 = 128;
/// Words that an example and a template take before there is any concept.
const WORK_A_TEMPLATE: usize = 8;
/// Words that take as long as a tuple of a part.
const WORK_A_TUPLE: u64 = 16;
/// Most atoms of the sample that stands beside positive examples, and its seed.
const MAX_SAMPLE: usize = 1_000;
const SAMPLE_SEED: u64 = 1;
/// Features tried for a proof beside those of the search.
const MIN_PROOF: u64 = 5_000;

pub(super) fn learn(
    own: &Mml,
    problem: &Problem<'_>,
    progress: &mut (dyn Progress + Send),
) -> Result<Hypothesis, LearnError> {
    let task = problem.task();
    if task.positive.is_empty() {
        return Err(LearnError::NoPositives);
    }
    let is_sample = task.negative.is_empty();
    let mut beside = task.clone();
    if is_sample && beside.assume_closed_world(MAX_SAMPLE, SAMPLE_SEED) == 0 {
        return Err(LearnError::NoNegatives);
    }
    let sampled = Problem::with_database(&beside, problem.database());
    let problem = if is_sample { &sampled } else { problem };
    let encoded = match encode(problem, own.limits, own.max_steps, progress)? {
        Ok(encoded) => encoded,
        Err(unlisted) => return Ok(unlisted.into()),
    };
    let learning = Session::new(own, problem.task(), &encoded, is_sample);
    let (code, masses) = (learning.code.clone(), learning.features.masses.clone());
    let learned = learning.run(&Watch::new(progress));
    // Learning from failures takes what is not said to be true as false.
    if !(own.recursion && task.bias.recursion) || learned.stop == Stop::Interrupted {
        return Ok(learned);
    }
    better(
        own,
        problem,
        (&code, masses.as_ref(), is_sample),
        learned,
        progress,
    )
}

/// A task in the making.
struct Session<'t> {
    own: &'t Mml,
    task: &'t Task,
    problem: &'t EncodedProblem,
    code: Code,
    is_sample: bool,
    features: Features,
    theory: Theory,
    steps: u64,
    /// Bounds that were met, in words.
    within: Vec<String>,
    stop: Option<Stop>,
    /// Whether existential variables are worth more work than is allowed.
    is_held_back: bool,
}

impl<'t> Session<'t> {
    fn new(own: &'t Mml, task: &'t Task, problem: &'t EncodedProblem, is_sample: bool) -> Self {
        let n = [&problem.examples[0], &problem.examples[1]].map(|own| own.len);
        let masses = Masses::of(task);
        Self {
            own,
            task,
            problem,
            code: Code::new(own.criterion, own.noise, n, is_sample)
                .with_costs(task.search.costs)
                .with_masses(masses.as_ref())
                .with_size_weight(task.search.size_weight),
            is_sample,
            features: Features::new(Layout::new(n), masses),
            theory: Theory::default(),
            steps: 0,
            within: Vec::new(),
            stop: None,
            is_held_back: false,
        }
    }

    fn run(mut self, watch: &Watch<'_>) -> Hypothesis {
        let keep_going = || watch.keep_going();
        let (templates, is_cut_short) = templates(self.task, self.problem);
        if is_cut_short {
            self.within
                .push(format!("the first {} literals", templates.len()));
        }
        let writer = Writer::new(self.task, self.problem, &templates);
        self.features.add_literals(self.problem, &templates);
        self.features.set_costs(&mut self.code);
        self.search(&writer, None, &keep_going);
        let universe;
        let mut concepts = None;
        if let Some(effort) = self.effort(&templates) {
            universe = Universe::new(self.problem, self.task.target);
            if universe.kinds.is_empty() {
                self.within.push(HEAD_ONLY.to_owned());
            } else {
                let grown = self.grow(&templates, &universe, effort, &keep_going);
                self.features.set_costs(&mut self.code);
                self.search(&writer, Some(&grown), &keep_going);
                concepts = Some(grown);
            }
        }
        let least = self.prove(&writer, concepts.as_ref(), &keep_going);
        self.learned(&writer, concepts.as_ref(), least, watch)
    }

    /// The bits that the labels take beyond what any theory needs, and those of the empty one.
    fn unexplained(&self) -> [f64; 2] {
        let [n, _] = self.code.n;
        let least = self.code.labels(n, 0);
        let [p, q] = self.theory.counts;
        [
            self.code.labels(p, q) - least,
            self.code.labels(0, 0) - least,
        ]
    }

    /// How much work existential variables are worth: the more, the more bits are left and the greater
    /// their share is, of which the square counts: what literals over the head explain in part they
    /// often explain but for noise. `None` if they are worth none.
    fn effort(&mut self, templates: &[Template]) -> Option<u64> {
        let n = templates
            .iter()
            .filter(|own| !own.existentials.is_empty())
            .count();
        let may = self
            .task
            .bias
            .max_vars
            .is_none_or(|n| n > self.task.target.arity);
        if n == 0 || !may || self.stop.is_some() {
            return None;
        }
        let [left, all] = self.unexplained();
        let share = (left / all).clamp(0.0, 1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped"
        )]
        let worth = (left * share.powi(2) * WORK_A_BIT).clamp(0.0, 1e15) as u64;
        let [positive, negative] = self.features.layout.n;
        let first = ((positive + negative) * n * WORK_A_TEMPLATE) as u64;
        let effort = worth.min(self.own.max_work);
        self.is_held_back = worth >= first && effort < worth;
        if effort < first {
            self.within.push(if self.is_held_back {
                format!("{HEAD_ONLY}, since --max-steps allows no more")
            } else {
                HEAD_ONLY.to_owned()
            });
            return None;
        }
        Some(effort)
    }

    /// Builds concepts and features as far as the effort goes.
    fn grow<'u>(
        &mut self,
        templates: &[Template],
        universe: &'u Universe,
        effort: u64,
        keep_going: &dyn Fn() -> bool,
    ) -> Concepts<'u> {
        let kinds = kinds_of(templates);
        let max_tuples = self.own.max_work / WORK_A_TUPLE;
        let (parts, is_cut_short) = parts(
            self.problem,
            templates,
            universe,
            &kinds,
            (effort / 8, max_tuples),
            keep_going,
        );
        self.is_held_back |= is_cut_short && max_tuples < MAX_TUPLES as u64;
        let counts_vars = self.task.bias.max_vars.is_some();
        let mut concepts = Concepts::new(parts, &kinds, universe, counts_vars);
        let memory = self.own.limits.memory;
        let max_size = self.task.bias.max_body.unwrap_or(usize::MAX);
        let max_size = max_size.min(universe.max_depth.unwrap_or(usize::MAX));
        let mut is_whole = false;
        let mut n_before = 0;
        while concepts.size() < max_size {
            let mut cost = concepts.cost_of_next();
            is_whole = cost == 0;
            // There will be as many times more features as last time, and all are searched.
            let n = self.features.all.len();
            let n_next = n * n / std::mem::replace(&mut n_before, n).max(1);
            let words = n_next.saturating_mul(self.features.layout.n_words) as u64;
            cost = cost.saturating_add(words.saturating_mul(LOOKS_A_FEATURE));
            if self.features.bytes() > memory / 2 {
                self.stop = Some(Stop::OutOfMemory);
                break;
            }
            if is_whole || concepts.work.saturating_add(cost) > effort {
                break;
            }
            match concepts.grow(memory / 2, keep_going) {
                Ok(new) => self.features.add_concepts(&concepts, &new),
                Err(full) => {
                    self.stop = Some(match full {
                        GrowthEnd::Memory => Stop::OutOfMemory,
                        GrowthEnd::Interrupted => Stop::Interrupted,
                    });
                    break;
                }
            }
        }
        if is_whole && !is_cut_short {
            // All that the bias allows is looked at.
            self.is_held_back = false;
        }
        if !is_whole {
            let size = concepts.size();
            let literals = kibitz_text::counted(size, "literal", "literals");
            self.within
                .push(format!("components of at most {literals}"));
            if size > 2 * MAX_BRANCH + 2 {
                self.within
                    .push(format!("side branches of at most {MAX_BRANCH}"));
            }
        }
        if is_cut_short {
            self.within.push("some of the cycles".to_owned());
        }
        concepts
    }

    /// What is searched, with these features.
    fn with_space<T>(
        &self,
        writer: &Writer<'_>,
        concepts: Option<&Concepts<'_>>,
        keep_going: &(dyn Fn() -> bool + Sync),
        run: impl FnOnce(&Space<'_>) -> T,
    ) -> T {
        let bias = &self.task.bias;
        let all = &self.features.all;
        let can_write = |ids: &[u32]| {
            let own: Vec<&Feature> = ids.iter().map(|id| &all[*id as usize]).collect();
            writer.clause(&own, concepts).is_some()
        };
        // Where each feature can be written alone, most often all can be together.
        let alone: Vec<bool> = if writer.parts_are_free() {
            let ids = 0..crate::encoded::number(all.len());
            ids.map(|id| can_write(&[id])).collect()
        } else {
            Vec::new()
        };
        let permits = |ids: &[u32]| {
            let mut alone = ids.iter().map(|id| alone.get(*id as usize));
            (!ids.is_empty() && alone.all(|own| own == Some(&true))) || can_write(ids)
        };
        let arity = self.task.target.arity;
        run(&Space {
            features: &self.features,
            code: &self.code,
            max_body: bias.max_body.unwrap_or(usize::MAX),
            max_vars: bias
                .max_vars
                .map_or(usize::MAX, |n| n.saturating_sub(arity)),
            max_clauses: bias.max_clauses.unwrap_or(MAX_CLAUSES).min(MAX_CLAUSES),
            min_positives: self.task.search.min_positives.unwrap_or(1),
            permits: &permits,
            keep_going,
        })
    }

    fn feature(&self, id: u32) -> &Feature {
        &self.features.all[id as usize]
    }

    fn search(
        &mut self,
        writer: &Writer<'_>,
        concepts: Option<&Concepts<'_>>,
        keep_going: &(dyn Fn() -> bool + Sync),
    ) {
        let start: Vec<FeatureClause> = std::mem::take(&mut self.theory.clauses);
        let max_steps = self.own.max_steps;
        let tries = MIN_TRIES + TRIES_A_FEATURE * self.features.all.len() as u64;
        let (theory, steps, is_cut_short) =
            self.with_space(writer, concepts, keep_going, |space| {
                let mut search = TheorySearch::new(space, self.steps, max_steps);
                search.max_steps_a_clause = tries;
                search.run(start);
                (search.best, search.steps, search.is_cut_short)
            });
        (self.theory, self.steps) = (theory, steps);
        if !keep_going() {
            self.stop = Some(Stop::Interrupted);
        } else if self.steps >= max_steps {
            self.stop = Some(Stop::OutOfSteps);
        }
        let limit = "the features tried for a clause";
        if is_cut_short && !self.within.iter().any(|own| own == limit) && concepts.is_some() {
            self.within.push(limit.to_owned());
        }
    }

    /// A message that no theory of these features is shorter than.
    fn prove(
        &mut self,
        writer: &Writer<'_>,
        concepts: Option<&Concepts<'_>>,
        keep_going: &(dyn Fn() -> bool + Sync),
    ) -> f64 {
        let left = self.own.max_steps.saturating_sub(self.steps);
        let most = left.min(self.steps / 8 + MIN_PROOF);
        let best = self.theory.clone();
        let proved = self.with_space(writer, concepts, keep_going, |space| {
            prove(space, best, most)
        });
        self.theory = proved.best;
        self.steps += proved.steps;
        proved.least
    }

    fn learned(
        self,
        writer: &Writer<'_>,
        concepts: Option<&Concepts<'_>>,
        least: f64,
        watch: &Watch<'_>,
    ) -> Hypothesis {
        let mut clauses = Vec::new();
        for found in &self.theory.clauses {
            let own: Vec<&Feature> = found.features.iter().map(|id| self.feature(*id)).collect();
            // Clauses that cannot be written were not admitted.
            if let Some(clause) = writer.clause(&own, concepts) {
                let counts = self.features.layout.count(&found.words);
                watch.clause(&clause, &self.task.symbols, counts);
                clauses.push(clause);
            }
        }
        let is_limited = self
            .task
            .bias
            .max_clauses
            .is_some_and(|n| clauses.len() >= n);
        let stop = match self.stop {
            Some(stop) => stop,
            None if self.is_held_back && self.theory.counts != [self.code.n[0], 0] => {
                Stop::OutOfSteps
            }
            None if self.theory.counts[0] == self.code.n[0] => Stop::Complete,
            None if is_limited => Stop::ClauseLimit,
            None => Stop::NoMoreClauses,
        };
        let layout = self.features.layout;
        let mut covered = vec![0; layout.n_words];
        for found in &self.theory.clauses {
            let words = covered.iter_mut().zip(&found.words);
            words.for_each(|(word, own)| *word |= own);
        }
        let message = Message {
            criterion: self.own.criterion,
            theory: self.theory.bits,
            labels: self.theory.message - self.theory.bits,
            empty: self.code.theory(0, 0.0) + self.code.labels(0, 0),
            least,
            within: self.within,
            is_exact: self.own.noise == Noise::None,
            n_in_class: self.features.n_in_class,
            subject: Subject {
                clauses: clauses.clone(),
                n: own_examples(layout.n, self.is_sample),
                covered: own_examples(layout.count(&covered), self.is_sample),
            },
        };
        Hypothesis {
            message: Some(message),
            ..Hypothesis::new(clauses, stop, self.steps)
        }
    }
}

/// The types of existential variables, in order.
fn kinds_of(templates: &[Template]) -> Vec<Symbol> {
    let existentials = templates.iter().flat_map(|own| &own.existentials);
    let mut kinds: Vec<Symbol> = existentials.map(|own| own.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
