//! Runs that record nothing, or not all: damaged results, unfinished files, failures, quick and dry runs.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use insta::assert_snapshot;
use kibitz_desk::{Format, Mode, RefreshOptions, ReproduceOptions};
use kibitz_lab::{Clock, Exit, Selection, SilentObserver};
use regex::Regex;

use crate::runs::{DICE, SQUARES};
use crate::workspace::{Workspace, files, mode, only};

#[test]
fn missing_and_orphaned_results_are_reported() {
    let workspace = Workspace::new();
    workspace.bless();
    std::fs::rename(
        workspace.path("results/demo/dice"),
        workspace.path("results/demo/cards"),
    )
    .unwrap();
    std::fs::remove_file(workspace.path("results/demo/squares/table.md")).unwrap();
    std::fs::remove_file(workspace.path("experiments/schema.json")).unwrap();
    assert_snapshot!(workspace.shown(&workspace.check()));
    let answer = workspace.bless();
    assert!(
        answer.out.contains("deleted results/demo/cards"),
        "{}",
        answer.out
    );
    assert_eq!(workspace.check().exit, Exit::Done);
}

#[test]
fn a_row_twice_is_not_what_was_recorded() {
    let workspace = Workspace::new();
    workspace.bless();
    let file = "results/demo/squares/table.csv";
    let text = std::fs::read_to_string(workspace.path(file)).unwrap();
    let first = text.lines().nth(1).unwrap();
    workspace.write(file, &text.replacen(first, &format!("{first}\n{first}"), 1));
    let answer = workspace.check();
    assert_eq!(answer.exit, Exit::Negative);
    assert!(
        answer
            .err
            .contains("table.csv is not what inputs.toml says it is"),
        "{}",
        answer.err
    );
}

#[test]
fn one_unfinished_file_does_not_stop_the_others() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.write("experiments/demo/unfinished.toml", "kind = \"squares\"\n");
    let of = |ids: &[&str], mode| ReproduceOptions {
        selection: Selection {
            ids: ids.iter().map(|id| (*id).to_owned()).collect(),
            ..Selection::default()
        },
        mode,
        why: Some("a test".to_owned()),
        ..ReproduceOptions::default()
    };
    let (answer, _) = workspace.reproduce(&of(&["demo/squares"], Mode::Check));
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    assert!(
        answer
            .err
            .contains("warning: experiments/demo/unfinished.toml has 2 problems"),
        "{}",
        answer.err
    );
    let (answer, started) = workspace.reproduce(&of(&["demo/unfinished"], Mode::Run));
    assert_eq!((answer.exit, started.len()), (Exit::BadInput, 0));
    assert_snapshot!("unfinished_file", workspace.shown(&answer));
    let (answer, _) = workspace.reproduce(&of(&["demo"], Mode::Run));
    assert_snapshot!("unfinished_file_among_others", workspace.shown(&answer));
    workspace.edit(DICE, "throws = 50", "throws = 60");
    let (answer, started) = workspace.reproduce(&of(&[], Mode::Bless { allow_dirty: false }));
    assert_eq!((answer.exit, started.len()), (Exit::BadInput, 3));
    assert!(answer.out.contains("changed: demo/dice"), "{}", answer.out);
    assert_eq!(
        workspace.reproduce(&of(&["demo/dice"], Mode::Check)).0.exit,
        Exit::Done
    );
    let list = workspace
        .desk()
        .list(&Selection::default(), false, Format::Text);
    assert_snapshot!("unfinished_file_listed", workspace.shown(&list));
    workspace.edit(SQUARES, "Squares of lengths", "Areas");
    let report = workspace.desk().refresh(&RefreshOptions::default());
    assert_snapshot!("unfinished_file_reported", workspace.shown(&report));
    // The index would lose what is recorded of a table whose file nobody can use.
    workspace.edit(SQUARES, "title", "titel");
    let report = workspace.desk().refresh(&RefreshOptions::default());
    assert_snapshot!("unfinished_file_recorded", workspace.shown(&report));
    assert!(workspace.read("results/index.md").contains("Areas"));
}

#[test]
fn a_table_of_before_there_was_a_column_for_texts_is_believed() {
    let workspace = Workspace::new();
    workspace.bless();
    let file = "results/demo/squares/table.csv";
    let new = workspace.read(file);
    assert!(
        new.starts_with("row,column,value,text,sd,n,se,samples\n"),
        "{new}"
    );
    let old = new.replace("value,text,", "value,");
    let old = Regex::new(r"(?m)^(side [\d.]+,\w+),([\d.]*),([^,]*),")
        .unwrap()
        .replace_all(&old, "$1,$2$3,");
    assert!(old.contains("side 1,area,1,,1,"), "{old}");
    let [hash_of_new, hash_of_old] =
        [&*new, &*old].map(|text| blake3::hash(text.as_bytes()).to_hex());
    workspace.write(file, &old);
    workspace.edit(
        "results/demo/squares/inputs.toml",
        &hash_of_new,
        &hash_of_old,
    );
    let answer = workspace.check();
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    workspace.bless();
    assert_eq!(workspace.read(file), new);
}

#[test]
fn cells_that_fail_are_errors_and_the_rest_runs() {
    for (mood, name) in [
        ("failing", "cell_failing"),
        ("panicking", "cell_panicking"),
        ("senseless", "cell_senseless"),
        ("endless", "cell_endless"),
    ] {
        let workspace = Workspace::new();
        workspace.edit(SQUARES, "[params]", &format!("[params]\nmood = \"{mood}\""));
        workspace.edit(SQUARES, "[params]", "[run]\ntimeout = \"50ms\"\n[params]");
        let (answer, started) = workspace.reproduce(&ReproduceOptions {
            mode: Mode::Bless { allow_dirty: false },
            ..ReproduceOptions::default()
        });
        assert_eq!((answer.exit, started.len()), (Exit::Failed, 6));
        assert_snapshot!(name, workspace.shown(&answer));
        assert!(!workspace.path("results").exists(), "nothing is recorded");
    }
}

/// The exit code of a run whose cells may take twenty minutes, by a clock.
fn timed(clock: Clock) -> Exit {
    let workspace = Workspace::new();
    workspace.edit(SQUARES, "[params]", "[params]\nmood = \"patient\"");
    workspace.edit(SQUARES, "[params]", "[run]\ntimeout = \"20m\"\n[params]");
    let mut desk = workspace.desk();
    desk.lab.clock = clock;
    let options = only("demo/squares");
    let answer = desk.reproduce(&options, &SilentObserver, &AtomicBool::new(false));
    let is_told = answer.err.contains("timed out after 20m of CPU time");
    assert_eq!(is_told, answer.exit == Exit::Failed, "{}", answer.err);
    answer.exit
}

#[test]
fn time_limits_are_of_processor_time() {
    static WALL: AtomicU64 = AtomicU64::new(0);
    static PROCESSOR: AtomicU64 = AtomicU64::new(0);
    // A second of work an hour, on a machine that others keep busy.
    let wall = || Duration::from_hours(WALL.fetch_add(1, Ordering::Relaxed));
    let processor = || Duration::from_secs(PROCESSOR.fetch_add(1, Ordering::Relaxed));
    assert_eq!(timed(Clock { wall, processor }), Exit::Done);
    let processor = || Duration::from_mins(PROCESSOR.fetch_add(1, Ordering::Relaxed));
    assert_eq!(timed(Clock { wall, processor }), Exit::Failed);
}

#[test]
fn the_first_failure_stops_a_hasty_run() {
    let workspace = Workspace::new();
    workspace.edit(SQUARES, "[params]", "[params]\nmood = \"failing\"");
    let (answer, started) = workspace.reproduce(&ReproduceOptions {
        fail_fast: true,
        ..ReproduceOptions::default()
    });
    assert_eq!(answer.exit, Exit::Failed);
    assert_eq!(
        started,
        ["demo/squares \"side 3\"", "demo/squares \"side 2.5\""]
    );
}

#[test]
fn quick_numbers_are_never_kept() {
    let workspace = Workspace::new();
    let quick = ReproduceOptions {
        quick: true,
        ..ReproduceOptions::default()
    };
    let (answer, started) = workspace.reproduce(&quick);
    assert_eq!(started.len(), 5);
    assert_snapshot!("quick", workspace.shown(&answer));
    assert!(!workspace.path("target/kibitz/cache").exists());
    assert!(!workspace.path("target/kibitz/results").exists());
    assert_eq!(workspace.reproduce(&quick).1.len(), 5);
    let (answer, started) = workspace.reproduce(&ReproduceOptions {
        mode: Mode::Bless { allow_dirty: true },
        ..quick
    });
    assert_eq!((answer.exit, started.len()), (Exit::BadInput, 0));
    assert_snapshot!("quick_bless", workspace.shown(&answer));
}

#[test]
fn an_unattended_run_never_records() {
    let workspace = Workspace::new();
    let (answer, started) = workspace.reproduce(&ReproduceOptions {
        unattended: true,
        ..mode(Mode::Bless { allow_dirty: false })
    });
    assert_eq!((answer.exit, started.len()), (Exit::BadInput, 0));
    assert_snapshot!(workspace.shown(&answer));
}

#[test]
fn a_dirty_tree_is_recorded_only_when_told_to() {
    let workspace = Workspace::new();
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(arguments)
            .current_dir(workspace.root())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(done.success(), "git {arguments:?}");
    };
    workspace.write(".gitignore", "target/\n");
    workspace.desk().schema(false);
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "All"]);
    assert_eq!(
        workspace.bless().exit,
        Exit::Done,
        "results/ itself may be uncommitted"
    );
    workspace.edit(DICE, "throws = 50", "throws = 60");
    assert_ne!(
        workspace.bless().exit,
        Exit::BadInput,
        "an experiment and its results come in one commit"
    );
    workspace.write("crates/demo/src/lib.rs", "//! Changed.\n");
    let answer = workspace.bless();
    assert_snapshot!("dirty_tree", workspace.shown(&answer));
    assert_eq!(answer.exit, Exit::BadInput);
    workspace.reproduce(&mode(Mode::Bless { allow_dirty: true }));
    let runs = files(&workspace.path("target/kibitz/runs"));
    let logs = runs
        .iter()
        .map(|(_, bytes)| serde_json::from_slice(bytes).unwrap());
    let is_dirty = |log: serde_json::Value| log["git"]["dirty"] == true && log["mode"] == "bless";
    assert!(logs.into_iter().any(is_dirty), "the log says so");
}

#[test]
fn a_dry_run_has_no_side_effects() {
    let workspace = Workspace::new();
    let dry = ReproduceOptions {
        dry_run: true,
        ..ReproduceOptions::default()
    };
    let (answer, started) = workspace.reproduce(&dry);
    assert_eq!(started.len(), 0);
    assert!(!workspace.path("target").exists());
    assert_snapshot!("dry_run_stale", workspace.shown(&answer));
    workspace.run();
    assert_snapshot!(
        "dry_run_fresh",
        workspace.shown(&workspace.reproduce(&dry).0)
    );
}
