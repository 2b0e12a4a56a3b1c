//! Any bytes can be read as a replay of each format; a mistake has a place in them, and the clicks of what
//! is read change its game.
#![no_main]

use kibitz_minesweeper::{Game, Replay, ReplayFormat};
use libfuzzer_sys::fuzz_target;

const FORMATS: [ReplayFormat; 4] = [
    ReplayFormat::Avf,
    ReplayFormat::Evf,
    ReplayFormat::Mvf,
    ReplayFormat::Rmv,
];

fuzz_target!(|bytes: &[u8]| {
    for format in FORMATS {
        match Replay::from_bytes(bytes, format) {
            Ok(replay) => {
                let mut game = Game::new(&replay.board);
                for (_, click) in replay.clicks() {
                    assert!(click.make(&mut game));
                }
            }
            Err(error) => assert!(error.byte <= bytes.len()),
        }
    }
});
