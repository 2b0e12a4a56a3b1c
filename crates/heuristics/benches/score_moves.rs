//! Scoring all legal moves of a position with all heuristics: positions per second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kibitz_board::{Chess, Position};
use kibitz_heuristics::chute::{Context, History, Parameters, score_moves};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const N_POSITIONS: usize = 1000;

/// Heuristics of the report, whose scores are known; others may have been added.
const N_REPORTED: usize = 22;

/// Positions of random games, every third ply, with their histories.
fn positions() -> Vec<(Chess, History)> {
    let mut rng = ChaCha8Rng::seed_from_u64(1975);
    let mut positions = Vec::with_capacity(N_POSITIONS);
    while positions.len() < N_POSITIONS {
        let (mut position, mut history) = (Chess::default(), History::default());
        for ply in 0..90 {
            let moves = position.legal_moves();
            if moves.is_empty() || positions.len() == N_POSITIONS {
                break;
            }
            if ply % 3 == 0 {
                positions.push((position.clone(), history));
            }
            let m = moves[rng.random_range(0..moves.len())];
            position.play_unchecked(m);
            history = history.after(m);
        }
    }
    positions
}

/// Number of moves scored and the sum of their scores.
fn score_all(positions: &[(Chess, History)]) -> (usize, f64) {
    let parameters = Parameters::PUBLISHED;
    let mut n_moves = 0;
    let mut sum = 0.0;
    for (position, history) in positions {
        for scored in score_moves(&Context::with(position, *history, &parameters)) {
            n_moves += 1;
            sum += scored.scores[..N_REPORTED].iter().sum::<f64>();
        }
    }
    (n_moves, sum)
}

fn score_moves_of_positions(criterion: &mut Criterion) {
    let positions = positions();
    let (n_moves, sum) = score_all(&positions);
    assert_eq!(
        (n_moves, sum.to_string().as_str()),
        (31886, "-24712343.125"),
        "the scores have changed"
    );
    let mut group = criterion.benchmark_group("chute");
    group.throughput(Throughput::Elements(N_POSITIONS as u64));
    group.bench_function("score_moves_1000_positions", |bencher| {
        bencher.iter(|| score_all(&positions));
    });
    group.finish();
}

criterion_group!(benches, score_moves_of_positions);
criterion_main!(benches);
