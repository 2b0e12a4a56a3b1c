//! Nodes per second of the tree searches, and the time of retrograde analysis.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kibitz_board::{CastlingMode, Chess, Endgame, fen::Fen};
use kibitz_search::{
    chute::{ChuteGame, Evaluation, Scoring},
    ctw::{Ctw, Style},
    fixed_depth::{AlphaBeta, Fanout, minimax},
    game::{Counts, never},
    mates::MateSolver,
    retrograde::{Tablebase, Value},
};

/// A middle game with 48 moves.
const MIDDLE_GAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn position(fen: &str) -> Chess {
    let fen: Fen = fen.parse().expect("a FEN");
    fen.into_position(CastlingMode::Standard)
        .expect("a legal position")
}

fn searches(criterion: &mut Criterion) {
    let game = ChuteGame::new(Evaluation {
        scoring: Scoring::Material(225.0),
        remembers_last_move: false,
        ..Evaluation::default()
    });
    let root = game.root(&position(MIDDLE_GAME));
    let whole = minimax(&game, &root, 2, &mut never).expect("there are moves");
    let mut group = criterion.benchmark_group("tree search");
    group.sample_size(10);

    group.throughput(Throughput::Elements(whole.counts.nodes()));
    group.bench_function("minimax, 2 plies, nodes", |bencher| {
        bencher.iter(|| {
            let found = minimax(&game, &root, 2, &mut never).expect("there are moves");
            assert_eq!(found, whole);
        });
    });
    for (name, fanout, depth) in [("full", Fanout::FULL, 2), ("7", "7".parse().expect("7"), 4)] {
        let search = || {
            AlphaBeta::new(&game)
                .with_fanout(fanout.clone())
                .search(&root, depth, &mut never)
                .expect("there are moves")
        };
        let expected = search();
        if fanout.is_full() {
            assert_eq!(expected.value.to_bits(), whole.value.to_bits());
        }
        group.throughput(Throughput::Elements(expected.counts.nodes()));
        let id = BenchmarkId::new(format!("alpha-beta, fanout {name}, plies"), depth);
        group.bench_function(id, |bencher| {
            bencher.iter(|| assert_eq!(search(), expected));
        });
    }
    let nodes = 2000;
    group.throughput(Throughput::Elements(nodes));
    group.bench_function("Closeness To Win, 2000 nodes", |bencher| {
        bencher.iter(|| {
            let mut stop = |counts: Counts| counts.nodes() >= nodes;
            let decision = Ctw::new(&game, Style::default())
                .choose(&root, &mut stop)
                .expect("there are moves");
            assert_eq!(decision.counts.work.nodes(), nodes);
        });
    });
    group.finish();
}

fn endgames(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("exhaustive");
    group.sample_size(10);
    for (name, longest) in [("KRvK", 31), ("KPvK", 55)] {
        let endgame: Endgame = name.parse().expect("an endgame");
        group.bench_function(BenchmarkId::new("retrograde analysis", name), |bencher| {
            bencher.iter(|| {
                let tables = Tablebase::new([endgame.clone()]);
                let table = tables.table(&endgame).expect("it was built");
                let plies = table.values().filter_map(|value| match value {
                    Value::Won(plies) => Some(plies),
                    _ => None,
                });
                assert_eq!(plies.max(), Some(longest));
            });
        });
    }
    let problem = position("8/7k/8/5K2/8/8/8/6R1 w - - 0 1");
    group.bench_function("mate in 3", |bencher| {
        bencher.iter(|| {
            let mate = MateSolver::default().solve(&problem, 3, &mut never);
            assert_eq!(mate.ok().flatten().map(|mate| mate.n_moves), Some(3));
        });
    });
    group.finish();
}

criterion_group!(benches, searches, endgames);
criterion_main!(benches);
