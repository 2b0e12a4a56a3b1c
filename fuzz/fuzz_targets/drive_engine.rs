//! Whatever a chess program says, the engine answers; it looks two plies ahead at most.
#![no_main]

use kibitz_engine::{Session, Transcript};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let said = Transcript::default();
    let mut session = Session::new(said.clone());
    for line in text.lines() {
        let line = if line.contains("go") {
            "go depth 2 nodes 300"
        } else {
            line
        };
        if session.obey(line).is_break() {
            break;
        }
        session.finish();
    }
    drop(said.text());
});
