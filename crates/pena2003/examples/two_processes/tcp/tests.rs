use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kibitz_ilp::learn::mio::Mio;
use kibitz_ilp::learn::mio::active::{
    ActiveError, Examiner, ExaminerParams, HeldOut, LabeledExample, TaughtHypothesis, Teacher,
    TeacherError, learn,
};
use kibitz_ilp::learn::{NoProgress, Stop};
use kibitz_ilp::{Problem, Source, Task};
use kibitz_prolog::{Atom, Clause, Database, Term, print_clause, read_clause};
use proptest::prelude::*;

use super::connection::{MAX_MESSAGE, shown};
use super::message::Language;
use super::*;

/// The background knows everything.
#[derive(Debug)]
struct NoScenes;

impl Scenes for NoScenes {
    fn describe(&self, _: &Atom) -> Option<String> {
        None
    }

    fn enter(&self, _: &Atom, scene: &str) -> Result<Atom, String> {
        let scene = shown(scene);
        Err(format!("examples have no scenes here, such as \"{scene}\""))
    }
}

/// Numbers with their divisors; those that 2 and 3 divide are good.
fn numbers() -> (Task, Database) {
    let mut text = String::from(":- modeh(1,good(+n))?\n:- modeb(*,divides(#n,+n))?\n");
    for n in 1..80 {
        for by in [2, 3, 5].into_iter().filter(|by| n % by == 0) {
            let _ = writeln!(text, "divides({by},{n}).");
        }
        let _ = writeln!(text, "{}good({n}).", if n % 6 == 0 { "" } else { ":- " });
    }
    let source = Source {
        name: "numbers",
        text: &text,
    };
    let mut task = Task::from_progol(source).unwrap();
    let db = task.database().unwrap();
    (task, db)
}

/// Milliseconds after which one side hangs: even on a slow and busy machine an answer takes a second.
const PATIENCE: u64 = 600_000;

fn limits(milliseconds: u64) -> TimeLimits {
    let time = Duration::from_millis(milliseconds);
    TimeLimits {
        connect: time,
        read: time,
        write: time,
        clock: Instant::now,
    }
}

const EXAM: ExaminerParams = ExaminerParams {
    first_examples: 4,
    test_examples: 30,
    min_accuracy: 0.95,
    max_counterexamples: 2,
    limits: kibitz_prolog::Limits {
        steps: 1_000,
        depth: 100,
        memory: 1 << 20,
    },
};

fn teacher<'a>(task: &'a Task, db: &'a Database) -> Examiner<'a, HeldOut> {
    Examiner::new(db, &task.bias, HeldOut::new(task, 3), EXAM)
}

fn learn_from(
    task: &Task,
    db: &Database,
    teacher: &mut dyn Teacher,
) -> Result<TaughtHypothesis, ActiveError> {
    let mut task = task.clone();
    (task.positive, task.negative) = Default::default();
    let problem = Problem::with_database(&task, db);
    learn(&problem, &Mio::default(), 20, teacher, &mut NoProgress)
}

/// A server, what happens while it teaches, and the visits it noted.
fn while_serving<T>(
    max_at_once: usize,
    max_visits: Option<usize>,
    time: u64,
    happens: impl FnOnce(&str, &Task, &Database) -> T,
) -> (T, Vec<Visit>) {
    let (task, db) = numbers();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let params = ServerParams {
        limits: limits(time),
        max_at_once,
        max_visits,
    };
    let (stop, visits) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let result = thread::scope(|scope| {
        let new = || teacher(&task, &db);
        let note = |visit: &Visit| visits.lock().unwrap().push(visit.clone());
        let (listener, task, params, stop) = (&listener, &task, &params, &stop);
        let server =
            scope.spawn(move || serve(listener, task, &NoScenes, &new, params, stop, &note));
        let result = happens(&address, task, &db);
        if max_visits.is_none() {
            stop.store(true, Ordering::Relaxed);
        }
        server.join().unwrap().unwrap();
        result
    });
    (result, visits.into_inner().unwrap())
}

#[test]
fn everyone_learns_what_is_learned_in_process() {
    let (task, db) = numbers();
    let expected = learn_from(&task, &db, &mut teacher(&task, &db)).unwrap();
    assert_eq!(expected.learned.stop, Stop::Complete);
    assert!(expected.rounds > 1 && expected.learned.clauses.len() == 1);
    let learn_at = |address: &str, task: &Task, db: &Database| {
        let mut teacher =
            RemoteTeacher::connect(address, task, &NoScenes, limits(PATIENCE)).unwrap();
        learn_from(task, db, &mut teacher).unwrap()
    };
    // In turn, side by side, and side by side where some must wait; ended by their number or not.
    for (max_at_once, max_visits) in [(4, Some(5)), (1, Some(5)), (4, None)] {
        let ((), visits) = while_serving(max_at_once, max_visits, PATIENCE, |address, task, db| {
            assert_eq!(learn_at(address, task, db), expected);
            assert_eq!(learn_at(address, task, db), expected);
            thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| assert_eq!(learn_at(address, task, db), expected));
                }
            });
        });
        assert_eq!(visits.len(), 5);
        for visit in visits {
            assert_eq!((visit.n_tests, visit.problem), (expected.rounds, None));
        }
    }
}

/// Says these lines to a server, and what it answers until it closes.
fn say(address: &str, lines: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    // The server may have closed already; then who says too much may lose the end.
    let _ = stream.write_all(lines);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answers = String::new();
    let _ = BufReader::new(stream).read_to_string(&mut answers);
    answers
}

const HELLO: &str = r#"{"ask":"hello","protocol":"kibitz-teacher","version":1,"target":"good/1"}"#;

#[test]
fn the_server_says_what_is_wrong_with_a_learner() {
    let said = |lines: &[&str]| {
        let lines = lines.join("\n") + "\n";
        let (answers, visits) = while_serving(1, Some(1), PATIENCE, |address, _, _| {
            say(address, lines.as_bytes())
        });
        let problem = visits[0].problem.as_deref().unwrap_or("nothing");
        format!("{answers}problem: {problem}")
    };
    insta::assert_snapshot!(said(&[HELLO]), @r#"
    {"answer":"hello","protocol":"kibitz-teacher","version":1,"target":"good/1"}
    problem: nothing
    "#);
    insta::assert_snapshot!(said(&[HELLO, r#"{"ask":"test","rules":["good(X) :- divides(2,X)"]}"#]), @r#"
    {"answer":"hello","protocol":"kibitz-teacher","version":1,"target":"good/1"}
    {"answer":"verdict","kept":[false],"counterexamples":[{"atom":"good(22)","positive":false},{"atom":"good(66)","positive":true},{"atom":"good(64)","positive":false},{"atom":"good(30)","positive":true}]}
    problem: nothing
    "#);
    insta::assert_snapshot!(said(&[&HELLO.replace("version\":1", "version\":2")]), @r#"
    {"answer":"no","because":"declined","reason":"the learner speaks version 2, not 1"}
    problem: the teacher declines: the learner speaks version 2, not 1
    "#);
    insta::assert_snapshot!(said(&[&HELLO.replace("good/1", "bad/2")]), @r#"
    {"answer":"no","because":"declined","reason":"the learner is about bad/2, not good/1"}
    problem: the teacher declines: the learner is about bad/2, not good/1
    "#);
    insta::assert_snapshot!(said(&[&HELLO.replace("teacher", "chess")]), @r#"
    {"answer":"no","because":"declined","reason":"the learner speaks kibitz-chess, not kibitz-teacher"}
    problem: the teacher declines: the learner speaks kibitz-chess, not kibitz-teacher
    "#);
    insta::assert_snapshot!(said(&[r#"{"ask":"examples"}"#]), @r#"
    {"answer":"no","because":"declined","reason":"the learner says no hello"}
    problem: the teacher declines: the learner says no hello
    "#);
    insta::assert_snapshot!(said(&["GET / HTTP/1.1"]), @r#"
    {"answer":"no","because":"declined","reason":"it says \"GET / HTTP/1.1\": expected value at line 1 column 1"}
    problem: it says "GET / HTTP/1.1": expected value at line 1 column 1
    "#);
    insta::assert_snapshot!(said(&[HELLO, r#"{"ask":"test","rules":["good(A) :- "]}"#]), @r#"
    {"answer":"hello","protocol":"kibitz-teacher","version":1,"target":"good/1"}
    {"answer":"no","because":"untestable","reason":"\"good(A) :- \" cannot be read: line 1, column 12: a term is expected, found the end of the text"}
    problem: the rules cannot be tested: "good(A) :- " cannot be read: line 1, column 12: a term is expected, found the end of the text
    "#);
    insta::assert_snapshot!(said(&[HELLO, r#"{"ask":"test","rules":["good(A) :- nice(A)."]}"#]), @r#"
    {"answer":"hello","protocol":"kibitz-teacher","version":1,"target":"good/1"}
    {"answer":"no","because":"untestable","reason":"\"good(A) :- nice(A).\" is about nice, which is not known here"}
    problem: the rules cannot be tested: "good(A) :- nice(A)." is about nice, which is not known here
    "#);
    insta::assert_snapshot!(said(&[HELLO, r#"{"ask":"test","rules":["divides(A,B)."]}"#]), @r#"
    {"answer":"hello","protocol":"kibitz-teacher","version":1,"target":"good/1"}
    {"answer":"no","because":"untestable","reason":"clause 0 (counted from zero) does not fit the modes: its head is another predicate, some input is not provided by any literal, or it has more than 63 literals"}
    problem: the rules cannot be tested: clause 0 (counted from zero) does not fit the modes: its head is another predicate, some input is not provided by any literal, or it has more than 63 literals
    "#);
}

#[test]
fn the_server_bounds_time_and_length() {
    // Ten minutes of them: a server that waits for more hangs.
    const MOST_BYTES: u32 = 30_000;
    let (n_bytes, visits) = while_serving(1, Some(1), 200, |address, _, _| {
        let mut stream = TcpStream::connect(address).unwrap();
        let mut n_bytes = 0;
        // A byte now and then does not help.
        while n_bytes < MOST_BYTES && stream.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(20));
            n_bytes += 1;
        }
        n_bytes
    });
    assert!(n_bytes < MOST_BYTES);
    let problem = visits[0].problem.as_deref();
    assert_eq!(problem, Some("nothing whole came within 200ms"));
    let ((), visits) = while_serving(1, Some(1), PATIENCE, |address, _, _| {
        say(address, &vec![b' '; MAX_MESSAGE + 10_000]);
    });
    let problem = visits[0].problem.as_deref();
    assert_eq!(problem, Some("a message is longer than 4194304 bytes"));
}

#[test]
fn a_server_that_is_stopped_lets_go_of_learners() {
    let (error, visits) = while_serving(2, None, PATIENCE, |address, task, _| {
        let mut teacher =
            RemoteTeacher::connect(address, task, &NoScenes, limits(PATIENCE)).unwrap();
        assert_eq!(teacher.examples().unwrap().len(), 4);
        teacher
    });
    let mut teacher = error;
    assert!(matches!(teacher.test(&[]), Err(TeacherError::Gone(_))));
    assert_eq!((visits.len(), visits[0].problem.clone()), (1, None));
}

/// What a learner meets whose teacher gives these answers and then closes.
fn meets(answers: &[&str]) -> String {
    meets_within(PATIENCE, answers)
}

fn meets_within(time: u64, answers: &[&str]) -> String {
    let (task, db) = numbers();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::scope(|scope| {
        scope.spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut questions = BufReader::new(stream.try_clone().unwrap());
            for answer in answers {
                questions.read_line(&mut String::new()).unwrap();
                let _ = stream.write_all(answer.as_bytes());
            }
            // The end of what is sent is not the end of the connection.
            if answers.last().is_some_and(|last| !last.ends_with('\n')) {
                let _ = questions.read_line(&mut String::new());
            }
        });
        let taught = RemoteTeacher::connect(&address, &task, &NoScenes, limits(time));
        let taught = taught.map_err(ActiveError::from);
        let taught = taught.and_then(|mut teacher| learn_from(&task, &db, &mut teacher));
        taught.unwrap_err().to_string()
    })
}

#[test]
fn the_learner_says_what_is_wrong_with_a_teacher() {
    let hello = HELLO.replace("ask", "answer") + "\n";
    let examples = |atom: &str| {
        format!(
            r#"{{"answer":"examples","examples":[{{"atom":"{atom}","positive":true}}]}}{}"#,
            "\n"
        )
    };
    let verdict = "{\"answer\":\"verdict\",\"kept\":[true,false,true],\"counterexamples\":[]}\n";
    insta::assert_snapshot!(meets(&[]), @"the teacher is gone: it closed the connection");
    insta::assert_snapshot!(meets(&["SSH-2.0-OpenSSH_9.6\r\n"]), @r#"the teacher is not understood: it says "SSH-2.0-OpenSSH_9.6": expected value at line 1 column 1"#);
    insta::assert_snapshot!(meets(&["\u{1b}[2J nothing that a terminal should see, and much more of it than is shown\n"]), @r#"the teacher is not understood: it says "\u{1b}[2J nothing that a terminal should see, and much more of it…": expected value at line 1 column 1"#);
    insta::assert_snapshot!(meets_within(300, &["{\"answer\":"]), @"the teacher takes too long: nothing whole came within 300ms");
    insta::assert_snapshot!(meets(&[&hello.replace("version\":1", "version\":7")]), @"the teacher is not understood: it speaks version 7, not 1");
    insta::assert_snapshot!(meets(&[&hello.replace("good", "bad")]), @"the teacher is not understood: it is about bad/1, not good/1");
    insta::assert_snapshot!(meets(&[verdict]), @"the teacher is not understood: it answers what was not asked");
    insta::assert_snapshot!(meets(&[&hello]), @"the teacher is gone: it closed the connection");
    insta::assert_snapshot!(meets(&[&hello, &hello]), @"the teacher is not understood: it answers what was not asked");
    insta::assert_snapshot!(meets(&[&hello, &examples("good(X)")]), @r#"the teacher is not understood: "good(X)" is not an example of the target"#);
    insta::assert_snapshot!(meets(&[&hello, &examples("good(six)")]), @r#"the teacher is not understood: "good(six)" is about six, which is not known here"#);
    insta::assert_snapshot!(meets(&[&hello, &examples("good(")]), @r#"the teacher is not understood: "good(" cannot be read: line 1, column 6: a term is expected, found the end of the text"#);
    insta::assert_snapshot!(meets(&[&hello, &examples("divides(2,6)")]), @r#"the teacher is not understood: "divides(2,6)" is not an example of the target"#);
    let scene = examples("good(6)").replace("true}", "true,\"scene\":\"night\"}");
    insta::assert_snapshot!(meets(&[&hello, &scene]), @r#"the teacher is not understood: examples have no scenes here, such as "night""#);
    insta::assert_snapshot!(meets(&[&hello, &examples("good(6)"), verdict]), @"the teacher is not understood: it answers what was not asked");
    insta::assert_snapshot!(meets(&[&hello, &examples("good(6)"), "{\"answer\":\"no\",\"because\":\"no-examples\",\"reason\":\"none\"}\n"]), @"no examples can be drawn: none");
    let refusal = r#"{"answer":"no","because":"declined","reason":"\u001b[2J"}"#;
    insta::assert_snapshot!(meets(&[&hello, &format!("{refusal}\n")]), @"the teacher declines:  [2J");
    insta::assert_snapshot!(meets(&[&hello, &examples(&"x".repeat(1_000))]), @r#"the teacher is not understood: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" is about xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…, which is not known here"#);
    let long = " ".repeat(MAX_MESSAGE + 1);
    insta::assert_snapshot!(meets(&[&hello, &long]), @"the teacher is not understood: a message is longer than 4194304 bytes");
}

#[test]
fn nobody_may_be_there() {
    let (task, _) = numbers();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let error = RemoteTeacher::connect(&address, &task, &NoScenes, limits(1_000)).unwrap_err();
    assert_eq!(
        error,
        TeacherError::Gone(format!(
            "{address} cannot be connected to: connection refused"
        ))
    );
    let error = RemoteTeacher::connect("nowhere", &task, &NoScenes, limits(1_000)).unwrap_err();
    assert!(matches!(error, TeacherError::Gone(_)), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// What is printed on one side is read on the other.
    #[test]
    fn rules_and_examples_arrive(rules in prop::collection::vec(
        prop::sample::select(vec![
            "good(A).", "good(6).", "good(A) :- divides(2,A).",
            "good(B) :- divides(3,B), divides(A,B).", "good(A) :- \\+ divides(-3,A).",
            "good([A,B|C]) :- divides('Two Words',A).",
        ]), 0..8), values in prop::collection::vec((any::<i64>(), any::<bool>()), 0..8)) {
        let (mut task, _) = numbers();
        task.symbols.intern("Two Words");
        let mut line = Language::new(&task, &NoScenes);
        let mut symbols = task.symbols.clone();
        let rules: Vec<Clause> =
            rules.iter().map(|text| read_clause(text, &mut symbols).unwrap()).collect();
        let arrived = line.read_rules(&line.print_rules(&rules)).unwrap();
        let print = |rules: &[Clause]| -> Vec<String> {
            rules.iter().map(|rule| print_clause(rule, &task.symbols).to_string()).collect()
        };
        prop_assert_eq!(print(&arrived), print(&rules));
        let examples: Vec<LabeledExample> = values.iter().map(|&(n, is_positive)| LabeledExample {
            atom: Atom::new(task.target.name, [Term::int(n)]),
            is_positive,
        }).collect();
        let arrived = line.read_examples(&line.print_examples(&examples));
        prop_assert_eq!(arrived, Ok(examples));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Whatever someone says, the server lives and teaches the next one.
    #[test]
    fn no_line_stops_the_server(lines in prop::collection::vec(prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        "\\{\"ask\":\"test\",\"rules\":\\[\"[a-zA(),:. 0-9-]{0,30}\"\\]\\}".prop_map(String::into_bytes),
        Just(HELLO.as_bytes().to_vec()),
        Just(b"{\"ask\":\"examples\"}".to_vec()),
    ], 0..6)) {
        let lines = lines.join(&b'\n');
        let (first, _) = while_serving(2, Some(2), PATIENCE, |address, task, _| {
            say(address, &lines);
            RemoteTeacher::connect(address, task, &NoScenes, limits(PATIENCE)).unwrap().examples()
        });
        prop_assert_eq!(first.unwrap().len(), 4);
    }
}
