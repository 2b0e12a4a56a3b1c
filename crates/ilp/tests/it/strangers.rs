//! Tasks as people bring them, each a folder in `tests/cases`, through the real program.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command_line::text;

/// The folders of the tasks, by name.
fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let entries = std::fs::read_dir(folder).expect("the cases are there");
    let mut cases: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .collect();
    cases.sort();
    cases
}

/// What a learner prints about a task, and its exit code.
fn said(case: &Path, learner: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
        .args(["learn", "--learner", learner])
        .arg(case)
        .output()
        .expect("the program runs");
    let code = output.status.code().unwrap_or(-1);
    let all = format!(
        "exit {code}\n{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    // Steps say how, not what.
    let line = |line: &str| match line.rsplit_once("; ") {
        Some((before, steps)) if steps.ends_with(" steps") => format!("{before}\n"),
        _ => format!("{line}\n"),
    };
    all.lines().map(line).collect()
}

#[test]
fn every_case_is_answered() {
    for case in cases() {
        let name = case
            .file_name()
            .expect("a folder")
            .to_string_lossy()
            .into_owned();
        insta::assert_snapshot!(name, said(&case, "foil"));
    }
}

/// No learner panics, and what one calls a solution is one.
#[test]
fn no_learner_is_wrong_about_a_case() {
    for case in cases() {
        for learner in [
            "mfoil",
            "golem",
            "mio",
            "progol",
            "covering",
            "closed-world",
        ] {
            let said = said(&case, learner);
            let code = said.lines().next().unwrap_or_default();
            assert!(
                ["exit 0", "exit 1", "exit 2", "exit 5"].contains(&code),
                "{}: {said}",
                case.display()
            );
            let is_solved = said.contains(" fn 0 ") && said.contains(" fp 0");
            assert!(code != "exit 0" || is_solved, "{}: {said}", case.display());
            assert!(!said.contains("panicked"), "{}: {said}", case.display());
        }
    }
}
