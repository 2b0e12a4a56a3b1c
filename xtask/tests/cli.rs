//! The command line by itself: help, arguments that make no sense, and an empty workspace.

use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;

/// Runs the command line in a folder; exit code and both streams.
fn xtask(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("CARGO_MANIFEST_DIR")
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("CI")
        .output()
        .expect("the command line runs");
    let mut text = format!("exit {}\n", output.status.code().unwrap_or(-1));
    for (name, stream) in [("out", output.stdout), ("err", output.stderr)] {
        if !stream.is_empty() {
            text.extend(["--- ", name, "\n", &String::from_utf8_lossy(&stream)]);
        }
    }
    text.replace(&*folder.to_string_lossy(), "ROOT")
}

/// A folder with nothing but empty experiments.
fn empty() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("experiments")).expect("the folder");
    folder
}

#[test]
fn help() {
    let folder = empty();
    assert_snapshot!("help", xtask(folder.path(), &["--help"]));
    assert_snapshot!(
        "help_reproduce",
        xtask(folder.path(), &["reproduce", "--help"])
    );
    assert_snapshot!("help_list", xtask(folder.path(), &["list", "--help"]));
}

#[test]
fn arguments_that_make_no_sense() {
    let folder = empty();
    let run = |arguments: &[&str]| xtask(folder.path(), arguments);
    assert_snapshot!("check_and_bless", run(&["reproduce", "--check", "--bless"]));
    assert_snapshot!("no_jobs", run(&["reproduce", "--jobs", "0"]));
    assert_snapshot!("misspelt_option", run(&["reproduce", "--cheque"]));
    assert_snapshot!("data_is_no_folder", run(&["list", "--data", "nowhere"]));
    assert_snapshot!(
        "root_without_experiments",
        run(&["list", "--root", "experiments"])
    );
    assert_snapshot!("bad_filter", run(&["list", "--filter", "("]));
}

#[test]
fn nowhere_to_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_snapshot!(xtask(folder.path(), &["list"]));
}

#[test]
fn nothing_to_select() {
    let folder = empty();
    assert_snapshot!(xtask(folder.path(), &["reproduce"]));
}

#[test]
fn an_outdated_schema() {
    let folder = empty();
    assert_snapshot!("schema_check", xtask(folder.path(), &["schema", "--check"]));
    assert_snapshot!("schema", xtask(folder.path(), &["schema"]));
    assert_snapshot!("schema_again", xtask(folder.path(), &["schema", "--check"]));
}

#[test]
fn a_folder_below_the_root_is_fine() {
    let folder = empty();
    let below = folder.path().join("crates");
    std::fs::create_dir(&below).expect("the folder");
    let text = xtask(&below, &["schema"]);
    assert!(text.contains("wrote experiments/schema.json"), "{text}");
    assert!(folder.path().join("experiments/schema.json").is_file());
}
