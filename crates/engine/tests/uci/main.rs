//! The engine as a chess program meets it: the real binary, lines in and lines out.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod process;

use std::{
    thread,
    time::{Duration, Instant},
};

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
fn every_strategy_mates_in_one_and_tells_so() {
    for strategy in ["alpha-beta", "forward", "ctw"] {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Strategy value {strategy}"));
        engine.send("position fen 6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1");
        engine.send("go depth 3");
        let lines = engine.until("bestmove");
        assert_eq!(lines.last().unwrap(), "bestmove e1e8", "{strategy}");
        assert!(
            lines.iter().any(|line| line.contains("score mate 1")),
            "{lines:?}"
        );
        engine.quit();
    }
}

#[test]
fn every_strategy_sees_a_mate_in_two_that_begins_with_a_sacrifice() {
    for strategy in ["alpha-beta", "forward", "ctw"] {
        for go in ["go depth 1", "go mate 3"] {
            let mut engine = Engine::start();
            engine.send(&format!("setoption name Strategy value {strategy}"));
            engine.send("position fen kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1");
            engine.send(go);
            let lines = engine.until("bestmove");
            assert_eq!(lines.last().unwrap(), "bestmove a1a6", "{strategy}, {go}");
            assert!(
                lines.iter().any(|line| line.contains("score mate 2")),
                "{lines:?}"
            );
            engine.quit();
        }
    }
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

/// The last lines told by their number: score and first move.
fn told(lines: &[String], number: usize) -> (String, String) {
    let own = format!(" multipv {number} ");
    let line = lines.iter().rev().find(|line| line.contains(&own)).unwrap();
    let after = |key: &str, n_words: usize| -> String {
        let words = line.split_whitespace().skip_while(|word| *word != key);
        words.skip(1).take(n_words).collect::<Vec<_>>().join(" ")
    };
    (after("score", 2), after("pv", 1))
}

#[test]
fn several_lines_are_told_of_the_best_first() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    for strategy in ["alpha-beta", "forward", "ctw"] {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Strategy value {strategy}"));
        engine.send("setoption name MultiPV value 3");
        engine.send(&format!("position fen {fen}"));
        engine.send("go depth 2");
        let lines = engine.until("bestmove");
        let told = [1, 2, 3].map(|number| told(&lines, number));
        assert!(
            lines
                .last()
                .unwrap()
                .starts_with(&format!("bestmove {}", told[0].1))
        );
        let mut moves: Vec<&str> = told.iter().map(|(_, m)| m.as_str()).collect();
        assert!(moves.iter().all(|m| is_legal(&position(fen), m)));
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), 3, "{strategy}: {lines:?}");
        if strategy != "ctw" {
            let points = told.map(|(score, _)| score["cp ".len()..].parse::<i32>().unwrap());
            assert!(points.is_sorted_by(|a, b| a >= b), "{lines:?}");
        }
        assert!(!lines.iter().any(|line| line.contains("multipv 4")));
        engine.quit();
    }
}

#[test]
fn lines_that_mate_come_before_the_others() {
    for strategy in ["alpha-beta", "forward", "ctw"] {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Strategy value {strategy}"));
        engine.send("setoption name MultiPV value 2");
        // One move mates.
        engine.send("position fen 6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1");
        engine.send("go depth 2");
        let lines = engine.until("bestmove");
        assert_eq!(told(&lines, 1), ("mate 1".to_owned(), "e1e8".to_owned()));
        assert_ne!(told(&lines, 2).1, "e1e8", "{strategy}: {lines:?}");
        assert_eq!(lines.last().unwrap(), "bestmove e1e8");
        // There is a single move.
        engine.send("position fen 7k/8/8/8/8/8/1q6/K7 w - - 0 1");
        engine.send("go depth 2");
        let lines = engine.until("bestmove");
        assert!(!lines.iter().any(|line| line.contains("multipv 2")));
        engine.quit();
    }
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
fn a_second_on_the_clock_is_used() {
    let mut engine = Engine::start();
    // The mate is looked for first, and quickly; nothing else is timed.
    for clock in [
        "wtime 1000 btime 1000",
        "wtime 1000 btime 1000 winc 100 binc 100",
    ] {
        let before = Instant::now();
        engine.send("position startpos moves e2e4 e7e5");
        engine.send(&format!("go {clock}"));
        assert!(is_legal(&after_two_pawns(), &engine.best_move()));
        let taken = before.elapsed();
        assert!(taken > Duration::from_millis(15), "{clock}: {taken:?}");
    }
    engine.quit();
}

fn after_two_pawns() -> Chess {
    position("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
}

#[test]
fn what_cannot_be_played_is_refused_with_a_reason() {
    let mut engine = Engine::start();
    engine.send("go movetime -5");
    assert_eq!(
        engine.until("bestmove"),
        [
            "info string no move: `movetime` cannot be `-5`: expected milliseconds, 0 or more",
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
    // Rights for which there is no rook are loosely written, nothing else.
    let fen = "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1";
    engine.send(&format!("position fen {fen}"));
    engine.send("go depth 1 searchmoves e1g1");
    assert_eq!(engine.best_move(), "e1g1");
    engine.quit();
}

#[test]
fn stop_is_answered_at_once_and_infinite_waits_for_it() {
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
        // What the search has to say may come in between.
        engine.send("position startpos");
        engine.send("isready");
        let refusal = "info string a search is under way: stop it before the position changes";
        let lines = engine.until("readyok");
        assert!(lines.iter().any(|line| line == refusal), "{lines:?}");
        engine.send("stop");
        assert_eq!(engine.best_move(), "e1e8");

        engine.send("position startpos");
        engine.send("go infinite");
        thread::sleep(Duration::from_millis(100));
        let before = Instant::now();
        engine.send("stop");
        let m = engine.best_move();
        assert!(is_legal(&Chess::default(), &m));
        assert!(before.elapsed() < Duration::from_secs(10), "stop was slow");
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
        "go depth many",
        "go depth 99999999999999999999",
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
    // After a position that was not understood there is no move to give.
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
