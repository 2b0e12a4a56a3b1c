//! Runs in a temporary workspace: exit codes, caching, resuming, drift, recording.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use insta::assert_snapshot;
use kibitz_lab::{Event, Exit, Format, Mode, Observer, ReproduceOptions, Selection};

use crate::workspace::{Log, Workspace, mode, only};

const SQUARES: &str = "experiments/demo/squares.toml";
const DICE: &str = "experiments/demo/dice.toml";

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(next) = todo.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
            } else {
                let name = path
                    .strip_prefix(folder)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                found.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_plain_run_shows_and_keeps_but_records_nothing() {
    let workspace = Workspace::new();
    let answer = workspace.run();
    assert_snapshot!(workspace.shown(&answer));
    assert!(!workspace.path("results").exists());
    let kept: Vec<String> = files(&workspace.path("target/kibitz/results"))
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        kept,
        [
            "demo/dice/compare.csv",
            "demo/dice/table.csv",
            "demo/dice/table.md",
            "demo/squares/compare.csv",
            "demo/squares/table.csv",
            "demo/squares/table.md"
        ]
    );
}

#[test]
fn the_second_run_does_nothing() {
    let workspace = Workspace::new();
    let (_, started) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!(started.len(), 6, "{started:?}");
    let log = Log::default();
    let options = ReproduceOptions::default();
    let answer = workspace
        .lab()
        .reproduce(&options, &log, &AtomicBool::new(false));
    assert_eq!(log.started.into_inner().unwrap(), Vec::<String>::new());
    assert_eq!(answer.exit, Exit::Fresh);
    assert_snapshot!(log.lines.into_inner().unwrap().join("\n"));
}

#[test]
fn recorded_results_are_whole_and_pass_the_check() {
    let workspace = Workspace::new();
    workspace.write(
        "README.md",
        "# Demo\n\n<!-- results: written by `demo report` -->\nold\n<!-- end of results -->\n\nEnd.\n",
    );
    let answer = workspace.bless();
    assert_snapshot!("bless", workspace.shown(&answer));
    for name in [
        "index.md",
        "index.json",
        "demo/squares/table.md",
        "demo/squares/table.csv",
        "demo/squares/compare.csv",
        "demo/squares/inputs.toml",
        "demo/dice/table.md",
        "demo/dice/table.csv",
    ] {
        let text = workspace.masked(&workspace.read(&format!("results/{name}")));
        assert_snapshot!(name.replace('/', "-"), text);
    }
    assert_snapshot!("readme", workspace.read("README.md"));
    assert_eq!(
        workspace.shown(&workspace.check()).lines().next(),
        Some("exit 0")
    );
    let before = files(&workspace.path("results"));
    let again = workspace.bless();
    assert!(
        again.out.contains("everything was recorded already"),
        "{}",
        again.out
    );
    assert_eq!(files(&workspace.path("results")), before);
}

#[test]
fn one_check_holds_for_many_rows() {
    let workspace = Workspace::new();
    workspace.edit(
        SQUARES,
        "[[check]]\nop = \"percent\"\nof = [\"side 1.area\", \"side 1.perimeter\"]\nis = \"side 1.perimeter\"\nabs = 20",
        "[[check]]\nrows = [\"side 3\", \"side 1\"]\nop = \"ratio\"\nof = [\"{row}.perimeter\", \"{row}.area\"]\nis = \"side 1.perimeter\"",
    );
    workspace.run();
    let table = workspace.read("target/kibitz/results/demo/squares/table.md");
    let checks: Vec<&str> = table.lines().filter(|line| line.contains(" / ")).collect();
    assert_eq!(
        checks,
        [
            "- **no**: side 3.perimeter / side 3.area is 1.33333333333; side 1.perimeter is printed as 5.",
            "- yes: side 1.perimeter / side 1.area is 5; side 1.perimeter is printed as 5.",
        ]
    );
}

#[test]
fn threads_change_no_byte() {
    let runs: Vec<_> = [1, 4]
        .into_iter()
        .map(|jobs| {
            let workspace = Workspace::new();
            workspace.reproduce(&ReproduceOptions {
                jobs,
                mode: Mode::Bless { allow_dirty: false },
                ..ReproduceOptions::default()
            });
            files(&workspace.path("results"))
        })
        .collect();
    assert!(!runs[0].is_empty());
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn a_fresh_clone_believes_what_is_recorded() {
    let workspace = Workspace::new();
    workspace.bless();
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    let (answer, started) = workspace.reproduce(&mode(Mode::Check));
    assert_eq!(
        (answer.exit, started.len()),
        (Exit::Fresh, 0),
        "{}",
        answer.err
    );
    let (answer, started) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!(
        (answer.exit, started.len()),
        (Exit::Fresh, 6),
        "{}",
        answer.err
    );
}

#[test]
fn an_edited_value_is_named_as_drift() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.edit(
        "results/demo/squares/table.csv",
        "side 2.5,area,6.25",
        "side 2.5,area,6.24",
    );
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    assert_snapshot!(workspace.shown(&workspace.check()));
}

#[test]
fn an_edited_comparison_is_named() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.edit(
        "results/demo/squares/compare.csv",
        "side 3,area,9.0,9",
        "side 3,area,9.0,8",
    );
    workspace.edit("results/demo/dice/table.md", "10.5 |", "10.6 |");
    workspace.edit("results/index.json", "\"agrees\": 4", "\"agrees\": 5");
    assert_snapshot!(workspace.shown(&workspace.check()));
}

#[test]
fn changed_parameters_rerun_and_tell_why_values_drifted() {
    let workspace = Workspace::new();
    workspace.edit(DICE, "throws = 50", "hold = \"\", throws = 50");
    workspace.bless();
    workspace.edit(DICE, "hold = \"\", ", "");
    let (answer, started) = workspace.reproduce(&mode(Mode::Check));
    assert_eq!(
        started,
        [
            "demo/dice \"all dice\" 1/3",
            "demo/dice \"all dice\" 2/3",
            "demo/dice \"all dice\" 3/3"
        ]
    );
    assert_snapshot!("params_changed_values_same", workspace.shown(&answer));
    workspace.edit(
        SQUARES,
        "sides = [1.0, 2.5, 3.0]",
        "sides = [1.0, 2.5, 3.0]\noffset = 0.001",
    );
    let (answer, _) = workspace.reproduce(&only("demo/squares"));
    assert_snapshot!("params_changed_values_drifted", workspace.shown(&answer));
    let (answer, _) = workspace.reproduce(&ReproduceOptions {
        mode: Mode::Bless { allow_dirty: false },
        ..only("demo/squares")
    });
    assert_snapshot!("bless_shows_old_and_new", workspace.shown(&answer));
}

#[test]
fn judging_anew_costs_no_run() {
    let workspace = Workspace::new();
    workspace.bless();
    workspace.edit(SQUARES, "perimeter = 12", "perimeter = 13");
    workspace.edit(SQUARES, "title  = \"Squares", "title  = \"Other squares");
    let (answer, started) = workspace.reproduce(&mode(Mode::Check));
    assert_eq!(started, Vec::<String>::new());
    assert_snapshot!(
        "undeclared_difference_and_outdated_report",
        workspace.shown(&answer)
    );
    assert_eq!(workspace.lab().report().exit, Exit::Fresh);
    let answer = workspace.check();
    assert_snapshot!("undeclared_difference", workspace.shown(&answer));
}

#[test]
fn a_deviation_that_explains_nothing_is_reported() {
    let workspace = Workspace::new();
    workspace.edit(SQUARES, "perimeter = 5", "perimeter = 4");
    workspace.bless();
    assert_snapshot!(workspace.shown(&workspace.check()));
}

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
    assert_eq!(workspace.check().exit, Exit::Fresh);
}

#[test]
fn missing_data_stops_only_those_who_need_it() {
    let workspace = Workspace::new();
    workspace.edit(
        SQUARES,
        "[params]",
        "[data]\nbase = \"base\"\n[params]\nwith-data = true",
    );
    workspace.bless();
    assert_eq!(
        workspace.check().exit,
        Exit::Differs,
        "four bytes were added to every area"
    );
    std::fs::remove_file(workspace.path("data/base.txt")).unwrap();
    let (answer, started) = workspace.reproduce(&ReproduceOptions {
        force: true,
        ..ReproduceOptions::default()
    });
    assert_eq!(started.len(), 3, "the dice");
    assert_snapshot!("data_missing", workspace.shown(&answer));
    assert_eq!(workspace.check().exit, Exit::DataMissing);
    workspace.write("data/base.txt", "five!");
    assert_snapshot!("data_changed", workspace.shown(&workspace.run()));
}

#[test]
fn external_data_are_found_by_folder_and_not_needed_for_what_is_known() {
    let workspace = Workspace::bare();
    workspace.write(SQUARES, crate::workspace::SQUARES);
    workspace.edit(
        SQUARES,
        "[params]",
        "[data]\nbase = \"far\"\n[params]\nwith-data = true",
    );
    let entry = format!(
        "[far]\npath = \"far.txt\"\nblake3 = \"{}\"\nbytes = 3\norigin = \"afar\"\nlicense = \"CC0\"\nexternal = true\n",
        blake3::hash(b"far").to_hex()
    );
    workspace.write("data/manifest.toml", &entry);
    assert_snapshot!("external_data_missing", workspace.shown(&workspace.run()));
    workspace.write("elsewhere/far.txt", "far");
    let mut lab = workspace.lab();
    lab.data_folders = vec![workspace.path("elsewhere")];
    let options = ReproduceOptions::default();
    let found = lab.reproduce(&options, &kibitz_lab::Silent, &AtomicBool::new(false));
    assert_eq!(
        found.exit,
        Exit::Differs,
        "three bytes were added to every area"
    );
    assert_eq!(
        workspace.run().exit,
        Exit::Differs,
        "cached values need no data"
    );
}

#[test]
fn what_rests_on_an_absent_collection_is_recorded_until_its_inputs_change() {
    let workspace = Workspace::bare();
    workspace.write(SQUARES, crate::workspace::SQUARES);
    workspace.edit(
        SQUARES,
        "[params]",
        "[data]\nbase = \"far\"\n[params]\nwith-data = true\ntotal = true",
    );
    let entry = format!(
        "[far]\npath = \"far.txt\"\nblake3 = \"{}\"\nbytes = 0\norigin = \"afar\"\nlicense = \"CC0\"\nexternal = true\n",
        blake3::hash(b"").to_hex()
    );
    workspace.write("data/manifest.toml", &entry);
    workspace.write("elsewhere/far.txt", "");
    workspace.lab().schema(false);
    let mut lab = workspace.lab();
    lab.data_folders = vec![workspace.path("elsewhere")];
    let bless = ReproduceOptions {
        mode: Mode::Bless { allow_dirty: true },
        ..ReproduceOptions::default()
    };
    let blessed = lab.reproduce(&bless, &kibitz_lab::Silent, &AtomicBool::new(false));
    assert_eq!(blessed.exit, Exit::Fresh, "{}", blessed.err);
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    for force in [false, true] {
        let options = ReproduceOptions {
            force,
            ..ReproduceOptions::default()
        };
        let (answer, started) = workspace.reproduce(&options);
        assert_eq!(
            (answer.exit, started.len()),
            (Exit::Fresh, 0),
            "{}",
            answer.err
        );
        assert!(
            answer.out.contains("recorded: demo/squares"),
            "{}",
            answer.out
        );
        assert!(answer.out.contains("4 agree"), "{}", answer.out);
    }
    let (checked, _) = workspace.reproduce(&ReproduceOptions {
        mode: Mode::Check,
        force: true,
        ..ReproduceOptions::default()
    });
    assert_eq!(checked.exit, Exit::Fresh, "{}", checked.err);
    workspace.edit(
        SQUARES,
        "with-data = true",
        "with-data = true\nmood = \"failing\"",
    );
    let (answer, _) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!(answer.exit, Exit::Fresh, "{}", answer.err);
    assert!(
        answer.out.contains("skipped: demo/squares, stale"),
        "{}",
        answer.out
    );
    let answer = workspace.check();
    assert_eq!(answer.exit, Exit::Differs);
    assert!(
        answer.err.contains("is stale and cannot be rerun"),
        "{}",
        answer.err
    );
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
    assert_eq!(answer.exit, Exit::Differs);
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
        ..ReproduceOptions::default()
    };
    let (answer, _) = workspace.reproduce(&of(&["demo/squares"], Mode::Check));
    assert_eq!(answer.exit, Exit::Fresh, "{}", answer.err);
    assert!(
        answer
            .err
            .contains("warning: experiments/demo/unfinished.toml has 3 problems"),
        "{}",
        answer.err
    );
    let (answer, started) = workspace.reproduce(&of(&["demo"], Mode::Run));
    assert_eq!((answer.exit, started.len()), (Exit::BadInput, 0));
    assert_snapshot!("unfinished_file", workspace.shown(&answer));
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
        assert_eq!((answer.exit, started.len()), (Exit::CellFailed, 6));
        assert_snapshot!(name, workspace.shown(&answer));
        assert!(!workspace.path("results").exists(), "nothing is recorded");
    }
}

#[test]
fn the_first_failure_stops_a_hasty_run() {
    let workspace = Workspace::new();
    workspace.edit(SQUARES, "[params]", "[params]\nmood = \"failing\"");
    let (answer, started) = workspace.reproduce(&ReproduceOptions {
        fail_fast: true,
        ..ReproduceOptions::default()
    });
    assert_eq!(answer.exit, Exit::CellFailed);
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
    workspace.lab().schema(false);
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "All"]);
    assert_eq!(
        workspace.bless().exit,
        Exit::Fresh,
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

#[test]
fn selections_are_the_same_everywhere() {
    let workspace = Workspace::new();
    let select = |change: &dyn Fn(&mut Selection)| {
        let mut selection = Selection::default();
        change(&mut selection);
        let answer = workspace.lab().list(&selection, false, Format::Csv);
        let ids: Vec<String> = answer
            .out
            .lines()
            .skip(1)
            .filter_map(|line| line.split(',').next())
            .map(str::to_owned)
            .collect();
        (answer.exit.code(), ids.join(" "))
    };
    let both = (0, "demo/dice demo/squares".to_owned());
    let dice = (0, "demo/dice".to_owned());
    assert_eq!(select(&|_| {}), both);
    assert_eq!(select(&|s| s.ids = vec!["demo".to_owned()]), both);
    assert_eq!(select(&|s| s.ids = vec!["*/di*".to_owned()]), dice);
    assert_eq!(select(&|s| s.filter = Some("ice$".to_owned())), dice);
    assert_eq!(select(&|s| s.not = Some("squ".to_owned())), dice);
    assert_eq!(select(&|s| s.kinds = vec!["dice".to_owned()]), dice);
    assert_eq!(select(&|s| s.tags = vec!["random".to_owned()]), dice);
    assert_eq!(select(&|s| s.tags = vec!["!plane".to_owned()]), dice);
    assert_eq!(
        select(&|s| s.tags = vec!["plane".to_owned(), "random".to_owned()]).0,
        4
    );
    assert_eq!(select(&|s| s.ids = vec!["demo/dise".to_owned()]).0, 4);
    assert_eq!(
        select(&|s| s.ids = vec!["demo/dise".to_owned(), "demo/dice".to_owned()]).0,
        2
    );
    assert_eq!(select(&|s| s.filter = Some("(".to_owned())).0, 2);
    assert_eq!(select(&|s| s.kinds = vec!["dise".to_owned()]).0, 2);
}

#[test]
fn an_interrupted_run_keeps_what_is_finished() {
    struct StopAfterTwo<'a>(&'a AtomicBool, std::sync::Mutex<usize>);
    impl Observer for StopAfterTwo<'_> {
        fn event(&self, event: &Event<'_>) {
            if let Event::CellFinished { error: None, .. } = event {
                let mut n = self.1.lock().unwrap();
                *n += 1;
                self.0.store(*n >= 2, Ordering::Relaxed);
            }
        }
    }
    let workspace = Workspace::new();
    let stop = AtomicBool::new(false);
    let observer = StopAfterTwo(&stop, std::sync::Mutex::new(0));
    let answer = workspace
        .lab()
        .reproduce(&ReproduceOptions::default(), &observer, &stop);
    assert_eq!(answer.exit.code(), 130);
    assert_snapshot!("interrupted", workspace.shown(&answer));
    let (answer, started) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!((answer.exit, started.len()), (Exit::Fresh, 4));
}

/// The example runner, which `cargo test` builds beside this test.
fn example() -> std::path::PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent()
        .and_then(Path::parent)
        .unwrap()
        .join("examples")
        .join(format!("squares{}", std::env::consts::EXE_SUFFIX))
}

/// Runs the example in the workspace and kills it as soon as `ready`.
fn kill_when(workspace: &Workspace, ready: &dyn Fn() -> bool) {
    let mut child = Command::new(example())
        .arg(workspace.root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut waited = Duration::ZERO;
    while !ready() {
        assert!(
            waited < Duration::from_mins(1),
            "the run never came that far"
        );
        std::thread::sleep(Duration::from_millis(5));
        waited += Duration::from_millis(5);
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A parameter that makes a cell wait in the middle, until the file `hold` is removed.
fn hold(workspace: &Workspace) -> String {
    workspace.write("hold", "");
    format!("hold = '{}'", workspace.path("hold").display())
}

fn n_files(folder: &Path) -> usize {
    files(folder)
        .iter()
        .filter(|(name, _)| {
            Path::new(name)
                .extension()
                .is_some_and(|extension| extension == "json")
        })
        .count()
}

#[test]
fn a_killed_run_resumes_with_the_same_bytes() {
    let workspace = Workspace::bare();
    workspace.write(SQUARES, crate::workspace::SQUARES);
    let hold = hold(&workspace);
    workspace.edit(SQUARES, "[params]", &format!("[params]\n{hold}"));
    let cache = workspace.path("target/kibitz/cache");
    kill_when(&workspace, &|| n_files(&cache) == 1);
    std::fs::remove_file(workspace.path("hold")).unwrap();
    let (_, started) = workspace.reproduce(&mode(Mode::Bless { allow_dirty: false }));
    assert_eq!(
        started,
        ["demo/squares \"side 2.5\"", "demo/squares \"side 1\""]
    );
    let resumed = files(&workspace.path("results"));
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    std::fs::remove_dir_all(workspace.path("results")).unwrap();
    workspace.reproduce(&mode(Mode::Bless { allow_dirty: false }));
    assert_eq!(files(&workspace.path("results")), resumed);
}

#[test]
fn a_killed_cell_resumes_at_its_checkpoint() {
    let workspace = Workspace::bare();
    workspace.write(DICE, crate::workspace::DICE);
    let hold = hold(&workspace);
    workspace.edit(DICE, "throws = 50", &format!("{hold}, throws = 50"));
    let checkpoints = workspace.path("target/kibitz/cache/checkpoints");
    kill_when(&workspace, &|| n_files(&checkpoints) == 1);
    std::fs::remove_file(workspace.path("hold")).unwrap();
    assert_eq!(
        n_files(&workspace.path("target/kibitz/cache")),
        1,
        "only the checkpoint"
    );
    // What was remembered is used: an altered throw shows in the result.
    let path = checkpoints.join(files(&checkpoints)[0].0.as_str());
    let throws: Vec<Vec<u32>> = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let altered: Vec<Vec<u32>> = throws.iter().map(|row| vec![1; row.len()]).collect();
    std::fs::write(&path, serde_json::to_vec(&altered).unwrap()).unwrap();
    workspace.edit(
        DICE,
        "tol = { trials = { n = 100, z = 3.0 } }",
        "tol = \"info\", why = \"altered\"",
    );
    workspace.run();
    let cached: String = files(&workspace.path("target/kibitz/cache"))
        .into_iter()
        .map(|(_, bytes)| String::from_utf8(bytes).unwrap())
        .collect();
    assert!(cached.contains("\"mean\":{\"value\":1.0}"), "{cached}");
    assert_eq!(n_files(&checkpoints), 0, "finished cells need none");
}

#[test]
fn answers_for_tools_are_json() {
    let workspace = Workspace::new();
    let (answer, _) = workspace.reproduce(&ReproduceOptions {
        format: Format::Json,
        ..only("demo/squares")
    });
    let json: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
    assert_snapshot!(workspace.masked(&serde_json::to_string_pretty(&json).unwrap()));
}

#[test]
fn the_log_of_a_run_has_what_results_have_not() {
    let workspace = Workspace::new();
    workspace.run();
    let log = files(&workspace.path("target/kibitz/runs"));
    assert_eq!(log.len(), 1);
    let json: serde_json::Value = serde_json::from_slice(&log[0].1).unwrap();
    assert_eq!(
        json["tables"][1]["runs"][0]["volatile"]["time"]["unit"],
        "s"
    );
    assert_eq!(
        json["machine"]["system"]
            .as_str()
            .map(|system| !system.is_empty()),
        Some(true)
    );
}
