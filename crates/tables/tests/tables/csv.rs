//! Quotation marks, separators and decimal commas of CSV files.

use FieldType::{Float, Int};
use kibitz_experiment::{FieldType, Values};
use kibitz_tables::{Layout, Table};

use crate::folder::{Folder, columns, field, file, mistake, read};

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
