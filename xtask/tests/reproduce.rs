//! Real experiments through the real command line, in a workspace of their own.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Output},
};

use tempfile::TempDir;

/// A workspace that shares the crates and the data with this one, and has two small experiments.
struct Workspace(TempDir);

const RECOVERY: &str = r#"
kind = "weight-recovery"
title = "Weights inferred back from a few games"
source = { paper = "beyond", where = "a test", reading = "clear" }
run = { seed = 7, replicates = 3 }
[params]
sets = [
  { row = "two games", games = 2, truth = { mat = 3.0 } },
  { row = "three games", games = 3, truth = { mat = 3.0, mob = 0.3 } },
]
[columns]
lambda-mat = { unit = "per pawn", tol = { abs = 3.0 }, why = "two games say little" }
plies = { unit = "plies", tol = "info", why = "a test" }
[published]
"two games" = { lambda-mat = 3.0 }
"#;

const CODING: &str = r#"
kind = "move-coding"
title = "Bits per move"
source = { paper = "beyond", where = "a test", reading = "clear" }
data = { fischer = "fischer-games" }
run = { seed = 7 }
[params]
attributes = ["material", "mobility"]
folds = 2
bootstrap = 20
players = [{ name = "Fischer", games = "fischer", player = "Fischer" }]
[columns]
bits-per-move = { unit = "bit", tol = "info", why = "a test" }
"#;

const FOUR_PLY: &str = r#"
kind = "quiescent-inference"
title = "Weights of a model that looks ahead"
source = { paper = "beyond", where = "a test", reading = "clear" }
data = { fischer = "fischer-games" }
run = { seed = 7 }
[params]
model = { tree = { max-ply = 3 } }
starts = 4
budget-mib = 100
[[params.rows]]
row = "Fischer"
games = "fischer"
player = "Fischer"
select = { every = 12 }
[columns]
lambda-mat = { unit = "per pawn", tol = "info", why = "a test" }
"#;

impl Workspace {
    fn new() -> Self {
        Self::with(&[("recovery", RECOVERY), ("coding", CODING)])
    }

    fn with(experiments: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for shared in ["benchmarks", "crates", "xtask", "Cargo.toml", "Cargo.lock"] {
            symlink(home.join(shared), folder.path().join(shared)).unwrap();
        }
        let workspace = Self(folder);
        fs::create_dir_all(workspace.path("data")).unwrap();
        for file in ["manifest.toml", "fischer-games.pgn", "chute-library.pgn"] {
            fs::copy(
                home.join("data").join(file),
                workspace.path("data").join(file),
            )
            .unwrap();
        }
        fs::create_dir_all(workspace.path("experiments/beyond")).unwrap();
        for (name, text) in experiments {
            fs::write(
                workspace.path(&format!("experiments/beyond/{name}.toml")),
                text,
            )
            .unwrap();
        }
        assert_eq!(workspace.run(&["schema"]).0, 0);
        workspace
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    /// Exit code, and both streams together.
    fn run(&self, arguments: &[&str]) -> (i32, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(arguments)
            .arg("--root")
            .arg(self.0.path())
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CI")
            .output()
            .unwrap();
        let text = [stderr, stdout].map(|stream| String::from_utf8_lossy(&stream).into_owned());
        (status.code().unwrap_or(-1), text.concat())
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(file)).unwrap();
        assert!(text.contains(from), "{file} has no {from}:\n{text}");
        fs::write(self.path(file), text.replacen(from, to, 1)).unwrap();
    }

    fn bless(&self) {
        let (code, text) = self.run(&["reproduce", "--bless", "--allow-dirty"]);
        assert_eq!(code, 0, "{text}");
    }
}

#[test]
fn runs_then_is_fresh_then_checks() {
    let workspace = Workspace::new();
    workspace.bless();
    let (code, text) = workspace.run(&["reproduce"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("fresh"), "{text}");
    let (code, text) = workspace.run(&["reproduce", "--check", "--force"]);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn threads_do_not_change_a_byte() {
    let workspace = Workspace::new();
    let tables = ["recovery", "coding"];
    let values = |jobs| {
        workspace.run(&[
            "reproduce",
            "--bless",
            "--allow-dirty",
            "--force",
            "--jobs",
            jobs,
        ]);
        tables.map(|table| {
            fs::read_to_string(workspace.path(&format!("results/beyond/{table}/table.csv")))
                .unwrap()
        })
    };
    assert_eq!(values("1"), values("2"));
}

#[test]
fn a_changed_value_is_drift_that_names_the_cell() {
    let workspace = Workspace::new();
    workspace.bless();
    let file = "results/beyond/recovery/table.csv";
    let text = fs::read_to_string(workspace.path(file)).unwrap();
    let value = text.lines().nth(1).unwrap().split(',').nth(2).unwrap();
    let changed = format!("9{value}");
    workspace.edit(file, value, &changed);
    let (code, text) = workspace.run(&["reproduce", "--check"]);
    assert_eq!(code, 1, "{text}");
    assert!(
        text.contains("drift: beyond/recovery \"two games\""),
        "{text}"
    );
}

#[test]
fn an_unknown_key_is_an_error_with_its_place() {
    let workspace = Workspace::new();
    let file = "experiments/beyond/recovery.toml";
    workspace.edit(file, "[params]\n", "[params]\nmoblity = \"legal\"\n");
    let (code, text) = workspace.run(&["reproduce"]);
    assert_eq!(code, 2, "{text}");
    assert!(
        text.contains("experiments/beyond/recovery.toml:7:1"),
        "{text}"
    );
    assert!(text.contains("did you mean `mobility`?"), "{text}");
}

#[test]
fn missing_data_skips_only_what_needs_them() {
    let workspace = Workspace::new();
    fs::remove_file(workspace.path("data/fischer-games.pgn")).unwrap();
    let (code, text) = workspace.run(&["reproduce"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("fischer-games"), "{text}");
    let (code, text) = workspace.run(&["reproduce", "beyond/recovery"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("fresh"), "{text}");
}

#[test]
fn a_player_who_is_not_in_the_games_fails_the_cell() {
    let workspace = Workspace::new();
    let file = "experiments/beyond/coding.toml";
    workspace.edit(file, "player = \"Fischer\"", "player = \"Steinitz\"");
    let (code, text) = workspace.run(&["reproduce", "beyond/coding"]);
    assert_eq!(code, 5, "{text}");
    assert!(
        text.contains("no player whose name begins with `Steinitz`; `Fischer, Robert James` is in"),
        "{text}"
    );
}

#[test]
fn a_killed_run_goes_on_and_gives_the_same_bytes() {
    let whole = Workspace::new();
    whole.bless();
    let killed = Workspace::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["reproduce", "--jobs", "1", "--root"])
        .arg(killed.0.path())
        .env_remove("CARGO_TARGET_DIR")
        .spawn()
        .unwrap();
    // Wherever it is by then, finished cells are kept and the others run again.
    std::thread::sleep(std::time::Duration::from_millis(400));
    child.kill().unwrap();
    child.wait().unwrap();
    killed.bless();
    for table in ["recovery", "coding"] {
        let read = |workspace: &Workspace| {
            fs::read(workspace.path(&format!("results/beyond/{table}/table.csv"))).unwrap()
        };
        assert_eq!(read(&whole), read(&killed), "{table}");
    }
}

/// Files anywhere below the folders called `name`.
fn files_below(folder: &Path, name: &str, inside: bool) -> usize {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let count = |path: PathBuf| {
        if path.is_dir() {
            files_below(&path, name, inside || path.ends_with(name))
        } else {
            usize::from(inside)
        }
    };
    entries.flatten().map(|entry| count(entry.path())).sum()
}

#[test]
fn a_fit_that_is_killed_goes_on_where_it_was() {
    let experiments = [("four-ply", FOUR_PLY)];
    let table = "results/beyond/four-ply/table.csv";
    let whole = Workspace::with(&experiments);
    let (code, text) = whole.run(&["reproduce", "--bless", "--allow-dirty", "--jobs", "1"]);
    assert_eq!(code, 0, "{text}");
    let killed = Workspace::with(&experiments);
    let mut child = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["reproduce", "--jobs", "2", "--root"])
        .arg(killed.0.path())
        .env_remove("CARGO_TARGET_DIR")
        .spawn()
        .unwrap();
    let steps = || files_below(killed.0.path(), "checkpoints", false);
    while steps() < 3 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(steps() >= 3, "the fit was over before it could be killed");
    killed.bless();
    assert_eq!(steps(), 0, "a cell that is done needs no steps");
    let read = |workspace: &Workspace| fs::read(workspace.path(table)).unwrap();
    assert_eq!(read(&whole), read(&killed));
}

#[test]
fn a_request_to_end_is_heeded_like_ctrl_c() {
    let workspace = Workspace::with(&[("four-ply", FOUR_PLY)]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["reproduce", "--jobs", "1", "--root"])
        .arg(workspace.0.path())
        .env_remove("CARGO_TARGET_DIR")
        .spawn()
        .unwrap();
    let steps = || files_below(workspace.0.path(), "checkpoints", false);
    while steps() < 1 && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let told = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(told.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(steps() >= 1, "what was found is kept");
}

/// A query that would take hours.
const LONG: &str = r#"
kind = "query"
title = "All sixes of values, compared"
from = { m = "beyond/recovery" }
[params]
sql = """
SELECT 'all' AS row, COUNT(*) AS n FROM
  (SELECT a.value AS x FROM m AS a CROSS JOIN m AS b CROSS JOIN m AS c CROSS JOIN m AS d) AS one
CROSS JOIN
  (SELECT a.value AS y FROM m AS a CROSS JOIN m AS b CROSS JOIN m AS c CROSS JOIN m AS d) AS other
WHERE SQRT(x * y) > SIN(x - y)"""
"#;

/// Whether a process handles SIGTERM, the 15th signal, by now; without `/proc`, waits two seconds.
fn heeds_requests(child: &Child) -> bool {
    if !Path::new("/proc/self/status").exists() {
        std::thread::sleep(std::time::Duration::from_secs(2));
        return true;
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    u64::from_str_radix(caught.unwrap().trim(), 16).unwrap() >> 14 & 1 == 1
}

#[test]
fn a_query_is_given_up_on_a_request_to_end() {
    let workspace = Workspace::with(&[("recovery", RECOVERY), ("long", LONG)]);
    let (code, text) = workspace.run(&["reproduce", "beyond/recovery"]);
    assert_eq!(code, 0, "{text}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["reproduce", "beyond/long", "--root"])
        .arg(workspace.0.path())
        .env_remove("CARGO_TARGET_DIR")
        .spawn()
        .unwrap();
    while !heeds_requests(&child) {
        assert!(child.try_wait().unwrap().is_none(), "it takes hours");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    // Wherever it is by then, it ends.
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(child.try_wait().unwrap().is_none(), "it takes hours");
    let told = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(told.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let (code, text) = workspace.run(&["reproduce", "beyond/recovery"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("fresh"), "{text}");
}

/// A small experiment of each paper, in a workspace whose sources can be edited.
fn papers() -> Workspace {
    let workspace = Workspace::with(&[
        ("jansen", RECOVERY),
        (
            "morales",
            include_str!("../../crates/morales1992/examples/example-order.toml"),
        ),
        (
            "sugar",
            &include_str!("../../crates/sugar1975/examples/pruning-errors.toml")
                .replace("{ abs = 0.05 }", "\"info\", why = \"a test\""),
        ),
    ]);
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    fs::remove_file(workspace.path("crates")).unwrap();
    copy_folder(&home.join("crates"), &workspace.path("crates"));
    fs::remove_file(workspace.path("Cargo.lock")).unwrap();
    fs::copy(home.join("Cargo.lock"), workspace.path("Cargo.lock")).unwrap();
    workspace
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The tables for which the program is too old.
fn outdated(workspace: &Workspace) -> Vec<String> {
    let (code, text) = workspace.run(&["list", "--format", "csv"]);
    assert_eq!(code, 0, "{text}");
    let lines = text.lines().filter(|line| line.contains(",outdated,"));
    lines
        .map(|line| line.split(',').next().unwrap().to_owned())
        .collect()
}

#[test]
fn comments_and_docs_cost_no_rerun() {
    let workspace = papers();
    workspace.bless();
    let files = [
        "crates/jansen2000/src/weight_recovery.rs",
        "crates/stats/src/logit.rs",
        "crates/sugar1975/src/lib.rs",
    ];
    for file in files {
        workspace.edit(file, "//!", "//! In other words.\n//!\n//!");
        workspace.edit(file, "\n/// ", "\n// A remark.\n/// Said again. ");
    }
    assert_eq!(outdated(&workspace), <[&str; 0]>::default());
    let (code, text) = workspace.run(&["reproduce", "--check"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("3 tables"), "{text}");
}

#[test]
fn an_edited_kind_makes_the_tables_of_its_paper_stale_and_no_other() {
    let workspace = papers();
    workspace.bless();
    workspace.edit(
        "crates/sugar1975/src/pruning_errors.rs",
        "fn check(",
        "fn idle(&self) {}\n    fn check(",
    );
    assert_eq!(outdated(&workspace), ["beyond/sugar"]);
    let (code, text) = workspace.run(&["reproduce"]);
    assert_eq!(code, 2, "{text}");
    assert!(
        text.contains(
            "this program is older than its sources: kibitz-sugar1975 changed since it was built"
        ),
        "{text}"
    );
    let (_, text) = workspace.run(&["explain", "beyond/sugar"]);
    let said = "outdated: kibitz-sugar1975 changed since this program was built";
    assert!(text.contains(said) && !text.contains("fresh"), "{text}");
    let (code, text) = workspace.run(&["reproduce", "beyond/jansen", "beyond/morales"]);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn a_shared_science_makes_the_tables_of_those_stale_that_use_it() {
    let workspace = papers();
    workspace.edit(
        "crates/stats/src/logit.rs",
        "\nimpl",
        "\nfn idle() {}\nimpl",
    );
    // Those of Morales by way of the search behind his endgames.
    let all = ["beyond/jansen", "beyond/morales", "beyond/sugar"];
    assert_eq!(outdated(&workspace), all);
    let learners = papers();
    learners.edit(
        "crates/ilp/src/lib.rs",
        "\npub mod ",
        "\nfn idle() {}\npub mod ",
    );
    assert_eq!(outdated(&learners), ["beyond/morales"]);
    let runner = papers();
    runner.edit("crates/lab/src/plan.rs", "\nfn ", "\nfn idle() {}\nfn ");
    assert_eq!(outdated(&runner), <[&str; 0]>::default());
}

#[test]
fn an_upgraded_dependency_makes_the_tables_stale_that_rest_on_it() {
    let workspace = papers();
    let lock = fs::read_to_string(workspace.path("Cargo.lock")).unwrap();
    let at = lock.find("name = \"chess-huffman\"").unwrap();
    let version = lock[at..].lines().nth(1).unwrap();
    let upgraded = lock.replacen(
        &lock[at..at + 100],
        &lock[at..at + 100].replace(version, "version = \"99.0.0\""),
        1,
    );
    fs::write(workspace.path("Cargo.lock"), upgraded).unwrap();
    assert_eq!(outdated(&workspace), ["beyond/jansen"]);
}
