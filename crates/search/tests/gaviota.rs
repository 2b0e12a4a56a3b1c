//! Tables compared with independent ones, on every position: the Gaviota tables that the source
//! distribution of python-chess carries, read by it.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::{
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
    thread,
};

use kibitz_board::{EnPassantMode, fen::Fen};
use kibitz_search::retrograde::{Tablebase, Value};

/// Answers each FEN with the plies to the mate, negative for a side that is mated; 0 is a draw, or a
/// mate on the board.
const PROBE: &str = "
import sys, chess, chess.gaviota
with chess.gaviota.open_tablebase(sys.argv[1]) as tables:
    for line in sys.stdin:
        print(tables.probe_dtm(chess.Board(line)))
";

/// Positions in which they differ, with both values; `None` if there is nothing to compare with.
fn differences(material: &str) -> Option<(usize, Vec<String>)> {
    let python = std::env::var("KIBITZ_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let Ok(tables) = std::env::var("KIBITZ_GAVIOTA") else {
        eprintln!("skipped: KIBITZ_GAVIOTA names no folder with Gaviota tables");
        return None;
    };
    let has_chess = Command::new(&python)
        .args(["-c", "import chess.gaviota"])
        .output();
    if !has_chess.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no python-chess");
        return None;
    }
    let endgame: kibitz_board::Endgame = material.parse().unwrap();
    let ours = Tablebase::new([endgame.clone()]);
    let table = ours.table(&endgame).unwrap();
    let mut fens = String::new();
    for (position, _) in table.positions() {
        let fen = Fen::from_position(&position, EnPassantMode::Legal);
        writeln!(fens, "{fen}").unwrap();
    }
    let mut probe = Command::new(&python)
        .args(["-c", PROBE, &tables])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = probe.stdin.take().unwrap();
    let asked = fens.clone();
    let asking = thread::spawn(move || stdin.write_all(asked.as_bytes()));
    let output = probe.wait_with_output().unwrap();
    asking.join().unwrap().unwrap();
    assert!(output.status.success(), "python-chess fails");
    let answers = String::from_utf8(output.stdout).unwrap();
    let mut different = Vec::new();
    let mut n_positions = 0;
    for ((fen, answer), value) in fens.lines().zip(answers.lines()).zip(table.values()) {
        let expected = match value {
            Value::Won(plies) => i32::from(plies),
            Value::Drawn => 0,
            Value::Lost(plies) => -i32::from(plies),
        };
        n_positions += 1;
        if answer.parse() != Ok(expected) {
            different.push(format!("{fen}: ours {expected}, theirs {answer}"));
        }
    }
    assert_eq!(
        n_positions,
        fens.lines().count(),
        "every position is answered"
    );
    Some((n_positions, different))
}

fn check(material: &str) {
    let Some((n_positions, different)) = differences(material) else {
        return;
    };
    assert!(n_positions > 40_000, "{material}");
    assert!(
        different.is_empty(),
        "{} of {n_positions} differ, such as {}",
        different.len(),
        different[0]
    );
}

#[test]
fn rook_against_king_agrees_on_every_position() {
    check("KRvK");
}

#[test]
fn queen_against_king_agrees_on_every_position() {
    check("KQvK");
}

#[test]
fn pawn_against_king_agrees_on_every_position() {
    check("KPvK");
}
