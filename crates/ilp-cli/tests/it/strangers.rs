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
fn said(case: &Path, options: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
        .arg("learn")
        .args(options)
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
        Some((before, steps)) if steps.ends_with(" steps") || steps == "1 step" => {
            format!("{before}\n")
        }
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
        insta::assert_snapshot!(name, said(&case, &["--learner", "foil"]));
    }
}

/// What needs recursion, chains of literals without gain, or thresholds.
#[test]
fn generate_and_test_finds_the_known_programs() {
    for (name, code, program) in [
        (
            "ancestors-in-three-files",
            0,
            "anc(A,B) :- par(A,B).\nanc(A,B) :- par(A,C), anc(C,B).\n",
        ),
        (
            "cells-and-lists",
            0,
            "same(A,B) :- nil(A), empty(B).\n\
             same(A,B) :- cell(A,C), head(B,C), next(A,D), tail(B,E), same(D,E).\n",
        ),
        (
            "sum-in-two-steps",
            0,
            "total(A,B,C,D,E,F) :- plus(C,D,G), plus(E,G,F).\n",
        ),
        (
            "half-typed-family",
            0,
            "grandma(A,B) :- mother(A,C), mother(C,B).\ngrandma(A,B) :- mother(A,C), father(C,B).\n",
        ),
        (
            "constraints-of-the-bias",
            0,
            "grandma(A,B) :- mother(A,C), mother(C,B).\ngrandma(A,B) :- mother(A,C), father(C,B).\n",
        ),
        (
            "target-in-background",
            0,
            "half(z,z).\nhalf(A,B) :- s2(A,C), half(C,D), B=s(D).\n",
        ),
        // It has no end for what is not below.
        (
            "numbers-below",
            1,
            "below(A,B) :- succ(A,B).\nbelow(A,B) :- succ(A,C), below(C,B).\n",
        ),
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/cases")
            .join(name);
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
            .args(["learn", "--learner", "lff", "--format", "prolog"])
            .arg(folder)
            .output()
            .expect("the program runs");
        assert_eq!(text(&output.stdout), program, "{name}");
        assert_eq!(output.status.code(), Some(code), "{name}");
    }
}

#[test]
fn recursion_may_be_asked_for_by_a_predicate_of_the_body() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/recursion-by-body-pred");
    for learner in ["lff", "auto"] {
        let said = said(&case, &["--learner", learner, "--format", "prolog"]);
        assert_eq!(
            said.lines().take(3).collect::<Vec<_>>(),
            [
                "exit 0",
                "f(A,B) :- tail(A,B), empty(B).",
                "f(A,B) :- tail(A,C), head(A,D), f(C,E), cons(D,E,B)."
            ],
            "{learner}"
        );
    }
}

#[test]
fn a_message_is_that_of_the_theory_below_it() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/one-edge-and-no-other");
    insta::assert_snapshot!("message-of-auto", said(&case, &["--learner", "auto"]));
    let negated = said(&case, &["--negation"]);
    assert!(negated.starts_with("exit 0"), "{negated}");
    assert!(
        negated.contains("one(A) :- edge(A,B), \\+ other(A,B).  % tp 17 fn 0 tn 13 fp 0"),
        "{negated}"
    );
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
            "lff",
            "covering",
            "closed-world",
            "cigol",
            "mis",
            "itou",
        ] {
            let said = said(&case, &["--learner", learner, "--max-steps", "100000"]);
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
