//! The program without the feature `tcp` says how to get one with it.

use crate::command_line::{folder, text};

use std::process::Command;

#[test]
fn a_program_without_tcp_says_how_to_build_one_with_it() {
    let folder = folder(&[]);
    let said = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"));
        let output = command.args(args).arg(folder.path()).output();
        let output = output.expect("it runs");
        let stderr = text(&output.stderr);
        let line = stderr.lines().next().unwrap_or_default().to_owned();
        format!("exit {}\n{line}", output.status.code().unwrap_or(-1))
    };
    insta::assert_snapshot!(said(&["teach", "--listen", "127.0.0.1:0"]), @r"
    exit 2
    error: this program was built without teachers over TCP; build it with `cargo build --release -p kibitz-ilp --features tcp`
    ");
    insta::assert_snapshot!(said(&["learn", "--learner", "mio", "--teacher", "localhost:4100"]), @r"
    exit 2
    error: invalid value 'localhost:4100' for '--teacher <HOST:PORT|here>': this program was built without teachers over TCP; build it with `cargo build --release -p kibitz-ilp --features tcp`
    ");
}
