//! A run that is interrupted or killed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::project::{Project, program, told};

/// Twelve cells of a tenth of a second, which leave a mark each time they run.
fn slow(marks: &std::path::Path) -> Project {
    let project = Project::new();
    let cells: Vec<String> = (0..12).map(|at| format!("{{ id = \"c{at}\" }}")).collect();
    let params = format!(
        "columns = [{{ name = \"x\" }}]\nparameters = {{ marks = \"{}\" }}\ncells = [{}]",
        marks.display(),
        cells.join(", ")
    );
    let script = "mktemp $KIBITZ_PARAM_MARKS/$KIBITZ_CELL.XXXXXX > /dev/null; sleep 0.1\n\
         printf \"row,x\\n$KIBITZ_CELL,${#KIBITZ_CELL}\\n\" > out.csv";
    project.step("slow", script, &params, "");
    project
}

#[test]
fn a_killed_run_loses_the_running_cells_at_most_and_ends_with_the_same_bytes() {
    let marks = tempfile::tempdir().unwrap();
    let whole = slow(marks.path());
    whole.expect(&["reproduce", "--jobs", "2"], 0, &["12 runs"]);
    let expected = whole.read("target/kibitz/results/own/slow/table.csv");
    for milliseconds in [50, 250, 450, 700] {
        let marks = tempfile::tempdir().unwrap();
        let project = slow(marks.path());
        let mut child = program(project.folder(), &["reproduce", "--jobs", "2"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        project.expect(&["reproduce", "--jobs", "2"], 0, &[]);
        assert_eq!(
            project.read("target/kibitz/results/own/slow/table.csv"),
            expected
        );
        let n_runs = fs::read_dir(marks.path()).unwrap().count();
        assert!((12..=14).contains(&n_runs), "{n_runs} runs of 12 cells");
    }
}

#[test]
fn an_interrupt_ends_the_step_and_what_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let alive = folder.path().join("alive");
    let begun = folder.path().join("begun");
    let project = Project::new();
    let script = format!(
        "(trap '' TERM INT; sleep 4; echo > {}) & echo > {}; wait",
        alive.display(),
        begun.display()
    );
    project.step("long", &script, "columns = [{ name = \"x\" }]", "");
    let child = program(project.folder(), &["reproduce"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let begun = when_there(&begun);
    let pid = child.id().to_string();
    let interrupt = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status();
    assert!(interrupt.unwrap().success());
    let (exit, text) = told(&child.wait_with_output().unwrap());
    assert_eq!(exit, 130, "{text}");
    assert!(!text.contains("missing"), "{text}");
    std::thread::sleep(Duration::from_millis(4500).saturating_sub(begun.elapsed()));
    assert!(!alive.exists(), "what the step started went on");
}

#[test]
fn a_killed_program_leaves_no_process_and_no_folder_for_long() {
    let (marks, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let [alive, begun] = ["alive", "begun"].map(|name| marks.path().join(name));
    let project = Project::new();
    let script = format!(
        "(trap '' TERM INT; sleep 3; echo > {}) & echo > {}; wait",
        alive.display(),
        begun.display()
    );
    project.step("long", &script, "columns = [{ name = \"x\" }]", "");
    let reproduce = || {
        let mut command = program(project.folder(), &["reproduce"]);
        command.env("TMPDIR", temporary.path());
        command
    };
    let mut child = reproduce()
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let begun = when_there(&begun);
    child.kill().unwrap();
    child.wait().unwrap();
    let n_folders = || fs::read_dir(temporary.path()).unwrap().count();
    assert_eq!(n_folders(), 1);
    std::thread::sleep(Duration::from_millis(3500).saturating_sub(begun.elapsed()));
    assert!(!alive.exists(), "what the step started went on");
    project.write("steps/long.sh", "printf 'row,x\\na,1\\n' > out.csv");
    let (exit, text) = told(&reproduce().output().unwrap());
    assert_eq!(exit, 0, "{text}");
    assert_eq!(n_folders(), 0);
}

/// When a step has written a file, or after a minute without it.
fn when_there(file: &Path) -> Instant {
    let watch = Instant::now();
    while !file.exists() && watch.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(10));
    }
    Instant::now()
}
