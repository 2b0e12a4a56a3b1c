//! Any bytes can be read as a compressed collection: frames of zstd, also skippable ones, members of gzip
//! and streams of bzip2. The games of a dump are those of its text, whatever it is compressed by.
#![no_main]

use std::io::{Cursor, Read as _};

use kibitz_board::Game;
use kibitz_board::open::Decompressor;
use kibitz_board::pgn::{Policy, read_games};
use libfuzzer_sys::fuzz_target;

/// Most text that is read: few bytes may stand for gigabytes.
const MOST: u64 = 1 << 20;

fn games(text: &[u8]) -> Vec<Game> {
    let games = read_games("fuzz", text, Policy::default());
    games.filter_map(Result::ok).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(reader) = Decompressor::new(Cursor::new(bytes)) else {
        return;
    };
    let mut text = Vec::new();
    // Frames that are damaged end in an error, and what was read before it is text.
    let is_whole = reader.take(MOST).read_to_end(&mut text).is_ok();
    let streamed = Decompressor::new(Cursor::new(bytes)).expect("it was read before");
    let streamed = read_games("fuzz", streamed.take(MOST), Policy::default());
    let streamed: Vec<Game> = streamed.filter_map(Result::ok).collect();
    if is_whole {
        assert_eq!(streamed, games(&text));
    }
});
