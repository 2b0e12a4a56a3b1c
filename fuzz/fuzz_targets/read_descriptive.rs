//! Any text can be read as games in descriptive notation.
#![no_main]

use kibitz_chute_library::descriptive::{read_library_game, read_moves};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = read_moves(text);
    let _ = read_library_game(text);
});
