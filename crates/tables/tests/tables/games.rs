//! Games in rows of tables, compared with the same games in PGN.

use kibitz_board::pgn::{Policy, Tally, read_games};
use kibitz_experiment::DataFile;
use kibitz_tables::games::{self, is_rows_of_games};
use polars::prelude::*;
use proptest::prelude::*;

use crate::folder::{Folder, file};

/// Rows in the layout of the Lichess set, in two files with row groups of three.
fn rows(folder: &Folder, games: &[[&str; 4]]) -> DataFile {
    let column = |at: usize, games: &[[&str; 4]]| -> Vec<String> {
        games.iter().map(|game| game[at].to_owned()).collect()
    };
    let (first, second) = games.split_at(games.len() / 2);
    let names = [
        "data/year=2017/month=04/a.parquet",
        "data/year=2017/month=05/b.parquet",
    ];
    for (name, games) in names.iter().zip([first, second]) {
        let elos: Vec<i32> = (1500..).take(games.len()).collect();
        let days: Vec<i32> = vec![17_257; games.len()];
        let mut frame = df!(
            "Event" => column(0, games), "White" => column(1, games), "Black" => vec!["Roe"; games.len()],
            "Result" => column(2, games), "WhiteElo" => elos, "UTCDate" => days, "movetext" => column(3, games),
        )
        .unwrap();
        frame
            .apply("UTCDate", |days| days.cast(&DataType::Date).unwrap())
            .unwrap();
        folder.parquet(name, &mut frame, 3);
    }
    folder.data(&names)
}

/// The counts of a collection, and its good games as texts.
fn counts(text: impl std::io::Read) -> (Tally, Vec<String>) {
    let mut games = read_games("mine", text, Policy::Skip);
    let keys: Vec<String> = games
        .by_ref()
        .map(|game| {
            let game = game.unwrap();
            format!("{} {} {}", game.key(), game.tags().white, game.tags().date)
        })
        .collect();
    (games.into_tally(), keys)
}

const GAMES: [[&str; 4]; 7] = [
    [
        "one",
        "Doe, \"J\" \\",
        "1-0",
        "1. e4 { [%eval 0.2] [%clk 0:03:00] } 1... e5 { [%clk 0:03:00] } 1-0",
    ],
    ["two", "Tal", "0-1", "1. e4 e5 2. Ke3 0-1"],
    [
        "three",
        "Tal",
        "1/2-1/2",
        "1. d4 d5 2. c4 (2. Nf3 Nf6) 2... e6 1/2-1/2",
    ],
    ["four", "Tal", "1-0", "1. e4 d5 2. e4:d5 Qd8xd5 1-0"],
    ["five", "Tal", "*", "*"],
    ["six", "Tal", "1-0", "1. e4 { unclosed"],
    ["seven", "Tal", "0-1", "1. f3 e5 2. g4 Qh4# 0-1"],
];

#[test]
fn rows_of_games_count_as_the_same_games_in_pgn() {
    let folder = Folder::new();
    let data = rows(&folder, &GAMES);
    assert!(is_rows_of_games(&data).unwrap());
    let pgn: String = GAMES
        .map(|[event, white, result, moves]| {
            let white = white.replace('\\', "\\\\").replace('"', "\\\"");
            format!(
                "[Event \"{event}\"]\n[White \"{white}\"]\n[Black \"Roe\"]\n[Date \"2017.04.01\"]\n\
                 [Result \"{result}\"]\n\n{moves}\n\n"
            )
        })
        .concat();
    let (expected, keys) = counts(pgn.as_bytes());
    let (found, found_keys) = counts(games::open(&data).unwrap());
    assert_eq!(found_keys, keys);
    let numbers = |tally: &Tally| (tally.n_games, tally.n_bad, tally.n_repaired);
    assert_eq!(numbers(&found), numbers(&expected));
    assert_eq!(numbers(&found), (5, 2, 1));
    assert_eq!(found.n_bad_by_reason, expected.n_bad_by_reason);
    assert_eq!(found.n_repairs_by_kind, expected.n_repairs_by_kind);
    let bad: Vec<u64> = found.bad_games.iter().map(|bad| bad.number).collect();
    assert_eq!(bad, [2, 6], "numbers of games are those of rows");
    // A collection of PGN stays what it is.
    let path = folder.write("mine.pgn", pgn.as_bytes());
    assert_eq!(counts(games::open(&file(&path)).unwrap()).1, keys);
}

/// Lines end with a carriage return, too, and zero bytes and Ctrl-Z are blanks: what is blank after a
/// result does not begin another game.
#[test]
fn a_row_is_one_game_in_spite_of_blank_lines() {
    let folder = Folder::new();
    for moves in [
        "*;\n\rA",
        "*;\n\0\nA",
        "*;\r\u{1a}\rA",
        "*\r\rA",
        "*\n \0\n1. e4 *",
        "* [\0White \"x\"] 1. e4 *",
    ] {
        let odd = ["odd", "x", "1-0", moves];
        let data = rows(&folder, &[GAMES[0], odd, GAMES[2]]);
        let (tally, _) = counts(games::open(&data).unwrap());
        assert_eq!(tally.n_games + tally.n_bad, 3, "{moves:?}: {tally:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever stands in a row: it is one game, good or bad, and the rows beside it are as ever.
    #[test]
    fn a_row_is_one_game(
        moves in "[ \\[\\]{}();%\"\n\r\0\u{1a}\u{1e}a-hA-Z0-9.*/#+=-]{0,60}|(1\\. e4 |\\[White \"x\"\\]|\n\n|1-0 |\\[Event \"y\"\\]\n){0,6}",
        white in "\\PC{0,20}",
    ) {
        let begun = moves.trim_start_matches([' ', '\n', '\r', '\0', '\u{1a}']);
        prop_assume!(!begun.starts_with(['(', '{', ';', '%']));
        let folder = Folder::new();
        let odd = ["odd", white.as_str(), "1-0", moves.as_str()];
        let data = rows(&folder, &[GAMES[0], odd, GAMES[2], odd, GAMES[6]]);
        let (tally, keys) = counts(games::open(&data).unwrap());
        prop_assert_eq!(tally.n_games + tally.n_bad, 5, "{:?}", tally);
        let (_, alone) = counts(games::open(&rows(&folder, &[GAMES[0], GAMES[2], GAMES[6]])).unwrap());
        prop_assert_eq!(&keys[0], &alone[0]);
        prop_assert_eq!(&keys[keys.len() - 1], &alone[2]);
    }
}
