//! Every `go` is answered by one `bestmove`, whatever it says and whatever comes around it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use kibitz_engine::{Session, Transcript};
use proptest::prelude::*;

/// Words behind `go`: arguments with and without sense, numbers of all kinds, moves, and junk.
const WORDS: [&str; 36] = [
    "go",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "movestogo",
    "wtime",
    "btime",
    "winc",
    "binc",
    "searchmoves",
    "ponder",
    "infinite",
    "perft",
    "abc",
    "dépth",
    "-5",
    "-0",
    "+3",
    "0",
    "1",
    "2",
    "7",
    "300",
    "4294967296",
    "99999999999999999999",
    "1e3",
    "3.5",
    "e2e4",
    "e7e5",
    "e2e5",
    "0000",
    "a7a8q",
    "e1g1",
    "(none)",
    "\u{0}",
];

/// Other lines, sound and malformed.
const LINES: [&str; 32] = [
    "uci",
    "isready",
    "ucinewgame",
    "stop",
    "ponderhit",
    "debug on",
    "debug perhaps",
    "hello",
    "Go depth 1",
    "going",
    "position startpos",
    "position startpos moves e2e4 e7e5",
    "position startpos moves e2e5",
    "position startpos e2e4",
    "position",
    "position fen",
    "position fen nonsense moves e2e4",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    // Mates in one and in two, mate, stalemate, bare kings, a single move, Chess960.
    "position fen 6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1",
    "position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    "position fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    "position fen 7k/5K2/6Q1/8/8/8/8/8 b - - 0 1",
    "position fen 8/8/8/4k3/8/8/8/4K3 w - - 0 1",
    "position fen 7k/8/8/8/8/8/1q6/K7 w - - 0 1",
    "position fen 4k3/8/8/8/8/8/8/3K3R w - - 0 1",
    "setoption",
    "setoption name Strategy value ctw",
    "setoption name Strategy value alpha-beta",
    "setoption name Strategy value luck",
    "setoption name MultiPV value 3",
    "setoption name Move Overhead value -1",
    "register later",
];

fn lines() -> impl Strategy<Value = Vec<String>> {
    let words = prop::collection::vec(prop::sample::select(&WORDS[..]), 0..7);
    let go = (prop::bool::weighted(0.1), words).prop_map(|(joho, words)| {
        let before = if joho { "joho " } else { "" };
        format!("{before}go {}", words.join(" "))
    });
    let other = prop::sample::select(&LINES[..]).prop_map(str::to_owned);
    prop::collection::vec(prop_oneof![go, other], 1..12)
}

fn answers(said: &str, start: &str) -> usize {
    said.lines().filter(|line| line.starts_with(start)).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_go_has_one_bestmove(lines in lines()) {
        let said = Transcript::default();
        let mut session = Session::new(said.clone());
        for line in &lines {
            prop_assert!(session.obey(line).is_continue());
        }
        let _ = session.obey("stop");
        session.finish();
        let n_go = lines.iter().filter(|line| {
            let mut words = line.split_whitespace();
            matches!((words.next(), words.next()), (Some("go"), _) | (Some("joho"), Some("go")))
        }).count();
        let text = said.text();
        prop_assert_eq!(answers(&text, "bestmove "), n_go, "{}", &text);
        let n_ready = lines.iter().filter(|line| *line == "isready").count();
        prop_assert_eq!(answers(&text, "readyok"), n_ready);
        for line in text.lines() {
            let known = ["info ", "bestmove ", "readyok", "id ", "option ", "uciok"];
            prop_assert!(known.iter().any(|start| line.starts_with(start)), "{}", line);
        }
    }
}
