//! Whole games of the players, and the probabilities of single positions.
//!
//! Sizes are in the names; every benchmark also asserts its answer.

#![allow(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kibitz_minesweeper::{Action, Game, Knowledge, Level, PlayerName, Series, Solver};

fn games(c: &mut Criterion) {
    let players = [
        (PlayerName::Rules, "8x8/10"),
        (PlayerName::Pgms, "8x8/10"),
        (PlayerName::Exact, "8x8/10"),
        (PlayerName::LookAhead, "8x8/10"),
        (PlayerName::Exact, "30x16/99"),
        (PlayerName::LookAhead, "30x16/99"),
    ];
    let mut group = c.benchmark_group("100 games");
    group.sample_size(10);
    for (name, level) in players {
        let level: Level = level.parse().expect("a level");
        let series = Series::new(&level, [1; 32]);
        let mut player = name.player();
        let mut play = || {
            let outcomes = (0..100).map(|number| series.play(number, player.as_mut(), |_, _| ()));
            let won = outcomes.filter(|outcome| outcome.is_ok_and(|outcome| outcome.is_won));
            won.count()
        };
        let n_won = play();
        group.bench_function(format!("{name}, {level}"), |b| {
            b.iter(|| assert_eq!(play(), n_won));
        });
    }
    group.finish();
}

/// A position with every other tile of every other row uncovered: one large constraint component.
fn tangled(level: &str) -> Knowledge {
    let level: Level = level.parse().expect("a level");
    let board = Series::new(&level, [1; 32])
        .board(0, 0)
        .expect("there is room");
    let mut game = Game::new(&board).without_cascade();
    let grid = board.grid();
    for tile in 0..grid.n_tiles() {
        let (row, column) = grid.row_and_column(tile);
        if (row % 2, column % 2) == (0, 0) && !board.is_mine(tile) {
            game.act(Action::Uncover(tile));
        }
    }
    game.knowledge().clone()
}

fn probabilities(c: &mut Criterion) {
    for level in ["8x8/10", "16x9/25"] {
        let knowledge = tangled(level);
        let mut solver = Solver::new();
        let ln = solver
            .solve(&knowledge)
            .expect("it is possible")
            .ln_arrangements();
        c.bench_function(&format!("probabilities, tangled {level}"), |b| {
            b.iter(|| {
                let found = solver.solve(black_box(&knowledge)).expect("it is possible");
                assert!((found.ln_arrangements() - ln).abs() < 1e-9);
            });
        });
    }
}

criterion_group!(benches, games, probabilities);
criterion_main!(benches);
