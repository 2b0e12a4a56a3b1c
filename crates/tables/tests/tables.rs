//! Tables and games in files, read as declared or refused.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use FieldType::{Bool, Float, Int, Text};
use kibitz_board::pgn::{Policy, Tally, read_games};
use kibitz_experiment::{DataFile, Field, FieldType, Records, Values, VerifiedFile};
use kibitz_tables::{
    Layout, Table, TableError,
    games::{self, is_rows_of_games},
};
use polars::prelude::*;
use proptest::prelude::*;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn parquet(&self, name: &str, frame: &mut DataFrame, rows: usize) -> PathBuf {
        let mut bytes = Vec::new();
        let writer = ParquetWriter::new(&mut bytes).with_row_group_size(Some(rows));
        writer.finish(frame).unwrap();
        self.write(name, &bytes)
    }

    /// These files as a folder of data.
    fn data(&self, names: &[&str]) -> DataFile {
        let files = names
            .iter()
            .map(|name| VerifiedFile::stamp(*name, self.0.path().join(name)).unwrap());
        DataFile::on_disk("mine", self.0.path().to_owned(), files.collect())
    }
}

fn file(path: &Path) -> DataFile {
    DataFile::new("mine", path.to_owned(), None)
}

fn field(name: &'static str, of: FieldType) -> Field {
    Field::new(name, of, "", "")
}

/// The records of a table.
fn read(data: &DataFile, fields: &[Field], layout: Layout) -> Result<Records, TableError> {
    let mut all = Records::new(fields.to_vec());
    Table::open(data, layout)?.read(fields, None, |records| {
        all.append(records).map_err(TableError::Data)
    })?;
    Ok(all)
}

fn mistake(data: &DataFile, fields: &[Field]) -> String {
    read(data, fields, Layout::default())
        .unwrap_err()
        .to_string()
}

fn columns(records: &Records) -> Vec<Values> {
    records
        .columns()
        .map(|(_, values)| values.clone())
        .collect()
}

#[test]
fn csv_is_read_as_declared() {
    let folder = Folder::new();
    let text = "\u{feff}player,elo,score,won\n\"Tal, M.\", 2700 ,1.5,TRUE\nNN,,NA,false\n";
    let path = folder.write("mine.csv", text.as_bytes());
    let fields = [
        ("won", Bool),
        ("elo", Int),
        ("score", Float),
        ("player", Text),
    ];
    let layout = Layout {
        absent: vec!["NA".to_owned()],
        ..Layout::default()
    };
    let records = read(
        &file(&path),
        &fields.map(|(name, of)| field(name, of)),
        layout.clone(),
    );
    let names = ["Tal, M.", "NN"].map(|name| Some(Arc::from(name)));
    assert_eq!(
        columns(&records.unwrap()),
        [
            Values::Bool(vec![Some(true), Some(false)]),
            Values::Int(vec![Some(2700), None]),
            Values::Float(vec![Some(1.5), None]),
            Values::Text(names.to_vec()),
        ]
    );
    let table = Table::open(&file(&path), layout).unwrap();
    let found = table.columns().unwrap().into_iter();
    let found: Vec<String> = found
        .map(|column| format!("{} {}", column.name, column.found))
        .collect();
    assert_eq!(found, ["player text", "elo int", "score float", "won bool"]);
    assert_eq!(table.n_records().unwrap(), [2]);
    let left_out = table.undeclared(&[field("elo", Int)]).unwrap();
    assert_eq!(left_out, ["player", "score", "won"]);
}

#[test]
fn what_is_not_as_declared_is_told_with_its_place() {
    let folder = Folder::new();
    let csv = |text: &str, name: &'static str, of| {
        let path = folder.write("mine.csv", text.as_bytes());
        mistake(&file(&path), &[field(name, of)])
    };
    let mut frame =
        df!("elo" => [2700_i64, 1 << 60], "mean" => [1.0, f64::NAN], "name" => ["a", "b"]).unwrap();
    let path = folder.parquet("mine.parquet", &mut frame, 10);
    let parquet = |name, of| mistake(&file(&path), &[field(name, of)]);
    let all = [
        csv("player,elo\na,2700\n\"b\nc\",high\n", "elo", Int),
        csv("player,elo\na,2700\nb,2700.5\n", "elo", Int),
        csv("elo\n1e999\n", "elo", Float),
        csv("elo\n99999999999999999999\n", "elo", Int),
        csv("elo\nNaN\n", "elo", Float),
        csv("won\n1\n", "won", Bool),
        csv("Elo\n1\n", "elo", Int),
        csv("player;elo\na;1\n", "elo", Int),
        csv("player;elo\na;1,5\n", "player;elo", Text),
        csv("player,elo\na,1\nb\n", "elo", Int),
        csv("elo,elo\n1,2\n", "elo", Int),
        csv("", "elo", Int),
        parquet("elo", Text),
        parquet("name", Float),
        parquet("elo", Float),
        parquet("mean", Float),
        parquet("eol", Int),
    ];
    insta::assert_snapshot!(all.join("\n"));
    let path = folder.write("mine.csv", b"elo\n\xff\n");
    assert_eq!(
        mistake(&file(&path), &[field("elo", Text)]),
        "mine.csv:2: not UTF-8: save the table as `CSV UTF-8`"
    );
    for (bytes, told) in [
        (
            b"\x1f\x8b\x08\0".as_slice(),
            "a file compressed by gzip: unpack it",
        ),
        (b"\xfd7zXZ\0", "a file compressed by xz: unpack it"),
        (
            b"\xff\xfee\0l\0o\0\n\0",
            "found UTF-16 (little-endian) text: save it as UTF-8",
        ),
        (b"PK\x03\x04", "found a zip archive: unpack it first"),
    ] {
        let path = folder.write("mine.csv", bytes);
        let found = mistake(&file(&path), &[field("elo", Text)]);
        assert!(found.contains(told), "{found}");
    }
}

/// A quotation mark that does not end takes lines into a field, even where the number of fields is
/// right.
#[test]
fn a_quotation_mark_that_does_not_end_is_told_with_its_line() {
    let folder = Folder::new();
    let elo = [field("elo", Int)];
    let line = |text: &str| {
        let told = mistake(&file(&folder.write("mine.csv", text.as_bytes())), &elo);
        let told = told.strip_prefix("mine.csv:").unwrap().to_owned();
        let (line, told) = told.split_once(": ").unwrap();
        assert!(
            told.starts_with("a quotation mark that begins a field"),
            "{told}"
        );
        line.parse::<u64>().unwrap()
    };
    assert_eq!(line("elo,name\n1,a\n2,\"b\n3,c\n4,d\n"), 3);
    assert_eq!(line("name,elo\na,1\n\"b,2\nc,3\n"), 3);
    assert_eq!(
        line("\u{feff}\"name\",elo\r\n\"a \"\"b\"\"\nc\",1\r\nd,2\r\n\"e,3\r\n"),
        5
    );
    let text = "name,elo\n5\" disk,1\n\"a\nb\",2\n\"c\n\"\"\",3\n";
    let data = file(&folder.write("mine.csv", text.as_bytes()));
    let read = columns(&read(&data, &elo, Layout::default()).unwrap());
    assert_eq!(read, [Values::Int(vec![Some(1), Some(2), Some(3)])]);
}

#[test]
fn booleans_are_english_words() {
    let folder = Folder::new();
    let text = "won,drawn,lost\nyes,TRUE,1\nNo,false,0\n";
    let data = file(&folder.write("mine.csv", text.as_bytes()));
    let read = read(
        &data,
        &[field("won", Bool), field("drawn", Bool)],
        Layout::default(),
    );
    let booleans = Values::Bool(vec![Some(true), Some(false)]);
    assert_eq!(columns(&read.unwrap()), [booleans.clone(), booleans]);
    let found = Table::open(&data, Layout::default())
        .unwrap()
        .columns()
        .unwrap();
    let found: Vec<_> = found.iter().map(|column| column.found.of()).collect();
    assert_eq!(found, [Some(Bool), Some(Bool), Some(Int)]);
}

#[test]
fn files_of_spreadsheets_have_semicolons_and_decimal_commas() {
    let folder = Folder::new();
    let text = "\u{feff}\"price, net\";name\r\n1,5;\"a;b\"\r\n-2;c\r\n";
    let data = file(&folder.write("mine.csv", text.as_bytes()));
    let separator = kibitz_tables::separator(&data).unwrap();
    assert_eq!(separator, Some(b';'));
    let layout = Layout {
        separator,
        ..Layout::default()
    };
    let price = [field("price, net", Float)];
    assert_eq!(
        columns(&read(&data, &price, layout.clone()).unwrap()),
        [Values::Float(vec![Some(1.5), Some(-2.0)])]
    );
    let found = Table::open(&data, layout.clone())
        .unwrap()
        .columns()
        .unwrap();
    assert_eq!(found[0].found.of(), Some(Float));
    let commas: Vec<bool> = found
        .iter()
        .map(|column| column.has_decimal_commas)
        .collect();
    assert_eq!(commas, [true, false]);
    for (second, why) in [
        ("1.5", "has decimal commas and points"),
        ("1.000,5", "is declared `float`"),
    ] {
        let text = format!("\"price, net\";name\n1,5;a\n{second};b\n");
        let data = file(&folder.write("mine.csv", text.as_bytes()));
        let told = read(&data, &price, layout.clone()).unwrap_err().to_string();
        assert!(
            told.starts_with("mine.csv:3: column `price, net` "),
            "{told}"
        );
        assert!(told.contains(why), "{told}");
    }
    let usual = file(&folder.write("mine.csv", b"a,\"b;c;d\"\n"));
    assert_eq!(kibitz_tables::separator(&usual), Ok(None));
}

/// A first line such as `sep=;`, which Excel understands, sets the separator and is not a row; a malformed one is reported
/// with its line.
#[test]
fn the_first_line_may_say_what_separates() {
    let folder = Folder::new();
    let price = [field("price", Float)];
    for (text, separator) in [
        ("sep=;\nprice;name\n1,5;a,b\n-2;c\n", b';'),
        ("\u{feff}SEP=;\r\nprice;name\r\n1,5;a\r\n-2;c\r\n", b';'),
        ("\"sep=;\"\nname;price\n\"a\nb\";1,5\nc;-2\n", b';'),
        ("sep=\t\nprice\tname\n1.5\ta;b\n-2\tc\n", b'\t'),
        ("sep=,\nprice,name\n1.5,a\n-2,c\n", b','),
        ("sep=#\nprice#name\n1.5#a\n-2#c\n", b'#'),
    ] {
        let data = file(&folder.write("mine.csv", text.as_bytes()));
        let found = kibitz_tables::separator(&data).unwrap();
        assert_eq!(found, Some(separator).filter(|&found| found != b','));
        for separator in [None, found, Some(separator)] {
            let layout = Layout {
                separator,
                ..Layout::default()
            };
            let records = read(&data, &price, layout.clone()).unwrap();
            let read = [Values::Float(vec![Some(1.5), Some(-2.0)])];
            assert_eq!(columns(&records), read, "{text:?}");
            let table = Table::open(&data, layout).unwrap();
            assert_eq!(table.n_records().unwrap(), [2]);
            let found = table.columns().unwrap();
            let found = found.iter().find(|column| column.name == "price").unwrap();
            assert_eq!(found.found.of(), Some(Float));
        }
    }
    let told = |text: &str, separator: Option<u8>| {
        let data = file(&folder.write("mine.csv", text.as_bytes()));
        let layout = Layout {
            separator,
            ..Layout::default()
        };
        read(&data, &price, layout).unwrap_err().to_string()
    };
    let all = [
        told("sep=\nprice\n1\n", None),
        told("sep=;;\nprice;name\n1;a\n", None),
        told("sep=a\nprice\n1\n", None),
        told("sep=;\nprice|name\n1|a\n", None),
        told("sep=;\nsep=,\nprice,name\n1,a\n", None),
        told("sep=;\nprice;name\n1;a\n", Some(b'|')),
        told("sep=;\n", None),
        told("sep=;\nprice;name\n1;a\nmuch;b\n", None),
        told("sep=;\nprice;name\n1;a\n2\n", None),
        told("sep=;\nprice;name\n1,5;a\n1.5;b\n", None),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    mine.csv:1: found `sep=`: expected `sep=` and one character, as in `sep=;`
    mine.csv:1: found `sep=;;`: expected `sep=` and one character, as in `sep=;`
    mine.csv:1: found `sep=a`: expected `sep=` and one character, as in `sep=;`
    mine.csv:1: found `sep=;`: line 2 has '|' alone
    mine.csv:1: found `sep=;`: line 2 says it again
    mine.csv:1: found `sep=;`: `separator = '|'` is declared
    mine.csv: an empty file; its first line should name the columns
    mine.csv:4: column `price` is declared `float`, found `much`
    mine.csv:4: 1 field, the header has 2
    mine.csv:4: column `price` has decimal commas and points, found `1.5`: write all numbers alike, without marks for thousands
    ");
}

#[test]
fn a_file_that_is_cut_short_is_no_table() {
    let folder = Folder::new();
    let numbers: Vec<i64> = (0..10_000).collect();
    let mut frame = df!("n" => numbers).unwrap();
    let whole = fs::read(folder.parquet("whole.parquet", &mut frame, 1000)).unwrap();
    for n_bytes in [5, 1000, whole.len() - 9, whole.len() - 1] {
        let path = folder.write("cut.parquet", &whole[..n_bytes]);
        let told = mistake(&file(&path), &[field("n", FieldType::Int)]);
        assert!(told.starts_with("cut.parquet: cannot be read"), "{told}");
    }
    // The footer is there, and a part of the records is not what it was.
    let mut other = whole.clone();
    other[300..400].fill(0xff);
    let path = folder.write("other.parquet", &other);
    let records = read(
        &file(&path),
        &[field("n", FieldType::Int)],
        Layout::default(),
    );
    let whole = read(
        &file(&folder.0.path().join("whole.parquet")),
        &[field("n", FieldType::Int)],
        Layout::default(),
    );
    assert_ne!(records, whole, "the hash of the file is what tells");
}

#[test]
fn a_folder_is_one_table_with_the_columns_of_its_names() {
    let folder = Folder::new();
    let mut frame = df!("n" => [1_i64, 2, 3]).unwrap();
    folder.parquet("year=2016/month=12/a.parquet", &mut frame, 2);
    folder.write("year=2017/month=01/b.csv", b"n\n4\n5\n");
    let data = folder.data(&["year=2016/month=12/a.parquet", "year=2017/month=01/b.csv"]);
    let fields = [
        ("year", FieldType::Int),
        ("n", FieldType::Int),
        ("month", FieldType::Text),
    ];
    let fields = fields.map(|(name, of)| field(name, of));
    let months = [12, 12, 12, 1, 1].map(|month| Some(Arc::from(format!("{month:02}"))));
    let all = [
        Values::Int([2016, 2016, 2016, 2017, 2017].map(Some).to_vec()),
        Values::Int([1, 2, 3, 4, 5].map(Some).to_vec()),
        Values::Text(months.to_vec()),
    ];
    assert_eq!(
        columns(&read(&data, &fields, Layout::default()).unwrap()),
        all
    );
    let table = Table::open(&data, Layout::default()).unwrap();
    let found = table.columns().unwrap();
    let names: Vec<&str> = found.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["n", "year", "month"]);
    // Any cut gives the same records.
    for cut in 0..=5 {
        let mut parts = Records::new(fields.to_vec());
        for range in [0..cut, cut..5] {
            table
                .read(&fields, Some(&range), |records| {
                    parts.append(records).map_err(TableError::Data)
                })
                .unwrap();
        }
        assert_eq!(columns(&parts), all, "cut at {cut}");
    }
    folder.write("year=late/c.csv", b"n\n4\n");
    let data = folder.data(&["year=late/c.csv"]);
    insta::assert_snapshot!(
        mistake(&data, &fields[..1]),
        @"mine/year=late/c.csv:2: column `year` is declared `int`, found `late`"
    );
}

#[test]
fn a_file_that_changes_is_noticed() {
    let folder = Folder::new();
    folder.write("a.csv", b"n\n1\n");
    let data = folder.data(&["a.csv"]);
    let fields = [field("n", FieldType::Int)];
    read(&data, &fields, Layout::default()).unwrap();
    data.check_unchanged().unwrap();
    folder.write("a.csv", b"n\n1\n2\n");
    let told = mistake(&data, &fields);
    assert!(told.contains("has changed while the run went on"), "{told}");
    assert!(data.check_unchanged().is_err());
}

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
