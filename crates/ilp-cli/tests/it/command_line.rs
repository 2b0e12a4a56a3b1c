//! The `learn` and `check` commands, through the real program.

use crate::common;

use std::fmt::Write as _;
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

fn run(args: &[&str], folder: &Path) -> Output {
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
fn learn(examples: &str, facts: &str, bias: &str, options: &[&str]) -> String {
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

#[test]
fn a_theory_with_its_coverage() {
    insta::assert_snapshot!(learn(EXAMPLES, FACTS, BIAS, &[]), @r"
    exit 0
    % east/1 by foil, 1 clause: tp 2 fn 0 tn 2 fp 0
    % every positive example is covered; 2 steps
    :- style_check(-singleton).
    east(A) :- car(A,B), short(B).  % tp 2 fn 0 tn 2 fp 0
    ");
}

/// Two examples are not significant, eight are.
#[test]
fn mfoil_asks_for_evidence() {
    let few = learn(EXAMPLES, FACTS, BIAS, &["--learner", "mfoil"]);
    assert!(
        few.starts_with("exit 1\n% east/1 by mfoil, 0 clauses"),
        "{few}"
    );
    let (mut examples, mut facts) = (EXAMPLES.to_owned(), FACTS.to_owned());
    for i in 5..17 {
        let (side, size) = [("pos", "short"), ("neg", "long")][i % 2];
        let _ = write!(examples, " {side}(east(t{i})).");
        let _ = write!(facts, " car(t{i},c{i}). {size}(c{i}).");
    }
    insta::assert_snapshot!(learn(&examples, &facts, BIAS, &["--learner", "mfoil"]), @r"
    exit 0
    % east/1 by mfoil, 1 clause: tp 8 fn 0 tn 8 fp 0
    % every positive example is covered; 25 steps
    :- style_check(-singleton).
    east(A) :- car(A,B), short(B).  % tp 8 fn 0 tn 8 fp 0
    ");
}

const MODES: &str = ":- modeh(1,east(+train))?
:- modeb(*,car(+train,-carriage))?
:- modeb(1,wheels(+carriage,-#number))?
:- modeb(1,short(+carriage))?
:- modeb(1,same(+number,+number))?
";

/// Four trains of one car; those with three wheels, or short ones with two, go east.
fn wheels() -> String {
    let mut text = MODES.to_owned();
    for (i, (wheels, is_short)) in [
        (3, true),
        (3, false),
        (3, true),
        (2, true),
        (2, true),
        (2, false),
        (2, false),
        (4, true),
    ]
    .iter()
    .enumerate()
    {
        let _ = writeln!(
            text,
            "car(t{i},c{i}). wheels(c{i},{wheels}). same({wheels},{wheels})."
        );
        if *is_short {
            let _ = writeln!(text, "short(c{i}).");
        }
        let _ = writeln!(text, "{}east(t{i}).", if i < 5 { "" } else { ":- " });
    }
    text
}

#[test]
fn mio_and_progol_take_constants_where_modes_say_so() {
    let folder = folder(&[("trains.pl", &wheels())]);
    let learned =
        |learner: &str| text(&run(&["learn", "--learner", learner], folder.path()).stdout);
    insta::assert_snapshot!(learned("mio"), @r"
    % east/1 by mio, 2 clauses: tp 5 fn 0 tn 3 fp 0
    % every positive example is covered; 23 steps
    :- style_check(-singleton).
    east(A) :- car(A,B), wheels(B,3).  % tp 3 fn 2 tn 3 fp 0
    east(A) :- car(A,B), wheels(B,2), short(B).  % tp 2 fn 3 tn 3 fp 0
    ");
    insta::assert_snapshot!(learned("progol"), @r"
    % east/1 by progol, 2 clauses: tp 5 fn 0 tn 3 fp 0
    % every positive example is covered; 15 steps
    :- style_check(-singleton).
    east(A) :- car(A,B), wheels(B,3).  % tp 3 fn 2 tn 3 fp 0
    east(A) :- car(A,B), short(B), wheels(B,2).  % tp 2 fn 3 tn 3 fp 0
    ");
}

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

const PAIRS: [&str; 3] = [
    "pos(up(1,2)). pos(up(2,4)). pos(up(1,4)). neg(up(2,1)). neg(up(3,3)). neg(up(3,4)).",
    "less(1,2). less(1,3). less(1,4). less(2,3). less(2,4). less(3,4). three(3).",
    "head_pred(up,2). body_pred(less,2). body_pred(three,1).",
];

/// The learners of the thesis that need nothing but examples.
#[test]
fn covering_and_cigol() {
    let learned = |learner| learn(PAIRS[0], PAIRS[1], PAIRS[2], &["--learner", learner]);
    insta::assert_snapshot!(learned("covering"), @r"
    exit 0
    % up/2 by covering, 2 clauses: tp 3 fn 0 tn 3 fp 0
    % every positive example is covered; 2 steps
    :- style_check(-singleton).
    up(1,A) :- less(1,A).  % tp 2 fn 1 tn 3 fp 0
    up(2,4) :- less(2,4).  % tp 1 fn 2 tn 3 fp 0
    ");
    let lists = "pos(member(a,[a])). pos(member(1,[1,2])). pos(member(f,[f,g,h])).
                 pos(member(1,[2,1,3])). pos(member(a,[b,a,c,d])). pos(member(1,[3,2,1,4])).
                 neg(member(a,[b])). neg(member(2,[1,3])). neg(member(c,[])).";
    let bias = "head_pred(member,2). body_pred(e,2).";
    insta::assert_snapshot!(learn(lists, "e(a,a).", bias, &["--learner", "cigol"]), @r"
    exit 0
    % member/2 by cigol, 2 clauses: tp 6 fn 0 tn 3 fp 0
    % every positive example is covered; 14 steps
    :- style_check(-singleton).
    member(A,[A|B]).  % tp 3 fn 3 tn 3 fp 0
    member(A,[B|C]) :- member(A,C).  % tp 3 fn 3 tn 3 fp 0
    ");
    let few = ["--learner", "cigol", "--max-steps", "1"];
    let stopped = learn(lists, "e(a,a).", bias, &few);
    assert!(
        stopped.contains("the limit on steps is reached; this is the best theory so far; 1 steps"),
        "{stopped}"
    );
}

/// The interactive systems that the thesis reviews, with the examples as their user.
#[test]
fn mis_itou_and_intra_construction() {
    let lists = "pos(member(a,[a])). pos(member(1,[1,2])). pos(member(f,[f,g,h])).
                 pos(member(1,[1])). pos(member(1,[2,1,3])). pos(member(a,[b,a,c,d])).
                 neg(member(a,[])). neg(member(a,[b])). neg(member(2,[1,3])). neg(member(c,[a,b])).
                 neg(member(1,[2,3,4])).";
    let bias = "head_pred(member,2). body_pred(nil,1). enable_recursion.";
    let learned = |learner| learn(lists, "nil([]).", bias, &["--learner", learner]);
    insta::assert_snapshot!(learned("mis"), @r"
    exit 0
    % member/2 by mis, 2 clauses: tp 6 fn 0 tn 5 fp 0
    % every positive example is covered; 77 steps
    :- style_check(-singleton).
    member(A,[A|B]).  % tp 4 fn 2 tn 5 fp 0
    member(A,[B|C]) :- member(A,C).  % tp 2 fn 4 tn 5 fp 0
    warning: argument 1 of the head takes the values 1, 2, a, c, f, which no body predicate has: no literal can bind it
    --> bias.pl
     = declare its values, as in constant(good,label). constant(bad,label)., and give the argument of the head the type label
    ");
    insta::assert_snapshot!(learned("itou"), @r"
    exit 0
    % member/2 by itou, 2 clauses: tp 6 fn 0 tn 5 fp 0
    % every positive example is covered; 15 steps
    :- style_check(-singleton).
    member(A,[A|B]).  % tp 4 fn 2 tn 5 fp 0
    member(A,[B|C]) :- member(A,C).  % tp 2 fn 4 tn 5 fp 0
    warning: argument 1 of the head takes the values 1, 2, a, c, f, which no body predicate has: no literal can bind it
    --> bias.pl
     = declare its values, as in constant(good,label). constant(bad,label)., and give the argument of the head the type label
    ");
    let few = learn(
        lists,
        "nil([]).",
        bias,
        &["--learner", "mis", "--max-steps", "3"],
    );
    insta::assert_snapshot!(few, @r"
    exit 5
    % member/2 by mis, 0 clauses: tp 0 fn 6 tn 5 fp 0
    % the limit on steps is reached; this is the best theory so far; 3 steps
    % --max-steps allows more steps
    :- style_check(-singleton).
    % why not: no literal holds for member(a,[a]), member(1,[1,2]), member(f,[f,g,h]), member(1,[1]), member(1,[2,1,3]) and 1 more
    % why not: no literal that holds for these examples has argument 1 of the head
    % why not: no literal that holds for these examples has argument 2 of the head
    % why not: nothing that these examples lead to is an answer of nil/1
    % why not: positive examples have names that the background does not mention: a, f
    warning: argument 1 of the head takes the values 1, 2, a, c, f, which no body predicate has: no literal can bind it
    --> bias.pl
     = declare its values, as in constant(good,label). constant(bad,label)., and give the argument of the head the type label
    ");
    let few = learn(
        lists,
        "nil([]).",
        bias,
        &["--learner", "itou", "--max-steps", "3"],
    );
    insta::assert_snapshot!(few, @r"
    exit 5
    % member/2 by itou, 1 clause: tp 2 fn 4 tn 5 fp 0
    % the limit on steps is reached; this is the best theory so far; 3 steps
    % --max-steps allows more steps
    :- style_check(-singleton).
    member(A,[A|B]) :- nil(B).  % tp 2 fn 4 tn 5 fp 0
    % why not: no literal holds for member(1,[1,2]), member(f,[f,g,h]), member(1,[2,1,3]), member(a,[b,a,c,d])
    % why not: no literal that holds for these examples has argument 1 of the head
    % why not: no literal that holds for these examples has argument 2 of the head
    % why not: nothing that these examples lead to is an answer of nil/1
    % why not: positive examples have names that the background does not mention: a, f
    warning: argument 1 of the head takes the values 1, 2, a, c, f, which no body predicate has: no literal can bind it
    --> bias.pl
     = declare its values, as in constant(good,label). constant(bad,label)., and give the argument of the head the type label
    ");
    // Two terms that differ in two places: a predicate of what goes with what.
    let terms = "pos(shape(f(g(h(a),h(h(h(h(k)))))),1)). pos(shape(f(g(h(b),h(h(h(h(k)))))),2)).
                 neg(shape(f(g(h(a),h(h(h(h(k)))))),2)). neg(shape(f(g(h(b),h(h(h(h(k)))))),1)).";
    let bias = "head_pred(shape,2). body_pred(nil,1).";
    insta::assert_snapshot!(learn(terms, "nil([]).", bias, &["--learner", "cigol"]), @r"
    exit 0
    % shape/2 by cigol, 3 clauses: tp 2 fn 0 tn 2 fp 0
    % every positive example is covered; 5 steps
    :- style_check(-singleton).
    shape(f(g(h(A),h(h(h(h(k)))))),B) :- part_of_shape(A,B).  % tp 2 fn 0 tn 2 fp 0
    part_of_shape(a,1).
    part_of_shape(b,2).
    warning: argument 2 of the head takes the values 1, 2, which no body predicate has: no literal can bind it
    --> bias.pl
     = declare its values, as in constant(good,label). constant(bad,label)., and give the argument of the head the type label
    ");
    insta::assert_snapshot!(learn(PAIRS[0], PAIRS[1], PAIRS[2], &["--learner", "mis"]), @r"
    exit 0
    % up/2 by mis, 2 clauses: tp 3 fn 0 tn 3 fp 0
    % every positive example is covered; 217 steps
    :- style_check(-singleton).
    up(A,B) :- less(A,B), less(B,C).  % tp 1 fn 2 tn 3 fp 0
    up(A,B) :- less(A,C), less(C,B).  % tp 2 fn 1 tn 3 fp 0
    ");
    insta::assert_snapshot!(learn(PAIRS[0], PAIRS[1], PAIRS[2], &["--learner", "itou"]), @r"
    exit 0
    % up/2 by itou, 2 clauses: tp 3 fn 0 tn 3 fp 0
    % every positive example is covered; 24 steps
    :- style_check(-singleton).
    up(A,B) :- less(A,B), less(B,C).  % tp 1 fn 2 tn 3 fp 0
    up(A,B) :- less(A,C), less(C,B).  % tp 2 fn 1 tn 3 fp 0
    ");
    let option = ["--learner", "itou", "--min-positives", "2"];
    insta::assert_snapshot!(learn(PAIRS[0], PAIRS[1], PAIRS[2], &option), @r"
    exit 2
    error: --min-positives is not supported by itou
    ");
}

#[test]
fn exceptions_are_a_predicate_of_their_own() {
    let examples = "pos(flies(tweety)). pos(flies(jack)). pos(flies(joe)). pos(flies(jim)).
                    pos(flies(ann)). neg(flies(pingu)). neg(flies(dog)).";
    let facts = "bird(tweety). bird(jack). bird(joe). bird(jim). bird(ann). bird(pingu).
                 penguin(pingu). furry(dog).";
    let bias = "head_pred(flies,1). body_pred(bird,1). body_pred(penguin,1).";
    let by_name = learn(examples, facts, bias, &["--learner", "closed-world"]);
    insta::assert_snapshot!(by_name, @r"
    exit 0
    % flies/1 by closed-world, 2 clauses: tp 5 fn 0 tn 2 fp 0
    % every positive example is covered; 2 steps
    :- style_check(-singleton).
    flies(A) :- bird(A), \+ exception_to_flies(A).  % tp 5 fn 0 tn 2 fp 0
    exception_to_flies(A) :- penguin(A).
    ");
    assert_eq!(learn(examples, facts, bias, &["--exceptions"]), by_name);
}

#[test]
fn pal_says_what_it_needs_and_an_unknown_learner_what_there_is() {
    let learned = |learner| learn(PAIRS[0], PAIRS[1], PAIRS[2], &["--learner", learner]);
    insta::assert_snapshot!(learned("pal"), @"
    exit 2
    error: pal needs a domain of states, features of them, a first example of each clause, and a teacher or an oracle to answer its questions; the files of a task hold examples only
     |
     = `kibitz-patterns learn` offers them for chess patterns, `kibitz_pal::PalLearner` for domains of your own; `--learner covering` is its algorithm for given examples
    ");
    insta::assert_snapshot!(learned("golm"), @r"
    exit 2
    error: invalid value 'golm' for '--learner <LEARNER>'
      [possible values: auto, foil, mml, lff, mfoil, golem, mio, progol, covering, closed-world, cigol, mis, itou, pal, all]

      tip: a similar value exists: 'golem'

    For more information, try '--help'.
    ");
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
