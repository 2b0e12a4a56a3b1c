//! Paths through a graph, and what rules predict along them.

use crate::graph::{Graph, MAX_ROW_ENTITIES, Step};
use crate::names::Entity;
use crate::rule::{Counts, Form, MAX_PATH, Rule};

/// Entities reached in one search, each once; emptied without a pass over all.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReachedEntities {
    /// The search in which each entity was last reached.
    round_of: Vec<u32>,
    round: u32,
    found: Vec<Entity>,
    /// The entities of small graphs, which are not in `found`.
    bits: Vec<u64>,
}

impl ReachedEntities {
    /// For entities with numbers below `n_entities`.
    pub(crate) fn new(n_entities: usize) -> Self {
        Self {
            round_of: vec![0; n_entities],
            ..Self::default()
        }
    }

    pub(crate) fn clear(&mut self) {
        if self.round == u32::MAX {
            self.round_of.fill(0);
            self.round = 0;
        }
        self.round += 1;
        self.found.clear();
        self.bits.fill(0);
    }

    fn insert(&mut self, entity: Entity) {
        let round = &mut self.round_of[entity.index()];
        if *round != self.round {
            *round = self.round;
            self.found.push(entity);
        }
    }

    /// Adds entities by their bits, except for some.
    fn insert_bits(&mut self, bits: &mut [u64], excluded: &[Entity]) {
        for entity in excluded {
            if let Some(word) = bits.get_mut(entity.index() / 64) {
                *word &= !(1 << (entity.index() % 64));
            }
        }
        if self.bits.len() < bits.len() {
            self.bits.resize(bits.len(), 0);
        }
        for (word, more) in self.bits.iter_mut().zip(bits) {
            *word |= *more;
        }
    }

    /// The number of entities.
    pub(crate) fn len(&self) -> usize {
        let in_bits = self.bits.iter().map(|word| word.count_ones() as usize);
        self.found.len() + in_bits.sum::<usize>()
    }

    /// How many of these it has; they ascend.
    fn n_common(&self, others: &[Entity]) -> usize {
        let is_found = |entity: &&Entity| others.binary_search(entity).is_ok();
        let in_bits = others.iter().filter(|entity| {
            let word = self.bits.get(entity.index() / 64);
            word.is_some_and(|word| word >> (entity.index() % 64) & 1 == 1)
        });
        in_bits.count() + self.found.iter().filter(is_found).count()
    }

    /// All of them, in the order in which they were reached or ascending.
    pub(crate) fn to_vec(&self) -> Vec<Entity> {
        let mut all = Vec::with_capacity(self.len());
        all.extend(&self.found);
        for (at, word) in self.bits.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                all.push(Entity(at as u32 * 64 + left.trailing_zeros()));
                left &= left - 1;
            }
        }
        all
    }
}

/// Edges that may still be followed.
pub(crate) struct Budget(pub(crate) u64);

impl Budget {
    /// Takes some; whether there was as much.
    fn spend(&mut self, n: usize) -> bool {
        if let Some(rest) = self.0.checked_sub(n as u64) {
            self.0 = rest;
            true
        } else {
            self.0 = 0;
            false
        }
    }
}

/// A walk that visits no entity twice and none that is excluded.
pub(crate) struct Walk<'g> {
    graph: &'g Graph,
    path: [Entity; MAX_PATH + 2],
    len: usize,
}

impl<'g> Walk<'g> {
    /// A walk from an entity; a head's constant is excluded.
    pub(crate) fn new(graph: &'g Graph, start: Entity, excluded: Option<Entity>) -> Self {
        let mut walk = Self {
            graph,
            path: [start; MAX_PATH + 2],
            len: 1,
        };
        if let Some(excluded) = excluded {
            walk.path[1] = excluded;
            walk.len = 2;
        }
        walk
    }

    /// Adds the end of every path along `steps`; whether the budget sufficed.
    pub(crate) fn ends(
        &mut self,
        steps: &[Step],
        from: Entity,
        budget: &mut Budget,
        reached: &mut ReachedEntities,
    ) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            reached.insert(from);
            return true;
        };
        let graph = self.graph;
        let next = graph.neighbors(from, *step);
        if !budget.spend(next.len()) {
            return false;
        }
        if rest.is_empty() {
            for to in next {
                if !self.path[..self.len].contains(to) {
                    reached.insert(*to);
                }
            }
            return true;
        }
        if let [last] = rest
            && graph.has_rows()
        {
            return self.ends_by_rows(next, *last, budget, reached);
        }
        for to in next {
            if self.path[..self.len].contains(to) {
                continue;
            }
            self.path[self.len] = *to;
            self.len += 1;
            let is_done = self.ends(rest, *to, budget, reached);
            self.len -= 1;
            if !is_done {
                return false;
            }
        }
        true
    }

    /// Adds where the last step leads from these entities, by rows of bits.
    fn ends_by_rows(
        &self,
        from: &[Entity],
        step: Step,
        budget: &mut Budget,
        reached: &mut ReachedEntities,
    ) -> bool {
        let mut bits = [0; MAX_ROW_ENTITIES / 64];
        let mut is_done = true;
        let path = &self.path[..self.len];
        for own in from.iter().filter(|own| !path.contains(own)) {
            let (n, row) = self.graph.row(*own, step);
            is_done = budget.spend(n);
            if !is_done {
                break;
            }
            // It may be reached from another one, but not from itself.
            let (word, bit) = (own.index() / 64, 1 << (own.index() % 64));
            let before = bits[word] & bit;
            for (word, more) in bits.iter_mut().zip(row) {
                *word |= more;
            }
            bits[word] = bits[word] & !bit | before;
        }
        let n_words = self.graph.entity_bound().div_ceil(64);
        reached.insert_bits(&mut bits[..n_words], path);
        is_done
    }

    /// Whether some path along `steps` leads to `end`, or anywhere if there is none.
    pub(crate) fn any(&mut self, steps: &[Step], from: Entity, end: Option<Entity>) -> bool {
        self.path(steps, from, end, &mut Vec::new())
    }

    /// The same; adds the entities of the first such path to `found`.
    pub(crate) fn path(
        &mut self,
        steps: &[Step],
        from: Entity,
        end: Option<Entity>,
        found: &mut Vec<Entity>,
    ) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            return true;
        };
        let graph = self.graph;
        let next = graph.neighbors(from, *step);
        let is_free = |to: &Entity| !self.path[..self.len].contains(to);
        if rest.is_empty() {
            let last = match end {
                Some(end) if next.binary_search(&end).is_ok() => Some(end).filter(is_free),
                Some(_) => None,
                None => next.iter().copied().find(is_free),
            };
            found.extend(last);
            return last.is_some();
        }
        for to in next {
            if self.path[..self.len].contains(to) || end == Some(*to) {
                continue;
            }
            self.path[self.len] = *to;
            self.len += 1;
            found.push(*to);
            let is_found = self.path(rest, *to, end, found);
            self.len -= 1;
            if is_found {
                return true;
            }
            found.pop();
        }
        false
    }
}

/// The steps back from the end of a path.
pub(crate) fn reversed(steps: &[Step]) -> crate::rule::Path {
    steps.iter().rev().map(|step| step.reversed()).collect()
}

/// Whether the body of a rule with a constant holds for the entity in the place of its variable.
pub(crate) fn holds(graph: &Graph, rule: &Rule, x: Entity) -> bool {
    match rule.form {
        Form::Cyclic => false,
        Form::Constant { constant, end, .. } => {
            if x == constant || x == end {
                return false;
            }
            // The constant is no inner entity of the path, but may be its end.
            let excluded = (constant != end).then_some(constant);
            Walk::new(graph, x, excluded).any(&rule.body, x, Some(end))
        }
        Form::Open { side, constant } => {
            if x == constant {
                return false;
            }
            if rule.body.is_empty() {
                return !graph.neighbors(x, side.step(rule.head)).is_empty();
            }
            Walk::new(graph, x, Some(constant)).any(&rule.body, x, None)
        }
    }
}

/// The entities for which the body of a rule with a constant holds, ascending; `None` if the budget
/// does not suffice.
pub(crate) fn instances(
    graph: &Graph,
    rule: &Rule,
    reached: &mut ReachedEntities,
    budget: &mut Budget,
) -> Option<Vec<Entity>> {
    let mut found = Vec::new();
    match rule.form {
        Form::Cyclic => {}
        Form::Constant { constant, end, .. } => {
            reached.clear();
            let excluded = (constant != end).then_some(constant);
            let mut walk = Walk::new(graph, end, excluded);
            if !walk.ends(&reversed(&rule.body), end, budget, reached) {
                return None;
            }
            found = reached.to_vec();
            found.sort_unstable();
        }
        Form::Open { side, .. } => {
            let first = rule.body.first().copied();
            let first = first.unwrap_or_else(|| side.step(rule.head));
            let sources = graph.sources(first);
            if !budget.spend(sources.len()) {
                return None;
            }
            found.extend(sources.iter().filter(|x| holds(graph, rule, **x)));
        }
    }
    Some(found)
}

/// Counts the predictions of a cyclic rule, following at most `budget` edges; if it needs more, on a
/// sample of its starts.
pub(crate) fn count_cyclic(
    graph: &Graph,
    rule: &Rule,
    reached: &mut ReachedEntities,
    budget: u64,
) -> Counts {
    let mut counts = Counts::default();
    let Some(first) = rule.body.first() else {
        return counts;
    };
    let mut budget = Budget(budget);
    let starts = graph.sources(*first);
    for start in spread(starts.len()) {
        let x = starts[start];
        let known = graph.neighbors(x, Step::forward(rule.head));
        reached.clear();
        let is_done = Walk::new(graph, x, None).ends(&rule.body, x, &mut budget, reached);
        // A start that was cut off would count for less than it predicts.
        if is_done || counts.body == 0 {
            counts.support += reached.n_common(known) as u32;
            counts.body += reached.len() as u32;
        }
        if !is_done {
            return counts;
        }
    }
    counts.is_exact = true;
    counts
}

/// Counts the predictions of a rule with a constant; `None` if that takes more than `budget` edges.
pub(crate) fn count_constant(
    graph: &Graph,
    rule: &Rule,
    reached: &mut ReachedEntities,
    budget: u64,
) -> Option<Counts> {
    let (side, constant) = rule.form.constant()?;
    let found = instances(graph, rule, reached, &mut Budget(budget))?;
    let known = graph.neighbors(constant, side.step(rule.head).reversed());
    Some(Counts {
        support: n_common(&found, known) as u32,
        body: found.len() as u32,
        is_exact: true,
    })
}

/// For every step, how many entities it leads from to another one.
pub(crate) fn n_open(graph: &Graph) -> Vec<u32> {
    let steps = (0..graph.relation_bound() as u32 * 2).map(Step);
    let leads = |step: Step, x: Entity| graph.neighbors(x, step).iter().any(|to| *to != x);
    let n = |step| {
        graph
            .sources(step)
            .iter()
            .filter(|x| leads(step, **x))
            .count() as u32
    };
    steps.map(n).collect()
}

/// Counts the predictions of an open rule of one literal, with the numbers of [`n_open`].
pub(crate) fn count_open(graph: &Graph, rule: &Rule, n_open: &[u32]) -> Counts {
    let (Form::Open { side, constant }, [step]) = (rule.form, &rule.body[..]) else {
        return Counts::default();
    };
    let known = graph.neighbors(constant, side.step(rule.head).reversed());
    let is_other = |x: Entity, to: &&Entity| **to != x && **to != constant;
    let holds =
        |x: Entity| x != constant && graph.neighbors(x, *step).iter().any(|to| is_other(x, &to));
    let leads = |x: Entity| graph.neighbors(x, *step).iter().any(|to| *to != x);
    // Entities from which the step leads to the constant alone.
    let back = graph.neighbors(constant, step.reversed()).iter();
    let n_lost = back.filter(|x| **x != constant && !holds(**x)).count() as u32;
    Counts {
        support: known.iter().filter(|x| holds(**x)).count() as u32,
        body: n_open[step.0 as usize] - n_lost - u32::from(leads(constant)),
        is_exact: true,
    }
}

/// Counts the predictions of a zero rule.
pub(crate) fn count_zero(graph: &Graph, rule: &Rule) -> Counts {
    let Some((side, constant)) = rule.form.constant() else {
        return Counts::default();
    };
    let step = side.step(rule.head);
    let known = graph.neighbors(constant, step.reversed());
    let has = |entities: &[Entity]| u32::from(entities.binary_search(&constant).is_ok());
    Counts {
        support: known.len() as u32 - has(known),
        body: graph.sources(step).len() as u32 - has(graph.sources(step)),
        is_exact: true,
    }
}

/// Counts the predictions of a rule with constants and one literal; `support` is the number of entities
/// that have both the head and the body, the constants themselves included.
pub(crate) fn count_edge(graph: &Graph, rule: &Rule, support: usize) -> Counts {
    let (
        Form::Constant {
            side,
            constant,
            end,
        },
        [step],
    ) = (rule.form, &rule.body[..])
    else {
        return Counts::default();
    };
    let body = graph.neighbors(end, step.reversed());
    let known = graph.neighbors(constant, side.step(rule.head).reversed());
    let mut counts = Counts {
        support: support as u32,
        body: body.len() as u32,
        is_exact: true,
    };
    let mut leave_out = |x: Entity| {
        let is_in_body = body.binary_search(&x).is_ok();
        counts.body -= u32::from(is_in_body);
        counts.support -= u32::from(is_in_body && known.binary_search(&x).is_ok());
    };
    leave_out(constant);
    if end != constant {
        leave_out(end);
    }
    counts
}

/// All places up to `n`, each once, in an order in which every beginning is spread over the whole.
fn spread(n: usize) -> impl Iterator<Item = usize> {
    // Steps of the golden section never cluster; the divisor makes them meet every place.
    #[expect(clippy::cast_sign_loss, reason = "a length times a share of one")]
    let mut stride = (n as f64 * 0.618_033_988_75) as usize;
    while n > 1 && greatest_common_divisor(stride.max(1), n) != 1 {
        stride += 1;
    }
    (0..n).map(move |i| ((i as u64 * stride.max(1) as u64) % n as u64) as usize)
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

/// The number of entities in both lists, which ascend.
fn n_common(a: &[Entity], b: &[Entity]) -> usize {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    short
        .iter()
        .filter(|e| long.binary_search(e).is_ok())
        .count()
}
