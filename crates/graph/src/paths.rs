//! Paths between the ends of a triple.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::graph::{Graph, Step};
use crate::names::{Entity, Triple};
use crate::rule::Path;

/// Pairs of edges that are looked at for one triple and one length of path.
pub(crate) const PAIRS: usize = 100;

/// Collects the paths between the ends of triples.
pub(crate) struct Paths<'g, 'r> {
    pub(crate) graph: &'g Graph,
    pub(crate) rng: &'r mut ChaCha8Rng,
    /// Those that were found, some more than once.
    pub(crate) found: Vec<Path>,
    /// Pairs of edges that were looked at.
    pub(crate) n_steps: usize,
}

/// The first part of a path: its steps, and the entities it visits after its start.
#[derive(Clone, Copy, Debug)]
struct HalfPath {
    steps: [Step; 2],
    entities: [Entity; 2],
    len: usize,
}

impl HalfPath {
    fn end(&self, start: Entity) -> Entity {
        if self.len == 0 {
            start
        } else {
            self.entities[self.len - 1]
        }
    }
}

impl Paths<'_, '_> {
    /// Adds the paths of `length` from head to tail, or some of them where there are many; whether all
    /// were looked at.
    pub(crate) fn between(&mut self, triple: Triple, length: usize) -> bool {
        let (x, y) = (triple.head, triple.tail);
        // The last edge joins two halves.
        let before = length / 2;
        let after = length - 1 - before;
        let n_before = self.n_halves(x, before);
        let n_after = self.n_halves(y, after);
        let is_whole = n_before.saturating_mul(n_after) <= PAIRS;
        if is_whole {
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
        is_whole
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

    fn all_halves(&self, start: Entity, length: usize) -> Vec<HalfPath> {
        let none = HalfPath {
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

    fn random_half(&mut self, start: Entity, length: usize) -> HalfPath {
        let mut half = HalfPath {
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
    fn join(&mut self, x: Entity, first: &HalfPath, second: &HalfPath, y: Entity) {
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

fn extended(half: &HalfPath, (step, to): (Step, Entity)) -> HalfPath {
    let mut longer = *half;
    longer.steps[half.len] = step;
    longer.entities[half.len] = to;
    longer.len += 1;
    longer
}
