//! Choices from tables of any domain, through the command line.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

mod common;

use std::{fmt::Write as _, fs, path::Path};

use common::{refused, typed};

#[test]
fn choices_of_any_domain() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut table = "day,shop,chosen,price,color\n".to_owned();
    for day in 0..40 {
        let dear = day % 4 == 0;
        let shop = day % 5;
        let _ = writeln!(table, "{day},{shop},{},1,red", !dear);
        let _ = writeln!(table, "{day},{shop},{dear},2,blue");
    }
    fs::write(folder.join("buys.csv"), table).unwrap();
    let (code, out, messages) = typed(folder, "fit --choices buys.csv --choice day --group shop");
    insta::assert_snapshot!("choices", format!("exit {code}\n{out}\n{messages}"));
}

#[test]
fn small_weights_have_their_digits() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut table = "trip,traveler,chosen,cost\n".to_owned();
    for trip in 0..200 {
        let dear = trip % 4 == 0;
        let _ = writeln!(table, "{trip},{},{},1000000", trip % 40, !dear);
        let _ = writeln!(
            table,
            "{trip},{},{dear},{}",
            trip % 40,
            3_000_000 + trip * 1000
        );
    }
    fs::write(folder.join("trips.csv"), table).unwrap();
    let line = "fit --choices trips.csv --choice trip --attributes cost";
    let grouped = typed(folder, &format!("{line} --group traveler")).1;
    let (_, alone, messages) = typed(folder, line);
    insta::assert_snapshot!("small_weights", format!("{grouped}\n{alone}\n{messages}"));
}

#[test]
fn the_line_above_the_header_counts() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (rows, told) in [
        (
            "sep=;\nday;chosen;price\n1;true;2\n1;x;3\n",
            "said.csv:4: column `chosen`: expected true or false",
        ),
        (
            "day,chosen,price\n\n1,1,2\n1,1,3\n\n",
            "said.csv, record 2: column `chosen`: a second alternative",
        ),
        (
            "sep=;\nday;chosen;price\n1;1;2\n1;1;3\n",
            "said.csv:4: column `chosen`: a second alternative",
        ),
        (
            "sep=;\nday;chosen;price_car;price_bus\n1;car;2;3\n",
            "said.csv:2: `price_car` and",
        ),
        (
            "sep=;;\nday;chosen;price\n1;1;2\n",
            "said.csv:1: found `sep=;;`: expected `sep=` and one character",
        ),
        (
            "sep=;\nday,chosen,price\n1,1,2\n",
            "said.csv:1: found `sep=;`: line 2 has ',' alone",
        ),
    ] {
        fs::write(folder.join("said.csv"), rows).unwrap();
        let line = "fit --choices said.csv --choice day --attributes price";
        let refused = refused(folder, line);
        assert!(refused.contains(told), "{refused}");
    }
}

#[test]
fn choices_in_parquet_are_those_of_text() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    for name in ["buys.parquet", "no-price.parquet"] {
        fs::copy(tables.join(name), folder.join(name)).unwrap();
    }
    let mut table = "day,shop,chosen,price,light,color\n".to_owned();
    for day in 0..40 {
        let (dear, shop) = (day % 4 == 0, ['a', 'b', 'c', 'd', 'e'][day % 5]);
        let _ = writeln!(table, "{day},{shop},{},1,{},red", !dear, day % 3 == 0);
        let _ = writeln!(table, "{day},{shop},{dear},2,false,blue");
    }
    fs::write(folder.join("buys.csv"), table).unwrap();
    let told = ["buys.parquet", "buys.csv"].map(|name| {
        let line = format!(
            "fit --choices {name} --choice day --group shop --attributes price,light --player x"
        );
        let (code, out, messages) = typed(folder, &line);
        assert_eq!(code, 0, "{messages}");
        out
    });
    assert_eq!(told[0], told[1]);
    // A spreadsheet's file, and rows that do not stand together.
    let text = fs::read_to_string(folder.join("buys.csv")).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let halves = [0, 1].map(|first| rows.lines().skip(first).step_by(2).collect::<Vec<_>>());
    let apart = format!("{header}\n{}\n", halves.concat().join("\n"));
    let semicolons = format!("\u{feff}{}", text.replace(',', ";").replace('\n', "\r\n"));
    let said = semicolons.replacen('\u{feff}', "\u{feff}sep=;\r\n", 1);
    for other in [apart, semicolons, said] {
        fs::write(folder.join("other.csv"), other).unwrap();
        let line =
            "fit --choices other.csv --choice day --group shop --attributes price,light --player x";
        assert_eq!(typed(folder, line).1, told[1]);
    }
    let line = "fit --choices buys.parquet --choice day --group shop";
    let (_, _, left_out) = typed(folder, line);
    let line = "fit --choices no-price.parquet --choice day --group shop";
    insta::assert_snapshot!(
        "parquet",
        format!("{}\n{left_out}\n{}", told[0], refused(folder, line))
    );
}

#[test]
fn mistakes_in_choices_have_a_line_and_a_column() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = ["1,true,1", "1,false,2", "2,false,1", "2,true,2"];
    let mistakes = [
        ("unchosen", [rows[0], rows[1], "2,false,1", "2,false,2"]),
        ("twice", [rows[0], "1,true,2", rows[2], rows[3]]),
        ("back", [rows[0], rows[1], "2,true,1", "1,true,2"]),
        ("neither", [rows[0], "1,maybe,2", rows[2], rows[3]]),
        ("word", [rows[0], "1,false,two", rows[2], rows[3]]),
        ("nothing", [rows[0], "1,false,", rows[2], rows[3]]),
        ("infinite", [rows[0], "1,false,inf", rows[2], rows[3]]),
        ("short", [rows[0], "1,false", rows[2], rows[3]]),
    ];
    let told = mistakes.map(|(name, rows)| {
        let text = format!("choice,chosen,price\n{}\n", rows.join("\n"));
        fs::write(folder.join(format!("{name}.csv")), text).unwrap();
        refused(
            folder,
            &format!("fit --choices {name}.csv --attributes price"),
        )
    });
    let mut told = told.to_vec();
    fs::write(
        folder.join("good.csv"),
        format!("choice,chosen,price\n{}\n", rows.join("\n")),
    )
    .unwrap();
    let wide = "trip,choice,cost_bus,cost_car,hours\n1,bus,1,2,3\n";
    fs::write(folder.join("wide.csv"), wide).unwrap();
    for chosen in ["chosen", "choice"] {
        let line = format!("fit --choices wide.csv --choice trip --chosen {chosen}");
        told.push(refused(folder, &line));
    }
    let wide = "choice,chosen,x_1,x_2\n1,1,1,2\n2,2,3,4\n";
    fs::write(folder.join("numbered.csv"), wide).unwrap();
    told.push(refused(folder, "fit --choices numbered.csv"));
    let rows = "choice,chosen,price\n1,true,1\n1,false,2\n,true,1\n,false,2\n";
    fs::write(folder.join("nameless.csv"), rows).unwrap();
    told.push(refused(folder, "fit --choices nameless.csv"));
    let rows = "choice,buyer,chosen,price\n1,,true,1\n1,,false,2\n";
    fs::write(folder.join("groupless.csv"), rows).unwrap();
    told.push(refused(folder, "fit --choices groupless.csv --group buyer"));
    for (name, rows) in [
        ("none", ""),
        ("single", "1,true,1\n2,true,1\n"),
        ("sure", "1,true,1\n1,false,2\n"),
    ] {
        let name = format!("{name}.csv");
        fs::write(folder.join(&name), format!("choice,chosen,price\n{rows}")).unwrap();
        told.push(refused(
            folder,
            &format!("fit --choices {name} --attributes price"),
        ));
    }
    fs::create_dir(folder.join("below")).unwrap();
    fs::write(folder.join("below/packed.csv"), b"\x28\xb5\x2f\xfd").unwrap();
    told.push(refused(folder, "fit --choices below/packed.csv"));
    told.push(refused(folder, "fit --choices good.csv --choice chioce"));
    told.push(refused(folder, "fit --choices good.csv --attributes prise"));
    told.push(refused(folder, "fit --choices good.csv --chosen price"));
    insta::assert_snapshot!("mistakes_in_choices", told.join("\n"));
}

/// A choice without an alternative says nothing: the fit is that of the others.
#[test]
fn choices_of_a_single_alternative_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut table = "choice,chosen,price\n".to_owned();
    for choice in 0..40 {
        let dear = choice % 4 == 0;
        let _ = write!(table, "{choice},{},1\n{choice},{dear},2\n", !dear);
    }
    fs::write(folder.join("plain.csv"), &table).unwrap();
    table += "40,true,1\n41,true,2\n";
    fs::write(folder.join("single.csv"), table).unwrap();
    let line = |name: &str| format!("fit --choices {name}.csv --player x");
    let (code, out, messages) = typed(folder, &line("single"));
    assert_eq!(code, 0, "{messages}");
    let expected = "single.csv:82: ignored 2 choices with a single alternative, first choice 40";
    assert!(messages.contains(expected), "{messages}");
    assert_eq!(out, typed(folder, &line("plain")).1);
}

#[test]
fn a_table_is_not_overwritten_by_its_model() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rows = "choice,chosen,price\n1,true,1\n1,false,2\n2,false,1\n2,true,2\n";
    fs::write(folder.join("t.csv"), rows).unwrap();
    let told = refused(folder, "fit --choices t.csv --out t.csv");
    assert!(
        told.contains("t.csv is read and cannot be written to as well"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(folder.join("t.csv")).unwrap(), rows);
}
