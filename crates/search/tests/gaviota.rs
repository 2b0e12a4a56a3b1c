//! Tables compared with independent ones: the Gaviota tables that the source distribution of
//! python-chess carries, read by it, on every position of three men; and its Syzygy tables on every
//! 3,989th of bishop and knight against king.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::{
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
    thread,
};

use kibitz_board::{Chess, EnPassantMode, Endgame, fen::Fen};
use kibitz_search::retrograde::{Tablebase, Value};

/// Answers each FEN with the plies to the mate, negative for a side that is mated; 0 is a draw, or a
/// mate on the board.
const GAVIOTA: &str = "
import sys, chess, chess.gaviota
with chess.gaviota.open_tablebase(sys.argv[1]) as tables:
    for line in sys.stdin:
        print(tables.probe_dtm(chess.Board(line)))
";

/// Answers each FEN with the plies to a capture, a pawn's move or a mate.
const SYZYGY: &str = "
import sys, chess, chess.syzygy
with chess.syzygy.open_tablebase(sys.argv[1] + '/../syzygy/regular') as tables:
    for line in sys.stdin:
        print(tables.probe_dtz(chess.Board(line)))
";

/// What a program answers about each position; `None` if there is nothing to ask.
fn answers<'p>(program: &str, positions: impl Iterator<Item = &'p Chess>) -> Option<Vec<i32>> {
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
    let mut fens = String::new();
    for position in positions {
        let fen = Fen::from_position(position, EnPassantMode::Legal);
        writeln!(fens, "{fen}").unwrap();
    }
    let mut probe = Command::new(&python)
        .args(["-c", program, &tables])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = probe.stdin.take().unwrap();
    let asking = thread::spawn(move || stdin.write_all(fens.as_bytes()));
    let output = probe.wait_with_output().unwrap();
    asking.join().unwrap().unwrap();
    assert!(output.status.success(), "python-chess fails");
    let answers = String::from_utf8(output.stdout).unwrap();
    Some(answers.lines().map(|line| line.parse().unwrap()).collect())
}

fn check(material: &str) {
    let endgame: Endgame = material.parse().unwrap();
    let ours = Tablebase::new([endgame.clone()]);
    let table = ours.table(&endgame).unwrap();
    let positions: Vec<(Chess, Value)> = table.positions().collect();
    assert!(positions.len() > 40_000, "{material}");
    let Some(answers) = answers(GAVIOTA, positions.iter().map(|(position, _)| position)) else {
        return;
    };
    assert_eq!(answers.len(), positions.len());
    for ((position, value), answer) in positions.iter().zip(answers) {
        let expected = match *value {
            Value::Won(plies) => i32::from(plies),
            Value::Drawn => 0,
            Value::Lost(plies) => -i32::from(plies),
        };
        assert_eq!(answer, expected, "{position:?}");
    }
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

/// Four men, some 4 million positions. The winner takes nothing and has no pawn, so the distance to
/// the next capture is that to the mate, which those tables round by a ply at most.
#[test]
fn bishop_and_knight_against_king_take_33_moves_and_agree() {
    let endgame: Endgame = "KBNvK".parse().unwrap();
    let ours = Tablebase::new([endgame.clone()]);
    let table = ours.table(&endgame).unwrap();
    let longest = table.values().filter_map(|value| match value {
        Value::Won(plies) => Some(plies.div_ceil(2)),
        Value::Drawn | Value::Lost(_) => None,
    });
    assert_eq!(longest.max(), Some(33));
    let sample: Vec<(Chess, Value)> = table.positions().step_by(3989).collect();
    let Some(answers) = answers(SYZYGY, sample.iter().map(|(position, _)| position)) else {
        return;
    };
    assert_eq!(answers.len(), sample.len());
    let mut n_won = [0; 3];
    for ((position, value), answer) in sample.iter().zip(answers) {
        let (expected, sign) = match *value {
            Value::Won(plies) => (i32::from(plies), 1),
            Value::Drawn => (0, 0),
            Value::Lost(plies) => (-i32::from(plies), -1),
        };
        assert_eq!(answer.signum(), sign, "{position:?}");
        assert!(
            answer.abs_diff(expected) <= 1,
            "{position:?}: ours {expected}, theirs {answer}"
        );
        n_won[usize::try_from(sign + 1).unwrap()] += 1;
    }
    assert!(n_won.into_iter().all(|n| n > 10), "{n_won:?}");
}
