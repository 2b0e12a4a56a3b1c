//! Readers that close the pipe: `kibitz-ilp … | head -1`.

use std::io::PipeWriter;
use std::process::{Command, Stdio};

use crate::command_line::{BIAS, EXAMPLES, FACTS, folder};

fn closed_pipe() -> PipeWriter {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer
}

/// Whoever closes the output, or both streams, has seen enough: nothing panics, and the exit code is
/// that of the answer.
fn check(arguments: &[&str], code: i32) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"));
    program.args(arguments).stdin(Stdio::null());
    let ended = program.stdout(closed_pipe()).output().expect("it runs");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(!told.contains("panicked"), "{arguments:?}: {told}");
    assert_eq!(ended.status.code(), Some(code), "{arguments:?}: {told}");
    let ended = program.stderr(closed_pipe()).status().expect("it runs");
    assert_eq!(ended.code(), Some(code), "{arguments:?}");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let task = folder(&[("exs.pl", EXAMPLES), ("bk.pl", FACTS), ("bias.pl", BIAS)]);
    let path = task.path().to_str().expect("a plain name");
    check(&["learn", path, "--progress"], 0);
    check(&["check", path], 0);
    check(&["learn", "no-such-task"], 3);
    check(&["--help"], 0);
}
