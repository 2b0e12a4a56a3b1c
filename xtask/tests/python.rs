//! A dataset read back by polars in Python, where that is installed.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

/// Prints the columns with their types, the number of records, and how many the master played.
const READ: &str = "
import sys, polars
frame = polars.read_parquet(sys.argv[1])
for name, of in frame.schema.items():
    print(name, of, sep='\\t')
print(frame.height, frame['played'].sum(), frame.null_count().sum_horizontal()[0], sep='\\t')
";

#[test]
fn polars_reads_the_declared_columns() {
    let python = std::env::var("KIBITZ_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_polars = Command::new(&python).args(["-c", "import polars"]).output();
    if !has_polars.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: {python} has no polars");
        return;
    }
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |below: &str| folder.path().join(below);
    fs::create_dir_all(path("experiments/sugar1975")).unwrap();
    for shared in ["data", "experiments/papers.toml"] {
        symlink(home.join(shared), path(shared)).unwrap();
    }
    let scores = fs::read_to_string(home.join("experiments/sugar1975/scores.toml")).unwrap();
    let few = scores.replacen("\"library\" }", "\"library\", max-games = 3 }", 1);
    fs::write(path("experiments/sugar1975/scores.toml"), few).unwrap();
    let xtask = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.current_dir(folder.path()).args(arguments);
        let output = command.env_remove("CARGO_TARGET_DIR").output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let shown = xtask(&["dataset", "sugar1975/scores"]);
    xtask(&["dataset", "sugar1975/scores", "--out", "scores.parquet"]);
    let script = ["-c", READ, "scores.parquet"];
    let read = Command::new(&python)
        .current_dir(folder.path())
        .args(script)
        .output()
        .unwrap();
    let read = String::from_utf8(read.stdout).unwrap();
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
