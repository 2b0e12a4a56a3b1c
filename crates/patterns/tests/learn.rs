//! Concepts learned from a file through the real command line.

use std::process::{Command, Output};

/// The concept that the README starts from.
const FORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/concepts/fork.toml");

fn learn(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"))
        .arg("learn")
        .args(arguments)
        .output()
        .expect("started")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn every_question_can_be_seen() {
    let output = learn(&[FORK, "--trace"]);
    assert!(output.status.success());
    insta::assert_snapshot!(text(output.stdout));
}

#[test]
fn a_time_limit_ends_with_what_was_learned() {
    let output = learn(&[FORK, "--time-limit", "0"]);
    assert!(output.status.success());
    let told = text(output.stdout);
    assert!(
        told.contains("the time is over; this is what was learned so far\nfork("),
        "{told}"
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let output = learn(&["no-such-concept.toml"]);
    assert!(!output.status.success());
    let told = text(output.stderr);
    assert!(told.contains("no-such-concept.toml"), "{told}");
}
