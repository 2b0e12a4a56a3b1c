//! Programs from strangers: whatever they say, the real program ends within bounds on steps and
//! memory, and its message names the file and the clause.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use crate::command_line::{folder, text, with_foil};

const PROGRAM: &str = env!("CARGO_BIN_EXE_kibitz-ilp");
/// What the address space may hold, in kilobytes, where `ulimit` is known; and the seconds of processor
/// time after which a run hangs: the longest takes four, and forty on a slow and busy machine.
const LIMITS: &str = "ulimit -v 1200000 && ulimit -t 400";

/// Runs the program within these bounds, and checks that it was not killed by them.
fn run(args: &[&str], folder: &Path) -> Output {
    let mut command = if cfg!(target_os = "linux") {
        let mut shell = Command::new("sh");
        let script = format!("{LIMITS} && exec \"$0\" \"$@\"");
        shell.args(["-c", &script, PROGRAM]);
        shell
    } else {
        Command::new(PROGRAM)
    };
    let output = command
        .args(with_foil(args))
        .arg(folder)
        .output()
        .expect("it runs");
    assert!(output.status.code().is_some(), "killed: {output:?}");
    let stderr = text(&output.stderr);
    assert!(!stderr.contains("panicked"), "{stderr}");
    output
}

/// What the program says to a background in which `q/1` is given by rules.
fn says(background: &str, options: &[&str]) -> String {
    let files = [
        ("exs.pl", "pos(t(a)). neg(t(b))."),
        ("bk.pl", background),
        ("bias.pl", "head_pred(t,1). body_pred(q,1)."),
    ];
    let folder = folder(&files);
    let mut args = vec!["learn"];
    args.extend(options);
    let output = run(&args, folder.path());
    format!(
        "exit {}\n{}",
        output.status.code().unwrap_or(-1),
        text(&output.stderr)
    )
}

/// An error that names the file, the line and the clause, and says this.
fn refused(background: &str, line: usize, clause: &str, message: &str) {
    let report = says(background, &[]);
    assert!(report.starts_with("exit 5\n"), "{background}: {report}");
    for part in [&format!("bk.pl:{line}:"), clause, message] {
        assert!(report.contains(part), "{background}: {report}");
    }
}

#[test]
fn terms_that_contain_themselves() {
    let message = "a term that contains itself";
    for body in [
        "X = f(X), ground(X)",
        "X = f(X), X == X, ground(X)",
        "X = f(X), Y = f(Y), X = Y",
        "X = f(X), Y = f(Y), X == Y",
        "X = f(X,X), Y = f(Y,Y), X = Y",
        "X = f(X), Y = f(Y), X @< Y",
        "X = f(X), findall(X, true, L)",
        "X = f(X), call(X)",
        "X = [a|X], length(X, N)",
        "X = 1 + X, Y is X",
        "X = f(X), Y = f(Y), \\+ X = Y",
    ] {
        let program = format!("p(a).\nq(A) :- {body}.");
        refused(&program, 2, "q(A) :- ", message);
    }
    // Nothing looks at the whole of the term.
    let report = says("q(A) :- X = f(X), X = f(Y), A = a.", &[]);
    assert!(report.starts_with("exit 0"), "{report}");
}

#[test]
fn deep_terms() {
    let list = "q(A) :- length(L, 40000), ground(L), A = a.\nq(A) :- A = a.";
    assert!(says(list, &[]).starts_with("exit 0"));
    let all = "q(A) :- findall(X, between(1, 900000, X), L), ground(L), A = a.";
    refused(all, 1, "q(A) :- findall", "steps");
    let high = "s(0, z).\ns(N, s(T)) :- N > 0, M is N - 1, s(M, T).\n";
    refused(
        &format!("{high}q(A) :- s(79200, T), ground(T), A = a."),
        2,
        "s(A,s(B))",
        "",
    );
    // With its argument bound it can be asked.
    let report = says(
        "up(N, T, T) :- N =< 0.\nup(N, T, R) :- N > 0, M is N - 1, up(M, s(T), R).\n\
         q(T) :- up(5000, z, T).",
        &[],
    );
    assert!(report.starts_with("exit 1"), "{report}");
    for part in ["bk.pl:1:1", "up(A,B,B) :- A=<0", "levels"] {
        assert!(report.contains(part), "{report}");
    }
}

#[test]
fn long_chains_of_operators() {
    for n in [12_000, 150_000, 1_000_000] {
        let chain = vec!["1"; n].join("+");
        let report = says(&format!("q(X) :- X is {chain}."), &[]);
        assert!(report.contains("bk.pl:1:"), "{report}");
        assert!(report.contains("levels of nesting"), "{report}");
        let report = says(&format!("q({}).", vec!["- "; n].concat() + "1"), &[]);
        assert!(report.contains("levels of nesting"), "{report}");
    }
    // Lists in lists at the end of lists.
    let mut nested = String::from("[]");
    for _ in 0..3 {
        nested = format!("[{}{nested}]", "a,".repeat(9_000));
    }
    let report = says(&format!("q({nested})."), &[]);
    assert!(report.contains("levels of nesting"), "{report}");
    let list = format!("q([{}a]).", "a,".repeat(9_999));
    assert!(says(&list, &[]).starts_with("exit 1"));
}

#[test]
fn doublings() {
    for n in [25, 60] {
        let doubled: Vec<String> = (0..n).map(|i| format!("d(X{i}, X{})", i + 1)).collect();
        let doubled = doubled.join(", ");
        for last in [
            format!("ground(X{n})"),
            format!("findall(X{n}, true, L)"),
            format!("call(X{n})"),
        ] {
            let program = format!("d(X, f(X,X)).\n\nq(A) :- X0 = a, {doubled}, {last}.");
            let report = says(&program, &[]);
            assert!(report.starts_with("exit 5"), "{last}: {report}");
            assert!(report.contains("bk.pl:3:1"), "{last}: {report}");
        }
        {
            // With a value for its argument it is soon refuted.
            let program = format!("d(X, f(X,X)).\n\nq(A) :- X0 = a, {doubled}, X0 = a, A = X{n}.");
            let report = says(&program, &[]);
            assert!(report.starts_with("exit 1"), "{report}");
        }
    }
}

#[test]
fn endless_answers_and_endless_growth() {
    refused(
        "q(X) :- between(1, 9223372036854775807, X).",
        1,
        "q(A) :- between",
        "does not end",
    );
    refused(
        "q(A) :- between(1, 9223372036854775807, X), X < 0.",
        1,
        "q(A) :- between",
        "steps",
    );
    refused(
        "q(A) :- l.\nl :- length(L, 1000000), l.",
        2,
        "l :- length",
        "steps",
    );
    refused("q(A) :- q(B), q(C).", 1, "q(A) :- q(B)", "does not end");
    refused(
        "q(A) :- grow(x).\ngrow(X) :- grow(f(X,X,X,X)).",
        2,
        "grow(A)",
        "",
    );
}

#[test]
fn a_memory_limit_for_queries() {
    let program = "q(A) :- findall(X, between(1, 100000, X), L), A = a.\nq(a).";
    let report = says(program, &["--memory-limit", "1"]);
    assert!(report.starts_with("exit 5"), "{report}");
    assert!(report.contains("too much memory"), "{report}");
    assert!(report.contains("bk.pl:1:1"), "{report}");
    assert!(says(program, &[]).starts_with("exit 0"));
}

#[test]
fn a_memory_limit_for_the_search() {
    let (mut examples, mut facts) = (String::new(), String::new());
    for i in 0..12_000 {
        let side = if i % 7 == 0 { "pos" } else { "neg" };
        let args: Vec<String> = (1..21).map(|k| (i * k % 97).to_string()).collect();
        let _ = writeln!(examples, "{side}(t({})).", args.join(","));
    }
    for i in 0..97 {
        let _ = writeln!(facts, "e({i},{}). e({i},{}).", i * 7 % 97, i * 13 % 97);
    }
    let bias = "head_pred(t,20). body_pred(e,2).";
    let folder = folder(&[("exs.pl", &examples), ("bk.pl", &facts), ("bias.pl", bias)]);
    let output = run(&["learn", "--memory-limit", "1"], folder.path());
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(5), "{stdout}{stderr}");
    assert!(stdout.contains("best theory so far"), "{stdout}");
    assert!(stderr.contains("the memory limit of 1 MiB"), "{stderr}");
}

#[test]
fn a_memory_limit_for_the_task_as_read() {
    let mut facts = String::new();
    for i in 0..30_000 {
        let _ = writeln!(facts, "e({i},{}).", i * 7 % 30_000);
    }
    let examples = "pos(t(1)). neg(t(2)).";
    let bias = "head_pred(t,1). body_pred(e,2).";
    let folder = folder(&[("exs.pl", examples), ("bk.pl", &facts), ("bias.pl", bias)]);
    for learner in ["foil", "mml", "lff"] {
        let args = ["learn", "--memory-limit", "1", "--learner", learner];
        let output = run(&args, folder.path());
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(5), "{stdout}{stderr}");
        assert!(stdout.contains("best theory so far"), "{stdout}");
        assert!(
            stderr.contains("the memory limit of 1 MiB is reached"),
            "{stderr}"
        );
        assert!(
            stderr.contains("MiB as read: raise --memory-limit"),
            "{stderr}"
        );
    }
}

#[test]
fn arities_without_end() {
    let arities = ["256", "3000000000", "9223372036854775807"];
    let examples = ("exs.pl", "pos(t(a)). neg(t(b)).");
    for arity in arities {
        for declared in ["body_pred(f,N).", "head_pred(f,N)."] {
            let bias = format!("head_pred(t,1).\n{}", declared.replace('N', arity));
            let folder = folder(&[examples, ("bk.pl", "q(a)."), ("bias.pl", &bias)]);
            let stderr = text(&run(&["learn"], folder.path()).stderr);
            let wanted = format!("{arity} arguments are too many");
            assert!(stderr.contains(&wanted), "{stderr}");
            assert!(stderr.contains("--> bias.pl:2:1"), "{stderr}");
        }
        let aleph = format!(
            ":- modeh(1,t(+any)).\n:- determination(t/1,f/{arity}).\n:- begin_in_pos.\nt(a).\n\
             :- end_in_pos.\n:- begin_in_neg.\nt(b).\n:- end_in_neg.\n"
        );
        let golem = format!("!- mode(t(+any)).\n!- determination(t/1,f/{arity}).\n");
        let three = [("t.b", golem.as_str()), ("t.f", "t(a)."), ("t.n", "t(b).")];
        for (files, place) in [
            (vec![("t.pl", aleph.as_str())], "t.pl:2:1"),
            (three.to_vec(), "t.b:2:1"),
        ] {
            let folder = folder(&files);
            let stderr = text(&run(&["learn"], folder.path()).stderr);
            assert!(stderr.contains(place), "{stderr}");
            assert!(stderr.contains("at most 255"), "{stderr}");
        }
    }
    let many = |item: &str| vec![item; 300].join(",");
    let progol = format!(
        ":- modeh(1,t(+any))?\n:- modeb(1,f({}))?\nt(a).\n",
        many("+any")
    );
    let foil = format!("x: a, b.\nt({})\n{}\n.\n", many("x"), many("a"));
    let heads = format!(":- begin_in_pos.\nt({}).\n:- end_in_pos.\n", many("a"));
    for (name, text_of_file, place) in [
        ("t.pl", &progol, "t.pl:2:1"),
        ("t.d", &foil, "t.d:2:1"),
        ("t.pl", &heads, "t.pl:2:1"),
    ] {
        let folder = folder(&[(name, text_of_file)]);
        let stderr = text(&run(&["learn"], folder.path()).stderr);
        assert!(stderr.contains(place), "{stderr}");
        assert!(stderr.contains("at most 255"), "{stderr}");
    }
}

#[test]
fn predicates_of_the_most_arguments() {
    let args = vec!["a"; 255].join(",");
    let facts = format!("f({args}). g({args}).");
    let bias = "head_pred(t,3). body_pred(f,255). body_pred(g,255).";
    let examples = "pos(t(a,a,a)). pos(t(a,c,a)). neg(t(b,a,c)). neg(t(a,b,b)).";
    let folder = folder(&[("exs.pl", examples), ("bk.pl", &facts), ("bias.pl", bias)]);
    for learner in ["foil", "golem"] {
        let output = run(
            &["learn", "--time-limit", "1", "--learner", learner],
            folder.path(),
        );
        // 5: a busy machine may reach the limit of time.
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1 | 5)), "{output:?}");
    }
}

#[test]
fn clauses_of_many_variables() {
    let vars: Vec<String> = (0..80_000).map(|i| format!("X{i}")).collect();
    let vars = vars.join(",");
    let report = says(&format!("q(a).\np({vars}) :- q({vars})."), &[]);
    assert!(report.starts_with("exit 0"), "{report}");
    let report = says(&format!("q(A) :- p({vars}).\np({vars}) :- p({vars})."), &[]);
    assert!(report.starts_with("exit 5"), "{report}");
    assert!(report.contains("bk.pl:2:1"), "{report}");
}
