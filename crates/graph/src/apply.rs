//! Applying rules: ranked candidates for one place of a triple.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use crate::graph::{Graph, Step};
use crate::names::{Entity, Relation};
use crate::rule::{CountedRule, Form, Rule, Side};
use crate::walk::{Budget, ReachedEntities, Walk, holds, instances, reversed};

/// A triple with one unknown entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Query {
    /// The relation.
    pub relation: Relation,
    /// The side of the unknown entity.
    pub asked: Side,
    /// The entity in the other place.
    pub known: Entity,
}

/// Aggregation of the scores of the rules that predict a candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aggregation {
    /// The greatest; of equal ones the next greatest decides, and so on.
    #[default]
    Maximum,
    /// `1 - (1 - c1)(1 - c2)…` over the five greatest.
    NoisyOr,
}

/// Rules of a candidate that noisy-or looks at.
const NOISY_OR_RULES: usize = 5;

/// How rules are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApplySettings {
    /// Aggregation of scores.
    pub aggregation: Aggregation,
    /// Candidates to find: once there are as many, weaker rules only order them.
    pub top: usize,
    /// Best candidates that have to differ from the next one before weaker rules are left out.
    pub separated: usize,
    /// Edges to follow while one rule is applied to one query; a rule that needs more predicts
    /// nothing for it.
    pub max_edges: u64,
    /// Rules of one candidate that are compared.
    pub depth: usize,
}

impl Default for ApplySettings {
    fn default() -> Self {
        Self {
            aggregation: Aggregation::Maximum,
            top: 100,
            separated: 10,
            max_edges: 20_000,
            depth: 30,
        }
    }
}

/// An entity that rules predict for a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The entity.
    pub entity: Entity,
    /// The score of its best rule, or the noisy-or of its best rules.
    pub score: f64,
    /// The rules that predict it, strongest first, by their place in the list of rules.
    pub rules: Vec<u32>,
}

/// Places of rules, grouped by a key.
#[derive(Debug)]
struct Index<K> {
    /// By key and place.
    places: Vec<u32>,
    ranges: FxHashMap<K, (u32, u32)>,
}

impl<K: Copy + Ord + std::hash::Hash> Index<K> {
    fn new(rules: &[CountedRule], key: impl Fn(&Rule) -> Option<K>) -> Self {
        let numbered = rules.iter().enumerate();
        let keyed = numbered.filter_map(|(at, counted)| Some((key(&counted.rule)?, at as u32)));
        let mut keyed: Vec<(K, u32)> = keyed.collect();
        keyed.sort_unstable();
        let mut ranges = FxHashMap::default();
        let mut start = 0;
        for same in keyed.chunk_by(|a, b| a.0 == b.0) {
            let end = start + same.len() as u32;
            ranges.insert(same[0].0, (start, end));
            start = end;
        }
        let places = keyed.into_iter().map(|(_, place)| place).collect();
        Self { places, ranges }
    }

    fn get(&self, key: &K) -> &[u32] {
        match self.ranges.get(key) {
            Some((start, end)) => &self.places[*start as usize..*end as usize],
            None => &[],
        }
    }
}

/// Rules, indexed by the queries that they apply to.
#[derive(Debug)]
pub struct Applier<'a> {
    graph: &'a Graph,
    rules: &'a [CountedRule],
    /// Strengths, in the places of the rules.
    strengths: Vec<f32>,
    cyclic: Index<Relation>,
    /// By the head and its constant.
    of_constant: Index<(Relation, Side, Entity)>,
    /// By the head, the side of its constant, and the edge that is the body.
    of_edge: Index<(Relation, Side, Step, Entity)>,
    /// The same for open bodies of one step.
    of_step: Index<(Relation, Side, Step)>,
    /// The bodies' steps of longer rules with constants, and those rules by the last entity.
    pairs: FxHashMap<(Relation, Side), Vec<(Step, Step)>>,
    of_pair: Index<(Relation, Side, Step, Step, Entity)>,
    zero: Index<(Relation, Side)>,
}

/// Memory for queries, used again by the next one.
#[derive(Debug)]
pub struct Scratch {
    reached: ReachedEntities,
    slot_of: Vec<u32>,
}

/// What rules predict for one query, as it is gathered.
struct QueryPredictions<'s> {
    slot_of: &'s mut Vec<u32>,
    entities: Vec<Entity>,
    /// How many rules predict each.
    n_rules: Vec<u32>,
    /// Which do: slots and rules, strongest rules first.
    predictions: Vec<(u32, u32)>,
    left_out: Vec<Entity>,
    depth: usize,
    /// Whether further candidates are taken.
    is_open: bool,
}

const NO_SLOT: u32 = u32::MAX;
const LEFT_OUT: u32 = u32::MAX - 1;

impl QueryPredictions<'_> {
    fn add(&mut self, entity: Entity, rule: u32, is_asked: &dyn Fn(Entity) -> bool) {
        let mut slot = self.slot_of[entity.index()];
        if slot == NO_SLOT {
            if !self.is_open {
                return;
            }
            if is_asked(entity) {
                slot = self.entities.len() as u32;
                self.entities.push(entity);
                self.n_rules.push(0);
            } else {
                slot = LEFT_OUT;
                self.left_out.push(entity);
            }
            self.slot_of[entity.index()] = slot;
        }
        if slot == LEFT_OUT {
            return;
        }
        let n_rules = &mut self.n_rules[slot as usize];
        if (*n_rules as usize) < self.depth {
            *n_rules += 1;
            self.predictions.push((slot, rule));
        }
    }

    /// The rules of every slot, and where each slot's begin.
    fn by_slot(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = Vec::with_capacity(self.n_rules.len() + 1);
        let mut at = 0;
        starts.push(0);
        for n in &self.n_rules {
            at += n;
            starts.push(at);
        }
        let mut next = starts.clone();
        let mut rules = vec![0; self.predictions.len()];
        for (slot, rule) in &self.predictions {
            let at = &mut next[*slot as usize];
            rules[*at as usize] = *rule;
            *at += 1;
        }
        (rules, starts)
    }

    fn finish(self) {
        for entity in self.entities.iter().chain(&self.left_out) {
            self.slot_of[entity.index()] = NO_SLOT;
        }
    }
}

impl<'a> Applier<'a> {
    /// Indexes rules that are sorted by relation and strength.
    pub fn new(graph: &'a Graph, rules: &'a [CountedRule]) -> Self {
        let of_pair = Index::new(rules, |rule| match (rule.form, &rule.body[..]) {
            (Form::Constant { side, end, .. }, [first, second]) => {
                Some((rule.head, side, *first, *second, end))
            }
            _ => None,
        });
        let mut pairs: FxHashMap<(Relation, Side), Vec<(Step, Step)>> = FxHashMap::default();
        for counted in rules {
            let rule = &counted.rule;
            if let (Form::Constant { side, .. }, [first, second]) = (rule.form, &rule.body[..]) {
                pairs
                    .entry((rule.head, side))
                    .or_default()
                    .push((*first, *second));
            }
        }
        #[expect(clippy::iter_over_hash_type, reason = "each is sorted by itself")]
        for pairs in pairs.values_mut() {
            pairs.sort_unstable();
            pairs.dedup();
        }
        Self {
            graph,
            rules,
            strengths: rules.iter().map(|rule| rule.strength() as f32).collect(),
            cyclic: Index::new(rules, |rule| {
                matches!(rule.form, Form::Cyclic).then_some(rule.head)
            }),
            of_constant: Index::new(rules, |rule| {
                let (side, constant) = rule.form.constant()?;
                Some((rule.head, side, constant))
            }),
            of_edge: Index::new(rules, |rule| match (rule.form, &rule.body[..]) {
                (Form::Constant { side, end, .. }, [step]) => Some((rule.head, side, *step, end)),
                _ => None,
            }),
            of_step: Index::new(rules, |rule| match (rule.form, &rule.body[..]) {
                (Form::Open { side, .. }, [step]) => Some((rule.head, side, *step)),
                _ => None,
            }),
            pairs,
            of_pair,
            zero: Index::new(rules, |rule| match rule.form {
                Form::Open { side, .. } if rule.is_zero() => Some((rule.head, side)),
                _ => None,
            }),
        }
    }

    /// Memory for queries about entities with numbers below `n_entities`.
    pub fn scratch(&self, n_entities: usize) -> Scratch {
        let n_entities = n_entities.max(self.graph.entity_bound());
        Scratch {
            reached: ReachedEntities::new(n_entities),
            slot_of: vec![NO_SLOT; n_entities],
        }
    }

    /// The candidates for a query that `is_asked` lets through, best first; equal ones follow one
    /// another by their numbers.
    pub fn candidates(
        &self,
        query: Query,
        settings: &ApplySettings,
        scratch: &mut Scratch,
        is_asked: &dyn Fn(Entity) -> bool,
    ) -> Vec<Candidate> {
        let mut gathered = QueryPredictions {
            slot_of: &mut scratch.slot_of,
            entities: Vec::new(),
            n_rules: Vec::new(),
            predictions: Vec::new(),
            left_out: Vec::new(),
            depth: match settings.aggregation {
                Aggregation::Maximum => settings.depth,
                Aggregation::NoisyOr => NOISY_OR_RULES,
            },
            is_open: true,
        };
        // Rules that fire without a search, and those that have to be searched for.
        let mut fired = self.fired(query).into_iter().peekable();
        let cyclic = self.cyclic.get(&query.relation);
        let of_constant = (query.relation, query.asked.other(), query.known);
        let mut searched = [cyclic, self.of_constant.get(&of_constant)].concat();
        searched.sort_unstable();
        let mut next_check = 16;
        let mut is_decided = false;
        let mut last_strength = f32::INFINITY;
        // Only rules as strong as the one that completed the candidates may add further ones.
        let mut close = |gathered: &mut QueryPredictions<'_>, place: u32| {
            let strength = self.strengths[place as usize];
            if gathered.entities.len() >= settings.top && strength < last_strength {
                gathered.is_open = false;
            }
            last_strength = strength;
        };
        for (n_searched, place) in searched.into_iter().enumerate() {
            while let Some((place, entity)) = fired.next_if(|(fired, _)| *fired < place) {
                close(&mut gathered, place);
                gathered.add(entity, place, is_asked);
            }
            close(&mut gathered, place);
            if n_searched >= next_check {
                next_check = n_searched + n_searched / 4;
                is_decided = self.is_decided(&gathered, settings);
                if is_decided {
                    break;
                }
            }
            let rule = &self.rules[place as usize].rule;
            let predicted = if gathered.is_open || matches!(rule.form, Form::Cyclic) {
                self.predicted(query, rule, settings.max_edges, &mut scratch.reached)
            } else {
                let found = gathered.entities.iter().copied();
                found.filter(|x| holds(self.graph, rule, *x)).collect()
            };
            for entity in predicted {
                gathered.add(entity, place, is_asked);
            }
        }
        if !is_decided {
            for (place, entity) in fired {
                close(&mut gathered, place);
                gathered.add(entity, place, is_asked);
            }
        }
        let (rules, starts) = gathered.by_slot();
        let of_slot = |slot: usize| &rules[starts[slot] as usize..starts[slot + 1] as usize];
        let candidates = gathered
            .entities
            .iter()
            .enumerate()
            .map(|(slot, entity)| Candidate {
                entity: *entity,
                score: self.score(of_slot(slot), settings.aggregation),
                rules: of_slot(slot).to_vec(),
            });
        let mut candidates: Vec<Candidate> = candidates.collect();
        gathered.finish();
        candidates.sort_unstable_by(|a, b| {
            let by_rules = self.compare(a, b, settings.aggregation);
            by_rules.then(a.entity.cmp(&b.entity))
        });
        candidates
    }

    /// Whether weaker rules would not change the order of the best candidates.
    fn is_decided(&self, gathered: &QueryPredictions<'_>, settings: &ApplySettings) -> bool {
        if gathered.entities.len() < settings.top {
            return false;
        }
        let (rules, starts) = gathered.by_slot();
        let slots = starts
            .windows(2)
            .map(|s| &rules[s[0] as usize..s[1] as usize]);
        match settings.aggregation {
            Aggregation::NoisyOr => slots.into_iter().all(|rules| rules.len() >= gathered.depth),
            Aggregation::Maximum => {
                let mut slots: Vec<&[u32]> = slots.collect();
                let n = settings.separated.min(slots.len() - 1);
                slots.select_nth_unstable_by(n, |a, b| self.compare_rules(a, b));
                slots[..=n].sort_unstable_by(|a, b| self.compare_rules(a, b));
                slots[..=n].windows(2).all(|pair| {
                    let is_full = pair[0].len() >= gathered.depth;
                    is_full || self.compare_rules(pair[0], pair[1]).is_ne()
                })
            }
        }
    }

    fn score(&self, rules: &[u32], aggregation: Aggregation) -> f64 {
        let strengths = rules
            .iter()
            .map(|rule| self.rules[*rule as usize].strength());
        match aggregation {
            Aggregation::Maximum => strengths.fold(0.0, f64::max),
            Aggregation::NoisyOr => 1.0 - strengths.map(|c| 1.0 - c).product::<f64>(),
        }
    }

    /// Orders two candidates, the better one first.
    pub fn compare(&self, a: &Candidate, b: &Candidate, aggregation: Aggregation) -> Ordering {
        match aggregation {
            Aggregation::Maximum => self.compare_rules(&a.rules, &b.rules),
            Aggregation::NoisyOr => b.score.total_cmp(&a.score),
        }
    }

    fn compare_rules(&self, a: &[u32], b: &[u32]) -> Ordering {
        for (a, b) in a.iter().zip(b) {
            if a != b {
                let by = self.strengths[*b as usize].total_cmp(&self.strengths[*a as usize]);
                if by.is_ne() {
                    return by;
                }
            }
        }
        b.len().cmp(&a.len())
    }

    /// The rules with constants that predict their constants, by place.
    fn fired(&self, query: Query) -> Vec<(u32, Entity)> {
        let Query {
            relation,
            asked: side,
            known,
        } = query;
        let mut places: Vec<u32> = Vec::new();
        for (step, ends) in self.graph.steps(known) {
            places.extend(self.of_step.get(&(relation, side, step)));
            for end in ends {
                places.extend(self.of_edge.get(&(relation, side, step, *end)));
            }
        }
        for (first, second) in self.pairs.get(&(relation, side)).into_iter().flatten() {
            for middle in self.graph.neighbors(known, *first) {
                for end in self.graph.neighbors(*middle, *second) {
                    places.extend(self.of_pair.get(&(relation, side, *first, *second, *end)));
                }
            }
        }
        places.extend(self.zero.get(&(relation, side)));
        places.sort_unstable();
        places.dedup();
        let fired = places.into_iter().filter_map(|place| {
            let rule = &self.rules[place as usize].rule;
            let (_, constant) = rule.form.constant()?;
            // A zero rule is asked about entities that are not known to have the relation, too.
            let is_fired = known != constant && (rule.is_zero() || holds(self.graph, rule, known));
            is_fired.then_some((place, constant))
        });
        fired.collect()
    }

    /// The predictions of a rule that need a search, each entity once.
    fn predicted(
        &self,
        query: Query,
        rule: &Rule,
        max_edges: u64,
        reached: &mut ReachedEntities,
    ) -> Vec<Entity> {
        let mut budget = Budget(max_edges);
        if !matches!(rule.form, Form::Cyclic) {
            return instances(self.graph, rule, reached, &mut budget).unwrap_or_default();
        }
        let mut walk = Walk::new(self.graph, query.known, None);
        reached.clear();
        match query.asked {
            Side::Tail => walk.ends(&rule.body, query.known, &mut budget, reached),
            Side::Head => walk.ends(&reversed(&rule.body), query.known, &mut budget, reached),
        };
        reached.to_vec()
    }
}
