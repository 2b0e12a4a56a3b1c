//! Declared columns and the values read for them, with the place of a value of another type.

use std::sync::Arc;

use FieldType::{Bool, Float, Int, Text};
use kibitz_experiment::{FieldType, Values};
use kibitz_tables::{Layout, Table};
use polars::prelude::*;

use crate::folder::{Folder, columns, field, file, mistake, read};

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
