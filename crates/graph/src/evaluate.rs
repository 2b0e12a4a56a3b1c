//! Filtered ranks of known triples, and their means.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::apply::{Applier, ApplySettings, Candidate, Query};
use crate::names::{Entity, Relation, Triple};
use crate::rule::Side;

/// The rank of a triple's entity among the candidates for its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// The triple.
    pub triple: Triple,
    /// The side of the unknown entity.
    pub asked: Side,
    /// One more than the number of better candidates, and half of those that are as good. An entity
    /// that no rule predicts is as good as all others of that kind.
    pub rank: f64,
}

/// Means over ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// The number of ranks.
    pub n: usize,
    /// The mean reciprocal rank.
    pub mrr: f64,
    /// Shares of ranks up to 1, 3 and 10.
    pub hits: [f64; 3],
}

/// The ranks of [`Measures::hits`].
pub const HITS: [u32; 3] = [1, 3, 10];

impl Measures {
    /// The measures of some ranks.
    pub fn of<'r>(ranks: impl IntoIterator<Item = &'r Rank>) -> Self {
        let mut measures = Self::default();
        for rank in ranks {
            measures.n += 1;
            measures.mrr += 1.0 / rank.rank;
            for (hits, at) in measures.hits.iter_mut().zip(HITS) {
                *hits += f64::from(u8::from(rank.rank <= f64::from(at)));
            }
        }
        let n = measures.n.max(1) as f64;
        measures.mrr /= n;
        measures.hits = measures.hits.map(|hits| hits / n);
        measures
    }
}

/// Ranks both entities of every triple of `test`; candidates that make a triple of `known` are
/// filtered out, except for the correct one.
///
/// `n_entities` is the number of candidates.
#[expect(clippy::implicit_hasher, reason = "the set is built by our own reader")]
pub fn ranks(
    applier: &Applier<'_>,
    test: &[Triple],
    known: &FxHashSet<Triple>,
    n_entities: usize,
    settings: &ApplySettings,
    advance: &(dyn Fn() + Sync),
) -> Vec<Rank> {
    let queries = test
        .par_iter()
        .flat_map_iter(|triple| Side::BOTH.map(move |side| (*triple, side)));
    let new = || applier.scratch(n_entities);
    let ranks = queries.map_init(new, |scratch, (triple, asked)| {
        let (answer, given) = match asked {
            Side::Head => (triple.head, triple.tail),
            Side::Tail => (triple.tail, triple.head),
        };
        let query = Query {
            relation: triple.relation,
            asked,
            known: given,
        };
        let made = |entity: Entity| filled(query, entity);
        let is_asked = |entity: Entity| entity == answer || !known.contains(&made(entity));
        let candidates = applier.candidates(query, settings, scratch, &is_asked);
        let rank = if let Some(found) = candidates
            .iter()
            .find(|candidate| candidate.entity == answer)
        {
            let order = |other: &Candidate| applier.compare(other, found, settings.aggregation);
            let better = candidates.partition_point(|c| order(c).is_lt());
            let not_worse = candidates.partition_point(|c| order(c).is_le());
            better as f64 + (not_worse - better + 1) as f64 / 2.0
        } else {
            let others = (0..n_entities as u32).map(Entity);
            let n_filtered = others.filter(|entity| !is_asked(*entity)).count();
            let n_rest = n_entities - n_filtered - candidates.len();
            candidates.len() as f64 + (n_rest + 1) as f64 / 2.0
        };
        advance();
        Rank {
            triple,
            asked,
            rank,
        }
    });
    ranks.collect()
}

/// The triple that an answer makes of a query.
pub fn filled(query: Query, answer: Entity) -> Triple {
    let (head, tail) = match query.asked {
        Side::Head => (answer, query.known),
        Side::Tail => (query.known, answer),
    };
    Triple {
        head,
        relation: query.relation,
        tail,
    }
}

/// The measures of each relation that has ranks.
pub fn by_relation(ranks: &[Rank]) -> Vec<(Relation, Measures)> {
    let mut relations: Vec<Relation> = ranks.iter().map(|rank| rank.triple.relation).collect();
    relations.sort_unstable();
    relations.dedup();
    let of = |relation| Measures::of(ranks.iter().filter(|r| r.triple.relation == relation));
    relations
        .into_iter()
        .map(|relation| (relation, of(relation)))
        .collect()
}
