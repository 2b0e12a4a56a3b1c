//! Active learning through the real program: teacher and learner in two processes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use tempfile::TempDir;

use crate::command_line::text;
use crate::common;

const PROGRAM: &str = env!("CARGO_BIN_EXE_kibitz-ilp");

/// A teacher that is at work, until it is dropped.
struct Teaching {
    process: Child,
    output: BufReader<std::process::ChildStdout>,
    address: String,
}

impl Teaching {
    fn start(folder: &Path, options: &[&str]) -> Self {
        let mut process = Command::new(PROGRAM)
            .args(["teach", "--listen", "127.0.0.1:0"])
            .args(options)
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut output = BufReader::new(process.stdout.take().expect("piped"));
        let mut line = String::new();
        output.read_line(&mut line).expect("it says where it is");
        let address = line.strip_prefix("teaching illegal/6 at ").expect("where");
        let (address, _) = address.split_once(": ").expect("and of what");
        Self {
            address: address.to_owned(),
            process,
            output,
        }
    }

    /// Exit code and error stream at the end.
    fn end(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.output.read_line(&mut said).expect("read");
        assert_eq!(said, "", "one line is enough");
        let mut errors = String::new();
        let stderr = self.process.stderr.take().expect("piped");
        std::io::Read::read_to_string(&mut BufReader::new(stderr), &mut errors).expect("read");
        (self.process.wait().expect("it ends").code(), errors)
    }
}

impl Drop for Teaching {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn task() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    common::write_popper(folder.path(), 300, 1);
    folder
}

fn learn(folder: &Path, teacher: &str, options: &[&str]) -> Output {
    Command::new(PROGRAM)
        .args(["learn", "--learner", "mio", "--teacher", teacher])
        .args(options)
        .arg(folder)
        .output()
        .expect("it runs")
}

/// Exit code and error stream of a learner that fails.
fn fails(folder: &Path, teacher: &str, options: &[&str]) -> String {
    let output = learn(folder, teacher, options);
    assert_eq!(text(&output.stdout), "");
    let code = output.status.code().unwrap_or(-1);
    format!(
        "exit {code}\n{}",
        text(&output.stderr).replace(teacher, "HOST:PORT")
    )
}

#[test]
fn two_processes_learn_what_one_learns() {
    let folder = task();
    for seed in ["1", "7"] {
        let seed = ["--seed", seed];
        let exam = ["--first-examples", "6", "--max-counterexamples", "4"];
        let here = learn(
            folder.path(),
            "here",
            &[seed, [exam[0], exam[1]], [exam[2], exam[3]]].concat(),
        );
        let here = text(&here.stdout);
        let is_headline = [" clause: tp ", " clauses: tp "].map(|words| here.contains(words));
        assert!(is_headline.contains(&true), "{here}");
        assert!(!here.contains(" 0 clauses: "), "{here}");
        let options = [&seed[..], &exam[..], &["--max-visits", "3"]].concat();
        let teaching = Teaching::start(folder.path(), &options);
        let address = &teaching.address;
        let there = || text(&learn(folder.path(), address, &seed).stdout);
        thread::scope(|scope| {
            let first = scope.spawn(there);
            assert_eq!(there(), here);
            assert_eq!(first.join().expect("it runs"), here);
        });
        // A learner needs no examples of its own.
        let bare = tempfile::tempdir().expect("a temporary folder");
        common::write_popper(bare.path(), 0, 1);
        let there = learn(bare.path(), address, &seed);
        assert_eq!(there.status.code(), Some(0));
        let rules = |theory: &str| -> Vec<String> {
            let lines = theory.lines().filter(|line| line.starts_with("illegal("));
            lines
                .map(|line| line.split("  %").next().unwrap_or(line).to_owned())
                .collect()
        };
        assert_eq!(rules(&text(&there.stdout)), rules(&here));
        let (code, errors) = teaching.end();
        assert_eq!(
            (code, errors.matches("taught to the end").count()),
            (Some(0), 3),
            "{errors}"
        );
    }
}

#[test]
fn a_teacher_that_is_killed_in_the_middle_is_missed() {
    let folder = task();
    let mut teaching = Teaching::start(folder.path(), &[]);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let between = listener.local_addr().expect("its address").to_string();
    thread::scope(|scope| {
        // Hands on three questions and their answers, and then ends the teacher.
        scope.spawn(|| {
            let (mut learner, _) = listener.accept().expect("a learner");
            let mut teacher = TcpStream::connect(&teaching.address).expect("a teacher");
            let lines = |stream: &TcpStream| BufReader::new(stream.try_clone().expect("a copy"));
            let (mut questions, mut answers) = (lines(&learner), lines(&teacher));
            for _ in 0..3 {
                for (from, to) in [(&mut questions, &mut teacher), (&mut answers, &mut learner)] {
                    let mut line = String::new();
                    from.read_line(&mut line).expect("a line");
                    to.write_all(line.as_bytes()).expect("handed on");
                }
            }
            teaching.process.kill().expect("killed");
            teaching.process.wait().expect("dead");
        });
        insta::assert_snapshot!(fails(folder.path(), &between, &[]), @r"
        exit 5
        error: the teacher is gone: it closed the connection
        ");
    });
}

#[test]
fn a_teacher_may_be_none() {
    let folder = task();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address").to_string();
    // The system takes the connection, but nobody answers.
    insta::assert_snapshot!(fails(folder.path(), &address, &["--read-timeout", "0.2"]), @r"
    exit 5
    error: the teacher takes too long: nothing whole came within 200ms
    ");
    // It answers, and something else is spoken there.
    let answer = move || {
        let (mut stream, _) = listener.accept().expect("the learner before");
        let _ = stream.write_all(b"too late");
        let (mut stream, _) = listener.accept().expect("a learner");
        let mut question = String::new();
        let lines = BufReader::new(stream.try_clone().expect("a copy")).read_line(&mut question);
        lines.expect("a question");
        stream
            .write_all(b"220 mail.example.org ESMTP\r\n")
            .expect("said");
    };
    thread::scope(|scope| {
        scope.spawn(answer);
        insta::assert_snapshot!(fails(folder.path(), &address, &[]), @r#"
        exit 5
        error: the teacher is not understood: it says "220 mail.example.org ESMTP": invalid type: integer `220`, expected internally tagged enum Answer at line 1 column 3
        "#);
    });
    // The listener is gone.
    insta::assert_snapshot!(fails(folder.path(), &address, &[]), @r"
    exit 5
    error: the teacher is gone: HOST:PORT cannot be connected to: connection refused
    ");
}

#[test]
fn both_sides_learn_and_teach_the_same() {
    let (folder, other) = (
        task(),
        crate::command_line::folder(&[
            ("exs.pl", "pos(east(t1)). neg(east(t2))."),
            ("bk.pl", "short(t1)."),
            ("bias.pl", "head_pred(east,1). body_pred(short,1)."),
        ]),
    );
    let teaching = Teaching::start(folder.path(), &["--max-visits", "1"]);
    insta::assert_snapshot!(fails(other.path(), &teaching.address, &[]), @r"
    exit 5
    error: the teacher declines: the learner is about east/1, not illegal/6
    ");
    let (code, errors) = teaching.end();
    assert_eq!(code, Some(0));
    assert!(
        errors.contains("0 tests, the teacher declines: "),
        "{errors}"
    );
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let folder = task();
    let usage = |options: &[&str]| {
        let mut command = Command::new(PROGRAM);
        let output = command
            .arg("learn")
            .args(options)
            .arg(folder.path())
            .output();
        let output = output.expect("it runs");
        let line = text(&output.stderr)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned();
        format!("exit {}\n{line}", output.status.code().unwrap_or(-1))
    };
    insta::assert_snapshot!(usage(&["--teacher", "here"]), @r"
    exit 2
    error: --teacher needs --learner mio
    ");
    insta::assert_snapshot!(usage(&["--learner", "mio", "--teacher", "there"]), @r"
    exit 2
    error: invalid value 'there' for '--teacher <HOST:PORT|here>': expected HOST:PORT or here
    ");
    insta::assert_snapshot!(usage(&["--learner", "mio", "--teacher", "here", "--rounds", "0"]), @r"
    exit 2
    error: --rounds must be at least 1
    ");
    insta::assert_snapshot!(usage(&["--learner", "mio", "--teacher", "host:1", "--min-accuracy", "0.9"]), @r"
    exit 2
    error: --first-examples, --test-examples, --max-counterexamples and, with --teacher, --min-accuracy are the teacher's: give them to kibitz-ilp teach, or add --teacher here
    ");
    insta::assert_snapshot!(usage(&["--learner", "mio", "--min-accuracy", "2"]), @r"
    exit 2
    error: invalid value '2' for '--min-accuracy <SHARE>': expected a number from 0 to 1
    ");
    insta::assert_snapshot!(usage(&["--learner", "mio", "--read-timeout", "0"]), @r"
    exit 2
    error: invalid value '0' for '--read-timeout <SECONDS>': expected a number of seconds above 0
    ");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address").to_string();
    let taken = Command::new(PROGRAM)
        .args(["teach", "--listen", &address])
        .arg(folder.path())
        .output();
    let taken = taken.expect("it runs");
    assert_eq!(taken.status.code(), Some(5));
    assert!(text(&taken.stderr).starts_with(&format!("error: {address} cannot be listened at: ")));
}

/// An interrupt ends a teacher who is at work, and the learner is told nothing more.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_teacher() {
    let folder = task();
    let teaching = Teaching::start(folder.path(), &[]);
    let mut learner = TcpStream::connect(&teaching.address).expect("a teacher");
    let hello = r#"{"ask":"hello","protocol":"kibitz-teacher","version":1,"target":"illegal/6"}"#;
    writeln!(learner, "{hello}").expect("said");
    let mut answers = BufReader::new(learner.try_clone().expect("a copy"));
    let mut answer = String::new();
    answers.read_line(&mut answer).expect("an answer");
    assert_eq!(answer.trim_end(), hello.replace("ask", "answer"));
    let id = teaching.process.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .expect("sent")
            .success()
    );
    let (code, errors) = teaching.end();
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("0 tests, taught to the end"), "{errors}");
    answer.clear();
    assert_eq!(answers.read_line(&mut answer).expect("the end"), 0);
}
