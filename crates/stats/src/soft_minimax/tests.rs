mod fit;
mod forest;

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::optimize::{Differentiable, Objective};
use crate::{BfgsOptions, ChoiceSets, ConditionalLogit};

const N: usize = 3;
pub(super) const SCALES: [f64; N] = [1.0, 1.0, 0.1];

/// Adds a random tree of at most `max_depth` levels below the root.
pub(super) fn push_random_tree(forest: &mut Forest, rng: &mut ChaCha8Rng, max_depth: usize) {
    let first = if rng.random() {
        Side::Maximizer
    } else {
        Side::Minimizer
    };
    let n_alternatives = rng.random_range(1..8);
    let mut tree = forest.begin_tree(first, n_alternatives);
    let mut level = n_alternatives;
    for depth in 1..=max_depth {
        let mut below = 0;
        for _ in 0..level {
            match rng.random_range(0..20) {
                0 => tree.drawn(),
                1 => tree.lost(),
                kind if kind < 10 && depth < max_depth => {
                    let n_children = rng.random_range(1..6);
                    tree.inner(n_children);
                    below += n_children;
                }
                _ => tree.leaf(&[0; N].map(|_| rng.random_range(-12..=12))),
            }
        }
        level = below;
    }
    let chosen = rng.random_range(0..n_alternatives);
    tree.finish(chosen, rng.random_range(0..4)).unwrap();
}

/// Twelve random trees per chunk.
fn random_trees(seed: u64, n_chunks: usize, max_depth: usize, budget: usize) -> Trees {
    Trees::build(&SCALES, n_chunks, budget, move |chunk, forest| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed + 1000 * chunk as u64);
        for _ in 0..12 {
            push_random_tree(forest, &mut rng, max_depth);
        }
        Ok(())
    })
    .unwrap()
}

fn weights() -> impl Strategy<Value = [f64; N]> {
    [-2.0..2.0, -0.5..0.5, -3.0..3.0]
}

#[test]
fn points_together_are_points_alone_to_the_last_bit() {
    let trees = random_trees(4, 6, 4, 30_000);
    let model = SoftMinimax::new(&trees);
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let points: Vec<Vec<f64>> = (0..11)
        .map(|_| {
            SCALES
                .map(|scale| 3.0 * scale * rng.random::<f64>())
                .to_vec()
        })
        .collect();
    let alone: Vec<_> = points
        .iter()
        .map(|point| model.first_order(point))
        .collect();
    for n_points in 1..=points.len() {
        assert_eq!(model.first_orders(&points[..n_points]), alone[..n_points]);
    }
}

#[test]
fn excluded_attributes_have_weight_zero() {
    let trees = random_trees(5, 4, 3, usize::MAX);
    let model = SoftMinimax::new(&trees);
    let some = model.restricted_to(&[2, 0]);
    let all = model.first_order(&[0.3, 0.0, -0.7]);
    let there = some.first_order(&[-0.7, 0.3]);
    assert_eq!(there.value, all.value);
    assert_eq!(
        there.gradient.as_slice(),
        [all.gradient[2], all.gradient[0]]
    );
    assert_eq!(
        some.restricted_to(&[1]).value(&[0.3]),
        model.value(&[0.3, 0.0, 0.0])
    );
    assert_eq!(
        some.log_likelihoods(&[-0.7, 0.3]),
        model.log_likelihoods(&[0.3, 0.0, -0.7])
    );
}

#[test]
fn groups_select_and_weigh_trees() {
    let trees = random_trees(9, 5, 3, usize::MAX);
    let model = SoftMinimax::new(&trees);
    let weights = [0.3, 0.1, -0.5];
    let by_tree = model.log_likelihoods(&weights);
    assert_eq!(by_tree.len(), 60);
    let of_group = |group: u32| -> f64 {
        let terms = by_tree.iter().zip(trees.groups());
        terms
            .filter(|(_, other)| *other == group)
            .map(|(term, _)| term)
            .sum()
    };
    let sample = model.by_groups(&[2, 0, 2, 99]);
    let expected = of_group(0) + 2.0 * of_group(2);
    assert!((sample.log_likelihood(&weights) - expected).abs() < 1e-10);
    assert!((model.by_groups(&[1]).log_likelihood(&weights) - of_group(1)).abs() < 1e-10);
    assert_eq!(model.by_groups(&[]).n_choices(), 0);
    let error = model
        .by_groups(&[99])
        .fit(&[], &BfgsOptions::default())
        .unwrap_err();
    assert_eq!(error, crate::FitError::NoChoiceSets);
}

proptest! {
    #[test]
    fn gradient_is_the_slope_of_the_likelihood(seed in any::<u32>(), weights in weights()) {
        let trees = random_trees(seed.into(), 2, 4, usize::MAX);
        let model = SoftMinimax::new(&trees);
        let there = model.first_order(&weights);
        prop_assert_eq!(there.value, model.value(&weights));
        for k in 0..N {
            // Richardson's extrapolation: an error of the fourth order in the step.
            let difference = |step: f64| {
                let at = |sign: f64| {
                    let mut point = weights;
                    point[k] += sign * step;
                    model.value(&point)
                };
                (at(1.0) - at(-1.0)) / (2.0 * step)
            };
            let step = 1e-3;
            let slope = (4.0 * difference(step / 2.0) - difference(step)) / 3.0;
            let error = (there.gradient[k] - slope).abs();
            prop_assert!(
                error <= 1e-6 * (1.0 + slope.abs().max(there.value.abs())),
                "{} against {slope}", there.gradient[k]
            );
        }
    }

    #[test]
    fn without_weights_every_alternative_of_leaves_is_as_likely(seed in any::<u32>()) {
        // Ends keep their values, so only trees without ends are uniform.
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let mut forest = Forest::new(N);
        while forest.len() < 20 {
            push_random_tree(&mut forest, &mut rng, 3);
        }
        let mut evaluator = Evaluator::new(&[0.0; N], &SCALES);
        for tree in forest.iter() {
            if tree.nodes().any(|node| node == Node::Lost) {
                continue;
            }
            let uniform = -(tree.n_alternatives() as f64).ln();
            prop_assert!((evaluator.log_likelihood(&tree) - uniform).abs() < 1e-12);
        }
    }

    #[test]
    fn with_one_level_it_is_the_conditional_logit(seed in any::<u32>(), weights in weights()) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let mut sets = ChoiceSets::scaled_builder(&SCALES).unwrap();
        let mut forest = Forest::new(N);
        let mut evaluator = Evaluator::new(&weights, &SCALES);
        for group in 0..10 {
            let n_alternatives = rng.random_range(1..30);
            let rows: Vec<[i16; N]> = (0..n_alternatives)
                .map(|_| [0; N].map(|_| rng.random_range(-40..40)))
                .collect();
            let chosen = rng.random_range(0..n_alternatives);
            let mut tree = forest.begin_tree(Side::Minimizer, n_alternatives);
            for row in &rows {
                tree.leaf(&row.map(|unit| -unit));
            }
            tree.finish(chosen, group).unwrap();
            sets.push_flat(group, chosen, rows.as_flattened()).unwrap();
        }
        let sets = sets.build();
        let logit = ConditionalLogit::new(&sets).log_likelihood(&weights);
        let soft_minimax: f64 = forest.iter().map(|tree| evaluator.log_likelihood(&tree)).sum();
        prop_assert!((logit - soft_minimax).abs() <= 1e-12 * (1.0 + logit.abs()));
    }

    #[test]
    fn nothing_overflows(weights in [-1e4..1e4, -1e4..1e4, -1e4..1e4]) {
        let trees = random_trees(1, 2, 4, usize::MAX);
        let there = SoftMinimax::new(&trees).first_order(&weights);
        prop_assert!(there.value.is_finite());
        prop_assert!(there.gradient.iter().all(|slope| slope.is_finite()));
    }
}
