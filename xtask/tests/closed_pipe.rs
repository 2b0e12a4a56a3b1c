//! Readers that close the pipe: `kibitz-ilp … | head -1`.
#![allow(clippy::unwrap_used, reason = "a set-up that fails is a failed test")]

use std::{
    io::PipeWriter,
    path::Path,
    process::{Command, Stdio},
};

#[expect(dead_code, reason = "the list of all is not needed here")]
mod programs;
use programs::built;

fn closed_pipe() -> PipeWriter {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer
}

/// A program of the workspace with its arguments, in the repository.
fn command(line: &str) -> Command {
    let mut words = line.split(' ');
    let mut command = Command::new(built(words.next().unwrap()));
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    command.args(words).current_dir(home).stdin(Stdio::null());
    command
}

/// Command lines, in the repository, and the exit codes of their answers.
const COMMANDS: [(&str, i32); 22] = [
    ("kibitz-ilp learn crates/ilp/examples/family --progress", 0),
    ("kibitz-ilp check crates/ilp/examples/family", 0),
    ("kibitz-ilp learn no-such-task", 3),
    ("kibitz-ilp --help", 0),
    ("kibitz-minesweeper players", 0),
    ("kibitz-minesweeper watch --seed 1", 0),
    ("kibitz-minesweeper solve no-such-file", 3),
    ("kibitz-minesweeper --help", 0),
    // What is learned in no time misses positions.
    (
        "kibitz-patterns learn crates/patterns/concepts/fork.toml --trace --time-limit 0",
        1,
    ),
    ("kibitz-patterns concepts", 0),
    ("kibitz-patterns verify no-such-strategy", 3),
    ("kibitz-patterns --help", 0),
    ("kibitz-players attributes", 0),
    ("kibitz-players --help", 0),
    ("kibitz-qsim simulate u-tube --explain", 0),
    // A warning about the limit on states.
    ("kibitz-qsim simulate spring --all --max-states 10", 5),
    ("kibitz-qsim simulate u-tub", 3),
    ("kibitz-qsim systems", 0),
    ("kibitz-qsim --help", 0),
    ("xtask kinds", 0),
    ("xtask explain jansen2000/table1", 0),
    ("kibitz-lab --help", 0),
];

/// A reader who closes the output, or both streams, has seen enough: nothing panics, and the exit code is
/// that of the answer.
#[test]
fn a_closed_pipe_ends_quietly() {
    for (line, code) in COMMANDS {
        let mut program = command(line);
        let ended = program.stdout(closed_pipe()).output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(!told.contains("panicked"), "{line}: {told}");
        assert_eq!(ended.status.code(), Some(code), "{line}: {told}");
        let ended = program.stderr(closed_pipe()).status().unwrap();
        assert_eq!(ended.code(), Some(code), "{line}");
    }
}

/// An answer that cannot be written is an error of its own.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    for line in [
        "xtask kinds",
        "xtask kinds choice-model",
        "xtask explain jansen2000/table1",
        "xtask graph jansen2000",
        "xtask --help",
        "kibitz-lab kinds",
        "kibitz-lab list --help",
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let ended = command(line).stdout(full.unwrap()).output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        let expected = "error: cannot write to the output: ";
        assert!(told.contains(expected), "{line}: {told}");
        assert_eq!(ended.status.code(), Some(6), "{line}: {told}");
    }
}
