//! Bad input, and its answers: a reason, and a move only where there is one.

use kibitz_board::Chess;

use crate::{is_legal, process::Engine};

#[test]
fn what_cannot_be_played_is_refused_with_a_reason() {
    let mut engine = Engine::start();
    engine.send("go depth 1 searchmoves e2e5 a1a2");
    assert_eq!(
        engine.until("bestmove"),
        [
            "info string searchmoves: `e2e5` is illegal here and left out",
            "info string searchmoves: `a1a2` is illegal here and left out",
            "info string no move: none of searchmoves is legal",
            "bestmove (none)"
        ]
    );
    // Rooks that are not in the corners may still castle; the second in Shredder's notation.
    for fen in [
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        "1rk1r3/8/8/8/8/8/8/1RK1R3 w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/3K3R w K - 0 1",
    ] {
        let note = engine.note(&format!("position fen {fen}"));
        assert!(note.contains("Chess960"), "{note}");
        engine.send("go depth 1");
        assert_eq!(engine.best_move(), "(none)");
    }
    // Castling rights without a rook are accepted.
    let fen = "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1";
    engine.send(&format!("position fen {fen}"));
    engine.send("go depth 1 searchmoves e1g1");
    assert_eq!(engine.best_move(), "e1g1");
    engine.quit();
}

#[test]
fn a_finished_game_has_no_move() {
    let mut engine = Engine::start();
    for fen in [
        "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
        "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1",
    ] {
        engine.send(&format!("position fen {fen}"));
        engine.send("go depth 3");
        let lines = engine.until("bestmove");
        assert_eq!(
            lines,
            ["info string no move: the game has ended", "bestmove (none)"]
        );
    }
    engine.quit();
}

#[test]
fn bad_input_is_never_passed_over_in_silence() {
    let mut engine = Engine::start();
    let mut notes = Vec::new();
    for line in [
        "hello",
        "gö depth 3",
        "setoption name Hash value 64",
        "setoption name Fanout value 0",
        "setoption name Boldness",
        "setoption",
        "stop",
        "ponderhit",
        "register later",
        "position",
        "position fen",
        "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        "position fen nonsense",
        "position startpos moves e2e4 e2e4",
        "position startpos moves e2e5",
        "position startpos moves e2e4 nonsense",
        "debug perhaps",
    ] {
        notes.push(format!("> {line}\n{}", engine.note(line)));
    }
    insta::assert_snapshot!(notes.join("\n"));
    // After a position that was rejected the engine has no move.
    engine.send("go depth 1");
    let lines = engine.until("bestmove");
    assert_eq!(
        lines,
        [
            "info string no move: the last position was not understood",
            "bestmove (none)"
        ]
    );
    engine.send("ucinewgame");
    engine.send("go depth 1");
    assert!(is_legal(&Chess::default(), &engine.best_move()));
    engine.quit();
}

/// What a `go` says beside what the search finds.
fn answer(engine: &mut Engine, line: &str) -> String {
    engine.send(line);
    let said = engine.until("bestmove");
    let notes = said.iter().filter(|line| line.starts_with("info string"));
    let notes: Vec<&str> = notes.map(String::as_str).collect();
    let m = said.last().unwrap().split_whitespace().nth(1).unwrap();
    let is_move = is_legal(&Chess::default(), m);
    format!("> {line}\n{}\nmove: {is_move}", notes.join("\n"))
}

/// A chess program waits for ever for an answer that does not come.
#[test]
fn every_go_is_answered() {
    let mut engine = Engine::start();
    let lines = [
        "go depth abc",
        "go depth 99999999999999999999",
        "go depth",
        "go movetime -5",
        "go go",
        "go",
        "go perft 3 depth 1",
        "go dépth 3 nodes 10",
        "go searchmoves depth 1",
        "go nodes 10 searchmoves e2e4 e2e5",
        "go mate 0 depth 1",
        "joho go depth 1",
    ];
    let answers = lines.map(|line| answer(&mut engine, line));
    insta::assert_snapshot!(answers.join("\n"));
    engine.quit();
}
