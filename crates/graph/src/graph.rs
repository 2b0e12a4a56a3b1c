//! A knowledge graph as arrays of numbers, with both directions of every relation indexed.

use crate::names::{Entity, Relation, Triple};

/// A relation and the direction in which it is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step(pub(crate) u32);

impl Step {
    /// From head to tail.
    pub fn forward(relation: Relation) -> Self {
        Self(relation.0 * 2)
    }

    /// From tail to head.
    pub fn backward(relation: Relation) -> Self {
        Self(relation.0 * 2 + 1)
    }

    /// The relation.
    pub fn relation(self) -> Relation {
        Relation(self.0 / 2)
    }

    /// Whether the relation is followed from tail to head.
    pub fn is_backward(self) -> bool {
        self.0 % 2 == 1
    }

    /// The same relation in the other direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self(self.0 ^ 1)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The edges of one entity that belong to one step.
#[derive(Clone, Copy, Debug)]
struct Group {
    step: Step,
    /// Where its neighbors end; they begin where those of the group before end.
    end: u32,
}

/// The triples of a knowledge graph, each once, followed in both directions.
///
/// Takes 8 bytes for a triple's two edges, 8 for each step that an entity has, 12 for the triple
/// itself, and at most 128 for a table of all pairs of an entity and a step.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// By relation, head and tail.
    triples: Vec<Triple>,
    relation_starts: Vec<usize>,
    /// By entity and step.
    neighbors: Vec<Entity>,
    groups: Vec<Group>,
    group_starts: Vec<u32>,
    /// By step: the entities that have it.
    sources: Vec<Entity>,
    source_starts: Vec<u32>,
    /// By entity and step, where the neighbors begin; they end where those of the next pair begin.
    /// Empty if there are many more pairs than triples.
    starts_of_pairs: Vec<u32>,
    /// By entity and step, the neighbors as bits; empty unless the graph is small.
    rows: Vec<u64>,
}

/// Pairs of an entity and a step per triple at most for which there is a table of all pairs.
const MAX_PAIRS_PER_TRIPLE: usize = 32;
/// Entities of a graph with rows of bits at most.
pub(crate) const MAX_ROW_ENTITIES: usize = 512;
/// Words of the rows of bits of a graph at most.
const MAX_ROW_WORDS: usize = 1 << 20;

/// Triples of a graph at most, as its indexes have 32 bits.
pub const MAX_TRIPLES: usize = (u32::MAX / 2) as usize;

impl Graph {
    /// Indexes triples; repeated ones count once.
    ///
    /// # Panics
    /// If there are more than [`MAX_TRIPLES`].
    pub fn new(mut triples: Vec<Triple>) -> Self {
        assert!(
            triples.len() <= MAX_TRIPLES,
            "more triples than a graph can index"
        );
        triples.sort_unstable_by_key(|t| (t.relation, t.head, t.tail));
        triples.dedup();
        triples.shrink_to_fit();
        let ends = triples.iter().flat_map(|t| [t.head.0, t.tail.0]);
        let n_entities = ends.max().map_or(0, |last| last as usize + 1);
        let n_relations = triples.last().map_or(0, |t| t.relation.index() + 1);

        let mut relation_starts = vec![0; n_relations + 1];
        for triple in &triples {
            relation_starts[triple.relation.index() + 1] += 1;
        }
        for i in 0..n_relations {
            relation_starts[i + 1] += relation_starts[i];
        }

        // Counting sort by entity; the triples' order makes steps and neighbors ascend within each.
        let mut starts = vec![0u32; n_entities + 1];
        for triple in &triples {
            starts[triple.head.index() + 1] += 1;
            starts[triple.tail.index() + 1] += 1;
        }
        for i in 0..n_entities {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let nothing = (Step(0), Entity(0));
        let mut edges = vec![nothing; triples.len() * 2];
        let mut put = |from: Entity, step: Step, to: Entity| {
            let at = &mut next[from.index()];
            edges[*at as usize] = (step, to);
            *at += 1;
        };
        for relation in 0..n_relations {
            let of_relation = &triples[relation_starts[relation]..relation_starts[relation + 1]];
            for t in of_relation {
                put(t.head, Step::forward(t.relation), t.tail);
            }
            for t in of_relation {
                put(t.tail, Step::backward(t.relation), t.head);
            }
        }

        let mut groups: Vec<Group> = Vec::new();
        let mut group_starts = Vec::with_capacity(n_entities + 1);
        let mut n_sources = vec![0u32; n_relations * 2 + 1];
        for entity in 0..n_entities {
            let first = groups.len();
            group_starts.push(first as u32);
            for at in starts[entity]..starts[entity + 1] {
                let step = edges[at as usize].0;
                match groups[first..].last_mut() {
                    Some(group) if group.step == step => group.end = at + 1,
                    _ => {
                        groups.push(Group { step, end: at + 1 });
                        n_sources[step.index() + 1] += 1;
                    }
                }
            }
        }
        group_starts.push(groups.len() as u32);
        groups.shrink_to_fit();
        let neighbors = edges.iter().map(|edge| edge.1).collect();
        drop(edges);

        for i in 0..n_relations * 2 {
            n_sources[i + 1] += n_sources[i];
        }
        let source_starts = n_sources.clone();
        let mut sources = vec![Entity(0); groups.len()];
        for entity in 0..n_entities {
            let range = group_starts[entity] as usize..group_starts[entity + 1] as usize;
            for group in &groups[range] {
                let at = &mut n_sources[group.step.index()];
                sources[*at as usize] = Entity(entity as u32);
                *at += 1;
            }
        }
        let mut graph = Self {
            triples,
            relation_starts,
            neighbors,
            groups,
            group_starts,
            sources,
            source_starts,
            starts_of_pairs: Vec::new(),
            rows: Vec::new(),
        };
        graph.index_pairs();
        graph
    }

    /// Builds the tables of all pairs of an entity and a step where they are not too large.
    fn index_pairs(&mut self) {
        let (n_entities, n_steps) = (self.entity_bound(), self.relation_bound() * 2);
        let n_pairs = n_entities.saturating_mul(n_steps);
        if n_pairs > self.triples.len().saturating_mul(MAX_PAIRS_PER_TRIPLE) {
            return;
        }
        let mut starts = Vec::with_capacity(n_pairs + 1);
        for entity in 0..n_entities {
            for group in self.group_range(Entity(entity as u32)) {
                let pair = entity * n_steps + self.groups[group].step.index();
                starts.resize(pair + 1, self.begin(group) as u32);
            }
        }
        starts.resize(n_pairs + 1, self.neighbors.len() as u32);
        self.starts_of_pairs = starts;
        let n_words = n_entities.div_ceil(64);
        if n_entities > MAX_ROW_ENTITIES || n_pairs * n_words > MAX_ROW_WORDS {
            return;
        }
        self.rows = vec![0; n_pairs * n_words];
        for (pair, range) in self.starts_of_pairs.windows(2).enumerate() {
            let row = &mut self.rows[pair * n_words..(pair + 1) * n_words];
            for to in &self.neighbors[range[0] as usize..range[1] as usize] {
                row[to.index() / 64] |= 1 << (to.index() % 64);
            }
        }
    }

    /// The same graph without the tables that only graphs with few pairs have.
    #[cfg(test)]
    pub(crate) fn without_tables(mut self) -> Self {
        self.starts_of_pairs.clear();
        self.rows.clear();
        self
    }

    /// The triples, by relation, head and tail.
    pub fn triples(&self) -> &[Triple] {
        &self.triples
    }

    /// The triples of a relation, by head and tail.
    pub fn triples_of(&self, relation: Relation) -> &[Triple] {
        match self
            .relation_starts
            .get(relation.index()..relation.index() + 2)
        {
            Some(range) => &self.triples[range[0]..range[1]],
            None => &[],
        }
    }

    /// One more than the greatest number of an entity.
    pub fn entity_bound(&self) -> usize {
        self.group_starts.len().saturating_sub(1)
    }

    /// One more than the greatest number of a relation.
    pub fn relation_bound(&self) -> usize {
        self.relation_starts.len().saturating_sub(1)
    }

    /// Whether the graph has the triple.
    pub fn contains(&self, triple: Triple) -> bool {
        let tails = self.neighbors(triple.head, Step::forward(triple.relation));
        tails.binary_search(&triple.tail).is_ok()
    }

    /// Where a step leads from an entity, ascending.
    pub fn neighbors(&self, from: Entity, step: Step) -> &[Entity] {
        if !self.starts_of_pairs.is_empty() {
            let n_steps = self.relation_bound() * 2;
            if step.index() >= n_steps || from.index() >= self.entity_bound() {
                return &[];
            }
            let pair = from.index() * n_steps + step.index();
            let [start, end] = [pair, pair + 1].map(|at| self.starts_of_pairs[at] as usize);
            return &self.neighbors[start..end];
        }
        let range = self.group_range(from);
        let groups = &self.groups[range.clone()];
        match groups.binary_search_by_key(&step, |group| group.step) {
            Ok(at) => self.members(range.start + at),
            Err(_) => &[],
        }
    }

    /// Whether the graph is small enough for rows of bits.
    pub(crate) fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    /// The number of neighbors of an entity, and these as bits; nothing if there are no rows, or no such
    /// step.
    pub(crate) fn row(&self, from: Entity, step: Step) -> (usize, &[u64]) {
        let n_steps = self.relation_bound() * 2;
        if step.index() >= n_steps {
            return (0, &[]);
        }
        let n_words = self.entity_bound().div_ceil(64);
        let pair = from.index() * n_steps + step.index();
        let row = self.rows.get(pair * n_words..(pair + 1) * n_words);
        let [start, end] = [pair, pair + 1].map(|at| self.starts_of_pairs[at] as usize);
        (end - start, row.unwrap_or_default())
    }

    /// The steps that an entity has, ascending, with where each leads.
    pub fn steps(&self, from: Entity) -> impl Iterator<Item = (Step, &[Entity])> {
        let range = self.group_range(from);
        range.map(|at| (self.groups[at].step, self.members(at)))
    }

    /// All edges of an entity, by step and neighbor.
    pub fn edges(&self, from: Entity) -> impl Iterator<Item = (Step, Entity)> {
        self.steps(from)
            .flat_map(|(step, ends)| ends.iter().map(move |end| (step, *end)))
    }

    /// The number of an entity's edges.
    pub fn degree(&self, from: Entity) -> usize {
        let range = self.edge_range(from);
        range.len()
    }

    /// The edge at a place among those of an entity.
    pub(crate) fn edge(&self, from: Entity, at: usize) -> (Step, Entity) {
        let place = self.edge_range(from).start + at;
        let range = self.group_range(from);
        let groups = &self.groups[range];
        let group = groups.partition_point(|group| group.end as usize <= place);
        (groups[group].step, self.neighbors[place])
    }

    /// The entities that have a step, ascending.
    pub fn sources(&self, step: Step) -> &[Entity] {
        match self.source_starts.get(step.index()..step.index() + 2) {
            Some(range) => &self.sources[range[0] as usize..range[1] as usize],
            None => &[],
        }
    }

    fn group_range(&self, from: Entity) -> std::ops::Range<usize> {
        match self.group_starts.get(from.index()..from.index() + 2) {
            Some(range) => range[0] as usize..range[1] as usize,
            None => 0..0,
        }
    }

    fn edge_range(&self, from: Entity) -> std::ops::Range<usize> {
        let range = self.group_range(from);
        if range.is_empty() {
            return 0..0;
        }
        self.begin(range.start)..self.groups[range.end - 1].end as usize
    }

    fn begin(&self, group: usize) -> usize {
        group
            .checked_sub(1)
            .map_or(0, |before| self.groups[before].end as usize)
    }

    fn members(&self, group: usize) -> &[Entity] {
        &self.neighbors[self.begin(group)..self.groups[group].end as usize]
    }
}
