//! Fitting the conditional logit model.
//!
//! The data are choices of a simulated one-ply player with two attributes, the size of material
//! and mobility. Every benchmark checks its answer.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use kibitz_stats::{ChoiceSets, ConditionalLogit, HillClimbOptions, NewtonOptions};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const TRUE_WEIGHTS: [f64; 2] = [0.5, 0.025];
const ALTERNATIVES: usize = 30;

/// `n_sets` choices among thirty alternatives, forty to a game.
fn simulate(n_sets: u32, seed: u64) -> ChoiceSets {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut builder = ChoiceSets::builder(2);
    for set in 0..n_sets {
        let base = rng.random_range(-20i16..20);
        let rows: Vec<i16> = (0..ALTERNATIVES)
            .flat_map(|_| {
                let capture = if rng.random_range(0..10) == 0 {
                    rng.random_range(1..9)
                } else {
                    0
                };
                [base + capture, rng.random_range(-30..30)]
            })
            .collect();
        let exps: Vec<f64> = rows
            .chunks_exact(2)
            .map(|row| {
                let [material, mobility] = TRUE_WEIGHTS;
                (material * f64::from(row[0] - base) + mobility * f64::from(row[1])).exp()
            })
            .collect();
        let mut left = rng.random::<f64>() * exps.iter().sum::<f64>();
        let chosen = exps.iter().position(|exp| {
            left -= exp;
            left < 0.0
        });
        builder
            .push_flat(set / 40, chosen.unwrap_or(ALTERNATIVES - 1), &rows)
            .expect("simulated sets are sound");
    }
    builder.build()
}

fn check(weights: &[f64], tolerance: f64) {
    for (weight, truth) in weights.iter().zip(TRUE_WEIGHTS) {
        assert!((weight - truth).abs() < tolerance * truth, "{weights:?}");
    }
}

fn single_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool of one thread")
        .install(work)
}

fn million(c: &mut Criterion) {
    let sets = simulate(1_000_000, 1);
    let model = ConditionalLogit::new(&sets);
    let newton = || {
        model
            .fit_newton(&[0.0; 2], &NewtonOptions::default())
            .expect("a sound start")
    };
    let mut group = c.benchmark_group("million sets of 30 alternatives");
    group.sample_size(10);
    group.bench_function("log-likelihood, one thread", |b| {
        single_thread(|| b.iter(|| model.log_likelihood(black_box(&TRUE_WEIGHTS))));
    });
    group.bench_function("newton, one thread", |b| {
        single_thread(|| b.iter(|| check(&newton().weights, 0.05)));
    });
    group.bench_function("newton, all threads", |b| {
        b.iter(|| check(&newton().weights, 0.05));
    });
    group.finish();
}

fn methods(c: &mut Criterion) {
    let sets = simulate(20_000, 2);
    let model = ConditionalLogit::new(&sets);
    let newton = model
        .fit_newton(&[0.0; 2], &NewtonOptions::default())
        .expect("a sound start");
    let hill_climb = model
        .fit_hill_climb(&[0.0; 2], &HillClimbOptions::default())
        .expect("a sound start");
    let mut group = c.benchmark_group("20000 sets of 30 alternatives");
    group.sample_size(10);
    group.bench_function(
        format!("newton, {} evaluations", newton.n_evaluations),
        |b| {
            b.iter(|| {
                let fit = model.fit_newton(black_box(&[0.0; 2]), &NewtonOptions::default());
                check(&fit.expect("a sound start").weights, 0.2);
            });
        },
    );
    group.bench_function(
        format!("hill climb, {} evaluations", hill_climb.n_evaluations),
        |b| {
            b.iter(|| {
                let fit = model.fit_hill_climb(black_box(&[0.0; 2]), &HillClimbOptions::default());
                check(&fit.expect("a sound start").weights, 0.2);
            });
        },
    );
    group.finish();
}

fn subsets(c: &mut Criterion) {
    let sets = simulate(20_000, 3);
    let half: Vec<u32> = sets
        .groups()
        .into_iter()
        .filter(|group| group % 2 == 0)
        .collect();
    c.bench_function("every second of 500 games, 20000 sets", |b| {
        b.iter_batched(
            || half.clone(),
            |half| assert_eq!(sets.by_groups(&half).len(), 10_000),
            BatchSize::SmallInput,
        );
    });
}

criterion_group!(benches, million, methods, subsets);
criterion_main!(benches);
