//! Any bytes can be read as a collection, and the games found are written and read back the same.
#![no_main]

use kibitz_board::pgn::{Policy, read_games, write_games};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let games: Vec<_> = read_games("fuzz", bytes, Policy::default())
        .filter_map(Result::ok)
        .collect();
    let mut written = Vec::new();
    write_games(&mut written, &games).expect("memory takes everything");
    let reread: Vec<_> = read_games("written", written.as_slice(), Policy::strict())
        .filter_map(Result::ok)
        .collect();
    assert_eq!(games, reread);
});
