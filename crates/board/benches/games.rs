//! Games read and replayed per second.
//!
//! `KIBITZ_ARCHIVE` may name a collection, plain or compressed; without it the embedded games of
//! Kasparov are read.

use std::{env, hint::black_box, io::Read, path::PathBuf, time::Duration};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kibitz_board::{
    Position,
    open::open,
    pgn::{self, Policy},
};

/// The embedded collection, and its numbers of games and half-moves.
const EMBEDDED: (&str, u64, u64) = (
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/kasparov-games.pgn"),
    1030,
    77_854,
);

/// The archive that the embedded games are selected from: its numbers of games and half-moves.
const ARCHIVE: (u64, u64) = (145_716, 11_264_836);

/// Number of games, and of half-moves replayed.
fn replay(text: &[u8]) -> (u64, u64) {
    let (mut n_games, mut n_plies) = (0, 0);
    for game in pgn::read_games("bench", text, Policy::strict()) {
        let game = game.expect("the collection has no bad game");
        n_games += 1;
        for (position, m) in game.plies() {
            n_plies += 1;
            black_box((position.board().occupied(), m));
        }
    }
    (n_games, n_plies)
}

fn read_and_replay(c: &mut Criterion) {
    let path = env::var_os("KIBITZ_ARCHIVE").map(PathBuf::from);
    let is_archive = path.is_some();
    let mut text = Vec::new();
    let path = path.unwrap_or_else(|| PathBuf::from(EMBEDDED.0));
    open(&path)
        .expect("the collection can be opened")
        .read_to_end(&mut text)
        .expect("the collection can be read");
    let (n_games, n_plies) = replay(&text);
    if is_archive {
        assert_eq!((n_games, n_plies), ARCHIVE);
    } else {
        assert_eq!((n_games, n_plies), (EMBEDDED.1, EMBEDDED.2));
    }
    let mut group = c.benchmark_group("read_and_replay");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(10));
    group.throughput(Throughput::Elements(n_games));
    group.bench_function(format!("{n_games}_games"), |b| {
        b.iter(|| replay(black_box(&text)));
    });
    group.finish();
}

criterion_group!(benches, read_and_replay);
criterion_main!(benches);
