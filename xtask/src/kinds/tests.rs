//! What holds of every kind and every experiment file.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use kibitz_experiment::{Kind, Records, Value, Values};
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

/// The tags of an experiment file.
fn tags(text: &str) -> Vec<String> {
    let file: toml::Table = text.parse().unwrap();
    let tags = file.get("tags").and_then(toml::Value::as_array);
    let tags = tags.into_iter().flatten().filter_map(toml::Value::as_str);
    tags.map(str::to_owned).collect()
}

/// The names behind the keys of a table of an experiment file, such as `data` or `from`.
fn used(text: &str, table: &str) -> Vec<(String, String)> {
    let file: toml::Table = text.parse().unwrap();
    let table = file.get(table).and_then(toml::Value::as_table);
    let names = table.into_iter().flatten();
    names
        .map(|(name, used)| (name.clone(), used.as_str().unwrap().to_owned()))
        .collect()
}

/// The experiments with what they read.
struct Bench {
    experiments: BTreeMap<String, String>,
    manifest: toml::Table,
    /// Of those that others read, made once.
    records: RefCell<BTreeMap<String, Records>>,
}

impl Bench {
    fn new() -> Self {
        let manifest = fs::read_to_string(root().join("data/manifest.toml")).unwrap();
        Self {
            experiments: experiments(),
            manifest: manifest.parse().unwrap(),
            records: RefCell::default(),
        }
    }

    /// Whether all data of an experiment, and of those that it reads, are embedded.
    fn is_at_hand(&self, id: &str) -> bool {
        let text = &self.experiments[id];
        let is_embedded = |(_, name): &(_, String)| self.manifest[name].get("external").is_none();
        used(text, "data").iter().all(is_embedded)
            && used(text, "from").iter().all(|(_, id)| self.is_at_hand(id))
    }

    /// An experiment with what it reads, under its `[quick]`.
    fn table(&self, id: &str) -> TestBench {
        let text = &self.experiments[id];
        let sources = used(text, "from").into_iter();
        let sources = sources.map(|(_, id)| (id.clone(), self.records(&id)));
        let mut bench = TestBench::reading(kind_of(text), id, text, sources.collect())
            .unwrap()
            .quick();
        for (name, entry) in used(text, "data") {
            let path = self.manifest[&entry]["path"].as_str().unwrap();
            bench = bench.with_data(&name, &fs::read(root().join("data").join(path)).unwrap());
        }
        bench
    }

    fn records(&self, id: &str) -> Records {
        if let Some(records) = self.records.borrow().get(id) {
            return records.clone();
        }
        let records = self.table(id).records().unwrap();
        self.records
            .borrow_mut()
            .insert(id.to_owned(), records.clone());
        records
    }
}

/// What tells one column of records from another: how many values it has, and their sum or the first.
fn in_short(column: &Values) -> String {
    fn present<T: Clone>(values: &[Option<T>]) -> Vec<T> {
        values.iter().flatten().cloned().collect()
    }
    match column {
        Values::Int(values) => {
            let values = present(values);
            let sum: i128 = values.iter().copied().map(i128::from).sum();
            format!("{} | sum {sum}", values.len())
        }
        Values::Float(values) => {
            let values = present(values);
            format!("{} | sum {:.5e}", values.len(), values.iter().sum::<f64>())
        }
        Values::Bool(values) => {
            let values = present(values);
            let n_true = values.iter().filter(|value| **value).count();
            format!("{} | {n_true} true", values.len())
        }
        Values::Text(values) => {
            let values = present(values);
            let first = values.first().cloned().unwrap_or_default();
            format!("{} | first {first}", values.len())
        }
    }
}

/// The first replicate of a cell, six digits a number: later ones may differ on another machine.
fn values(bench: &TestBench, cell: &str) -> String {
    let mut output = bench
        .run(cell, 0)
        .unwrap_or_else(|error| panic!("{cell}: {error}"));
    let mut text = String::new();
    // Volatile figures, such as times, need not be the same.
    for (row, column, value) in output.values() {
        let value = match value {
            Value::Number(number) => format!("{:.5e}", number.value),
            Value::Text(text) => text.clone(),
        };
        writeln!(text, "{row} | {column} | {value}").unwrap();
    }
    for (field, column) in output.take_records().iter().flat_map(Records::columns) {
        writeln!(text, "records | {} | {}", field.name, in_short(column)).unwrap();
    }
    assert!(!text.is_empty(), "{cell} yields nothing");
    text
}

/// CPU seconds of this process, from Linux's `/proc`.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
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

/// One cell of each kind: its kind, its experiment, the cell, and the CPU seconds that it took.
const SAMPLE: &str = include_str!("sample.csv");

#[test]
fn a_cell_of_every_kind_gives_the_same_twice() {
    let bench = Bench::new();
    let mut sampled = BTreeSet::new();
    let mut reader = csv::Reader::from_reader(SAMPLE.as_bytes());
    for line in reader.deserialize() {
        let (kind, id, cell, _): (String, String, String, f64) = line.unwrap();
        assert_eq!(kind_of(&bench.experiments[&id]).name(), kind, "{id}");
        let table = bench.table(&id);
        let once = values(&table, &cell);
        assert_eq!(once, values(&table, &cell), "{id} {cell}");
        insta::assert_snapshot!(kind.clone(), once);
        sampled.insert(kind);
    }
    for (id, text) in &bench.experiments {
        let kind = kind_of(text).name();
        let is_sampled = sampled.contains(kind);
        assert!(
            is_sampled || !bench.is_at_hand(id),
            "no cell of {kind} in sample.csv, such as of {id}"
        );
    }
}

/// What all cells of some tables give: of those that `KIBITZ_TABLES` names by id or by tag, or of `all`.
/// `.ci/run slow-tables` asks for those with the tag `slow`, since it computes the others wholly; without
/// it, one table stands for all. `-- --nocapture` shows a line for `sample.csv` of each cell.
#[test]
fn quick_tables() {
    let bench = Bench::new();
    let wanted = std::env::var("KIBITZ_TABLES");
    let wanted = wanted.as_deref().unwrap_or("beyond/judged-moves");
    let mut n_tables = 0;
    for (id, text) in &bench.experiments {
        let tags = tags(text);
        let is_named = |name: &str| name == "all" || name == id || tags.iter().any(|it| it == name);
        if !wanted.split(',').any(is_named) || !bench.is_at_hand(id) {
            continue;
        }
        let table = bench.table(id);
        let kind = kind_of(text).name();
        let mut text = String::new();
        for cell in table.cells() {
            let before = processor_seconds();
            text += &values(&table, &cell.id);
            let seconds = processor_seconds() - before;
            println!("{kind},{id},\"{}\",{seconds:.2}", cell.id);
        }
        insta::assert_snapshot!(id.replace('/', "__"), text);
        n_tables += 1;
    }
    assert!(n_tables > 0, "no table is called or tagged {wanted}");
}

/// A renamed table takes its snapshot along, which `quick_tables` would say only in `.ci/run slow-tables`.
#[test]
fn each_slow_table_has_a_snapshot_and_each_snapshot_a_table() {
    let bench = Bench::new();
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kinds/snapshots"));
    let files = files.unwrap().map(|file| file.unwrap().file_name());
    let snapshots: BTreeSet<String> = files
        .filter_map(|file| {
            let name = file.to_str()?.strip_prefix("xtask__kinds__tests__")?;
            Some(name.strip_suffix(".snap")?.replace("__", "/"))
        })
        .filter(|name| name.contains('/'))
        .collect();
    let slow = bench
        .experiments
        .iter()
        .filter(|(id, text)| tags(text).iter().any(|tag| tag == "slow") && bench.is_at_hand(id));
    let slow: BTreeSet<String> = slow.map(|(id, _)| id.clone()).collect();
    let without: Vec<_> = slow.difference(&snapshots).collect();
    assert!(without.is_empty(), "without a snapshot: {without:?}");
    let unused = snapshots
        .iter()
        .filter(|id| !bench.experiments.contains_key(*id));
    let unused: Vec<_> = unused.collect();
    assert!(unused.is_empty(), "of no table: {unused:?}");
}
