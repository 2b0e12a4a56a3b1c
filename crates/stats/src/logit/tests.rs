mod laws;

use super::*;
use crate::inference::{Bootstrap, BootstrapOptions, bootstrap_groups};
use crate::optimize::{BfgsOptions, HillClimbOptions, NewtonOptions, StopReason};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn sets(scales: &[f64], data: &[(usize, &[i16])]) -> ChoiceSets {
    let mut builder = ChoiceSets::scaled_builder(scales).unwrap();
    for (group, &(chosen, rows)) in (0..).zip(data) {
        builder.push_flat(group, chosen, rows).unwrap();
    }
    builder.build()
}

fn in_pool<T: Send>(n_threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .unwrap()
        .install(work)
}

/// Choices of a simulated player with the given weights, one per attribute; ten to a group.
///
/// Attribute values run from `-reach` to `reach`.
fn simulate(weights: &[f64], reach: &[i16], n_sets: u32, seed: u64) -> ChoiceSets {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut builder = ChoiceSets::builder(weights.len());
    for set in 0..n_sets {
        let rows: Vec<i16> = (0..rng.random_range(2..40))
            .flat_map(|_| {
                reach
                    .iter()
                    .map(|&r| rng.random_range(-r..=r))
                    .collect::<Vec<_>>()
            })
            .collect();
        let exps: Vec<f64> = rows
            .chunks_exact(weights.len())
            .map(|row| {
                row.iter()
                    .zip(weights)
                    .map(|(&x, w)| f64::from(x) * w)
                    .sum::<f64>()
                    .exp()
            })
            .collect();
        let mut left = rng.random::<f64>() * exps.iter().sum::<f64>();
        let chosen = exps.iter().position(|exp| {
            left -= exp;
            left < 0.0
        });
        builder
            .push_flat(set / 10, chosen.unwrap_or(exps.len() - 1), &rows)
            .unwrap();
    }
    builder.build()
}

/// Fits to resampled groups; those without a single maximum fail.
fn bootstrap(data: &ChoiceSets, start: &[f64], options: BootstrapOptions) -> Bootstrap {
    bootstrap_groups(&data.groups(), options, |sample| {
        let resampled = data.by_groups(sample);
        let fit = ConditionalLogit::new(&resampled)
            .fit_newton(start, &NewtonOptions::default())
            .ok()?;
        fit.converged().then_some(fit.weights)
    })
    .unwrap()
}

fn newton(data: &ChoiceSets) -> Fit {
    ConditionalLogit::new(data).fit().unwrap()
}

#[test]
fn one_attribute_by_hand() {
    // Odds of 3 to 1 need the weight ln 3; the information is 4 p (1 - p) = 3/4.
    let data = sets(
        &[1.0],
        &[(0, &[1, 0]), (0, &[1, 0]), (0, &[1, 0]), (1, &[1, 0])],
    );
    let fit = newton(&data);
    assert_eq!(fit.stop, StopReason::Converged);
    assert!((fit.weights[0] - 3f64.ln()).abs() < 1e-14);
    assert!((fit.std_errors.unwrap()[0] - (4.0f64 / 3.0).sqrt()).abs() < 1e-12);
    assert!((fit.log_likelihood - (3.0 * 0.75f64.ln() + 0.25f64.ln())).abs() < 1e-14);
}

#[test]
fn derivatives_by_hand() {
    // At weight ln 2 the alternatives 0, 1, 2 have probabilities 1/7, 2/7, 4/7: mean 10/7, mean
    // square 18/7. The second alternative was chosen.
    let data = sets(&[1.0], &[(1, &[0, 1, 2])]);
    let at = ConditionalLogit::new(&data).second_order(&[2f64.ln()]);
    assert!((at.value - (2.0f64 / 7.0).ln()).abs() < 1e-15);
    assert!((at.gradient[0] - (1.0 - 10.0 / 7.0)).abs() < 1e-15);
    assert!((at.hessian[(0, 0)] + 18.0 / 7.0 - 100.0 / 49.0).abs() < 1e-15);
}

#[test]
fn bits_by_hand() {
    let data = sets(&[1.0], &[(0, &[3, 1, 0, 0]), (1, &[0, 0]), (0, &[9])]);
    let model = ConditionalLogit::new(&data);
    assert_eq!(model.uniform_bits(), 3.0);
    assert!((model.bits(&[0.0]) - 3.0).abs() < 1e-15);
    // 8 of 8 + 2 + 1 + 1, and one of two.
    let bits = (12.0f64 / 8.0).log2() + 1.0;
    assert!((model.bits(&[2f64.ln()]) - bits).abs() < 1e-15);
    assert!((model.compression_percent(&[2f64.ln()]) - 100.0 * bits / 3.0).abs() < 1e-12);
    let probabilities = model.probabilities(&[2f64.ln()], 0).unwrap();
    for (found, expected) in probabilities.iter().zip([8.0, 2.0, 1.0, 1.0]) {
        assert!((found - expected / 12.0).abs() < 1e-15);
    }
    assert_eq!(model.probabilities(&[0.0], 3), None);
}

#[test]
fn huge_weights_neither_overflow_nor_lose_the_sum() {
    let data = sets(&[1.0], &[(0, &[32767, -32768, 0]), (1, &[32767, -32768])]);
    let model = ConditionalLogit::new(&data);
    let at = model.second_order(&[1e6]);
    assert_eq!(at.value, -65535.0 * 1e6);
    assert!(at.gradient[0].is_finite() && at.hessian[(0, 0)].is_finite());
    assert_eq!(model.probabilities(&[1e6], 0).unwrap(), [1.0, 0.0, 0.0]);
}

#[test]
fn scales_are_units() {
    let tenths = sets(&[0.1, 2.0], &[(0, &[10, 1, 0, 3]), (1, &[10, 1, 5, 3])]);
    let mut builder = ChoiceSets::builder(2);
    for (chosen, rows) in [(0, [[1.0, 2.0], [0.0, 6.0]]), (1, [[1.0, 2.0], [0.5, 6.0]])] {
        builder.push(0, chosen, rows).unwrap();
    }
    let reals = builder.build();
    let weights = [0.7, -0.3];
    let left = ConditionalLogit::new(&tenths).second_order(&weights);
    let right = ConditionalLogit::new(&reals).second_order(&weights);
    assert!((left.value - right.value).abs() < 1e-15);
    assert!((left.gradient - right.gradient).amax() < 1e-15);
    assert!((left.hessian - right.hessian).amax() < 1e-14);
}

#[test]
fn attributes_too_large_to_calculate_with_are_refused() {
    let mut builder = ChoiceSets::scaled_builder(&[1e300]).unwrap();
    for (group, chosen) in [(0, 0), (1, 1), (2, 0)] {
        builder.push_flat(group, chosen, &[3i16, -4, 2]).unwrap();
    }
    let sets = builder.build();
    let fit = ConditionalLogit::new(&sets).fit_newton(&[1.0], &NewtonOptions::default());
    assert_eq!(fit.unwrap_err(), FitError::Overflow);
}

#[test]
fn separated_choices_have_no_maximum() {
    let hopeless: [&[(usize, &[i16])]; 4] = [
        // The largest is always chosen.
        &[(0, &[1, 0]), (0, &[5, 0, 2])],
        // The same with ties, which say nothing.
        &[(0, &[1, 0, 1]), (0, &[3, 3])],
        // The smallest is always chosen, by a thousand.
        &[(1, &[1000, 0])],
        // By little in one set, by much in the other.
        &[(0, &[1, 0]), (0, &[30000, 0])],
    ];
    for data in hopeless {
        let data = sets(&[1.0], data);
        let model = ConditionalLogit::new(&data);
        let fits = [
            model.fit_newton(&[0.0], &NewtonOptions::default()).unwrap(),
            model.fit_newton(&[0.7], &NewtonOptions::default()).unwrap(),
            model
                .fit_hill_climb(&[0.0], &HillClimbOptions::default())
                .unwrap(),
            model.fit_bfgs(&[0.0], &BfgsOptions::default()).unwrap(),
        ];
        for fit in fits {
            assert_eq!(
                (fit.stop, &fit.std_errors),
                (StopReason::Separated, &None),
                "{fit:?}"
            );
            assert!(
                fit.weights[0].is_finite() && fit.n_evaluations < 300,
                "{fit:?}"
            );
        }
    }
}

#[test]
fn separation_is_seen_among_attributes_that_do_not_separate() {
    // The second attribute is higher for every choice of the last two sets and equal elsewhere;
    // the first attribute alone has a maximum.
    let mut builder = ChoiceSets::builder(2);
    for chosen in [0, 0, 1].repeat(1000) {
        builder.push_flat(0, chosen, &[1, 0, 0, 0]).unwrap();
    }
    builder.push_flat(0, 0, &[0, 1, 0, 0]).unwrap();
    builder.push_flat(0, 0, &[0, 2, 1, 0]).unwrap();
    let data = builder.build();
    let model = ConditionalLogit::new(&data);
    assert_eq!(newton(&data).stop, StopReason::Separated);
    let start = [0.0; 2];
    let climbed = model
        .fit_hill_climb(&start, &HillClimbOptions::default())
        .unwrap();
    assert_eq!(climbed.stop, StopReason::Separated);
    let bfgs = model.fit_bfgs(&start, &BfgsOptions::default()).unwrap();
    assert_eq!(bfgs.stop, StopReason::Separated);
}

#[test]
fn a_single_exception_among_many_is_no_separation() {
    // Odds of 20000 to 1.
    let mut builder = ChoiceSets::builder(1);
    for set in 0..=20_000 {
        builder
            .push_flat(0, usize::from(set == 0), &[1, 0])
            .unwrap();
    }
    let data = builder.build();
    let fit = newton(&data);
    assert_eq!(fit.stop, StopReason::Converged);
    assert!((fit.weights[0] - 2e4f64.ln()).abs() < 1e-9, "{fit:?}");
    let model = ConditionalLogit::new(&data);
    let climbed = model
        .fit_hill_climb(&[0.0], &HillClimbOptions::default())
        .unwrap();
    assert_eq!(climbed.stop, StopReason::Converged);
    assert!((climbed.weights[0] - fit.weights[0]).abs() < 1e-5);
}

#[test]
fn collinear_and_constant_attributes_are_not_identified() {
    let together = sets(
        &[1.0; 2],
        &[(0, &[1, 2, 0, 0]), (1, &[1, 2, 0, 0]), (0, &[2, 4, 0, 0])],
    );
    let constant = sets(&[1.0; 2], &[(0, &[1, 7, 0, 7]), (1, &[1, 3, 0, 3])]);
    let alone = sets(&[1.0; 2], &[(0, &[1, 7])]);
    for data in [together, constant, alone] {
        let model = ConditionalLogit::new(&data);
        for fit in [
            newton(&data),
            model
                .fit_hill_climb(&[0.0; 2], &HillClimbOptions::default())
                .unwrap(),
            model.fit_bfgs(&[0.0; 2], &BfgsOptions::default()).unwrap(),
        ] {
            assert_eq!(
                (fit.stop, fit.std_errors),
                (StopReason::NotIdentified, None)
            );
        }
    }
}

#[test]
fn invalid_fits_are_refused() {
    let data = sets(&[1.0], &[(0, &[1, 0])]);
    let model = ConditionalLogit::new(&data);
    let message = |model: &ConditionalLogit<'_>, start: &[f64]| {
        model
            .fit_newton(start, &NewtonOptions::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message(&model, &[0.0; 2]),
        "2 starting weights given for 1 attributes"
    );
    assert_eq!(
        message(&model, &[f64::NAN]),
        "starting weight 0 is NaN, not a finite number"
    );
    let empty = data.by_groups(&[]);
    let model = ConditionalLogit::new(&empty);
    assert_eq!(message(&model, &[0.0]), "no choice sets to fit");
    assert_eq!((model.bits(&[1.0]), model.uniform_bits()), (0.0, 0.0));
    assert!(model.compression_percent(&[1.0]).is_nan());
}

#[test]
fn every_method_finds_the_same_weights() {
    let data = simulate(&[0.8, -0.03, 0.2], &[4, 30, 6], 2000, 11);
    let model = ConditionalLogit::new(&data);
    let exact = newton(&data);
    let climbed = model
        .fit_hill_climb(&[0.0; 3], &HillClimbOptions::default())
        .unwrap();
    let bfgs = model.fit_bfgs(&[0.0; 3], &BfgsOptions::default()).unwrap();
    let far = model
        .fit_newton(&[5.0, 1.0, -3.0], &NewtonOptions::default())
        .unwrap();
    for fit in [&climbed, &bfgs, &far] {
        assert_eq!(fit.stop, StopReason::Converged);
        for (weight, expected) in fit.weights.iter().zip(&exact.weights) {
            assert!((weight - expected).abs() < 1e-6, "{fit:?} {exact:?}");
        }
        for (error, expected) in fit
            .std_errors
            .as_ref()
            .unwrap()
            .iter()
            .zip(exact.std_errors.as_ref().unwrap())
        {
            assert!((error / expected - 1.0).abs() < 1e-6);
        }
    }
    assert!(exact.n_evaluations < 10 && climbed.n_evaluations > 5 * exact.n_evaluations);
}

#[test]
fn known_weights_are_recovered() {
    let truth = [1.5, 0.02, -0.3];
    for seed in 0..5 {
        let fit = newton(&simulate(&truth, &[3, 25, 5], 4000, seed));
        for ((weight, truth), error) in fit.weights.iter().zip(truth).zip(fit.std_errors.unwrap()) {
            assert!(
                (weight - truth).abs() < 4.0 * error,
                "{weight} {truth} {error}"
            );
            assert!(error < 0.1);
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    // Several chunks, the last one short.
    let data = simulate(&[0.5, 0.05], &[5, 20], 9000, 3);
    let run = |n_threads| {
        in_pool(n_threads, || {
            let model = ConditionalLogit::new(&data);
            let options = BootstrapOptions {
                n_replicates: 20,
                seed: 5,
            };
            let fit = newton(&data);
            let boot = bootstrap(&data, &fit.weights, options);
            (fit, boot, model.second_order(&[0.3, -0.2]))
        })
    };
    assert_eq!(run(1), run(4));
}

#[test]
fn the_bootstrap_agrees_with_the_observed_information() {
    let data = simulate(&[0.5, 0.05], &[5, 20], 1500, 8);
    let fit = newton(&data);
    let options = BootstrapOptions {
        n_replicates: 400,
        seed: 1,
    };
    let boot = bootstrap(&data, &fit.weights, options);
    assert_eq!(boot.n_lost, 0);
    // Four standard errors of a standard deviation from 400 draws are 14%.
    for (resampled, observed) in boot
        .std_errors()
        .unwrap()
        .iter()
        .zip(fit.std_errors.unwrap())
    {
        assert!(
            (resampled / observed - 1.0).abs() < 0.2,
            "{resampled} {observed}"
        );
    }
}

#[test]
fn a_group_drawn_twice_counts_as_two() {
    let data = simulate(&[0.5, 0.05], &[5, 20], 100, 4);
    let once = ConditionalLogit::new(&data);
    let groups = data.groups();
    let doubled = data.by_groups(&[groups.clone(), groups].concat());
    let twice = ConditionalLogit::new(&doubled);
    let (one, two) = (
        once.second_order(&[0.2, 0.1]),
        twice.second_order(&[0.2, 0.1]),
    );
    assert!((2.0 * one.value - two.value).abs() < 1e-11);
    assert!((2.0 * one.gradient - two.gradient).amax() < 1e-10);
    assert!((2.0 * one.hessian - two.hessian).amax() < 1e-9);
    assert_eq!(2.0 * once.uniform_bits(), twice.uniform_bits());
}
