//! Readers that close the pipe: `kibitz-patterns … | head -1`.

use std::io::PipeWriter;
use std::process::{Command, Stdio};

fn closed_pipe() -> PipeWriter {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer
}

/// Whoever closes the output, or both streams, has seen enough: nothing panics, and the exit code is
/// that of the answer.
fn check(arguments: &[&str], code: i32) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_kibitz-patterns"));
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
    const FORK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/concepts/fork.toml");
    // What is learned in no time misses positions.
    check(&["learn", FORK, "--trace", "--time-limit", "0"], 1);
    check(&["concepts"], 0);
    check(&["verify", "no-such-strategy"], 3);
    check(&["--help"], 0);
}
