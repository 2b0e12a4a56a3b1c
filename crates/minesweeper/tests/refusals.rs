//! What the program refuses, and how it says so.

#![allow(missing_docs, reason = "a test")]

mod program;

use program::{recorded, typed, with_file};

/// A file that is read is never written, whatever its name.
#[test]
fn a_file_is_not_converted_into_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let [file, other, dotted] = ["a.evf", "b.evf", "./a.evf"].map(path);
    std::fs::write(&file, recorded()).expect("it is written");
    std::fs::hard_link(&file, &other).expect("it is linked");
    for to in [&file, &other, &dotted] {
        let told = typed(&["convert", &file, to], "");
        assert!(told.contains("exit 2"), "{told}");
        assert!(
            told.contains("is read and cannot be written to as well"),
            "{told}"
        );
        assert_eq!(std::fs::read(&file).expect("it is there"), recorded());
    }
    let fresh = path("c.txt");
    assert!(typed(&["convert", &file, &fresh], "").contains("exit 0"));
}

/// No file is named `-`, or as a replay that it is not.
#[test]
fn files_are_named_as_what_they_hold() {
    let refused = |arguments: &[&str], why: &str| {
        let told = typed(arguments, "2x1/1\n*.\n");
        assert!(told.contains("exit 2") && told.contains(why), "{told}");
    };
    refused(&["record", "--out", "-"], "cannot write `--out -`");
    refused(
        &["optimum", "2x1/1", "--policy", "-"],
        "cannot write `--policy -`",
    );
    for name in ["a.avf", "a.EVF", "a.rmv", "a.mvf", "a.evfs"] {
        refused(&["convert", "-", name], "cannot write a replay");
    }
}

/// Of many games that differ the first are shown, and all are counted.
#[test]
fn differing_games_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.csv");
    let file = path.to_string_lossy();
    typed(
        &[
            "record", "--level", "3x3/1", "--games", "30", "--out", &file,
        ],
        "",
    );
    let text = std::fs::read_to_string(&path).expect("it is there");
    let flipped = text.replace(",true,", ",?,").replace(",false,", ",true,");
    std::fs::write(&path, flipped.replace(",?,", ",false,")).expect("it is written");
    let told = typed(&["check", &file], "");
    let summary = "exit 1\n30 games replayed: 0 as the record says, 30 not\n";
    assert!(told.contains(summary), "{told}");
    assert!(told.contains("10 more mistakes follow"), "{told}");
}

/// Where no opening is possible, that is said, and refused if it was asked for; so is a board without room
/// for a safe first click.
#[test]
fn the_first_click_needs_room() {
    let opening = ["--first-click", "opening"];
    let with = |words: &[&str], more: &[&str]| typed(&[words, more].concat(), "");
    let generate = ["generate", "--level", "5x5/24"];
    let all = [
        with(&generate, &[]),
        with(&generate, &opening),
        with(&["generate", "--level", "2x2/3"], &[]),
        typed(&["play", "--board", "5x5/24"], "1 1\nq\n"),
        with(&["play", "--board", "5x5/24"], &opening),
        with(&["play", "--board", "1x1/1"], &[]),
        with(&["play", "--board", "5x5/25"], &[]),
        with(&["watch", "--board", "5x5/25"], &[]),
        with(&["watch", "--board", "5x5/24"], &opening),
        with(&["optimum", "2x2/3"], &opening),
        with(&["optimum", "1x1/1"], &["--first-click", "safe"]),
        with(&["generate", "--level", "3x3/1"], &opening),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// Of a position that no arrangement agrees with, the first number that contradicts the others is shown, or
/// the count of mines.
#[test]
fn contradictions_have_a_place() {
    let solve = |position: &str, more: &[&str]| {
        let arguments = [&["solve", "FILE"], more].concat();
        with_file("a.txt", position.as_bytes(), &arguments, "")
    };
    let all = [
        solve("3x3/1\n3..\n...\n...\n", &[]),
        solve("...\n.1.\n...\n", &["--mines", "2"]),
        solve("3x3/2\n...\n.1.\n...\n", &[]),
        solve("3x2/2\n2..\n1..\n", &[]),
        solve("4x2/5\nFF..\n224.\n", &[]),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// A position that contradicts itself ends every analysis with 1, whether one number and its neighbors show
/// it or only all numbers together; beside an error in the text that is 2.
#[test]
fn a_contradiction_is_a_negative_answer() {
    let contradictions: &[(&str, &[&str])] = &[
        ("3x2/1\n4..\n...\n", &[]),
        ("3x2/2\nF1F\n...\n", &[]),
        ("3x2/1\n.F.\n.F.\n", &[]),
        ("3x1/2\n.00\n", &[]),
        ("3x1/?\n01.\n", &["--mines", "2"]),
        ("3x2/2\n2..\n1..\n", &[]),
        ("3x2/?\n2..\n1..\n", &["--density", ".2"]),
    ];
    for command in ["solve", "analyse"] {
        let exit = |position: &str, more: &[&str]| {
            let arguments = [&[command, "FILE"], more].concat();
            with_file("a.txt", position.as_bytes(), &arguments, "")
        };
        for (position, more) in contradictions {
            let told = exit(position, more);
            assert!(told.contains("exit 1\nerror: "), "{told}");
        }
        let told = exit("4x2/1\n 8##\n 1##\n", &[]);
        assert!(told.contains("exit 2\nerror: "), "{told}");
        let help = typed(&[command, "--help"], "");
        assert!(
            help.contains("The exit code is 1 if the position contradicts itself"),
            "{help}"
        );
    }
}
