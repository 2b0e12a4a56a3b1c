//! Whatever a chess program says, the engine answers each `go` by one `bestmove`.
#![no_main]

use kibitz_engine::{Session, Transcript};
use libfuzzer_sys::fuzz_target;

const COMMANDS: [&str; 11] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
];

/// The first word that is a command.
fn command(line: &str) -> Option<&str> {
    line.split_whitespace().find(|word| COMMANDS.contains(word))
}

fuzz_target!(|text: &str| {
    let said = Transcript::default();
    let mut session = Session::new(said.clone());
    let mut n_go = 0;
    for line in text.lines() {
        n_go += usize::from(command(line) == Some("go"));
        if session.obey(line).is_break() {
            break;
        }
    }
    // A search goes on until the next one begins, or here.
    let _ = session.obey("stop");
    session.finish();
    let text = said.text();
    let answers = text.lines().filter(|line| line.starts_with("bestmove "));
    assert_eq!(answers.count(), n_go, "{text}");
});
