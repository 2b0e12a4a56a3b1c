//! The `learn` and `check` commands, through the real program.

use crate::common;

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// Arguments of the program, with Foil as the learner where they name none: what other learners add to
/// it is tested with `auto`.
pub(crate) fn with_foil<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let mut all = args.to_vec();
    if args.first() == Some(&"learn") && !args.contains(&"--learner") {
        all.extend(["--learner", "foil"]);
    }
    all
}

pub(crate) fn run(args: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
        .args(with_foil(args))
        .arg(folder)
        .output()
        .expect("the program runs")
}

/// Writes a task in Popper's layout.
pub(crate) fn write_popper(folder: &Path, n: usize, seed: u64) {
    std::fs::write(
        folder.join("exs.pl"),
        common::popper_examples(&common::positions(n, seed)),
    )
    .expect("written");
    std::fs::write(folder.join("bk.pl"), common::board_facts()).expect("written");
    std::fs::write(folder.join("bias.pl"), common::POPPER_BIAS).expect("written");
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

/// Exit code, output and messages of the program in a folder of these files.
pub(crate) fn said(files: &[(&str, &str)], args: &[&str]) -> (i32, String, String) {
    let folder = folder(files);
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
        .args(args)
        .current_dir(folder.path())
        .output()
        .expect("the program runs");
    let code = output.status.code().unwrap_or(-1);
    (code, text(&output.stdout), text(&output.stderr))
}

pub(crate) const EXAMPLES: &str = "pos(east(t1)). pos(east(t2)). neg(east(t3)). neg(east(t4)).";
pub(crate) const FACTS: &str = "car(t1,c1). car(t2,c2). car(t3,c3). car(t4,c4). \
                     short(c1). short(c2). long(c3). long(c4).";
pub(crate) const BIAS: &str =
    "head_pred(east,1). body_pred(car,2). body_pred(short,1). body_pred(long,1).
type(east,(train,)). type(car,(train,carriage)). type(short,(carriage,)). type(long,(carriage,)).
direction(east,(in,)). direction(car,(in,out)). direction(short,(in,)). direction(long,(in,)).";

/// Exit code and both streams for a small Popper task.
pub(crate) fn learn(examples: &str, facts: &str, bias: &str, options: &[&str]) -> String {
    let folder = folder(&[("exs.pl", examples), ("bk.pl", facts), ("bias.pl", bias)]);
    let mut args = vec!["learn"];
    args.extend(options);
    let output = run(&args, folder.path());
    format!(
        "exit {}\n{}{}",
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr)
    )
}

pub(crate) const MODES: &str = ":- modeh(1,east(+train))?
:- modeb(*,car(+train,-carriage))?
:- modeb(1,wheels(+carriage,-#number))?
:- modeb(1,short(+carriage))?
:- modeb(1,same(+number,+number))?
";

/// `-#` in two letters, and what else a mode may not be.
#[test]
fn modes_say_what_is_wrong() {
    let said = |mode: &str| {
        let program = format!("{MODES}:- modeb(1,{mode})?\neast(t1).\n:- east(t2).\n");
        let folder = folder(&[("trains.pl", &program)]);
        text(&run(&["check"], folder.path()).stderr)
    };
    let many = ["-#n"; 9].join(",");
    let unsigned = said("odd(number)");
    assert!(
        unsigned.contains("a mode of odd has an argument without")
            && unsigned.contains("--> trains.pl:6:1"),
        "{unsigned}"
    );
    assert!(unsigned.contains("-#type for both"), "{unsigned}");
    insta::assert_snapshot!(said(&format!("many({many})")), @"
    error: too many arguments that are both outputs and constants
     --> trains.pl:6:1
      |
    6 | :- modeb(1,many(-#n,-#n,-#n,-#n,-#n,-#n,-#n,-#n,-#n))?
      | ^
    ");
}

#[test]
fn broken_text_has_a_place() {
    insta::assert_snapshot!(learn(EXAMPLES, "car(t1,c1).\nshort(c1.\n", BIAS, &[]), @r#"
    exit 2
    error: expected "," or ")" in the arguments, found the end of the clause
     --> bk.pl:2:9
      |
    2 | short(c1.
      |         ^
    "#);
}

#[test]
fn mistakes_of_newcomers_are_answered() {
    let report = |examples: &str, facts: &str, bias: &str| learn(examples, facts, bias, &[]);
    let mut all = String::new();
    for (examples, facts, bias) in [
        (
            EXAMPLES,
            FACTS,
            BIAS.replace("head_pred(east,1)", "head_pred(East,1)"),
        ),
        (
            EXAMPLES,
            FACTS,
            BIAS.replace("body_pred(short,1)", "body_pred(shrt,1)"),
        ),
        (
            EXAMPLES,
            FACTS,
            BIAS.replace("direction(car,(in,out))", "direction(car,(in,in))"),
        ),
        (
            EXAMPLES,
            FACTS,
            BIAS.replace("type(east,(train,))", "type(east,(trian,))"),
        ),
        (
            EXAMPLES,
            FACTS,
            BIAS.replace("type(car,(train,carriage))", "type(car,(train,))"),
        ),
        (EXAMPLES, FACTS, format!("{BIAS} max_body(0).")),
        (EXAMPLES, FACTS, format!("{BIAS} max_vras(3).")),
        ("pos(east(t1)).", FACTS, BIAS.to_owned()),
        ("neg(east(t1)).", FACTS, BIAS.to_owned()),
        ("pos(east(t1,t2)). neg(east(t3)).", FACTS, BIAS.to_owned()),
        ("pos(east(t1)). neg(east(t1)).", FACTS, BIAS.to_owned()),
    ] {
        all.push_str(&report(examples, facts, &bias));
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn endless_recursion_ends() {
    let facts = "car(t1,c1). car(t3,c3). short(X) :- short(X). long(c3).";
    let report = learn("pos(east(t1)). neg(east(t3)).", facts, BIAS, &[]);
    assert!(report.starts_with("exit 1"), "{report}");
    assert!(report.contains("short/1 is not used"), "{report}");
    assert!(report.contains("does not end"), "{report}");
}

#[test]
fn unknown_predicates_and_wrong_modes_are_named() {
    let facts = format!("{FACTS} short(X) :- tiny(X).");
    let report = learn(EXAMPLES, &facts, BIAS, &[]);
    assert!(report.starts_with("exit 0"), "{report}");
    assert!(
        report.contains("goals of short/1 raised an error") && report.contains("tiny/1"),
        "{report}"
    );
    let bias = BIAS.replace("direction(car,(in,out))", "direction(car,(in,outt))");
    let report = learn(EXAMPLES, FACTS, &bias, &[]);
    assert!(report.starts_with("exit 2"), "{report}");
    assert!(
        report.contains("bias.pl:3:") && report.contains("neither in nor out"),
        "{report}"
    );
    let bias = BIAS.replace("direction(car,(in,out))", "direction(car,(in,))");
    let report = learn(EXAMPLES, FACTS, &bias, &[]);
    assert!(
        report.starts_with("exit 2") && report.contains("car/2"),
        "{report}"
    );
}

#[test]
fn a_learned_recursion_ends() {
    // Every edge can be followed back, so that only a call on a smaller argument would be safe.
    let examples = "pos(p(a,b)). pos(p(b,c)). pos(p(a,c)). pos(p(c,a)). neg(p(a,d)). neg(p(d,a)).";
    let bias = "enable_recursion. head_pred(p,2). body_pred(e,2).";
    let report = learn(examples, "e(a,b). e(b,c). e(c,a). e(b,a).", bias, &[]);
    assert!(!report.contains("met a bound"), "{report}");
    assert!(report.starts_with("exit "), "{report}");
}

#[test]
fn limits_return_the_best_so_far() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_popper(folder.path(), 400, 3);
    let output = run(&["learn", "--max-steps", "200"], folder.path());
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(5), "{stdout}");
    assert!(stdout.contains("the limit on steps is reached"), "{stdout}");
    assert!(stdout.contains("illegal("), "{stdout}");
    let output = run(&["learn", "--time-limit", "0"], folder.path());
    assert!(text(&output.stdout).contains("the search was stopped"));
    let output = run(&["learn", "--time-limit", "-1"], folder.path());
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_folder_without_a_task() {
    let empty = folder(&[]);
    let output = run(&["check"], empty.path());
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("holds no task"));
    let output = run(&["check", "--layout", "popper"], empty.path());
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("holds no exs.pl"));
}

#[test]
fn a_path_that_is_not_there_is_missed() {
    for command in ["learn", "check"] {
        let output = run(&[command], Path::new("nosuch"));
        assert_eq!(output.status.code(), Some(3));
        let stderr = text(&output.stderr);
        let start = "error: cannot read nosuch: No such file or directory";
        assert!(stderr.starts_with(start), "{stderr}");
    }
}

/// What every program of the workspace answers alike: a tab before a mistake, several mistakes in a
/// file, a misspelled name, a folder that is not there.
#[test]
fn mistakes_are_told_as_by_every_program() {
    let bias = "head_pred(east,1). body_pred(car,2.\n\tmax_vras(3).\nbody_pred(short,1).\n";
    let folder = folder(&[("exs.pl", EXAMPLES), ("bk.pl", FACTS), ("bias.pl", bias)]);
    let said = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("the program runs");
        let code = output.status.code().unwrap_or(-1);
        format!("exit {code}\n{}", text(&output.stderr))
    };
    insta::assert_snapshot!([said(&["learn", "."]), said(&["learn", "nosuch"])].join("\n"));
    let help = run(&["--help"], Path::new("."));
    let help = text(&help.stdout);
    assert!(
        help.trim_end().ends_with(&kibitz_text::Exit::help()),
        "{help}"
    );
}
