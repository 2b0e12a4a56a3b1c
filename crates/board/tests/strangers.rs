//! Collections as people and programs write them: what is read, what is repaired, and what is refused
//! with its place. Nothing is dropped, and no tag of one game is another's.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write;

use kibitz_board::{
    Game,
    pgn::{self, Policy},
};
use proptest::prelude::*;

/// Every game with its players, every repair and every bad game.
fn report(name: &str, bytes: &[u8]) -> String {
    let mut games = pgn::read_games(name, bytes, Policy::default());
    let mut report = String::new();
    while let Some(game) = games.next() {
        let game = game.unwrap();
        let [white, black] = [&game.tags().white, &game.tags().black];
        writeln!(
            report,
            "line {}: {white} - {black}, {} plies, {}",
            games.line(),
            game.n_plies(),
            game.outcome()
        )
        .unwrap();
    }
    let tally = games.into_tally();
    for repaired in &tally.repairs {
        writeln!(report, "repaired: {repaired}").unwrap();
    }
    for bad in &tally.bad_games {
        writeln!(report, "bad: {bad}").unwrap();
    }
    assert_eq!(
        tally.n_repairs_by_kind.values().sum::<u64>(),
        tally.repairs.len() as u64
    );
    report
}

#[test]
fn each_kind_of_file_is_read_or_refused_with_its_place() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in names {
        let bytes = std::fs::read(format!("{folder}/{name}")).unwrap();
        let case = name.trim_end_matches(".pgn").to_owned();
        insta::assert_snapshot!(case, report(&name, &bytes));
    }
}

/// A game with tags and the given moves, and what is expected of it.
fn with_tags(moves: &str) -> String {
    format!("[White \"Doe\"]\n[Black \"Roe\"]\n\n{moves}\n")
}

#[test]
fn spellings_of_moves_and_results() {
    let all: Vec<String> = [
        "1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 1-0",
        "1. e4 d5 2. e4:d5 Qd8xd5 1/2",
        "1. e4+- e5-+ 2. Nf3+/= Nc6=+ *",
        "1. e4 e5 2. Bc4 Bc5 3. Qh5 Nf6 4. Qxf7++ 1-0",
        "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. o-o o-o *",
        "1. e4 a6 2. e5 d5 3. exd6 e.p. ½",
        "1. e4 e5 1:0",
        "1. Pe4 e5 1-0.",
    ]
    .map(with_tags)
    .to_vec();
    insta::assert_snapshot!(report("spellings.pgn", all.join("\n").as_bytes()));
}

#[test]
fn tags_as_people_write_them() {
    let text = "\
[Event \"The \"Immortal\" Game\"]\n[White Anderssen]\n{a comment}\n[Black \"Kieseritzky]\n[Result \"*\"]\n\n1. e4 e5 1-0\n\n\
[Event \"x\"]\n[Result \"1-0\"]\n\n1. e4 *\n\n\
[Event \"rights\"]\n[FEN \"4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1\"]\n[SetUp \"1\"]\n\n1. Kd2 *\n\n\
[Event \"a1\"]\n[White \"A\"]\n[Result \"1-0\"]\n[Event \"not the same\"]\n\n1. e4 1-0\n";
    insta::assert_snapshot!(report("tags.pgn", text.as_bytes()));
}

#[test]
fn phantom_games_are_never_good() {
    let text = "\
[White \"A\"]\n\n1. e4 e5\n\n{a paragraph\n\nof comments}\n\n2. Nf3 Nc6 1-0\n\n\
5. d4 d5 1-0\n\n\
[White \"B\"]\n\n1. e4 e5\n\n1. d4 d5 1-0\n\n\
1. c4 c5 1-0\n\n\
[White \"C\"]\n\n1. e4 (1. d4 d5\n\n2. c4 e5 *\n\n\
[White \"D\"]\n\n1. e4 { no end\n\n[White \"E\"]\n\n1. e4 { an end\n[%clk 0:01] } *\n";
    insta::assert_snapshot!(report("phantoms.pgn", text.as_bytes()));
}

#[test]
fn line_ends_of_every_kind_read_alike() {
    let text =
        "[White \"A\"]\n[Black \"B\"]\n\n1. e4 ; a remark\ne5 1-0\n\n[White \"C\"]\n\n1. d4 *\n";
    let expected = report("ends.pgn", text.as_bytes());
    for end in ["\r", "\r\n"] {
        let other = text.replace('\n', end);
        assert_eq!(report("ends.pgn", other.as_bytes()), expected);
    }
}

#[test]
fn repairs_can_be_refused() {
    let text = with_tags("1. e2-e4 *") + "\n" + &with_tags("1. d4 *");
    let mut games = pgn::read_games("strict.pgn", text.as_bytes(), Policy::Skip).refusing_repairs();
    assert_eq!(games.by_ref().count(), 1);
    let bad = games.tally().bad_games[0].to_string();
    assert_eq!(
        bad,
        "strict.pgn:4: game 1: not as in the standard: `e2-e4` read as `e2e4`"
    );
    assert_eq!(games.tally().n_repaired, 0);
}

/// A piece of a collection: one whole game, which ends with a blank line.
fn game() -> impl Strategy<Value = String> {
    let moves = prop::sample::select(vec![
        "1. e4 e5 2. Nf3 Nc6 1-0",
        "1. d4 {a comment} d5 (1... Nf6 2. c4) 2. c4 1/2-1/2",
        "1. e2-e4 c5 0-1",
        "1. e4\n\ne5\n2. f4 *",
        "1. e5 *",
        "1. e4 e5",
        "1. e4 {open",
        "1. e4 (1. d4 *",
        "5. e4 e5 *",
        "{only a comment} 1. c4 *",
        "",
    ]);
    let tags = prop::sample::subsequence(
        vec![
            "[Event \"x\"]",
            "[White \"Doe\"]",
            "[WhiteElo \"2700\"]",
            "[Result \"1-0\"]",
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]",
            "[Variant \"Crazyhouse\"]",
        ],
        0..=6,
    );
    (tags, moves).prop_map(|(tags, moves)| {
        let tags = tags.join("\n");
        format!("[Round \"1\"]\n{tags}\n\n{moves}\n\n")
    })
}

fn read(text: &str) -> Vec<Result<Game, String>> {
    let mut games = pgn::read_games("x", text.as_bytes(), Policy::Fail);
    let first = games.next();
    first
        .into_iter()
        .map(|game| game.map_err(|_| "bad".to_owned()))
        .collect()
}

proptest! {
    /// Each game of a collection is what it is alone, whatever stands before and after it.
    #[test]
    fn games_do_not_leak_into_each_other(pieces in prop::collection::vec(game(), 1..8)) {
        let whole = pieces.concat();
        let mut together = pgn::read_games("x", whole.as_bytes(), Policy::Skip);
        let good: Vec<Game> = together.by_ref().map(Result::unwrap).take(100).collect();
        let alone: Vec<Result<Game, String>> = pieces.iter().flat_map(|piece| read(piece)).collect();
        let n_bad = alone.iter().filter(|game| game.is_err()).count();
        let alone: Vec<Game> = alone.into_iter().flatten().collect();
        prop_assert_eq!(&good, &alone);
        prop_assert_eq!(together.tally().n_bad, n_bad as u64);
    }
}
