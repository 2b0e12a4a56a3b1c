//! Learning with a validation set, which chooses how long paths may be.

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashSet;

use crate::apply::{Applier, ApplySettings};
use crate::evaluate::{Rank, ranks};
use crate::graph::Graph;
use crate::learn::{LearnSettings, Search, sort};
use crate::learned::{LearnedRules, Round};
use crate::names::{Relation, Triple};
use crate::rule::{CountedRule, MAX_PATH};

/// Learns rules from a graph, and adds longer paths as long as the triples of a validation set have
/// a better mean reciprocal rank with them.
///
/// Longer paths are tried for a few relations first, then for twice as many, and so on: as soon as
/// the triples of these have lower reciprocal ranks, by more than two standard errors, the search
/// ends. `n_entities` are all that a place can be filled with.
pub fn learn_selected(
    graph: &Graph,
    settings: &LearnSettings,
    valid: &[Triple],
    n_entities: usize,
    is_over: &(dyn Fn() -> bool + Sync),
    advance: &(dyn Fn() + Sync),
) -> LearnedRules {
    let search = Search::new(graph, settings, is_over, advance);
    let mut best = LearnedRules::default();
    let trial = Trial {
        graph,
        valid,
        known: graph.triples().iter().chain(valid).copied().collect(),
        n_entities,
    };
    let parts = trial.parts(settings.seed);
    // By part, the shortest cyclic rules; first, so that an early end seldom leaves them out.
    let shortest = parts.iter();
    let shortest = shortest.map(|part| search.round_of(Round::Cyclic(1), part, &mut best.samples));
    let mut shortest: Vec<Vec<CountedRule>> = shortest.collect();
    if is_over() {
        best.unfinished.push(Round::Cyclic(1));
    }
    for length in 0..=settings.max_constant_path {
        search.add(Round::Constants(length), &mut best);
    }
    let max_path = settings.max_path.min(MAX_PATH);
    // By part, the reciprocal ranks of the best rules so far.
    let mut ranked: Option<Vec<Vec<f64>>> = None;
    for length in 1..=max_path {
        let mut longer = Vec::new();
        let mut now = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let added = match length {
                1 => std::mem::take(&mut shortest[at]),
                _ => search.round_of(Round::Cyclic(length), part, &mut best.samples),
            };
            if length == 1 && is_over() {
                // There is nothing to compare them with.
                longer.extend(added);
                continue;
            }
            let mut is_tried = vec![false; graph.relation_bound()];
            for relation in part {
                is_tried[relation.index()] = true;
            }
            let known = best.rules.iter();
            let known = known.filter(|rule| is_tried[rule.rule.head.index()]);
            let mut rules: Vec<CountedRule> = known.chain(&added).cloned().collect();
            sort(&mut rules);
            now.push(trial.reciprocal_ranks(&rules, part));
            longer.extend(added);
            if is_over() {
                break;
            }
            if let Some(before) = &ranked
                && is_clearly_lower(&now, &before[..=at])
            {
                break;
            }
        }
        if is_over() {
            let left = length.max(2)..=max_path;
            best.unfinished.extend(left.map(Round::Cyclic));
        }
        let is_whole = now.len() == parts.len();
        let is_better = is_whole
            && ranked
                .as_ref()
                .is_none_or(|before| mean(&now) > mean(before));
        if !is_better && (length > 1 || !is_over()) {
            break;
        }
        best.rules.extend(longer);
        best.selected_path = Some(length);
        ranked = Some(now);
        if is_over() {
            break;
        }
    }
    sort(&mut best.rules);
    best.is_early = is_over();
    best
}

/// Candidates that decide: lower ones hardly change a mean reciprocal rank.
const TOP: usize = 20;

/// A validation set.
struct Trial<'g> {
    graph: &'g Graph,
    valid: &'g [Triple],
    known: FxHashSet<Triple>,
    n_entities: usize,
}

impl Trial<'_> {
    /// The relations in parts, each with about as many validation triples as those before it together.
    fn parts(&self, seed: u64) -> Vec<Vec<Relation>> {
        const FIRST_SHARE: usize = 16;
        let mut relations: Vec<Relation> = (0..self.graph.relation_bound() as u32)
            .map(Relation)
            .collect();
        relations.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let mut parts: Vec<Vec<Relation>> = vec![Vec::new()];
        let (mut n_triples, mut wanted) = (0, self.valid.len() / FIRST_SHARE);
        for relation in relations {
            if n_triples > wanted {
                parts.push(Vec::new());
                wanted = n_triples * 2;
            }
            let own = self.valid.iter().filter(|t| t.relation == relation);
            n_triples += own.count();
            if let Some(part) = parts.last_mut() {
                part.push(relation);
            }
        }
        parts
    }

    /// The reciprocal ranks of the validation triples of some relations, which have these rules.
    fn reciprocal_ranks(&self, rules: &[CountedRule], relations: &[Relation]) -> Vec<f64> {
        let own = self
            .valid
            .iter()
            .filter(|t| relations.contains(&t.relation));
        let own: Vec<Triple> = own.copied().collect();
        let applier = Applier::new(self.graph, rules);
        let settings = ApplySettings {
            top: TOP,
            ..ApplySettings::default()
        };
        let ranks = ranks(
            &applier,
            &own,
            &self.known,
            self.n_entities,
            &settings,
            &|| {},
        );
        ranks.iter().map(|rank: &Rank| 1.0 / rank.rank).collect()
    }
}

fn mean(parts: &[Vec<f64>]) -> f64 {
    let n: usize = parts.iter().map(Vec::len).sum();
    parts.iter().flatten().sum::<f64>() / n.max(1) as f64
}

/// Whether numbers are lower than those before, pair by pair, by more than two standard errors of the
/// mean difference.
fn is_clearly_lower(now: &[Vec<f64>], before: &[Vec<f64>]) -> bool {
    const FEWEST: usize = 30;
    let pairs = now.iter().flatten().zip(before.iter().flatten());
    let differences: Vec<f64> = pairs.map(|(now, before)| now - before).collect();
    if differences.len() < FEWEST {
        return false;
    }
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let squares: f64 = differences.iter().map(|x| (x - mean).powi(2)).sum();
    mean + 2.0 * (squares / (n - 1.0) / n).sqrt() < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clear_loss_is_more_than_two_standard_errors() {
        let before = vec![vec![0.5; 40]];
        let now = |low: f64, high: f64| {
            let numbers = (0..40).map(|at| if at % 2 == 0 { low } else { high });
            vec![numbers.collect::<Vec<f64>>()]
        };
        // The standard error is 0.1 / sqrt(39).
        assert!(is_clearly_lower(&now(0.36, 0.56), &before));
        assert!(!is_clearly_lower(&now(0.38, 0.58), &before));
        assert!(!is_clearly_lower(&now(0.6, 0.6), &before));
        assert!(!is_clearly_lower(&[vec![0.1; 20]], &[vec![0.5; 20]]));
    }
}
