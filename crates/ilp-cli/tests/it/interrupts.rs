//! Interrupts of the real program, by real signals. Nothing is timed: the test waits for what the program
//! writes, or for what the system says of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::common;

/// The exit code of a search that was interrupted.
const INTERRUPTED: i32 = 130;

/// A task that Foil finds clauses for, one after the other, for longer than any test takes: a fifth of its
/// labels are wrong.
fn endless_task() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [mut positive, mut negative] = common::positions(20_000, 3);
    let wrong = [&mut positive, &mut negative].map(|side| {
        let n = side.len() / 5;
        side.drain(..n).collect::<Vec<_>>()
    });
    let [to_negative, to_positive] = wrong;
    positive.extend(to_positive);
    negative.extend(to_negative);
    let examples = common::popper_examples(&[positive, negative]);
    for (name, text) in [
        ("exs.pl", &examples[..]),
        ("bk.pl", &common::board_facts()),
        ("bias.pl", common::POPPER_BIAS),
    ] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn learn(folder: &Path, stderr: Stdio) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
        .args(["learn", "--learner", "foil", "--progress"])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .expect("the program runs")
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
}

#[test]
fn an_interrupt_or_a_request_to_end_gives_the_best_theory_so_far() {
    let folder = endless_task();
    for signal in ["-INT", "-TERM"] {
        let mut child = learn(folder.path(), Stdio::piped());
        let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
        let mut line = String::new();
        while !line.contains("found ") {
            line.clear();
            let n = stderr.read_line(&mut line).expect("read");
            assert_ne!(n, 0, "the program ended before it found a clause");
        }
        send(signal, &child);
        let rest = std::thread::spawn(move || {
            let mut rest = String::new();
            stderr.read_to_string(&mut rest).map(|_| rest)
        });
        let output = child.wait_with_output().expect("it ends");
        let rest = rest.join().expect("joined").expect("read");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(INTERRUPTED), "{stdout}{rest}");
        assert!(
            stdout.contains("the search was stopped; this is the best theory so far"),
            "{stdout}"
        );
        assert!(stdout.contains("illegal(A,B,"), "{stdout}");
    }
}

/// Whether the system says that a process handles interrupts and waits for something.
fn handles_interrupts_and_waits(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    let status = status.expect("the process is there");
    let value = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
    let caught = value("SigCgt:").expect("a line").trim();
    let caught = u64::from_str_radix(caught, 16).expect("a mask");
    // Signal 2 is the second bit.
    caught >> 1 & 1 == 1 && value("State:").expect("a line").trim().starts_with('S')
}

#[test]
fn the_second_interrupt_ends_the_program_at_once() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = endless_task();
    // Nobody reads this pipe and it is full, so that the program waits for ever to write its first clause:
    // it can end only if the second signal ends it.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    let mut filler = writer.try_clone().expect("cloned");
    let filling = std::thread::spawn(move || while filler.write_all(&[b'.'; 4096]).is_ok() {});
    let mut child = learn(folder.path(), writer.into());
    // It may wait for a moment for other reasons.
    let mut n_waits = 0;
    while n_waits < 5 {
        let waits = handles_interrupts_and_waits(&child);
        n_waits = if waits { n_waits + 1 } else { 0 };
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // Two of one kind could be taken for one.
    send("-INT", &child);
    send("-TERM", &child);
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(INTERRUPTED));
    drop(reader);
    filling.join().expect("joined");
}
