//! The engine as a chess program meets it: the real binary, lines in and lines out.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod lines;
mod process;

use std::{thread, time::Duration};

use kibitz_board::{CastlingMode, Chess, Position, fen::Fen, uci::UciMove};

use process::Engine;

fn position(fen: &str) -> Chess {
    let fen: Fen = fen.parse().unwrap();
    fen.into_position(CastlingMode::Standard).unwrap()
}

fn is_legal(position: &Chess, text: &str) -> bool {
    let m: UciMove = text.parse().unwrap();
    m.to_move(position).is_ok()
}

#[test]
fn it_introduces_itself() {
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    insta::assert_snapshot!(lines.join("\n"));
    engine.quit();
}

#[test]
fn moves_are_legal_under_every_limit_and_strategy() {
    let fens = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/P7/8/8/8/8/7p/K6k w - - 0 1",
        // A single move, in check; and a clock of fifty moves that has run out.
        "7k/8/8/8/8/8/1q6/K7 w - - 0 1",
        "8/8/8/3k4/8/8/4R3/4K3 w - - 100 120",
        // Only kings are left.
        "8/8/8/4k3/8/8/8/4K3 w - - 0 1",
    ];
    let limits = [
        "depth 2",
        "nodes 1",
        "nodes 300",
        "movetime 30",
        "wtime 900 btime 900 winc 10 binc 10",
        "wtime 1 btime 1",
        "wtime -50 btime 10",
        "mate 1",
    ];
    let mut engine = Engine::start();
    for strategy in ["alpha-beta", "forward", "ctw"] {
        engine.send(&format!("setoption name Strategy value {strategy}"));
        for fen in fens {
            for limit in limits {
                engine.send(&format!("position fen {fen}"));
                engine.send(&format!("go {limit}"));
                let m = engine.best_move();
                assert!(
                    is_legal(&position(fen), &m),
                    "{strategy} {fen} {limit}: {m}"
                );
            }
        }
    }
    engine.quit();
}

#[test]
fn castling_and_promotion_are_written_as_uci_wants_them() {
    let mut engine = Engine::start();
    engine.send("position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    engine.send("go depth 1 searchmoves e1g1");
    assert_eq!(engine.best_move(), "e1g1");
    engine.send("position startpos moves e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1 e8g8");
    engine.send("go depth 1 searchmoves d2d4 a2a3");
    assert!(["d2d4", "a2a3"].contains(&engine.best_move().as_str()));
    engine.send("position fen 8/P7/8/8/8/8/7p/K6k w - - 0 1");
    engine.send("go depth 1 searchmoves a7a8n");
    assert_eq!(engine.best_move(), "a7a8n");
    engine.quit();
}

#[test]
fn rules_play_their_endgame_and_a_search_the_rest() {
    let mut engine = Engine::start();
    engine.send("setoption name Strategy value krk-2-repaired");
    engine.send("position fen 8/8/8/8/4k3/8/8/R3K3 w - - 0 1");
    engine.send("go depth 1");
    let lines = engine.until("bestmove");
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("info string rule ")),
        "{lines:?}"
    );
    assert!(lines[0].contains("score mate "), "{lines:?}");
    // Moves can be left out there as well.
    let first = lines.last().unwrap().clone();
    let others: Vec<String> = position("8/8/8/8/4k3/8/8/R3K3 w - - 0 1")
        .legal_moves()
        .iter()
        .map(|m| m.to_uci(CastlingMode::Standard).to_string())
        .filter(|m| !first.ends_with(m))
        .collect();
    engine.send(&format!("go depth 1 searchmoves {}", others.join(" ")));
    assert!(others.contains(&engine.best_move()));
    for other in [
        "8/8/8/8/4k3/8/8/R3K3 b - - 0 1",
        "8/8/8/8/4k3/8/8/RR2K3 w - - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    ] {
        engine.send(&format!("position fen {other}"));
        engine.send("go depth 1");
        let lines = engine.until("bestmove");
        assert!(!lines.iter().any(|line| line.contains("info string rule ")));
    }
    engine.quit();
}

#[test]
fn a_short_clock_is_answered() {
    let mut engine = Engine::start();
    for clock in [
        "wtime 1000 btime 1000",
        "wtime 1000 btime 1000 winc 100 binc 100",
    ] {
        engine.send("position startpos moves e2e4 e7e5");
        engine.send(&format!("go {clock}"));
        assert!(is_legal(&after_two_pawns(), &engine.best_move()));
    }
    engine.quit();
}

fn after_two_pawns() -> Chess {
    position("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
}

#[test]
fn infinite_waits_for_stop_and_stop_ends_it() {
    for strategy in ["alpha-beta", "forward", "ctw"] {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Strategy value {strategy}"));
        // A mate in one is found at once, but the answer has to wait.
        engine.send("position fen 6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1");
        engine.send("go infinite");
        engine.send("isready");
        assert!(
            !engine
                .until("readyok")
                .iter()
                .any(|line| line.starts_with("bestmove"))
        );
        thread::sleep(Duration::from_millis(50));
        // A position for the next search leaves this one alone.
        engine.send("position startpos");
        engine.send("stop");
        assert_eq!(engine.best_move(), "e1e8");
        engine.send("go infinite");
        thread::sleep(Duration::from_millis(100));
        engine.send("stop");
        let m = engine.best_move();
        assert!(is_legal(&Chess::default(), &m));
        engine.quit();
    }
}

#[test]
fn thinking_in_the_opponents_time_ends_after_the_expected_move() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4 e7e5");
    engine.send("go ponder wtime 1000 btime 1000");
    thread::sleep(Duration::from_millis(50));
    engine.send("ponderhit");
    engine.best_move();
    engine.quit();
}

#[test]
fn quitting_ends_a_search() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.quit();
}

#[test]
fn input_that_ends_is_answered_first() {
    let mut engine = Engine::start();
    engine.send("position startpos");
    engine.send("go depth 2");
    drop(engine.input.take());
    assert!(is_legal(&Chess::default(), &engine.best_move()));
    assert!(engine.child.wait().unwrap().success());
}

#[test]
fn a_go_during_a_search_ends_that_one() {
    let mut engine = Engine::start();
    engine.send("position fen 6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1");
    engine.send("go infinite");
    engine.send("position startpos");
    engine.send("setoption name Strategy value ctw");
    engine.send("go ponder");
    assert_eq!(engine.best_move(), "e1e8");
    engine.send("position startpos moves e2e5");
    engine.send("ucinewgame");
    engine.send("go depth 1");
    assert!(is_legal(&Chess::default(), &engine.best_move()));
    assert!(is_legal(&Chess::default(), &engine.best_move()));
    // The input ends while a search waits.
    engine.send("go infinite");
    drop(engine.input.take());
    assert!(is_legal(&Chess::default(), &engine.best_move()));
    assert!(engine.child.wait().unwrap().success());
}

#[test]
fn the_same_question_has_the_same_answer() {
    let answers: Vec<Vec<String>> = (0..2)
        .map(|_| {
            let mut engine = Engine::start();
            let mut answers = Vec::new();
            for strategy in ["alpha-beta", "forward", "ctw"] {
                engine.send(&format!("setoption name Strategy value {strategy}"));
                engine.send("position startpos moves e2e4 c7c5");
                engine.send("go nodes 500");
                answers.push(engine.best_move());
            }
            answers
        })
        .collect();
    assert_eq!(answers[0], answers[1]);
}
