//! The program with its input and its output.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// Exit code and both streams, with this input.
pub(crate) fn typed(arguments: &[&str], typed: &str) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_kibitz-minesweeper"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = program.stdin.take().expect("it is piped");
    // A program that refuses its arguments ends before it reads.
    let _ = input.write_all(typed.as_bytes());
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
pub(crate) fn with_file(name: &str, content: &[u8], arguments: &[&str], input: &str) -> String {
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

/// A game in `.evf`.
pub(crate) fn recorded() -> Vec<u8> {
    let mut game = vec![3, 0, 0, 3, 4, 0, 2, 16, 0, 0, 0, 0, 0, 0, 0];
    game.extend(b"program\0somebody\0\0\0\0\0\0\0\x20\x10");
    let events = [
        (2, 0, 0),
        (3, 0, 0),
        (4, 3, 2),
        (5, 3, 2),
        (6, 2, 2),
        (7, 2, 2),
        (2, 3, 0),
        (3, 3, 0),
    ];
    for (number, (code, column, row)) in (1..).zip(events) {
        game.extend([code, 0, 1, number, 0, 16 * column + 8, 0, 16 * row + 8]);
    }
    game.push(255);
    game
}
