//! The engine as a chess program meets it: the real binary, lines in and lines out.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

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

/// Plays the line of the last `info` with `score mate` to its end, and returns its moves to mate.
fn mate_played(position: &Chess, lines: &[String]) -> i32 {
    let line = lines.iter().rfind(|line| line.contains(" score mate "));
    let line = line.unwrap_or_else(|| panic!("no mate in {lines:?}"));
    let mut words = line.split_whitespace().skip_while(|word| *word != "mate");
    let n_moves: i32 = words.nth(1).unwrap().parse().unwrap();
    let mut last = position.clone();
    let mut n_plies = 0;
    for text in words.skip_while(|word| *word != "pv").skip(1) {
        let m: UciMove = text.parse().unwrap();
        last.play_unchecked(m.to_move(&last).unwrap());
        n_plies += 1;
    }
    let expected = if n_moves > 0 {
        2 * n_moves - 1
    } else {
        -2 * n_moves
    };
    assert_eq!(n_plies, expected, "{line}");
    assert!(last.is_checkmate(), "{line}");
    n_moves
}

#[test]
fn mates_come_with_their_whole_line() {
    // The back rank; with a sacrifice; two rooks; a king and a rook; being mated.
    let cases = [
        ("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", "go depth 1", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "go depth 1", 2),
        ("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", "go depth 4", 2),
        ("8/7k/8/5K2/8/8/8/6R1 w - - 0 1", "go mate 3", 3),
        ("8/7k/8/5K2/8/8/8/6R1 w - - 0 1", "go depth 5", 3),
        ("8/7k/5K2/8/8/8/8/6R1 b - - 0 1", "go depth 4", -2),
    ];
    for strategy in ["alpha-beta", "forward", "ctw"] {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Strategy value {strategy}"));
        for (fen, go, n_moves) in cases {
            engine.send(&format!("position fen {fen}"));
            engine.send(go);
            let lines = engine.until("bestmove");
            let is_told = lines.iter().any(|line| line.contains(" score mate "));
            // The others need not have looked at it.
            if strategy == "alpha-beta" || is_told {
                let found = mate_played(&position(fen), &lines);
                assert_eq!(found, n_moves, "{strategy} {fen}: {lines:?}");
            }
        }
        engine.quit();
    }
    // By rules, for either color.
    let mut engine = Engine::start();
    engine.send("setoption name Strategy value krk-2-repaired");
    for fen in [
        "8/8/8/8/4k3/8/8/R3K3 w - - 0 1",
        "r3k3/8/8/4K3/8/8/8/8 b - - 0 1",
    ] {
        engine.send(&format!("position fen {fen}"));
        engine.send("go depth 1");
        assert!(mate_played(&position(fen), &engine.until("bestmove")) > 5);
    }
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
    // Rights for which there is no rook are loosely written, nothing else.
    let fen = "4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1";
    engine.send(&format!("position fen {fen}"));
    engine.send("go depth 1 searchmoves e1g1");
    assert_eq!(engine.best_move(), "e1g1");
    engine.quit();
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
