//! The program in a folder with a user's table, a query over it, and nothing of this repository.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::fs;

const RESULTS: &str = "player,won\nAnn,true\nBob,false\nAnn,true\nCyd,false\n";

const TABLE: &str = r#"
kind = "table"
title = "Results of a club"
data = { table = "results" }
[params]
columns = [
  { name = "player", type = "text", doc = "who played" },
  { name = "won", type = "bool", doc = "whether the game was won" },
]
"#;

const QUERY: &str = r#"
kind = "query"
title = "Games won"
source = { paper = "club", where = "Table 1", reading = "clear" }
from = { results = "club/results" }
[params]
sql = """
SELECT 'all' AS row, COUNT(*) AS n, 100.0 * AVG(CASE WHEN won THEN 1 ELSE 0 END) AS share FROM results"""
[columns]
n = { unit = "games", baseline = 0 }
share = { unit = "%", baseline = 0 }
[published]
all = { n = 4, share = 50 }
"#;

mod compare;
#[cfg(unix)]
mod killed;
mod project;
#[cfg(unix)]
mod replication;
#[cfg(unix)]
mod steps;
#[cfg(unix)]
mod why;

use project::run;

#[test]
fn tables_of_ones_own_are_reproduced_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = |below: &str| folder.path().join(below);
    fs::create_dir_all(path("experiments/club")).unwrap();
    fs::write(path("results.csv"), RESULTS).unwrap();
    let about = "[club]\ncitation = \"The club, Yearbook, 1999.\"\n";
    fs::write(path("experiments/papers.toml"), about).unwrap();
    fs::write(path("experiments/club/results.toml"), TABLE).unwrap();
    fs::write(path("experiments/club/won.toml"), QUERY).unwrap();
    let done = |arguments: &[&str], told: &str| {
        let (exit, text) = run(folder.path(), arguments);
        assert!(
            exit == 0 && text.contains(told),
            "{arguments:?}: {exit}, {text}"
        );
    };
    done(&["--help"], "Usage: kibitz-lab");
    done(&["kinds"], "regression");
    let add = [
        "data",
        "add",
        "results.csv",
        "--license",
        "CC0",
        "--origin",
        "made up",
    ];
    done(&add, "results");
    done(&["list"], "club/won");
    done(&["reproduce"], "2 match");
    done(&["reproduce", "--bless", "--allow-dirty"], "new: club/won");
    assert!(path("results/club/won/table.csv").is_file());
    done(&["report"], "index.html");
    let page = fs::read_to_string(path("target/report/club/won.html")).unwrap();
    assert!(page.contains("Games won"), "{page}");
    let (exit, text) = run(folder.path(), &["explain", "club/wom"]);
    assert!(exit == 4 && text.contains("club/won"), "{exit}, {text}");
}

/// After an error there are no values to count, and nothing to browse.
#[test]
fn an_error_ends_with_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = |below: &str| folder.path().join(below);
    fs::create_dir_all(path("experiments/club")).unwrap();
    let about = "[club]\ncitation = \"The club, Yearbook, 1999.\"\n";
    fs::write(path("experiments/papers.toml"), about).unwrap();
    fs::write(path("results.csv"), RESULTS).unwrap();
    let add = [
        "data",
        "add",
        "results.csv",
        "--license",
        "L",
        "--origin",
        "O",
    ];
    assert_eq!(run(folder.path(), &add).0, 0);
    let table = TABLE.replace("\"bool\"", "\"int\"");
    fs::write(path("experiments/club/results.toml"), table).unwrap();
    fs::write(path("experiments/club/won.toml"), QUERY).unwrap();
    for arguments in [["dataset", "club/results"], ["reproduce", "club/won"]] {
        let (exit, text) = run(folder.path(), &arguments);
        assert!(
            exit != 0 && text.contains("declared `int`"),
            "{exit}, {text}"
        );
        assert!(
            !text.contains("0 tables") && !text.contains("Browse"),
            "{text}"
        );
    }
}
