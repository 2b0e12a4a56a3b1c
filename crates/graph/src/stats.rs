//! Statistics of a graph, and consistency of its splits.

use rustc_hash::FxHashSet;

use crate::graph::{Graph, Step};
use crate::names::{Relation, Triple, Vocabulary};

/// The numbers of one relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationStats {
    /// The relation.
    pub relation: Relation,
    /// Its triples.
    pub triples: usize,
    /// Entities in the first place.
    pub heads: usize,
    /// Entities in the second place.
    pub tails: usize,
    /// Triples whose reverse is a triple of the relation, too.
    pub symmetric: usize,
}

/// The numbers of each relation, in the order of their numbers.
pub fn relation_stats(graph: &Graph, vocabulary: &Vocabulary) -> Vec<RelationStats> {
    let of = |relation| {
        let triples = graph.triples_of(relation);
        let reversed = |t: &Triple| Triple {
            head: t.tail,
            tail: t.head,
            ..*t
        };
        RelationStats {
            relation,
            triples: triples.len(),
            heads: graph.sources(Step::forward(relation)).len(),
            tails: graph.sources(Step::backward(relation)).len(),
            symmetric: triples
                .iter()
                .filter(|t| graph.contains(reversed(t)))
                .count(),
        }
    };
    vocabulary.relations().map(of).collect()
}

/// How a list of triples, such as a test set, fits a training graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fit {
    /// Different triples.
    pub triples: usize,
    /// Repetitions of triples.
    pub repeated: usize,
    /// Different triples that the training graph has, too.
    pub leaked: usize,
    /// Different triples with an entity that no training triple has.
    pub unknown_entities: usize,
    /// Different triples with a relation that no training triple has.
    pub unknown_relations: usize,
}

/// Removes repetitions, keeping the order, and compares with the training graph.
pub fn fit(triples: &mut Vec<Triple>, graph: &Graph) -> Fit {
    let n = triples.len();
    let mut seen = FxHashSet::default();
    triples.retain(|triple| seen.insert(*triple));
    let count = |is: &dyn Fn(&Triple) -> bool| triples.iter().filter(|t| is(t)).count();
    Fit {
        triples: triples.len(),
        repeated: n - triples.len(),
        leaked: count(&|t| graph.contains(*t)),
        unknown_entities: count(&|t| graph.degree(t.head) == 0 || graph.degree(t.tail) == 0),
        unknown_relations: count(&|t| graph.triples_of(t.relation).is_empty()),
    }
}

/// The number of triples of a list without repetitions that another one has, too.
pub fn n_common(triples: &[Triple], others: &[Triple]) -> usize {
    let others: FxHashSet<&Triple> = others.iter().collect();
    triples.iter().filter(|t| others.contains(t)).count()
}
