//! Paths through a graph, and what rules predict along them.

use crate::graph::{Graph, Step};
use crate::names::Entity;
use crate::rule::{Counts, Form, MAX_PATH, Rule};

/// Entities seen in one search, emptied in constant time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    round_of: Vec<u32>,
    round: u32,
}

impl Seen {
    pub(crate) fn new(n_entities: usize) -> Self {
        Self {
            round_of: vec![0; n_entities],
            round: 0,
        }
    }

    pub(crate) fn clear(&mut self) {
        if self.round == u32::MAX {
            self.round_of.fill(0);
            self.round = 0;
        }
        self.round += 1;
    }

    /// Whether it was not seen before.
    pub(crate) fn insert(&mut self, entity: Entity) -> bool {
        let round = &mut self.round_of[entity.index()];
        let is_new = *round != self.round;
        *round = self.round;
        is_new
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

    /// Visits the end of every path along `steps`, some more than once; whether the budget sufficed.
    pub(crate) fn ends(
        &mut self,
        steps: &[Step],
        from: Entity,
        budget: &mut Budget,
        visit: &mut impl FnMut(Entity),
    ) -> bool {
        let Some((step, rest)) = steps.split_first() else {
            visit(from);
            return true;
        };
        let graph = self.graph;
        let next = graph.neighbors(from, *step);
        if !budget.spend(next.len()) {
            return false;
        }
        for to in next {
            if self.path[..self.len].contains(to) {
                continue;
            }
            if rest.is_empty() {
                visit(*to);
                continue;
            }
            self.path[self.len] = *to;
            self.len += 1;
            let is_done = self.ends(rest, *to, budget, visit);
            self.len -= 1;
            if !is_done {
                return false;
            }
        }
        true
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
    seen: &mut Seen,
    budget: &mut Budget,
) -> Option<Vec<Entity>> {
    let mut found = Vec::new();
    match rule.form {
        Form::Cyclic => {}
        Form::Constant { constant, end, .. } => {
            seen.clear();
            let excluded = (constant != end).then_some(constant);
            let mut walk = Walk::new(graph, end, excluded);
            let back = reversed(&rule.body);
            let is_done = walk.ends(&back, end, budget, &mut |x| {
                if seen.insert(x) {
                    found.push(x);
                }
            });
            if !is_done {
                return None;
            }
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
pub(crate) fn count_cyclic(graph: &Graph, rule: &Rule, seen: &mut Seen, budget: u64) -> Counts {
    let mut counts = Counts::default();
    let Some(first) = rule.body.first() else {
        return counts;
    };
    let mut budget = Budget(budget);
    let starts = graph.sources(*first);
    for start in spread(starts.len()) {
        let x = starts[start];
        let known = graph.neighbors(x, Step::forward(rule.head));
        let (mut support, mut body) = (0, 0);
        seen.clear();
        let mut walk = Walk::new(graph, x, None);
        let is_done = walk.ends(&rule.body, x, &mut budget, &mut |y| {
            if seen.insert(y) {
                body += 1;
                support += u32::from(known.binary_search(&y).is_ok());
            }
        });
        // A start that was cut off would count for less than it predicts.
        if is_done || counts.body == 0 {
            counts.support += support;
            counts.body += body;
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
    seen: &mut Seen,
    budget: u64,
) -> Option<Counts> {
    let (side, constant) = rule.form.constant()?;
    let found = instances(graph, rule, seen, &mut Budget(budget))?;
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
