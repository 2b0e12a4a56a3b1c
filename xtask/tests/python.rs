//! Datasets read by engines in Python, where these are installed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

/// Prints the columns with their types, the number of records, and how many the master played.
const READ: &str = "
import sys, polars
frame = polars.read_parquet(sys.argv[1])
for name, of in frame.schema.items():
    print(name, of, sep='\\t')
print(frame.height, frame['played'].sum(), frame.null_count().sum_horizontal()[0], sep='\\t')
";

/// The Python with these packages, or a line that says that the test is skipped.
fn python_with(packages: &str) -> Option<String> {
    let python = std::env::var("KIBITZ_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let import = format!("import {packages}");
    let imported = Command::new(&python).args(["-c", &import]).output();
    let has = imported.is_ok_and(|output| output.status.success());
    if !has {
        eprintln!("skipped: {python} lacks one of {packages}");
    }
    has.then_some(python)
}

/// A workspace with the scores of three games.
struct Workspace(tempfile::TempDir);

impl Workspace {
    fn new(parts: u32) -> Self {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let workspace = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(workspace.path("experiments/sugar1975")).unwrap();
        for shared in ["data", "experiments/papers.toml"] {
            symlink(home.join(shared), workspace.path(shared)).unwrap();
        }
        let scores = fs::read_to_string(home.join("experiments/sugar1975/scores.toml")).unwrap();
        let few = format!("\"library\", max-games = 3 }}\nparts = {parts}\n");
        let few = scores.replacen("\"library\" }", &few, 1);
        fs::write(workspace.path("experiments/sugar1975/scores.toml"), few).unwrap();
        workspace
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn output(&self, command: &mut Command) -> String {
        let output = command.current_dir(self.0.path()).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{err}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn xtask(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.env_remove("CARGO_TARGET_DIR");
        self.output(command.args(arguments))
    }

    fn python(&self, python: &str, script: &str, arguments: &[&str]) -> String {
        self.output(Command::new(python).args(["-c", script]).args(arguments))
    }
}

#[test]
fn polars_reads_the_declared_columns() {
    let Some(python) = python_with("polars") else {
        return;
    };
    let workspace = Workspace::new(1);
    let shown = workspace.xtask(&["dataset", "sugar1975/scores"]);
    workspace.xtask(&["dataset", "sugar1975/scores", "--out", "scores.parquet"]);
    let read = workspace.python(&python, READ, &["scores.parquet"]);
    let mut lines = read.lines();
    let n_records = shown.lines().next().unwrap();
    for line in shown.lines().filter(|line| line.starts_with("  ")) {
        let (name, rest) = line.trim().split_once("  ").unwrap();
        let of = match rest.split_whitespace().next().unwrap() {
            "int" => "Int64",
            "float" => "Float64",
            "bool" => "Boolean",
            _ => "String",
        };
        assert_eq!(
            lines.next(),
            Some(format!("{}\t{of}", name.trim()).as_str())
        );
    }
    let counts: Vec<&str> = lines.next().unwrap().split('\t').collect();
    assert_eq!(
        n_records,
        format!("sugar1975/scores: {} records", counts[0])
    );
    assert!(counts[1].parse::<u32>().unwrap() > 100, "{counts:?}");
    assert_eq!(counts[2], "0", "nothing is absent");
}

/// How often the master move is the best by the scoring polynomial, by three engines; the number
/// of parts besides.
const BY_ENGINES: &str = "
import duckdb, polars
from datafusion import SessionContext
share = 'SELECT 100.0 * AVG(CASE WHEN rank = 1 THEN 1 ELSE 0 END) AS first FROM scores WHERE played'
scores = duckdb.read_parquet('scores/*/*.parquet', hive_partitioning=True)
print(repr(duckdb.sql(share).fetchall()[0][0]))
print(duckdb.sql('SELECT COUNT(DISTINCT part) FROM scores').fetchall()[0][0])
context = SessionContext()
context.register_parquet('scores', 'scores/', table_partition_cols=[('part', 'string')])
print(repr(context.sql(share).collect()[0].column(0)[0].as_py()))
scores = polars.scan_parquet('scores/', hive_partitioning=True)
print(repr(polars.SQLContext(scores=scores).execute(share).collect().item()))
";

const QUERY: &str = r#"
kind = "query"
title = "How often the master move is the best"
source = { paper = "beyond", where = "a test", reading = "clear" }
from = { scores = "sugar1975/scores" }
[params]
sql = """
SELECT 'all' AS row, 100.0 * AVG(CASE WHEN rank = 1 THEN 1 ELSE 0 END) AS first
FROM scores WHERE played"""
[columns]
first = { unit = "%", tol = "info", why = "a test" }
"#;

#[test]
fn engines_read_the_parts_and_give_the_same_figure() {
    let Some(python) = python_with("duckdb, datafusion, polars") else {
        return;
    };
    let workspace = Workspace::new(3);
    let wrote = workspace.xtask(&["dataset", "sugar1975/scores", "--out", "scores"]);
    assert!(wrote.contains("wrote scores, 3 parts"), "{wrote}");
    fs::create_dir_all(workspace.path("experiments/beyond")).unwrap();
    fs::write(workspace.path("experiments/beyond/first.toml"), QUERY).unwrap();
    workspace.xtask(&["reproduce", "beyond/first"]);
    let table = workspace.path("target/kibitz/results/beyond/first/table.csv");
    let table = fs::read_to_string(table).unwrap();
    let line = table.lines().find(|line| line.starts_with("all,first,"));
    let ours: f64 = line.unwrap().split(',').nth(2).unwrap().parse().unwrap();
    let told = workspace.python(&python, BY_ENGINES, &[]);
    let told: Vec<f64> = told.lines().map(|line| line.parse().unwrap()).collect();
    let [duckdb, n_parts, datafusion, polars] = told[..] else {
        panic!("{told:?}");
    };
    assert!(ours > 1.0 && ours < 99.0, "{ours}");
    for theirs in [duckdb, datafusion, polars] {
        assert!((theirs - ours).abs() < 1e-9 * ours, "{theirs}, not {ours}");
    }
    assert!((n_parts - 3.0).abs() < f64::EPSILON, "{n_parts} parts");
}

/// Three games in the types of the official Lichess set, with groups of two rows.
const LICHESS: &str = "
import datetime, os, polars
os.makedirs('lichess/data/year=2017/month=04')
polars.DataFrame({
    'Event': ['Rated Bullet'] * 3, 'White': ['Ann', 'Bob', 'Ann'], 'Black': ['Bob', 'Ann', 'Cyd'],
    'Result': ['1-0', '0-1', '1/2-1/2'], 'WhiteTitle': [None, None, 'GM'],
    'WhiteElo': [1500, 1600, None], 'BlackRatingDiff': [1, -2, 3],
    'UTCDate': [datetime.date(2017, 4, 1)] * 3, 'UTCTime': [datetime.time(11, 32, 1)] * 3,
    'Opening': ['x', 'y', 'z'],
    'movetext': [
        '1. e4 { [%eval 0.2] } e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0',
        '1. f3 e5 2. g4 Qh4# 0-1', '1. d4 d5 2. Nf3 Nf6 3. Nf9 1/2-1/2',
    ],
}, schema_overrides={
    'WhiteElo': polars.Int16, 'BlackRatingDiff': polars.Int16, 'Opening': polars.Categorical,
}).write_parquet('lichess/data/year=2017/month=04/train-00000-of-00001.parquet', row_group_size=2)
";

const ROWS: &str = r#"
kind = "table"
title = "Games as they stand"
source = { paper = "beyond", where = "a test" }
data = { table = "lichess" }
[params]
columns = [
  { name = "White", type = "text" },
  { name = "WhiteElo", type = "int" },
  { name = "BlackRatingDiff", type = "float" },
  { name = "UTCDate", type = "text" },
  { name = "UTCTime", type = "text" },
  { name = "Opening", type = "text" },
  { name = "month", type = "int" },
]
"#;

#[test]
fn the_types_of_the_lichess_set_are_read() {
    let Some(python) = python_with("polars") else {
        return;
    };
    let workspace = Workspace(tempfile::tempdir().unwrap());
    fs::create_dir_all(workspace.path("experiments/club")).unwrap();
    workspace.python(&python, LICHESS, &[]);
    let add = [
        "data",
        "add",
        "lichess",
        "--license",
        "CC0",
        "--origin",
        "a test",
    ];
    let added = workspace.xtask(&add);
    assert!(
        added.contains("2 games, and 1 that cannot be read."),
        "{added}"
    );
    fs::write(workspace.path("experiments/club/rows.toml"), ROWS).unwrap();
    workspace.xtask(&["dataset", "club/rows", "--out", "rows.csv"]);
    let rows = fs::read_to_string(workspace.path("rows.csv")).unwrap();
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    assert_eq!(
        rows,
        [
            "Ann,1500,1.0,2017-04-01,11:32:01,x,4",
            "Bob,1600,-2.0,2017-04-01,11:32:01,y,4",
            "Ann,,3.0,2017-04-01,11:32:01,z,4",
        ]
    );
}
