//! Maximum likelihood fits, in one stage and in two.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::super::fit::ascend_in_stages;
use super::super::*;
use super::{N, SCALES, push_random_tree, random_trees};
use crate::optimize::{Differentiable, FirstOrder, Objective, Probe, StopReason, hill_climb};
use crate::{BfgsOptions, DVector, Flaw, HillClimbOptions};

const TRUTH: [f64; N] = [0.4, -0.2, 1.5];

/// Choices of a soft-minimax player with known weights, each chunk a group.
fn played_trees() -> Trees {
    Trees::build(&SCALES, 40, usize::MAX, |chunk, forest| {
        let mut rng = ChaCha8Rng::seed_from_u64(chunk as u64);
        let mut draft = Forest::new(N);
        for _ in 0..12 {
            let mut replay = rng.clone();
            draft.clear();
            push_random_tree(&mut draft, &mut rng, 3);
            let tree = draft.get(0).expect("it was built");
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
            push_with_choice(forest, &mut replay, chosen.unwrap_or(0), group);
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
fn the_attribute_without_a_weight_is_named() {
    // One ply: the first attribute decides, the second never differs, the third is the chosen one's
    // alone.
    let build = |separates: bool| {
        Trees::build(&[1.0; 3], 30, usize::MAX, move |chunk, forest| {
            let mut tree = forest.begin_tree(Side::Maximizer, 2);
            let chosen = usize::from(chunk % 3 == 0);
            for alternative in 0..2 {
                let third = i16::from(separates && alternative == chosen);
                tree.leaf(&[i16::from(alternative == 0), 4, third]);
            }
            tree.finish(chosen, 0)
        })
        .unwrap()
    };
    let (constant, separated) = (build(false), build(true));
    let why = |model: &SoftMinimax<'_>| {
        let fit = model.fit(&[], &BfgsOptions::default()).unwrap().fit;
        model.no_maximum(&fit.weights, fit.stop).unwrap().flaws
    };
    let model = SoftMinimax::new(&constant).restricted_to(&[0, 1]);
    assert_eq!(why(&model), [Flaw::Constant { attribute: 1 }]);
    let model = SoftMinimax::new(&separated).restricted_to(&[0, 2]);
    let attributes = vec![1];
    assert_eq!(why(&model), [Flaw::Separating { attributes }]);
    let model = SoftMinimax::new(&constant).restricted_to(&[0]);
    let fit = model.fit(&[], &BfgsOptions::default()).unwrap().fit;
    assert_eq!(model.no_maximum(&fit.weights, fit.stop), None);
}

#[test]
fn scores_of_groups_sum_to_the_gradient() {
    let trees = played_trees();
    let model = SoftMinimax::new(&trees).by_groups(&[3, 5, 5, 8]);
    let weights = [0.3, -0.1, 1.0];
    let scores = model.group_scores(&weights);
    assert_eq!(scores.keys().copied().collect::<Vec<_>>(), [3, 5, 8]);
    let sum: DVector<f64> = scores.values().sum();
    assert!((sum - model.first_order(&weights).gradient).amax() < 1e-10);
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
        assert!(warm.n_evaluations <= 8, "{}", warm.n_evaluations);
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
        let likelihoods = [
            whole.clone(),
            whole.restricted_to(&[2]),
            whole.restricted_to(&[1, 0]),
        ];
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

/// Who chooses 0 against a minimizer's choice of 3 and -2 in three of four cases follows the
/// attribute, or its opposite: two maxima. One choice in six, of 1 against 0, tells them apart.
fn ambiguous_trees() -> Trees {
    Trees::build(&[1.0], 200, usize::MAX, |chunk, forest| {
        let mut rng = ChaCha8Rng::seed_from_u64(chunk as u64);
        for _ in 0..5 {
            let mut tree = forest.begin_tree(Side::Maximizer, 2);
            tree.leaf(&[0]);
            tree.inner(2);
            tree.leaf(&[3]);
            tree.leaf(&[-2]);
            let chosen = usize::from(rng.random_bool(0.25));
            tree.finish(chosen, u32::try_from(chunk).unwrap())?;
        }
        let mut tree = forest.begin_tree(Side::Maximizer, 2);
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
    let staged = ascend_in_stages(&[task], &options, &mut |probes| {
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
            let mut growing = forest.begin_tree(Side::Maximizer, 2);
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
    let staged = ascend_in_stages(&[task], &options, &mut told).unwrap();
    let weight = staged[0].best().unwrap().point[0];
    // 45 of 150 choices are of the second.
    assert!((weight - (105.0f64 / 45.0).ln()).abs() < 1e-8, "{weight}");
}

/// [`push_random_tree`] with another choice.
fn push_with_choice(forest: &mut Forest, rng: &mut ChaCha8Rng, chosen: usize, group: u32) {
    let mut draft = Forest::new(N);
    push_random_tree(&mut draft, rng, 3);
    let tree = draft.get(0).expect("it was built");
    forest.push_tree(&tree, chosen, group).unwrap();
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
            // Every run evaluates at most twice, and records the answers.
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
fn a_gentle_slope_is_no_top() {
    // Decisions between 1 and 0: a chooser who always takes the larger has no finite weight.
    let fitted = |n_smaller: usize| {
        let trees = Trees::build(&[1.0], 10, usize::MAX, move |chunk, forest| {
            let mut tree = forest.begin_tree(Side::Maximizer, 2);
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
