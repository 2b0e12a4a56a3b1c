//! The lines that the engine shows: mates with all their moves, and several lines, the best first.

use kibitz_board::{Chess, Position, uci::UciMove};

use crate::{is_legal, position, process::Engine};

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
