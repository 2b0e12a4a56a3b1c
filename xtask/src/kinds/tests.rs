//! What holds of every kind and every experiment file.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use kibitz_experiment::{Kind, Value};
use kibitz_lab::testing::TestBench;

use super::kinds;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
        .to_owned()
}

/// All experiment files, by id.
fn experiments() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for folder in fs::read_dir(root().join("experiments")).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        for file in fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_none_or(|it| it != "toml") {
                continue;
            }
            let names = [&folder, &file].map(|path| path.file_stem().unwrap().to_str().unwrap());
            found.insert(names.join("/"), fs::read_to_string(&file).unwrap());
        }
    }
    found
}

fn kind_of(text: &str) -> Kind {
    let file: toml::Table = text.parse().unwrap();
    let name = file["kind"].as_str().unwrap();
    kinds()
        .into_iter()
        .find(|kind| kind.name() == name)
        .unwrap()
}

/// The experiment with its embedded data at hand; `None` if it needs data that are not embedded.
fn bench(id: &str, text: &str) -> Option<TestBench> {
    let file: toml::Table = text.parse().unwrap();
    let manifest: toml::Table = fs::read_to_string(root().join("data/manifest.toml"))
        .unwrap()
        .parse()
        .unwrap();
    let mut sources = BTreeMap::new();
    let from = file.get("from").and_then(toml::Value::as_table);
    for read in from.into_iter().flat_map(toml::Table::values) {
        let read = read.as_str().unwrap();
        let records = bench(read, &experiments()[read])?.records().unwrap();
        sources.insert(read.to_owned(), records);
    }
    let mut bench = TestBench::reading(kind_of(text), id, text, sources)
        .unwrap()
        .quick();
    for (name, entry) in file
        .get("data")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flatten()
    {
        let entry = &manifest[entry.as_str().unwrap()];
        if entry.get("external").is_some() {
            return None;
        }
        let bytes = fs::read(root().join("data").join(entry["path"].as_str().unwrap())).unwrap();
        bench = bench.with_data(name, &bytes);
    }
    Some(bench)
}

/// The first replicate of every cell, six digits a number: later ones may differ on another machine.
fn quick_values(bench: &TestBench) -> String {
    let mut text = String::new();
    for cell in bench.cells() {
        let output = bench
            .run(&cell.id, 0)
            .unwrap_or_else(|error| panic!("{}: {error}", cell.id));
        for (row, column, value) in output.values() {
            let value = match value {
                Value::Number(number) => format!("{:.5e}", number.value),
                Value::Text(text) => text.clone(),
            };
            writeln!(text, "{row} | {column} | {value}").unwrap();
        }
    }
    text
}

#[test]
fn kinds_are_unique_and_sorted() {
    let kinds = kinds();
    let names: Vec<_> = kinds.iter().map(Kind::name).collect();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn every_kind_has_an_experiment() {
    let used: Vec<_> = experiments()
        .values()
        .map(|text| kind_of(text).name())
        .collect();
    for kind in kinds() {
        assert!(
            used.contains(&kind.name()),
            "no experiment uses {}",
            kind.name()
        );
    }
}

#[test]
fn examples_pass_and_their_typos_do_not() {
    for kind in kinds() {
        let example = kind.example();
        TestBench::new(kind, "beyond/example", example)
            .unwrap_or_else(|problems| panic!("example of {}:\n{problems}", kind.name()));
        let typo = example.replacen("[params]\n", "[params]\nmoblity = 1\n", 1);
        let problems = TestBench::new(kind, "beyond/example", &typo).unwrap_err();
        let line = 1 + typo.lines().position(|line| line == "moblity = 1").unwrap();
        let place = format!("experiments/beyond/example.toml:{line}:1");
        assert!(problems.to_string().contains(&place), "{problems}");
    }
}

#[test]
fn quick_tables() {
    for (id, text) in experiments() {
        if let Some(bench) = bench(&id, &text) {
            insta::assert_snapshot!(id.replace('/', "__"), quick_values(&bench));
        }
    }
}

#[test]
fn a_cell_run_twice_gives_the_same() {
    for kind in kinds() {
        let example = experiments()
            .into_iter()
            .find(|(_, text)| kind_of(text).name() == kind.name());
        let (id, text) = example.unwrap();
        let Some(bench) = bench(&id, &text) else {
            continue;
        };
        let cell = bench
            .cells()
            .iter()
            .min_by(|a, b| a.cost.total_cmp(&b.cost))
            .unwrap();
        // Volatile figures, such as times, are no part of what must be the same.
        let values = || -> Vec<(String, String, Value)> {
            let output = bench.run(&cell.id, 1).unwrap();
            let owned = |(row, column, value): (&str, &str, &Value)| {
                (row.to_owned(), column.to_owned(), value.clone())
            };
            output.values().map(owned).collect()
        };
        assert_eq!(values(), values(), "{id}");
    }
}
