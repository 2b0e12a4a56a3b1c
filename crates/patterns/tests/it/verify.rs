//! Strategies verified through the real command line.

use std::process::{Command, Output};

fn verify(text: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("mine.rules"), text).expect("written");
    Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"))
        .current_dir(folder.path())
        .args([&["verify", "mine.rules"], arguments].concat())
        .output()
        .expect("started")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn a_strategy_that_loops_shows_a_shortest_line() {
    let looping = "strategy \"mate, or a safe move\" for KRvK\nprefer more man_distance\n\
        rule mate with move rook ensure check_mate\n\
        rule safe with move rook ensure not threatkR and not stale\n\
        rule king with move king ensure not threatkR and not stale\n";
    let output = verify(looping, &[]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(output.stdout));
}

#[test]
fn programs_read_the_same() {
    let mates = "strategy \"mate in one\" for KQvK\nrule mate with move queen ensure check_mate\n";
    let output = verify(mates, &["--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(output.stdout));
}

#[test]
fn an_undefined_concept_has_a_place_and_a_nearest_name() {
    let output = verify(
        "strategy \"x\" for KRvK\nrule A if oposition with move king\n",
        &[],
    );
    assert_eq!(output.status.code(), Some(3));
    insta::assert_snapshot!(text(output.stderr));
}

#[test]
fn the_names_that_rules_can_use_are_listed() {
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"))
        .arg("concepts")
        .output()
        .expect("started");
    assert!(output.status.success());
    insta::assert_snapshot!(text(output.stdout));
}
