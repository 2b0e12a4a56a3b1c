//! The program itself.

#![allow(missing_docs, reason = "a test")]

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Exit code and both streams, with this input.
fn typed(arguments: &[&str], typed: &str) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_kibitz-minesweeper"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = program.stdin.take().expect("it is piped");
    input.write_all(typed.as_bytes()).expect("it reads");
    drop(input);
    let output = program.wait_with_output().expect("the program ends");
    format!(
        "$ kibitz-minesweeper {}\nexit {}\n{}{}\n",
        arguments.join(" "),
        output.status.code().unwrap_or(-1),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// The same with a file of this content, under a name that does not depend on the machine.
fn with_file(name: &str, content: &[u8], arguments: &[&str], input: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("it is written");
    let path = path.to_str().expect("a plain name");
    let arguments: Vec<&str> = arguments
        .iter()
        .map(|word| if *word == "FILE" { path } else { word })
        .collect();
    typed(&arguments, input).replace(path, name)
}

#[test]
fn positions_are_solved() {
    let position = b"# two ways\n4x3/2\n112.\n1F..\n11..\n";
    let all = [
        with_file("a.txt", position, &["solve", "FILE"], ""),
        with_file(
            "a.txt",
            position,
            &["solve", "FILE", "--format", "json"],
            "",
        ),
        with_file("a.txt", b"3x2/1\n2..\n1..\n", &["solve", "FILE"], ""),
        with_file("a.txt", b"3x2/1\n...\n..\n", &["solve", "FILE"], ""),
        with_file("a.txt", b"3x2/1\n4..\n...\n", &["solve", "FILE"], ""),
        with_file("a.txt", b"2x1/1\n.1\n", &["play", "--file", "FILE"], ""),
        with_file(
            "a.mbf",
            &[2, 2, 0, 1, 5, 5],
            &["watch", "--file", "FILE"],
            "",
        ),
    ];
    insta::assert_snapshot!(all.concat());
}

#[test]
fn a_scripted_game() {
    let board = b"5x4/3\n.....\n..*..\n....*\n*....\n";
    let script = "help\nodds\nf 1 1\n1 1\nsafe\nodds\nwhy 2 3\nwhy 1 4\nf 2 3\n2 3\nhint\n9 9\n1 4\n2 3\nf 2 3\n2 3\n";
    let all = [
        with_file(
            "b.txt",
            board,
            &["play", "--file", "FILE", "--player", "rules"],
            script,
        ),
        typed(
            &[
                "play",
                "--board",
                "4x3/1",
                "--seed",
                "7",
                "--first-click",
                "opening",
            ],
            "1 1\nquit\n",
        ),
        typed(&["play", "--board", "4x3/13"], ""),
        typed(&["play", "--player", "nobody"], ""),
        typed(&["play", "--board", "2x2/4"], "1 1\n"),
    ];
    insta::assert_snapshot!(all.concat());
}

#[test]
fn players_are_watched() {
    let all = [
        typed(&["watch", "--board", "5x5/3", "--seed", "2"], ""),
        typed(
            &[
                "watch",
                "--board",
                "5x5/3",
                "--seed",
                "2",
                "--player",
                "look-ahead",
            ],
            "",
        ),
        typed(&["players"], ""),
    ];
    insta::assert_snapshot!(all.concat());
}

/// What every program of the workspace answers alike: a tab before a mistake, several mistakes in a
/// file, a misspelled name, a file that is not there.
#[test]
fn mistakes_are_told_as_by_every_program() {
    let all = [
        with_file("a.txt", b"3x3/1\n...\n\t?.\n..\n", &["solve", "FILE"], ""),
        with_file("a.txt", b"3x2/1\n...\n\x1b[2\xff\n", &["solve", "FILE"], ""),
        typed(&["solve", "nosuch.txt"], ""),
        typed(&["watch", "--file", "nosuch.mbf"], ""),
        typed(&["watch", "--player", "rulez"], ""),
    ];
    insta::assert_snapshot!(all.join("\n"));
    let help = typed(&["--help"], "");
    assert!(
        help.trim_end().ends_with(&kibitz_text::Exit::help()),
        "{help}"
    );
}
