//! Active learning through the real program, with a teacher in the same process.

use std::process::Command;

use crate::command_line::{text, write_popper};

/// Exit code, output and the first line of the error stream of `learn`, on a small task.
fn said(options: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_popper(folder.path(), 300, 1);
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
        .arg("learn")
        .args(options)
        .arg(folder.path())
        .output()
        .expect("it runs");
    let errors = text(&output.stderr);
    let line = errors.lines().next().unwrap_or_default().to_owned();
    let code = output.status.code().unwrap_or(-1);
    (code, text(&output.stdout), line)
}

#[test]
fn a_teacher_in_the_same_process_is_learned_from() {
    for seed in ["1", "7"] {
        let exam = ["--first-examples", "6", "--max-counterexamples", "4"];
        let who = ["--learner", "mio", "--teacher", "here", "--seed", seed];
        let (code, theory, _) = said(&[&who[..], &exam[..]].concat());
        // A theory that is wrong about a few of the task's examples ends in exit code 1.
        assert!([0, 1].contains(&code), "exit {code}");
        let is_headline = [" clause: tp ", " clauses: tp "].map(|words| theory.contains(words));
        assert!(is_headline.contains(&true), "{theory}");
        assert!(!theory.contains(" 0 clauses: "), "{theory}");
        assert!(theory.contains("of the teacher's, who tested "), "{theory}");
    }
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let usage = |options: &[&str]| {
        let (code, _, line) = said(options);
        format!("exit {code}\n{line}")
    };
    insta::assert_snapshot!(usage(&["--teacher", "here"]), @r"
    exit 2
    error: --teacher needs --learner mio
    ");
    insta::assert_snapshot!(usage(&["--learner", "mio", "--teacher", "there"]), @r"
    exit 2
    error: invalid value 'there' for '--teacher <WHERE>'
    ");
    insta::assert_snapshot!(usage(&["--learner", "mio", "--teacher", "here", "--rounds", "0"]), @r"
    exit 2
    error: --rounds must be at least 1
    ");
    insta::assert_snapshot!(usage(&["--learner", "mio", "--first-examples", "6"]), @r"
    exit 2
    error: --first-examples, --test-examples and --max-counterexamples are the teacher's: add --teacher here
    ");
    insta::assert_snapshot!(usage(&["--learner", "mio", "--min-accuracy", "2"]), @r"
    exit 2
    error: invalid value '2' for '--min-accuracy <SHARE>': expected a number from 0 to 1
    ");
}
