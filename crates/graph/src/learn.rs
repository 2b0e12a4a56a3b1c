//! Learning: paths between the ends of known triples, generalized to rules and counted.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::apply::{Applier, ApplySettings};
use crate::evaluate::{Measures, ranks};
use crate::graph::{Graph, Step};
use crate::names::{Entity, Relation, Triple};
use crate::rule::{CountedRule, Counts, Form, MAX_PATH, Path, Rule, Side};
use crate::walk::{Seen, count_constant, count_cyclic, count_edge, count_open, count_zero, n_open};

/// How rules are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LearnSettings {
    /// Seed of the samples.
    pub seed: u64,
    /// Total number of pairs of edges to visit between the entities of known triples; relations share it
    /// in proportion to their numbers of triples.
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

/// Rules that were learned.
#[derive(Clone, Debug, Default)]
pub struct Learned {
    /// By relation and strength, the strongest first.
    pub rules: Vec<CountedRule>,
    /// Whether the search ended by itself; an interrupted one keeps what it found.
    pub is_complete: bool,
    /// The longest paths that [`learn_selected`] chose.
    pub selected_path: Option<usize>,
}

/// The rounds of a search; each adds rules of one kind for every relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    Constants(usize),
    Cyclic(usize),
}

/// Learns rules from a graph.
///
/// `is_over` is called between pieces of work and may end the search early; `advance` is called after
/// each relation of each of the [`n_rounds`].
pub fn learn(
    graph: &Graph,
    settings: &LearnSettings,
    is_over: &(dyn Fn() -> bool + Sync),
    advance: &(dyn Fn() + Sync),
) -> Learned {
    let search = Search::new(graph, settings, is_over, advance);
    let mut rules = Vec::new();
    for length in 0..=settings.max_constant_path {
        rules.extend(search.round(Round::Constants(length)));
    }
    for length in 1..=settings.max_path.min(MAX_PATH) {
        rules.extend(search.round(Round::Cyclic(length)));
    }
    sort(&mut rules);
    Learned {
        rules,
        is_complete: !is_over(),
        selected_path: None,
    }
}

/// Learns rules from a graph, and adds longer paths as long as the triples of a validation set have
/// a better mean reciprocal rank with them.
///
/// `n_entities` are all that a place can be filled with.
pub fn learn_selected(
    graph: &Graph,
    settings: &LearnSettings,
    valid: &[Triple],
    n_entities: usize,
    is_over: &(dyn Fn() -> bool + Sync),
    advance: &(dyn Fn() + Sync),
) -> Learned {
    let search = Search::new(graph, settings, is_over, advance);
    let mut best = Learned::default();
    for length in 0..=settings.max_constant_path {
        best.rules.extend(search.round(Round::Constants(length)));
    }
    let known = graph.triples().iter().chain(valid).copied().collect();
    let mut best_rank = f64::NEG_INFINITY;
    for length in 1..=settings.max_path.min(MAX_PATH) {
        let longer = search.round(Round::Cyclic(length));
        if is_over() && length > 1 {
            break;
        }
        let mut rules = best.rules.clone();
        rules.extend(longer);
        sort(&mut rules);
        let applier = Applier::new(graph, &rules);
        let apply = ApplySettings::default();
        let ranks = ranks(&applier, valid, &known, n_entities, &apply, &|| {});
        let rank = Measures::of(&ranks).mrr;
        if rank <= best_rank {
            break;
        }
        best_rank = rank;
        best.rules = rules;
        best.selected_path = Some(length);
    }
    best.is_complete = !is_over();
    best
}

/// Maximum number of calls of `advance`.
pub fn n_rounds(graph: &Graph, settings: &LearnSettings) -> usize {
    let rounds = settings.max_path.min(MAX_PATH) + settings.max_constant_path + 1;
    rounds * graph.relation_bound()
}

/// A search for rules.
struct Search<'g> {
    graph: &'g Graph,
    settings: &'g LearnSettings,
    /// Bodies of open rules, by step.
    n_open: Vec<u32>,
    is_over: &'g (dyn Fn() -> bool + Sync),
    advance: &'g (dyn Fn() + Sync),
}

impl<'g> Search<'g> {
    fn new(
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

    fn round(&self, round: Round) -> Vec<CountedRule> {
        let of_relation = |number| {
            let relation = Relation(number);
            let found = match round {
                _ if (self.is_over)() => Vec::new(),
                Round::Constants(length) => self.constants(relation, length),
                Round::Cyclic(length) => self.cyclic(relation, length),
            };
            (self.advance)();
            found
        };
        let relations = (0..self.graph.relation_bound() as u32).into_par_iter();
        let found: Vec<Vec<CountedRule>> = relations.map(of_relation).collect();
        found.into_iter().flatten().collect()
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

/// Pairs of edges that are looked at for one triple and one length of path.
const PAIRS: usize = 100;

impl Search<'_> {
    fn rng(&self, relation: Relation, stream: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.settings.seed);
        rng.set_stream((u64::from(relation.0) << 8) | stream);
        rng
    }

    fn cyclic(&self, relation: Relation, length: usize) -> Vec<CountedRule> {
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
            if left <= 0 || (self.is_over)() {
                break;
            }
            let other = paths.rng.random_range(n_done..order.len());
            order.swap(n_done, other);
            let triple = triples[order[n_done] as usize];
            if triple.head == triple.tail {
                continue;
            }
            paths.between(triple, length);
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
        let new_seen = || Seen::new(self.graph.entity_bound());
        let counted = candidates.into_par_iter().map_init(new_seen, |seen, rule| {
            if (self.is_over)() {
                return None;
            }
            let counts = count_cyclic(self.graph, &rule, seen, self.settings.count_edges);
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
            let new_seen = || Seen::new(self.graph.entity_bound());
            let rules = constants.par_iter().map_init(new_seen, |seen, constant| {
                if (self.is_over)() {
                    return Vec::new();
                }
                self.of_constant(relation, side, *constant, length, seen)
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
        seen: &mut Seen,
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
            // A body that makes the head no more likely than it is without one says nothing.
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
                            count_constant(self.graph, &rule, seen, self.settings.count_edges)
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

/// Collects the paths between the ends of triples.
struct Paths<'g, 'r> {
    graph: &'g Graph,
    rng: &'r mut ChaCha8Rng,
    found: Vec<Path>,
    n_steps: usize,
}

/// The first part of a path: its steps, and the entities it visits after its start.
#[derive(Clone, Copy, Debug)]
struct Half {
    steps: [Step; 2],
    entities: [Entity; 2],
    len: usize,
}

impl Half {
    fn end(&self, start: Entity) -> Entity {
        if self.len == 0 {
            start
        } else {
            self.entities[self.len - 1]
        }
    }
}

impl Paths<'_, '_> {
    /// Adds the paths of `length` from head to tail, or some of them where there are many.
    fn between(&mut self, triple: Triple, length: usize) {
        let (x, y) = (triple.head, triple.tail);
        // The last edge joins two halves.
        let before = length / 2;
        let after = length - 1 - before;
        let n_before = self.n_halves(x, before);
        let n_after = self.n_halves(y, after);
        if n_before.saturating_mul(n_after) <= PAIRS {
            let firsts = self.all_halves(x, before);
            let seconds = self.all_halves(y, after);
            for first in &firsts {
                for second in &seconds {
                    self.join(x, first, second, y);
                }
            }
        } else {
            for _ in 0..PAIRS {
                let first = self.random_half(x, before);
                let second = self.random_half(y, after);
                self.join(x, &first, &second, y);
            }
        }
    }

    /// An upper bound on the number of halves.
    fn n_halves(&self, start: Entity, length: usize) -> usize {
        match length {
            0 => 1,
            1 => self.graph.degree(start),
            _ => {
                let edges = self.graph.edges(start).take(PAIRS + 1);
                edges.map(|(_, to)| self.graph.degree(to)).sum()
            }
        }
    }

    fn all_halves(&self, start: Entity, length: usize) -> Vec<Half> {
        let none = Half {
            steps: [Step(0); 2],
            entities: [start; 2],
            len: 0,
        };
        let mut halves = vec![none];
        for _ in 0..length {
            let longer = halves.iter().flat_map(|half| {
                let edges = self.graph.edges(half.end(start));
                edges.map(|edge| extended(half, edge))
            });
            halves = longer.collect();
        }
        halves
    }

    fn random_half(&mut self, start: Entity, length: usize) -> Half {
        let mut half = Half {
            steps: [Step(0); 2],
            entities: [start; 2],
            len: 0,
        };
        for _ in 0..length {
            let from = half.end(start);
            let at = self.rng.random_range(0..self.graph.degree(from));
            half = extended(&half, self.graph.edge(from, at));
        }
        half
    }

    /// Adds the paths over both halves, if they visit nothing twice.
    fn join(&mut self, x: Entity, first: &Half, second: &Half, y: Entity) {
        self.n_steps += 1;
        let mut visited = [x; 6];
        let inner = first.entities[..first.len]
            .iter()
            .chain(&second.entities[..second.len]);
        for (n, entity) in (1..).zip(inner) {
            if *entity == y || visited[..n].contains(entity) {
                return;
            }
            visited[n] = *entity;
        }
        let (from, to) = (first.end(x), second.end(y));
        let is_turned = self.graph.degree(from) > self.graph.degree(to);
        let (a, b) = if is_turned { (to, from) } else { (from, to) };
        for (step, ends) in self.graph.steps(a) {
            if ends.binary_search(&b).is_err() {
                continue;
            }
            let step = if is_turned { step.reversed() } else { step };
            let mut path = Path::from_slice(&first.steps[..first.len]);
            path.push(step);
            let back = second.steps[..second.len].iter().rev();
            path.extend(back.map(|step| step.reversed()));
            self.found.push(path);
        }
    }
}

fn extended(half: &Half, (step, to): (Step, Entity)) -> Half {
    let mut longer = *half;
    longer.steps[half.len] = step;
    longer.entities[half.len] = to;
    longer.len += 1;
    longer
}
