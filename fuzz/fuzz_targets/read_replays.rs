//! Any bytes can be read as a replay of each format, and as a set of them; a mistake has a place in them, and the clicks of what
//! is read change its game.
#![no_main]

use kibitz_minesweeper::{Game, Replay, ReplayError, ReplayFormat, read_set};
use libfuzzer_sys::fuzz_target;

const FORMATS: [ReplayFormat; 4] = [
    ReplayFormat::Avf,
    ReplayFormat::Evf,
    ReplayFormat::Mvf,
    ReplayFormat::Rmv,
];

/// Makes the clicks of what is read.
fn answer(replay: Result<Replay, ReplayError>, n_bytes: usize) {
    match replay {
        Ok(replay) => {
            let mut game = Game::new(&replay.board);
            for (_, click) in replay.clicks() {
                assert!(click.make(&mut game));
            }
        }
        Err(error) => assert!(error.byte <= n_bytes),
    }
}

fuzz_target!(|bytes: &[u8]| {
    for format in FORMATS {
        answer(Replay::from_bytes(bytes, format), bytes.len());
    }
    match read_set(bytes) {
        Ok(set) => {
            for one in set {
                answer(one.replay, bytes.len());
            }
        }
        Err(error) => assert!(error.byte <= bytes.len()),
    }
});
