//! The program, run by tests.

use std::{path::Path, process::Command};

/// The exit code, the output, and the messages.
pub(crate) fn typed(folder: &Path, line: &str) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-players"))
        .args(line.split(' '))
        .current_dir(folder)
        .output()
        .unwrap();
    (
        output.status.code().unwrap_or(-1),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

/// The exit code and the messages where nothing is printed.
#[allow(dead_code, reason = "not every test is of errors")]
pub(crate) fn refused(folder: &Path, line: &str) -> String {
    let (code, out, messages) = typed(folder, line);
    assert!(code != 0 && out.is_empty(), "{line}: {code}\n{out}");
    format!("exit {code}\n{messages}")
}
