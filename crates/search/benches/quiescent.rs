//! Quiescent trees: building them, and the gradient over stored trees against a recursion that
//! plays out the positions again, which is why the paper stored its trees.

#[path = "../tests/recursion/mod.rs"]
mod recursion;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kibitz_board::{Chess, Color, Position, pgn};
use kibitz_heuristics::attributes::{Attribute, AttributeSet};
use kibitz_search::{
    quiescent::{Decision, Quiescent, TreeRules, WeightedQuiescent},
    self_play::{EndPolicy, play},
};
use kibitz_stats::BfgsOptions;
use kibitz_stats::optimize::Differentiable;
use kibitz_stats::soft_minimax::{Forest, SoftMinimax};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use rayon::{ThreadPool, ThreadPoolBuilder};
use recursion::{N, Recursion};

/// Near what is fitted to masters' games.
const WEIGHTS: [f64; N] = [1.2, 0.04, 0.1, 1.4];

fn model() -> Quiescent {
    Quiescent::new(AttributeSet::new(Attribute::PAPER), TreeRules::default())
}

/// Decisions of a game of the four-ply player against itself.
fn decisions(n: u32) -> Vec<Decision> {
    let mut player = WeightedQuiescent::new(model(), &WEIGHTS);
    let policy = EndPolicy {
        max_plies: Some(n),
        ..EndPolicy::default()
    };
    let mut rng = ChaCha8Rng::seed_from_u64(2000);
    let mut position = Chess::default();
    let game = play(&mut player, &position, &policy, &mut rng);
    let mut decisions = Vec::new();
    for played in game.moves {
        decisions.push(Decision {
            position: position.clone(),
            played,
            group: 0,
        });
        position.play_unchecked(played);
    }
    assert!(decisions.len() >= 40, "the game is long enough");
    decisions
}

fn pool(n_threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .expect("threads can be started")
}

/// Log-likelihood and gradient, every position played out again.
fn recomputed(decisions: &[Decision]) -> (f64, [f64; N]) {
    let recursion = Recursion::new(WEIGHTS);
    let mut value = 0.0;
    let mut gradient = [0.0; N];
    for decision in decisions {
        let term = recursion.log_likelihood(decision);
        value += term.value;
        for (total, slope) in gradient.iter_mut().zip(term.slopes) {
            *total += slope;
        }
    }
    (value, gradient)
}

/// The eleven games of Table 4 by their keys.
const ELEVEN: [&str; 11] = [
    "58052476991284e2",
    "f2aa61ba2e886b6c",
    "19a8e9805bb16adf",
    "31032e2bff574ab3",
    "827c8f9307aa2a70",
    "96e95e6d8eee6416",
    "7f73b541101a1fb3",
    "25fd9946241fbaec",
    "965974b45cafbd74",
    "d9f1305f8268730d",
    "329907d5dc0f511c",
];

/// Fischer's decisions in the eleven games.
fn eleven_games() -> Vec<Decision> {
    let bytes = &include_bytes!("../../../data/fischer-games.pgn")[..];
    let mut decisions = Vec::new();
    for (group, game) in (0..).zip(pgn::read_games("games", bytes, pgn::Policy::strict())) {
        let game = game.expect("the collection is clean");
        if !ELEVEN.contains(&game.key().to_string().as_str()) {
            continue;
        }
        let is_white = game.tags().white.starts_with("Fischer");
        let color = Color::from_white(is_white);
        decisions.extend(game.plies_of(color).map(|(position, played)| Decision {
            position,
            played,
            group,
        }));
    }
    decisions
}

/// Trees and weights of the eleven games, from eight starts, on one thread.
fn eleven(criterion: &mut Criterion) {
    let model = model();
    let decisions = eleven_games();
    let mut group = criterion.benchmark_group("eleven games");
    group.sample_size(10);
    group.bench_function("trees and fit, 8 starts, 1 thread", |bencher| {
        pool(1).install(|| {
            bencher.iter(|| {
                let trees = model
                    .trees(decisions.as_slice(), usize::MAX)
                    .expect("the moves are legal");
                let likelihood = SoftMinimax::new(&trees);
                let fit = likelihood.fit(&likelihood.starts(8, 1), &BfgsOptions::default());
                assert!(fit.expect("there are decisions").fit.converged());
            });
        });
    });
    group.finish();
}

fn quiescent(criterion: &mut Criterion) {
    let model = model();
    let decisions = decisions(200);
    let trees = model
        .trees(decisions.as_slice(), usize::MAX)
        .expect("the moves are legal");
    let likelihood = SoftMinimax::new(&trees);
    let counts = trees.counts();
    assert!(counts.all_stored());
    let size = format!(
        "{} trees, {:.0} nodes and {:.0} bytes each",
        counts.n_trees,
        counts.mean_nodes(),
        counts.mean_bytes()
    );

    // Both ways must agree before anything is timed.
    let some = &decisions[..40];
    let some_trees = model.trees(some, 0).expect("the moves are legal");
    let (value, gradient) = recomputed(some);
    let found = SoftMinimax::new(&some_trees).first_order(&WEIGHTS);
    assert!((found.value - value).abs() < 1e-9 * value.abs());
    for (found, expected) in found.gradient.iter().zip(gradient) {
        assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()));
    }

    let mut group = criterion.benchmark_group("build trees");
    group.sample_size(10);
    group.throughput(Throughput::Elements(counts.n_trees as u64));
    let mut forest = Forest::new(N);
    group.bench_function(&size, |bencher| {
        bencher.iter(|| {
            forest.clear();
            for decision in &decisions {
                model
                    .add_tree(&decision.position, 0, 0, &mut forest)
                    .expect("there is a move");
            }
            assert_eq!(forest.n_nodes(), counts.n_nodes);
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("likelihood and gradient");
    group.sample_size(10);
    group.throughput(Throughput::Elements(counts.n_trees as u64));
    for n_threads in [1, 2] {
        let pool = pool(n_threads);
        let id = BenchmarkId::new("stored trees, threads", n_threads);
        group.bench_function(id, |bencher| {
            pool.install(|| bencher.iter(|| black_box(likelihood.first_order(&WEIGHTS))));
        });
    }
    let around = |index: usize| WEIGHTS.map(|weight| weight * (1.0 + 0.01 * index as f64));
    for n_points in [1, 4, 8] {
        let points: Vec<Vec<f64>> = (0..n_points).map(|index| around(index).to_vec()).collect();
        let id = BenchmarkId::new("stored trees, 1 thread, points", n_points);
        let pool = pool(1);
        group.bench_function(id, |bencher| {
            pool.install(|| bencher.iter(|| black_box(likelihood.first_orders(&points))));
        });
    }
    let rebuilt = model
        .trees(decisions.as_slice(), 0)
        .expect("the moves are legal");
    let rebuilt = SoftMinimax::new(&rebuilt);
    for n_threads in [1, 2] {
        let pool = pool(n_threads);
        let id = BenchmarkId::new("trees rebuilt in every pass, threads", n_threads);
        group.bench_function(id, |bencher| {
            pool.install(|| bencher.iter(|| black_box(rebuilt.first_order(&WEIGHTS))));
        });
    }
    group.bench_function("recursion over positions", |bencher| {
        bencher.iter(|| black_box(recomputed(&decisions)));
    });
    group.finish();
}

criterion_group!(benches, quiescent, eleven);
criterion_main!(benches);
