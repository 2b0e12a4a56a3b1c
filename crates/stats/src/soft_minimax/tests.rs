use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::fit::climb_in_stages;
use super::*;
use crate::optimize::{Differentiable, FirstOrder, Objective, Probe, StopReason, hill_climb};
use crate::{BfgsOptions, ChoiceSets, ConditionalLogit, HillClimbOptions};

const N: usize = 3;
const SCALES: [f64; N] = [1.0, 1.0, 0.1];

/// Plants a random tree of at most `max_depth` levels below the root.
fn plant_random(forest: &mut Forest, rng: &mut ChaCha8Rng, max_depth: usize) {
    let first = if rng.random() {
        Side::Maximizer
    } else {
        Side::Minimizer
    };
    let n_alternatives = rng.random_range(1..8);
    let mut tree = forest.plant(first, n_alternatives);
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
            plant_random(forest, &mut rng, max_depth);
        }
        Ok(())
    })
    .unwrap()
}

fn weights() -> impl Strategy<Value = [f64; N]> {
    [-2.0..2.0, -0.5..0.5, -3.0..3.0]
}

#[test]
fn a_tree_by_hand() {
    // The maximizer chooses between 3 and a minimizer's choice of 5 and -1.
    let mut forest = Forest::new(1);
    let mut tree = forest.plant(Side::Maximizer, 2);
    tree.leaf(&[3]);
    tree.inner(2);
    tree.leaf(&[5]);
    tree.leaf(&[-1]);
    tree.finish(0, 7).unwrap();
    let tree = forest.get(0).unwrap();
    assert_eq!((tree.group(), tree.chosen()), (7, 0));
    assert_eq!(
        tree.nodes().collect::<Vec<_>>(),
        [
            Node::Inner(2),
            Node::Leaf,
            Node::Inner(2),
            Node::Leaf,
            Node::Leaf
        ]
    );
    let mut evaluator = Evaluator::new(&[0.5], &[1.0]);
    let values: Vec<f64> = evaluator.alternatives(&tree).collect();
    let (high, low) = ((-2.5f64).exp(), 0.5f64.exp());
    let mean = (2.5 * high - 0.5 * low) / (high + low);
    assert_eq!(values[0], 1.5);
    assert!((values[1] - mean).abs() < 1e-15);
    let expected = 1.5 - (1.5f64.exp() + mean.exp()).ln();
    assert!((evaluator.log_likelihood(&tree) - expected).abs() < 1e-15);
}

#[test]
fn ends_have_the_papers_values() {
    // At depth 1 the minimizer has lost, at depth 2 the maximizer may have lost or drawn.
    let mut forest = Forest::new(0);
    let mut tree = forest.plant(Side::Maximizer, 3);
    tree.lost();
    tree.drawn();
    tree.inner(2);
    tree.lost();
    tree.drawn();
    tree.finish(0, 0).unwrap();
    let tree = forest.get(0).unwrap();
    let mut evaluator = Evaluator::new(&[], &[]);
    let values: Vec<f64> = evaluator.alternatives(&tree).collect();
    assert_eq!(values, [590.0, 0.0, -580.0]);
    assert_eq!(evaluator.log_likelihood(&tree), 0.0);
}

#[test]
fn malformed_trees_leave_no_trace() {
    let mut forest = Forest::new(1);
    let mut tree = forest.plant(Side::Maximizer, 1);
    tree.drawn();
    tree.finish(0, 0).unwrap();
    let before = forest.clone();

    let tree = forest.plant(Side::Maximizer, 0);
    let error = tree.finish(0, 0).unwrap_err();
    assert_eq!(error, TreeError::ChildCount { tree: 1, found: 0 });

    let mut tree = forest.plant(Side::Maximizer, 2);
    tree.drawn();
    let error = tree.finish(0, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tree 1 announces 3 nodes and has 2, or they come out of order"
    );

    // The last node hangs on the one before, which hangs on nothing.
    let mut tree = forest.plant(Side::Maximizer, 1);
    tree.drawn();
    tree.inner(1);
    assert!(matches!(
        tree.finish(0, 0),
        Err(TreeError::NodeCount { .. })
    ));

    let mut tree = forest.plant(Side::Maximizer, 1);
    tree.leaf(&[1, 2]);
    let error = tree.finish(0, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tree 1 has 2 attribute values, expected 1"
    );

    let mut tree = forest.plant(Side::Maximizer, 1);
    tree.drawn();
    let error = tree.finish(1, 0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "tree 1: alternative 1 was chosen, but there are only 1"
    );

    assert_eq!(forest.len(), before.len());
    assert_eq!(forest.n_nodes(), before.n_nodes());
}

const TRUTH: [f64; N] = [0.4, -0.2, 1.5];

/// Choices of a soft-minimax player with known weights, each chunk a group.
fn played_trees() -> Trees {
    Trees::build(&SCALES, 40, usize::MAX, |chunk, forest| {
        let mut rng = ChaCha8Rng::seed_from_u64(chunk as u64);
        let mut draft = Forest::new(N);
        for _ in 0..12 {
            let mut planting = rng.clone();
            draft.clear();
            plant_random(&mut draft, &mut rng, 3);
            let tree = draft.get(0).expect("it was planted");
            let mut evaluator = Evaluator::new(&TRUTH, &SCALES);
            let values: Vec<f64> = evaluator.alternatives(&tree).collect();
            let top = values.iter().copied().fold(f64::MIN, f64::max);
            let total: f64 = values.iter().map(|value| (value - top).exp()).sum();
            let mut left = rng.random::<f64>() * total;
            let chosen = values.iter().position(|value| {
                left -= (value - top).exp();
                left < 0.0
            });
            let group = u32::try_from(chunk).unwrap();
            plant_with_choice(forest, &mut planting, chosen.unwrap_or(0), group);
        }
        Ok(())
    })
    .unwrap()
}

#[test]
fn both_methods_reach_the_same_maximum() {
    let trees = played_trees();
    let model = SoftMinimax::new(&trees);
    let starts = model.starts(3, 5);
    let quasi_newton = model.fit(&starts, &BfgsOptions::default()).unwrap();
    let climb = hill_climb(&model, &starts[0], &HillClimbOptions::default());
    assert!(quasi_newton.fit.converged());
    assert!(climb.stop.converged());
    let std_errors = quasi_newton.fit.std_errors.unwrap();
    for k in 0..N {
        let (fast, slow) = (quasi_newton.fit.weights[k], climb.point[k]);
        assert!((fast - slow).abs() < 1e-6 * (1.0 + fast.abs()));
        assert!((fast - TRUTH[k]).abs() < 4.0 * std_errors[k], "weight {k}");
    }
    assert_eq!(quasi_newton.starts.ends.len(), 3);
}

#[test]
fn a_fold_near_the_whole_ends_where_a_cold_fit_does() {
    let trees = played_trees();
    let whole = SoftMinimax::new(&trees);
    let options = BfgsOptions::default();
    let parts: Vec<SoftMinimax<'_>> = (0..5)
        .map(|fold| {
            let training: Vec<u32> = (0..40).filter(|group| group % 5 != fold).collect();
            whole.by_groups(&training)
        })
        .collect();
    let refits = whole.maxima_of_parts(&parts, &[], &options, told).unwrap();
    assert_eq!(refits.len(), 5);
    for (part, warm) in parts.iter().zip(refits) {
        let cold = part.fit(&[], &options).unwrap().fit;
        assert!(cold.converged() && warm.stop.converged());
        for (cold, warm) in cold.weights.iter().zip(&warm.point) {
            assert!((cold - warm).abs() < 1e-8, "{cold} and {warm}");
        }
        assert!(warm.evaluations <= 8, "{}", warm.evaluations);
    }
}

/// Trees that are fitted in one stage, and trees that are fitted in two.
fn trees_of_one_stage_and_two() -> [Trees; 2] {
    let both = [50, 340].map(|n_chunks| random_trees(3, n_chunks, 3, usize::MAX));
    let staged = both
        .each_ref()
        .map(|trees| SoftMinimax::new(trees).n_choices() >= STAGED_FROM);
    assert_eq!(staged, [false, true]);
    both
}

#[test]
fn maxima_found_together_are_those_found_alone() {
    for trees in trees_of_one_stage_and_two() {
        let whole = SoftMinimax::new(&trees);
        let likelihoods = [whole.clone(), whole.heeding(&[2]), whole.heeding(&[1, 0])];
        let tasks = likelihoods.map(|likelihood| Task {
            starts: likelihood.starts(2, 1),
            likelihood,
        });
        let options = BfgsOptions::default();
        let together = SoftMinimax::maxima_with(&tasks, &options, told).unwrap();
        assert_eq!(together.len(), tasks.len());
        for (task, found) in tasks.iter().zip(together) {
            let alone = SoftMinimax::maxima_with(std::slice::from_ref(task), &options, told);
            assert_eq!(alone.unwrap(), std::slice::from_ref(&found));
            let fit = task.likelihood.fit(&task.starts, &options).unwrap().fit;
            assert_eq!((fit.weights, fit.stop), (found.point, found.stop));
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "fits ask for a result")]
fn told(probes: &[Probe<'_, SoftMinimax<'_>>]) -> Result<Vec<FirstOrder>, crate::FitError> {
    Ok(SoftMinimax::first_orders_of(probes))
}

/// Who chooses 0 against a minimizer's choice of 3 and -2 in three of four cases heeds the
/// attribute, or its opposite: two maxima. One choice in six, of 1 against 0, tells them apart.
fn ambiguous_trees() -> Trees {
    Trees::build(&[1.0], 200, usize::MAX, |chunk, forest| {
        let mut rng = ChaCha8Rng::seed_from_u64(chunk as u64);
        for _ in 0..5 {
            let mut tree = forest.plant(Side::Maximizer, 2);
            tree.leaf(&[0]);
            tree.inner(2);
            tree.leaf(&[3]);
            tree.leaf(&[-2]);
            let chosen = usize::from(rng.random_bool(0.25));
            tree.finish(chosen, u32::try_from(chunk).unwrap())?;
        }
        let mut tree = forest.plant(Side::Maximizer, 2);
        tree.leaf(&[1]);
        tree.leaf(&[0]);
        let chosen = usize::from(rng.random_bool(0.4));
        tree.finish(chosen, u32::try_from(chunk).unwrap())
    })
    .unwrap()
}

#[test]
fn two_stages_find_the_maxima_that_one_finds() {
    let trees = ambiguous_trees();
    let model = SoftMinimax::new(&trees);
    let starts = model.starts(8, 3);
    let options = BfgsOptions::default();
    let plain = model.fit(&starts, &options).unwrap().starts;
    let mut n_choices = Vec::new();
    let task = Task {
        likelihood: model.clone(),
        starts,
    };
    let staged = climb_in_stages(&[task], &options, &mut |probes| {
        n_choices.push((probes[0].objective.n_choices(), probes.len()));
        told(probes)
    });
    let staged = staged.unwrap().swap_remove(0);
    let scales = model.scales();
    let [plain, staged] = [plain, staged].map(|ends| ends.distinct(&scales, 1e-3));
    assert_eq!((plain.len(), staged.len()), (2, 2));
    for (plain, staged) in plain.iter().zip(&staged) {
        let (weight, other) = (plain.optimum.point[0], staged.optimum.point[0]);
        assert!((weight - other).abs() < 1e-8, "{weight} and {other}");
    }
    let n_starts: usize = staged.iter().map(|maximum| maximum.starts.len()).sum();
    assert_eq!(n_starts, 8);
    // All starts climb on a tenth, one climb per maximum on the whole.
    assert_eq!(n_choices[0], (120, 8));
    let on_all: Vec<usize> = (n_choices.iter())
        .filter(|(n_choices, _)| *n_choices == 1200)
        .map(|(_, n_points)| *n_points)
        .collect();
    assert!(on_all.len() <= 7 && on_all.iter().all(|n_points| *n_points <= 2));
}

#[test]
fn a_start_that_the_sample_leads_astray_climbs_on_the_whole() {
    // In the sample, which is groups 0, 10 and so on, the first alternative is always chosen.
    let trees = Trees::build(&[1.0], 50, usize::MAX, |chunk, forest| {
        for tree in 0..3 {
            let mut growing = forest.plant(Side::Maximizer, 2);
            growing.leaf(&[1]);
            growing.leaf(&[0]);
            let chosen = usize::from(chunk % 10 > 0 && tree == 0);
            growing.finish(chosen, u32::try_from(chunk).unwrap())?;
        }
        Ok(())
    })
    .unwrap();
    let options = BfgsOptions::default();
    let task = Task {
        likelihood: SoftMinimax::new(&trees),
        starts: vec![vec![0.0]],
    };
    let staged = climb_in_stages(&[task], &options, &mut told).unwrap();
    let weight = staged[0].best().unwrap().point[0];
    // 45 of 150 choices are of the second.
    assert!((weight - (105.0f64 / 45.0).ln()).abs() < 1e-8, "{weight}");
}

/// [`plant_random`] with another choice.
fn plant_with_choice(forest: &mut Forest, rng: &mut ChaCha8Rng, chosen: usize, group: u32) {
    let mut draft = Forest::new(N);
    plant_random(&mut draft, rng, 3);
    let tree = draft.get(0).expect("it was planted");
    forest.transplant(&tree, chosen, group).unwrap();
}

/// A decision between two leaves with these attributes.
fn plant_pair(forest: &mut Forest, rows: [[i16; 2]; 2]) {
    let mut tree = forest.plant(Side::Minimizer, 2);
    for row in &rows {
        tree.leaf(row);
    }
    tree.finish(0, 0).unwrap();
}

#[test]
fn leaves_take_as_many_bytes_as_they_need() {
    let (mut narrow, mut mixed) = (Forest::new(2), Forest::new(2));
    plant_pair(&mut narrow, [[127, -128], [0, 1]]);
    for rows in [
        [[1, 2], [3, 128]],
        [[127, -128], [0, 1]],
        [[-129, 4], [5, 6]],
    ] {
        plant_pair(&mut mixed, rows);
    }
    let columns = |forest: &Forest, tree| {
        let tree = forest.get(tree).unwrap();
        [0, 1].map(|attribute| tree.column(attribute))
    };
    assert_eq!(columns(&narrow, 0), [vec![127, 0], vec![-128, 1]]);
    assert_eq!(columns(&mixed, 0), [vec![1, 3], vec![2, 128]]);
    assert_eq!(columns(&mixed, 1), [vec![127, 0], vec![-128, 1]]);
    assert_eq!(columns(&mixed, 2), [vec![-129, 5], vec![4, 6]]);
    // The attributes alone: four values of one byte; four of one and eight of two.
    let overhead = |forest: &Forest, n_bytes| {
        let mut forest = forest.clone();
        forest.shrink_to_fit();
        (forest.heap_bytes() - n_bytes) / forest.len()
    };
    assert_eq!(overhead(&narrow, 4), overhead(&mixed, 4 + 16));
}

#[test]
fn transplanted_trees_are_those_that_were_planted() {
    let (mut planted, mut copied) = (Forest::new(2), Forest::new(2));
    let rows = [[[1, 2], [3, 400]], [[5, 6], [7, 8]]];
    for rows in rows {
        plant_pair(&mut planted, rows);
    }
    for tree in planted.iter() {
        copied.transplant(&tree, 1, 9).unwrap();
    }
    for (tree, copy) in planted.iter().zip(copied.iter()) {
        assert_eq!((copy.chosen(), copy.group()), (1, 9));
        assert_eq!(copy.first(), tree.first());
        assert!(copy.nodes().eq(tree.nodes()));
        assert_eq!(copy.column(1), tree.column(1));
    }
    let tree = planted.get(0).unwrap();
    let error = copied.transplant(&tree, 2, 0).unwrap_err();
    assert!(matches!(error, TreeError::ChosenOutOfRange { tree: 2, .. }));
    let error = Forest::new(3).transplant(&tree, 0, 0).unwrap_err();
    assert!(matches!(
        error,
        TreeError::RowCount {
            expected: 6,
            found: 4,
            ..
        }
    ));
    assert_eq!(copied.len(), 2);
}

#[test]
fn neither_threads_nor_memory_change_a_bit() {
    let fitted = |n_threads: usize, budget: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build()
            .unwrap();
        pool.install(|| {
            let trees = random_trees(3, 50, 3, budget);
            let model = SoftMinimax::new(&trees);
            let options = BfgsOptions {
                max_iterations: 5,
                ..BfgsOptions::default()
            };
            let fitted = model.fit(&model.starts(2, 1), &options).unwrap();
            (fitted, trees.counts().all_stored())
        })
    };
    let (all, all_stored) = fitted(1, usize::MAX);
    assert!(all_stored);
    for (n_threads, budget) in [(2, usize::MAX), (1, 0), (2, 20_000)] {
        let (other, other_stored) = fitted(n_threads, budget);
        assert_eq!(other_stored, budget == usize::MAX);
        assert_eq!(other, all);
    }
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
fn what_is_not_heeded_has_weight_zero() {
    let trees = random_trees(5, 4, 3, usize::MAX);
    let model = SoftMinimax::new(&trees);
    let some = model.heeding(&[2, 0]);
    let all = model.first_order(&[0.3, 0.0, -0.7]);
    let there = some.first_order(&[-0.7, 0.3]);
    assert_eq!(there.value, all.value);
    assert_eq!(
        there.gradient.as_slice(),
        [all.gradient[2], all.gradient[0]]
    );
    assert_eq!(
        some.heeding(&[1]).value(&[0.3]),
        model.value(&[0.3, 0.0, 0.0])
    );
    assert_eq!(
        some.log_likelihoods(&[-0.7, 0.3]),
        model.log_likelihoods(&[0.3, 0.0, -0.7])
    );
}

#[test]
fn an_interrupted_fit_goes_on_where_it_was() {
    for trees in trees_of_one_stage_and_two() {
        let model = SoftMinimax::new(&trees);
        let starts = model.starts(3, 1);
        let options = BfgsOptions::default();
        let whole = model.fit(&starts, &BfgsOptions::default()).unwrap();
        let mut known = Vec::new();
        let mut n_runs = 0;
        let resumed = loop {
            n_runs += 1;
            // Every run evaluates twice at most and remembers what was found.
            let (mut place, mut left) = (0, 2);
            let result = model.fit_with(&starts, &options, |probes| {
                if place == known.len() {
                    if left == 0 {
                        return Err(None);
                    }
                    left -= 1;
                    known.push(SoftMinimax::first_orders_of(probes));
                }
                place += 1;
                Ok::<_, Option<crate::FitError>>(known[place - 1].clone())
            });
            match result {
                Ok(fit) => break fit,
                Err(reason) => assert_eq!(reason, None),
            }
        };
        assert!(n_runs > 3);
        assert_eq!(resumed, whole);
    }
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
            plant_random(&mut forest, &mut rng, 3);
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
            let mut tree = forest.plant(Side::Minimizer, n_alternatives);
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

#[test]
fn a_gentle_slope_is_no_top() {
    // Decisions between 1 and 0; whoever always takes the larger has no largest weight.
    let fitted = |n_smaller: usize| {
        let trees = Trees::build(&[1.0], 10, usize::MAX, move |chunk, forest| {
            let mut tree = forest.plant(Side::Maximizer, 2);
            tree.leaf(&[1]);
            tree.leaf(&[0]);
            tree.finish(usize::from(chunk < n_smaller), 0)
        })
        .unwrap();
        let careless = BfgsOptions {
            tolerance: 1e-3,
            ..BfgsOptions::default()
        };
        let fit = SoftMinimax::new(&trees).fit(&[], &careless).unwrap();
        assert!(fit.starts.ends.iter().all(|end| end.stop.converged()));
        fit.fit
    };
    assert_eq!(fitted(0).stop, StopReason::Separated);
    let some = fitted(2);
    assert_eq!(some.stop, StopReason::Converged);
    assert!((some.weights[0] - 4f64.ln()).abs() < 1e-4, "{some:?}");
}
