//! One-ply choice sets against the straightforward way, and against bare move generation.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kibitz_board::{ByColor, Chess, Position, legal_move_counts};
use kibitz_heuristics::attributes::{Attribute, AttributeSet, PieceValues, material_balance};
use kibitz_search::{
    one_ply::{OnePly, WeightedOnePly},
    self_play::{EndPolicy, play},
};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

fn attributes() -> AttributeSet {
    AttributeSet::new(Attribute::SIMPLE)
}

/// Positions of games of the one-ply player against itself, openings to endgames.
fn positions(at_least: usize) -> Vec<Chess> {
    let mut player = WeightedOnePly::new(OnePly::new(attributes()), vec![1.0, 0.05]);
    let mut rng = ChaCha8Rng::seed_from_u64(2000);
    let mut positions = Vec::with_capacity(at_least);
    while positions.len() < at_least {
        let mut position = Chess::default();
        for played in play(
            &mut player,
            &position.clone(),
            &EndPolicy::default(),
            &mut rng,
        )
        .moves
        {
            positions.push(position.clone());
            position.play_unchecked(played);
        }
    }
    positions.truncate(at_least);
    positions
}

/// Both sides' legal moves, listed. A side whose null move gives an illegal position (it gives check)
/// is counted separately, since it cannot be listed.
fn listed_counts(position: &Chess) -> ByColor<usize> {
    let turn = position.turn();
    let to_move = position.legal_moves().len();
    let other = match position.clone().swap_turn() {
        Ok(other) => other.legal_moves().len(),
        Err(_) => legal_move_counts(position)[!turn] as usize,
    };
    turn.fold_wb(
        ByColor {
            white: to_move,
            black: other,
        },
        ByColor {
            white: other,
            black: to_move,
        },
    )
}

fn straightforward(position: &Chess, rows: &mut Vec<i16>) {
    let player = position.turn();
    for played in position.legal_moves() {
        let mut after = position.clone();
        after.play_unchecked(played);
        let counts = listed_counts(&after);
        let count = |color| i16::try_from(counts[color]).expect("a side has at most 218 moves");
        rows.push(material_balance(after.board(), player));
        rows.push(count(player) - count(!player));
    }
}

fn one_ply(criterion: &mut Criterion) {
    let model = OnePly::new(attributes());
    // A million positions must agree before anything is timed.
    for position in positions(1_000_000) {
        let (mut fast, mut slow) = (Vec::new(), Vec::new());
        model.extend_rows(&position, &position.legal_moves(), &mut fast);
        straightforward(&position, &mut slow);
        assert_eq!(fast, slow);
        let gain = PieceValues::gain(position.legal_moves().first().copied().expect("not over"));
        assert_eq!(
            fast[0],
            material_balance(position.board(), position.turn()) + gain
        );
    }

    let sample = positions(10_000);
    let mut group = criterion.benchmark_group("one-ply choice sets, 10000 positions");
    group.throughput(Throughput::Elements(sample.len() as u64));
    group.sample_size(20);
    group.bench_function("list legal moves only", |bencher| {
        bencher.iter(|| {
            sample
                .iter()
                .map(|position| position.legal_moves().len())
                .sum::<usize>()
        });
    });
    let mut rows = Vec::new();
    group.bench_function("material and mobility", |bencher| {
        bencher.iter(|| {
            for position in &sample {
                rows.clear();
                model.extend_rows(position, &position.legal_moves(), &mut rows);
                black_box(&rows);
            }
        });
    });
    let all = OnePly::new(AttributeSet::new(Attribute::PAPER));
    group.bench_function("all four attributes", |bencher| {
        bencher.iter(|| {
            for position in &sample {
                rows.clear();
                all.extend_rows(position, &position.legal_moves(), &mut rows);
                black_box(&rows);
            }
        });
    });
    group.bench_function("material and mobility, straightforward", |bencher| {
        bencher.iter(|| {
            for position in &sample {
                rows.clear();
                straightforward(position, &mut rows);
                black_box(&rows);
            }
        });
    });
    group.finish();
}

criterion_group!(benches, one_ply);
criterion_main!(benches);
