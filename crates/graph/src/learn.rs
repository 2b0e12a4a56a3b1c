//! Learning: paths between the ends of known triples, generalized to rules and counted.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::graph::{Graph, Step};
use crate::learned::{LearnedRules, Round, Sample};
use crate::names::{Entity, Relation};
use crate::paths::{PAIRS, Paths};
use crate::rule::{CountedRule, Counts, Form, MAX_PATH, Path, Rule, Side};
use crate::walk::{
    ReachedEntities, count_constant, count_cyclic, count_edge, count_open, count_zero, n_open,
};

/// How rules are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LearnSettings {
    /// Seed of the samples.
    pub seed: u64,
    /// Total number of pairs of edges to visit between the entities of known triples, a budget for
    /// cyclic rules only. The lengths of bodies share it evenly, and relations in proportion to their
    /// numbers of triples. Where a share is spent, the triples that are left are not looked at; a
    /// [`Sample`] counts them.
    pub steps: u64,
    /// Literals in the body of a cyclic rule at most, 1 to [`MAX_PATH`].
    pub max_path: usize,
    /// Literals in the body of a rule with a constant at most, 0 to 2.
    pub max_constant_path: usize,
    /// Known triples that a rule predicts at least.
    pub min_support: u32,
    /// Rules with a body at most for one constant of a head, the most confident ones.
    pub max_rules_per_constant: usize,
    /// Edges to follow while one rule is counted; a rule that needs more is counted on a sample.
    pub count_edges: u64,
}

impl Default for LearnSettings {
    fn default() -> Self {
        Self {
            seed: 1,
            steps: 5_000_000,
            max_path: 3,
            max_constant_path: 1,
            min_support: 2,
            max_rules_per_constant: 100,
            count_edges: 100_000,
        }
    }
}

/// Rules below this confidence are not kept.
const MIN_CONFIDENCE: f64 = 0.0001;

/// Learns rules from a graph.
///
/// A rule with a constant in the head and a body is pruned unless its confidence exceeds that of the
/// zero rule of its head. The scores are not compared, so a rule may be pruned that would score far
/// higher than the zero rule: where `lives(A,rome)` holds for 3 of 5 (confidence 0.3, score 0.003), a
/// body with which it holds for 2 of 2 (confidence and score 0.286) is left out.
///
/// `is_over` is called between pieces of work and may end the search early; `advance` is called after
/// each relation of each of the [`n_rounds`].
pub fn learn(
    graph: &Graph,
    settings: &LearnSettings,
    is_over: &(dyn Fn() -> bool + Sync),
    advance: &(dyn Fn() + Sync),
) -> LearnedRules {
    let search = Search::new(graph, settings, is_over, advance);
    let mut learned = LearnedRules::default();
    // Cyclic rules first: `steps` bounds their search, so that an early end seldom leaves them out.
    for length in 1..=settings.max_path.min(MAX_PATH) {
        search.add(Round::Cyclic(length), &mut learned);
    }
    for length in 0..=settings.max_constant_path {
        search.add(Round::Constants(length), &mut learned);
    }
    sort(&mut learned.rules);
    learned.is_early = is_over();
    learned
}

/// Maximum number of calls of `advance`.
pub fn n_rounds(graph: &Graph, settings: &LearnSettings) -> usize {
    let rounds = settings.max_path.min(MAX_PATH) + settings.max_constant_path + 1;
    rounds * graph.relation_bound()
}

/// A search for rules.
pub(crate) struct Search<'g> {
    graph: &'g Graph,
    settings: &'g LearnSettings,
    /// Bodies of open rules, by step.
    n_open: Vec<u32>,
    is_over: &'g (dyn Fn() -> bool + Sync),
    advance: &'g (dyn Fn() + Sync),
}

impl<'g> Search<'g> {
    pub(crate) fn new(
        graph: &'g Graph,
        settings: &'g LearnSettings,
        is_over: &'g (dyn Fn() -> bool + Sync),
        advance: &'g (dyn Fn() + Sync),
    ) -> Self {
        Self {
            graph,
            settings,
            n_open: n_open(graph),
            is_over,
            advance,
        }
    }

    /// Adds the rules of a round for every relation.
    pub(crate) fn add(&self, round: Round, learned: &mut LearnedRules) {
        let all: Vec<Relation> = (0..self.graph.relation_bound() as u32)
            .map(Relation)
            .collect();
        let rules = self.round_of(round, &all, &mut learned.samples);
        learned.rules.extend(rules);
        if (self.is_over)() {
            learned.unfinished.push(round);
        }
    }

    /// A round for some relations. What it only samples is added to `samples`.
    pub(crate) fn round_of(
        &self,
        round: Round,
        relations: &[Relation],
        samples: &mut Vec<Sample>,
    ) -> Vec<CountedRule> {
        let of_relation = |relation: &Relation| {
            let mut sample = Sample::new(round);
            let found = match round {
                _ if (self.is_over)() => Vec::new(),
                Round::Constants(length) => self.constants(*relation, length),
                Round::Cyclic(length) => self.cyclic(*relation, length, &mut sample),
            };
            (self.advance)();
            (found, sample)
        };
        let found: Vec<(Vec<CountedRule>, Sample)> =
            relations.par_iter().map(of_relation).collect();
        let mut rules = Vec::new();
        for (of_relation, sample) in found {
            rules.extend(of_relation);
            sample.add_to(samples);
        }
        rules
    }
}

/// Sorts rules by relation and strength, the strongest first; equal ones by support and then by the
/// rules themselves.
pub(crate) fn sort(rules: &mut [CountedRule]) {
    rules.par_sort_unstable_by(|a, b| {
        let heads = a.rule.head.cmp(&b.rule.head);
        heads
            .then_with(|| b.strength().total_cmp(&a.strength()))
            .then_with(|| b.counts.support.cmp(&a.counts.support))
            .then_with(|| a.rule.body.len().cmp(&b.rule.body.len()))
            .then_with(|| a.rule.cmp(&b.rule))
    });
}

impl Search<'_> {
    fn rng(&self, relation: Relation, stream: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.settings.seed);
        rng.set_stream((u64::from(relation.0) << 8) | stream);
        rng
    }

    /// Rules without constants, whose bodies have `length` literals.
    fn cyclic(&self, relation: Relation, length: usize, sample: &mut Sample) -> Vec<CountedRule> {
        let triples = self.graph.triples_of(relation);
        let mut rng = self.rng(relation, length as u64);
        let share = triples.len() as f64 / self.graph.triples().len() as f64;
        let share = share / self.settings.max_path as f64;
        let mut left = (self.settings.steps as f64 * share) as i64;
        let mut found: FxHashMap<Path, u32> = FxHashMap::default();
        let mut paths = Paths {
            graph: self.graph,
            rng: &mut rng,
            found: Vec::new(),
            n_steps: 0,
        };
        let mut order: Vec<u32> = (0..triples.len() as u32).collect();
        for n_done in 0..order.len() {
            if left <= 0 {
                let rest = order[n_done..].iter().map(|at| triples[*at as usize]);
                sample.leave_out(rest.filter(|triple| triple.head != triple.tail).count());
                break;
            }
            if (self.is_over)() {
                break;
            }
            let other = paths.rng.random_range(n_done..order.len());
            order.swap(n_done, other);
            let triple = triples[order[n_done] as usize];
            if triple.head == triple.tail {
                continue;
            }
            let is_whole = paths.between(triple, length);
            sample.n_partly += usize::from(!is_whole);
            left -= paths.n_steps as i64 + 1;
            paths.n_steps = 0;
            paths.found.sort_unstable();
            paths.found.dedup();
            for path in paths.found.drain(..) {
                *found.entry(path).or_default() += 1;
            }
        }
        let candidates = found
            .into_keys()
            .map(|body| Rule {
                head: relation,
                form: Form::Cyclic,
                body,
            })
            .filter(|rule| !rule.is_tautology());
        let mut candidates: Vec<Rule> = candidates.collect();
        candidates.sort_unstable();
        self.counted(candidates)
    }

    /// The candidates that are worth keeping, with their counts.
    fn counted(&self, candidates: Vec<Rule>) -> Vec<CountedRule> {
        let new_reached = || ReachedEntities::new(self.graph.entity_bound());
        let counted = candidates
            .into_par_iter()
            .map_init(new_reached, |reached, rule| {
                if (self.is_over)() {
                    return None;
                }
                let counts = count_cyclic(self.graph, &rule, reached, self.settings.count_edges);
                let is_kept = counts.support >= self.settings.min_support
                    && counts.confidence() >= MIN_CONFIDENCE;
                is_kept.then_some(CountedRule { rule, counts })
            });
        counted.flatten_iter().collect()
    }

    /// Rules with a constant in the head, whose bodies have `length` literals.
    fn constants(&self, relation: Relation, length: usize) -> Vec<CountedRule> {
        let sides = Side::BOTH.into_par_iter();
        let of_side = |side: Side| {
            // The constants are where the relation ends when it is followed from the variable.
            let constants = self.graph.sources(side.step(relation).reversed());
            let new_reached = || ReachedEntities::new(self.graph.entity_bound());
            let rules = constants
                .par_iter()
                .map_init(new_reached, |reached, constant| {
                    if (self.is_over)() {
                        return Vec::new();
                    }
                    self.of_constant(relation, side, *constant, length, reached)
                });
            rules.flatten_iter().collect::<Vec<_>>()
        };
        sides.flat_map_iter(of_side).collect()
    }

    fn of_constant(
        &self,
        relation: Relation,
        side: Side,
        constant: Entity,
        length: usize,
        reached: &mut ReachedEntities,
    ) -> Vec<CountedRule> {
        let known = self
            .graph
            .neighbors(constant, side.step(relation).reversed());
        if known.len() < self.settings.min_support as usize {
            return Vec::new();
        }
        let new = |form, body: &[Step]| Rule {
            head: relation,
            form,
            body: Path::from_slice(body),
        };
        let min_support = self.settings.min_support as usize;
        let open = Form::Open { side, constant };
        let zero = new(open, &[]);
        let prior = count_zero(self.graph, &zero);
        let mut rules: Vec<CountedRule> = Vec::new();
        let mut add = |rule: Rule, counts: Counts| {
            // A body that makes the head no more likely than it is without one says nothing. The
            // confidences are compared, not the scores, in which a zero rule counts a hundredth.
            let is_kept = counts.support >= self.settings.min_support
                && counts.confidence() >= MIN_CONFIDENCE
                && (rule.is_zero() || counts.confidence() > prior.confidence())
                && !rule.is_tautology();
            if is_kept {
                rules.push(CountedRule { rule, counts });
            }
        };
        match length {
            0 => add(zero, prior),
            1 => {
                let edges = known.iter().flat_map(|x| self.graph.edges(*x));
                let mut edges: Vec<(Step, Entity)> = edges.collect();
                edges.sort_unstable();
                for same in edges.chunk_by(|a, b| a == b) {
                    if same.len() >= min_support {
                        let (step, end) = same[0];
                        let rule = new(
                            Form::Constant {
                                side,
                                constant,
                                end,
                            },
                            &[step],
                        );
                        let counts = count_edge(self.graph, &rule, same.len());
                        add(rule, counts);
                    }
                }
                edges.dedup_by_key(|edge| edge.0);
                for (step, _) in edges {
                    let rule = new(open, &[step]);
                    let counts = count_open(self.graph, &rule, &self.n_open);
                    add(rule, counts);
                }
            }
            _ => {
                let mut edges: Vec<(Step, Step, Entity)> = Vec::new();
                let is_small = |entity| self.graph.degree(entity) <= PAIRS;
                for x in known.iter().filter(|x| is_small(**x)) {
                    let firsts = self.graph.edges(*x);
                    for (first, middle) in firsts.filter(|(_, to)| is_small(*to) && *to != constant)
                    {
                        let onward = self.graph.edges(middle);
                        edges.extend(onward.map(|(second, end)| (first, second, end)));
                    }
                }
                edges.sort_unstable();
                for same in edges.chunk_by(|a, b| a == b) {
                    if same.len() >= min_support {
                        let (first, second, end) = same[0];
                        let rule = new(
                            Form::Constant {
                                side,
                                constant,
                                end,
                            },
                            &[first, second],
                        );
                        if let Some(counts) =
                            count_constant(self.graph, &rule, reached, self.settings.count_edges)
                        {
                            add(rule, counts);
                        }
                    }
                }
            }
        }
        sort(&mut rules);
        rules.truncate(self.settings.max_rules_per_constant);
        rules
    }
}

#[cfg(test)]
mod tests;
