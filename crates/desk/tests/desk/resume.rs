//! Runs that are interrupted, killed, or cannot write: what is finished is kept.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use insta::assert_snapshot;
use kibitz_desk::{Mode, ReproduceOptions};
use kibitz_lab::{Event, Exit, Observer};

use crate::workspace::{Workspace, files, mode, only};

const SQUARES: &str = "experiments/demo/squares.toml";
const DICE: &str = "experiments/demo/dice.toml";

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
        .desk()
        .reproduce(&ReproduceOptions::default(), &observer, &stop);
    assert_eq!(answer.exit.code(), 130);
    assert_snapshot!("interrupted", workspace.shown(&answer));
    let (answer, started) = workspace.reproduce(&ReproduceOptions::default());
    assert_eq!((answer.exit, started.len()), (Exit::Done, 4));
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
    // A run that is over will not come further; one that takes ten minutes hangs.
    let mut left = 120_000;
    while !ready() {
        left -= 1;
        let is_over = left == 0 || child.try_wait().unwrap().is_some();
        assert!(!is_over || ready(), "the run never came that far");
        std::thread::sleep(Duration::from_millis(5));
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
    let resumed = workspace.results();
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    std::fs::remove_dir_all(workspace.path("results")).unwrap();
    workspace.reproduce(&mode(Mode::Bless { allow_dirty: false }));
    assert_eq!(workspace.results(), resumed);
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
        "tol = \"info\"",
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
fn values_are_shown_although_their_files_cannot_be_written() {
    let workspace = Workspace::new();
    // Where a folder should be is a file, as a full disk or a read-only folder would have it.
    workspace.write("target/kibitz/results", "");
    let answer = workspace.reproduce(&only("demo/squares")).0;
    assert_eq!(answer.exit, Exit::Unwritable);
    assert_snapshot!("results_unwritable", workspace.shown(&answer));
    assert_eq!(
        workspace.reproduce(&only("demo/squares")).1.len(),
        0,
        "they are kept"
    );
    std::fs::remove_dir_all(workspace.path("target")).unwrap();
    workspace.write("target/kibitz/cache", "");
    let (answer, started) = workspace.reproduce(&only("demo/dice"));
    assert_eq!((answer.exit, started.len()), (Exit::Unwritable, 3));
    assert!(
        answer.err.contains("the values of demo/dice are not kept"),
        "{}",
        answer.err
    );
    assert!(
        answer.out.contains("2 match, 2 match (weak)"),
        "{}",
        answer.out
    );
    workspace.write("results", "");
    assert_eq!(workspace.bless().exit, Exit::Missing);
}

#[test]
fn a_table_that_lacks_rows_takes_no_whole_ones_place() {
    let workspace = Workspace::new();
    workspace.run();
    let kept = || files(&workspace.path("target/kibitz/results/demo/squares"));
    let whole = kept();
    workspace.edit(SQUARES, "[params]", "[params]\nmood = \"failing\"");
    assert_eq!(workspace.run().exit, Exit::Failed);
    assert_eq!(kept(), whole);
    assert_eq!(kept().len(), 4, "nothing is left of putting it together");
}

#[test]
fn a_table_is_written_over_what_a_killed_run_left() {
    let workspace = Workspace::new();
    workspace.write("results/demo/.squares.new/table.csv", "half a tab");
    workspace.write("results/demo/.squares.old/table.csv", "an old one");
    workspace.write("results/demo/squares/table.md", "an old one");
    assert_eq!(workspace.bless().exit, Exit::Done);
    assert_eq!(workspace.check().exit, Exit::Done);
    assert!(!workspace.path("results/demo/.squares.new").exists());
    assert!(!workspace.path("results/demo/.squares.old").exists());
}

#[test]
fn a_table_whose_place_a_killed_run_left_empty_is_put_back() {
    let workspace = Workspace::new();
    workspace.bless();
    let [place, old] =
        ["results/demo/squares", "results/demo/.squares.old"].map(|path| workspace.path(path));
    std::fs::rename(&place, &old).unwrap();
    let answer = workspace.check();
    assert_eq!(answer.exit, Exit::Done, "{}", answer.err);
    assert!(place.exists() && !old.exists());
}
