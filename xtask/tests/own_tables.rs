//! Your own tables through the real command line: added, declared, queried, and rejected.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use insta::assert_snapshot;

struct Workspace(tempfile::TempDir);

const RESULTS: &str = "player,opening,elo,won,minutes\n\
                       Ann,Sicilian,2100,true,31.5\n\
                       Bob,French,1900,false,NA\n\
                       Ann,French,2110,false,40.0\n\
                       Cyd,Sicilian,2300,true,12.25\n\
                       Bob,Sicilian,1890,true,18.0\n\
                       Cyd,French,2310,true,22.0\n";

const TABLE: &str = r#"
kind = "table"
title = "Results of a club"
source = { paper = "beyond", where = "a test" }
data = { table = "results" }
[params]
absent = ["NA"]
columns = [
  { name = "player", type = "text", doc = "who played" },
  { name = "elo", type = "int", unit = "points", doc = "rating" },
  { name = "won", type = "bool", doc = "whether the game was won" },
  { name = "minutes", type = "float", unit = "min", doc = "time used" },
]
"#;

const QUERY: &str = r#"
kind = "query"
title = "Games won"
source = { paper = "beyond", where = "a test", reading = "clear" }
from = { results = "club/results" }
resample = { by = "player", method = "jackknife" }
[params]
sql = """
SELECT 'all' AS row, COUNT(*) AS n, 100.0 * AVG(CASE WHEN won THEN 1 ELSE 0 END) AS share,
  AVG(minutes) AS minutes FROM results"""
[columns]
n = { unit = "games", tol = "info", why = "a test" }
share = { unit = "%", tol = "info", why = "a test" }
minutes = { unit = "min", tol = "info", why = "a test" }
"#;

impl Workspace {
    fn new() -> Self {
        let workspace = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(workspace.path("experiments/club")).unwrap();
        workspace
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Exit code and both streams.
    fn run(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        for kept_out in ["CARGO_MANIFEST_DIR", "CARGO_TARGET_DIR", "CI"] {
            command.env_remove(kept_out);
        }
        let command = command.args(arguments).current_dir(self.0.path());
        let output = command.env("NO_COLOR", "1").output().unwrap();
        let mut text = format!("exit {}\n", output.status.code().unwrap_or(-1));
        for (name, stream) in [("out", output.stdout), ("err", output.stderr)] {
            if !stream.is_empty() {
                text.extend(["--- ", name, "\n", &String::from_utf8_lossy(&stream)]);
            }
        }
        let text = text.replace(&*self.0.path().to_string_lossy(), "ROOT");
        // What depends on the clock, or on who writes Parquet.
        let lines = text.lines().filter(|line| !line.starts_with('['));
        let word = |word: &str| match word.len() {
            64 if word.bytes().all(|byte| byte.is_ascii_hexdigit()) => "HASH".to_owned(),
            _ => word.to_owned(),
        };
        let lines = lines.map(|line| line.split(' ').map(word).collect::<Vec<_>>().join(" "));
        let lines = lines.map(|line| match line.split_once(" bytes, BLAKE3") {
            Some((before, after)) => {
                let before = before.trim_end_matches(|c: char| c.is_ascii_digit());
                format!("{before}N bytes, BLAKE3{after}")
            }
            None => line,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn done(&self, arguments: &[&str]) -> String {
        let text = self.run(arguments);
        assert!(text.starts_with("exit 0"), "{arguments:?}: {text}");
        text
    }

    fn add(&self, path: &str, more: &[&str]) -> String {
        let add = [
            "data",
            "add",
            path,
            "--license",
            "CC0",
            "--origin",
            "a test",
        ];
        self.run(&[&add[..], more].concat())
    }

    /// The lines of an answer about what went wrong.
    fn mistake(&self, arguments: &[&str]) -> String {
        let text = self.run(arguments);
        assert!(!text.starts_with("exit 0"), "{arguments:?}: {text}");
        let lines = text.lines();
        let lines = lines.filter(|line| line.contains("failed") || line.contains("error"));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// A table with this text in the place of another one.
    fn declared(&self, old: &str, new: &str) -> String {
        assert!(TABLE.contains(old), "{old}");
        self.write("experiments/club/results.toml", &TABLE.replace(old, new));
        self.mistake(&["dataset", "club/results"])
    }
}

#[test]
fn a_csv_file_becomes_a_dataset_that_sql_asks() {
    let workspace = Workspace::new();
    workspace.write("results.csv", RESULTS);
    assert_snapshot!("csv_added", workspace.add("results.csv", &[]));
    workspace.write("experiments/club/results.toml", TABLE);
    workspace.write("experiments/club/won.toml", QUERY);
    assert_snapshot!("csv_shown", workspace.done(&["dataset", "club/results"]));
    workspace.done(&["reproduce", "club/won"]);
    let table = workspace.path("target/kibitz/results/club/won/table.csv");
    assert_snapshot!("csv_asked", fs::read_to_string(table).unwrap());
    // Another file of that name is not the one that was entered.
    workspace.write("data/results.csv", &RESULTS.replace("2100", "2101"));
    assert_snapshot!(
        "csv_changed",
        workspace.mistake(&["reproduce", "club/won", "--force"])
    );
}

#[test]
fn fields_parted_otherwise_and_compressed_files_are_told_when_they_are_added() {
    let workspace = Workspace::new();
    workspace.write("german.csv", "\u{feff}name;elo\r\n\"A, b\";1200\r\n");
    assert_snapshot!("csv_semicolons", workspace.add("german.csv", &[]));
    for name in ["packed.csv.gz", "games.pgn.gz"] {
        fs::write(workspace.path(name), b"\x1f\x8b\x08\x00").unwrap();
        assert_snapshot!(name.replace('.', "_"), workspace.add(name, &[]));
    }
    workspace.write("own.pl", "likes(ann, bob).\n");
    assert_snapshot!("prolog_added", workspace.add("own.pl", &[]));
}

#[test]
fn what_is_not_as_declared_is_refused_with_its_place() {
    let workspace = Workspace::new();
    workspace.write("results.csv", RESULTS);
    let added = workspace.add("results.csv", &[]);
    assert!(added.starts_with("exit 0"), "{added}");
    let all = [
        workspace.declared("\"elo\", type", "\"ello\", type"),
        workspace.declared("\"elo\", type = \"int\"", "\"elo\", type = \"bool\""),
        workspace.declared("absent = [\"NA\"]", ""),
        workspace.declared("\"int\"", "\"integer\""),
        workspace.declared("\"elo\"", "\"player\""),
        workspace.declared("absent", "separator = \"; \"\nabsent"),
        workspace.declared("{ table", "{ tables"),
    ];
    assert_snapshot!("not_as_declared", all.join("\n"));
}

/// A folder in the layout of the Lichess set, made of CSV by the program itself.
fn lichess(workspace: &Workspace) {
    let column = |name: &str| format!("{{ name = \"{name}\", type = \"text\" }}");
    let names = [
        "Event", "White", "Black", "Result", "UTCDate", "ECO", "movetext",
    ];
    let columns = names.map(column).join(", ");
    for (month, games) in [
        (
            "04",
            "e,Ann,Bob,1-0,2017-04-01,C20,1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\
             e,Bob,Ann,0-1,2017-04-02,A00,1. f3 e5 2. g4 Qh4# 0-1\n",
        ),
        (
            "05",
            "e,Cyd,Ann,1-0,2017-05-01,C20,1. e4 e5 2. Ke3 1-0\n\
             e,Ann,Cyd,1/2-1/2,2017-05-03,D00,1. d4 d5 2. Nf3 Nf6 1/2-1/2\n",
        ),
    ] {
        let name = format!("m{month}");
        workspace.write(
            &format!("{name}.csv"),
            &format!("{}\n{games}", names.join(",")),
        );
        let added = workspace.add(&format!("{name}.csv"), &[]);
        assert!(added.starts_with("exit 0"), "{added}");
        let text = format!(
            "kind = \"table\"\ntitle = \"t\"\nsource = {{ paper = \"beyond\", where = \"w\" }}\n\
             data = {{ table = \"{name}\" }}\nparams = {{ columns = [{columns}] }}\n"
        );
        workspace.write(&format!("experiments/club/{name}.toml"), &text);
        let folder = format!("away/lichess/data/year=2017/month={month}");
        fs::create_dir_all(workspace.path(&folder)).unwrap();
        let out = format!("{folder}/train-00000-of-00001.parquet");
        workspace.done(&["dataset", &format!("club/{name}"), "--out", &out]);
        fs::remove_file(workspace.path(&format!("experiments/club/{name}.toml"))).unwrap();
    }
}

const MOVES: &str = r#"
kind = "move-alternatives"
title = "Moves of a player"
source = { paper = "beyond", where = "a test" }
data = { games = "lichess" }
[params]
parts = 2
players = [{ name = "Ann", player = "Ann", games = { data = "games", skip = "not-this-player", on-bad-game = "report" } }]
"#;

#[test]
fn a_folder_in_the_layout_of_lichess_is_a_collection_of_games() {
    let workspace = Workspace::new();
    lichess(&workspace);
    workspace.write("away/lichess/README.md", "About the set.");
    assert_snapshot!(
        "lichess_added",
        workspace.add("away/lichess", &["--external"])
    );
    workspace.write("experiments/club/moves.toml", MOVES);
    let moves = ["dataset", "club/moves", "--data", "away"];
    let shown = workspace.done(&moves);
    assert_snapshot!("lichess_read", shown);
    // A single file is as good as a folder.
    let name = "train-00000-of-00001.parquet";
    fs::copy(
        workspace.path(&format!("away/lichess/data/year=2017/month=04/{name}")),
        workspace.path("away/april.parquet"),
    )
    .unwrap();
    let added = workspace.add("away/april.parquet", &["--external"]);
    assert!(added.contains("2 games."), "{added}");
    workspace.write(
        "experiments/club/april.toml",
        &MOVES.replace("lichess", "april"),
    );
    workspace.done(&["dataset", "club/april", "--data", "away"]);
    // A file that is changed between two runs is not what was entered.
    let part = workspace.path("away/lichess/data/year=2017/month=05/train-00000-of-00001.parquet");
    let whole = fs::read(&part).unwrap();
    fs::write(&part, [&whole[..], b" "].concat()).unwrap();
    workspace.write(
        "experiments/club/moves.toml",
        &MOVES.replace("parts = 2", "parts = 1"),
    );
    assert_snapshot!("lichess_changed", workspace.mistake(&moves));
    fs::remove_file(&part).unwrap();
    assert_snapshot!("lichess_gone", workspace.mistake(&moves));
}

#[test]
fn a_folder_of_tables_is_one_table_in_any_number_of_parts() {
    let workspace = Workspace::new();
    workspace.write("results.csv", RESULTS);
    let added = workspace.add("results.csv", &[]);
    assert!(added.starts_with("exit 0"), "{added}");
    workspace.write("experiments/club/results.toml", TABLE);
    for year in [2016, 2017] {
        let folder = format!("club/year={year}");
        fs::create_dir_all(workspace.path(&folder)).unwrap();
        workspace.done(&[
            "dataset",
            "club/results",
            "--out",
            &format!("{folder}/part.parquet"),
        ]);
    }
    workspace.write("club/year=2018/more.csv", RESULTS);
    assert_snapshot!("folder_added", workspace.add("club", &["--name", "years"]));
    let of_years = TABLE.replace("\"results\"", "\"years\"").replace(
        "columns = [",
        "columns = [\n  { name = \"year\", type = \"int\", doc = \"year\" },",
    );
    let mut all = Vec::new();
    for parts in [1, 4] {
        let text = of_years.replace("absent", &format!("parts = {parts}\nabsent"));
        workspace.write("experiments/club/years.toml", &text);
        let out = format!("all{parts}.csv");
        let shown = workspace.done(&["dataset", "club/years", "--out", &out]);
        assert!(shown.contains("18 records"), "{shown}");
        all.push(fs::read_to_string(workspace.path(&out)).unwrap());
    }
    assert_eq!(all[0], all[1]);
    assert!(all[0].contains("2018,Cyd,2310,true,22"), "{}", all[0]);
    let empty = workspace.path("nothing");
    fs::create_dir_all(&empty).unwrap();
    assert_snapshot!("folder_without_tables", workspace.add("nothing", &[]));
    assert!(Path::new(&empty).exists());
}
