//! Costs of mistakes, values as constants, and files that are easily taken for others.

use std::fmt::Write as _;
use std::process::Command;

use crate::command_line::{folder, said, text};

/// Exit code, output and messages of `kibitz-ilp learn` in a folder of these files.
fn learn(files: &[(&str, &str)], args: &[&str]) -> (i32, String, String) {
    said(files, &[&["learn", "."], args].concat())
}

/// A task with a test that is positive for 30 of 40 who are ill, and for 50 of 160 who are not; `weight` is
/// what follows a positive example, such as `, 5`.
pub(crate) fn patients(weight: &str) -> [(&'static str, String); 3] {
    let (mut examples, mut facts) = (String::new(), String::new());
    for i in 0..200 {
        let (sign, is_marked, weight) = if i < 40 {
            ("pos", i < 30, weight)
        } else {
            ("neg", i < 90, "")
        };
        let _ = writeln!(examples, "{sign}(ill(p{i}){weight}).");
        let marked = if is_marked {
            format!("marked(p{i}).")
        } else {
            String::new()
        };
        let _ = writeln!(facts, "tested(p{i}). {marked}");
    }
    let bias = "head_pred(ill,1). body_pred(marked,1). body_pred(tested,1).";
    [
        ("exs.pl", examples),
        ("bk.pl", facts),
        ("bias.pl", bias.to_owned()),
    ]
}

#[test]
fn costs_decide_which_clauses_are_worth_it() {
    let files = patients("");
    let files = files.each_ref().map(|(name, text)| (*name, &text[..]));
    for learner in ["mml", "auto"] {
        let learned = |args: &[&str]| {
            let mut all = vec!["--learner", learner];
            all.extend(args);
            learn(&files, &all)
        };
        // Of 80 that are marked 30 are ill: without costs no clause is right more often than wrong.
        let (_, out, _) = learned(&[]);
        assert!(!out.contains("ill(A) :- marked(A)."), "{learner}: {out}");
        let (_, out, _) = learned(&["--cost", "fn=5,fp=1"]);
        assert!(
            out.contains("ill(A) :- marked(A).  % tp 30 fn 10 tn 110 fp 50"),
            "{learner}: {out}"
        );
        assert!(
            out.contains("% cost 100: 10 uncovered at 5, 50 covered wrongly at 1"),
            "{learner}: {out}"
        );
    }
    // Where nothing tells enough, everything is covered.
    let (_, out, _) = learn(&files, &["--learner", "mml", "--cost", "fn=1000,fp=1"]);
    assert!(out.contains("ill(A).  % tp 40 fn 0 tn 0 fp 160"), "{out}");
    for (cost, message) in [
        ("fn=1,fn=5", "`fn` stands there twice"),
        (
            "fn=0",
            "expected fn=N,fp=N with N from 1 to 1000, found `fn=0`",
        ),
        ("tp=2", "found `tp=2`"),
        ("fn=1,5", "found `5`"),
    ] {
        let (code, _, err) = learn(&files, &["--cost", cost]);
        assert_eq!(code, 2);
        assert!(err.contains(message), "{err}");
    }
    let (code, _, err) = learn(&files, &["--cost", "fn=2", "--learner", "foil"]);
    assert_eq!(code, 2);
    assert!(err.contains("--cost is not supported by foil"), "{err}");
}

/// Both columns of numbers are compared with thresholds, and have names of types that are near.
#[test]
fn what_thresholds_say_of_an_example_is_shown() {
    let (mut examples, mut background) = (String::new(), String::new());
    for i in 0..10 {
        let side = if [1, 4, 5].contains(&i) { "pos" } else { "neg" };
        let _ = writeln!(examples, "{side}(good(o{i})).");
        let _ = writeln!(
            background,
            "val(o{i},{}). val2(o{i},{}).",
            i + 1,
            7 * i % 10
        );
    }
    let bias = "head_pred(good,1). body_pred(val,2). body_pred(val2,2). type(good,(object,)).
                type(val,(object,number)). type(val2,(object,number2)).";
    let files = [
        ("exs.pl", &*examples),
        ("bk.pl", &background),
        ("bias.pl", bias),
    ];
    let (_, out, err) = learn(&files, &["--learner", "mml"]);
    assert!(!err.contains("warning"), "{err}");
    let line = "% why not: for good(o5), `good(A) :- val(A,B), B=<6, B>=5` covers 2 positive examples and no \
                negative one, and lies within the bounds, but does not make the message shorter";
    assert!(out.contains(line), "{out}");
}

#[test]
fn missing_values_are_compared_with_no_threshold() {
    let (mut good, mut bad, mut values) = (String::new(), String::new(), String::new());
    for i in 0..40 {
        let side = if i < 20 { &mut good } else { &mut bad };
        let _ = writeln!(side, "o{i}");
        let value = if i % 10 == 3 {
            "?".to_owned()
        } else {
            i.to_string()
        };
        let _ = writeln!(values, "o{i},{value}");
    }
    let objects: Vec<String> = (0..40).map(|i| format!("o{i}")).collect();
    let objects = objects.join(",");
    let text = format!(
        "object: {objects}.\nnum: continuous.\n\ngood(object)\n{good};\n{bad}.\n*val(object,num)\n{values}.\n"
    );
    let (_, out, err) = learn(&[("t.d", &text)], &["--learner", "mml"]);
    assert!(
        out.contains("good(A) :- val(A,B), B=<18.  % tp 17 fn 3 tn 20 fp 0"),
        "{out}{err}"
    );
    // In Prolog, too, such a comparison is an error.
    assert!(
        out.contains("% 4 proofs raised an error (of good(o3): "),
        "{out}"
    );
}

#[test]
fn a_heavy_theory_must_save_more() {
    let files = patients("");
    let files = files.each_ref().map(|(name, text)| (*name, &text[..]));
    let learned = |weight: &str| {
        let args = ["--learner", "mml", "--cost", "fn=5,fp=1", "--size-weight"];
        learn(&files, &[&args[..], &[weight]].concat())
    };
    let (_, out, _) = learned("0.5");
    assert!(out.contains("ill(A) :- marked(A)."), "{out}");
    let (_, out, _) = learned("100");
    assert!(out.contains("% ill/1 by mml, 0 clauses"), "{out}");
    let (code, _, err) = learned("0");
    assert_eq!(code, 2);
    assert!(
        err.contains("expected a number from 0.01 to 100, found `0`"),
        "{err}"
    );
    let (code, _, err) = learn(&files, &["--size-weight", "2", "--learner", "lff"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("--size-weight is not supported by lff"),
        "{err}"
    );
}

#[test]
fn values_without_constants_are_named() {
    let (mut examples, mut facts) = (String::new(), String::new());
    for i in 0..40 {
        let sign = if i % 4 == 0 { "pos" } else { "neg" };
        let odor = ["foul", "almond", "anise", "none"][i % 4];
        let _ = writeln!(examples, "{sign}(bad(m{i})).");
        let _ = writeln!(facts, "odor(m{i},{odor}).");
    }
    let bias = "head_pred(bad,1). body_pred(odor,2). type(bad,(m,)). type(odor,(m,smell)).";
    let files = [
        ("exs.pl", &examples[..]),
        ("bk.pl", &facts),
        ("bias.pl", bias),
    ];
    let (code, out, err) = learn(&files, &[]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.contains("bad(A) :- odor(A,foul).  % tp 10 fn 0 tn 30 fp 0"),
        "{out}"
    );
    assert!(
        err.contains(
            "took the 4 values of argument 2 of odor/2 as constants: foul, almond, anise, none"
        ),
        "{err}"
    );
    // Other learners keep to the files, and say what would help.
    let (code, out, _) = learn(&files, &["--learner", "foil"]);
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("constant(V,smell) for each of its 4 values lets clauses name them: foul, almond, anise, none"),
        "{out}"
    );
}

#[test]
fn a_constant_of_a_place_that_there_is_not_is_named() {
    let bias =
        "head_pred(t,1). body_pred(q,2).\nmagic_value(q,2).\nmagic_value(r,0).\nmagic_value(q,1).";
    let files = [
        ("exs.pl", "pos(t(a)). neg(t(b))."),
        ("bk.pl", "q(a,1). q(b,2)."),
        ("bias.pl", bias),
    ];
    let (_, out, err) = learn(&files, &["--learner", "foil"]);
    assert!(out.contains("t(A) :- q(A,1)."), "{out}");
    for (line, setting) in [(2, "magic_value(q,2)"), (3, "magic_value(r,0)")] {
        assert!(
            err.contains(&format!("setting `{setting}` is ignored")),
            "{err}"
        );
        assert!(err.contains(&format!("bias.pl:{line}:")), "{err}");
    }
    assert!(!err.contains("magic_value(q,1)` is"), "{err}");
}

#[test]
fn a_second_declaration_that_says_something_else_is_an_error() {
    for (first, second, what) in [
        ("type(q,(x,y)).", "type(q,(x,x)).", "type of q"),
        (
            "direction(q,(in,out)).",
            "direction(q,(in,in)).",
            "direction of q",
        ),
        ("max_body(3).", "max_body(4).", "max_body"),
        ("max_vars(3).", "max_vars(4).", "max_vars"),
        ("max_clauses(3).", "max_clauses(4).", "max_clauses"),
    ] {
        let run = |second: &str| {
            let bias = format!("head_pred(t,1). body_pred(q,2).\ntype(t,(x,)).\n{first}\n{second}");
            let files = [
                ("exs.pl", "pos(t(a)). neg(t(b))."),
                ("bk.pl", "q(a,1). q(b,2)."),
                ("bias.pl", &bias),
            ];
            learn(&files, &["--learner", "foil"])
        };
        let (code, _, err) = run(second);
        assert_eq!(code, 2, "{err}");
        let message = format!("{what} differs from line 3");
        assert!(err.contains(&message), "{err}");
        assert!(err.contains("bias.pl:4:1"), "{err}");
        // The same once more says nothing new.
        let (_, _, err) = run(first);
        assert!(!err.contains("differs"), "{err}");
    }
}

#[test]
fn types_and_directions_of_a_misspelled_predicate_are_named() {
    let bias = "head_pred(t,1). body_pred(quick,2).\ntype(t,(x,)).\ntype(quikc,(x,y)).\n\
                direction(quikc,(in,out)).\ndirection(other,(in,out)).";
    let files = [
        ("exs.pl", "pos(t(a)). neg(t(b))."),
        ("bk.pl", "quick(a,1). quick(b,2)."),
        ("bias.pl", bias),
    ];
    let (_, _, err) = learn(&files, &["--learner", "foil"]);
    let ignored = "is ignored: neither head_pred nor body_pred declares it";
    assert!(err.contains(&format!("type of quikc {ignored}")), "{err}");
    assert!(err.contains("bias.pl:3:1"), "{err}");
    assert!(err.contains("did you mean `quick`?"), "{err}");
    assert!(
        err.contains(&format!("direction of other {ignored}")),
        "{err}"
    );
    assert_eq!(err.matches(ignored).count(), 2, "{err}");
}

#[test]
fn a_misspelled_target_is_one_error() {
    let files = [
        ("exs.pl", "pos(anc(a,b)). pos(anc(b,c)). neg(anc(b,a)).\n"),
        ("bk.pl", "parent(a,b). parent(b,c).\n"),
        ("bias.pl", "head_pred(ancc,2). body_pred(parent,2).\n"),
    ];
    let (code, _, err) = learn(&files, &[]);
    assert_eq!(code, 2);
    insta::assert_snapshot!(err, @r"
    error: this and 2 more are of anc/2, the predicate to learn is ancc/2
     --> exs.pl:1:1
      |
    1 | pos(anc(a,b)). pos(anc(b,c)). neg(anc(b,a)).
      | ^^^ head_pred declares ancc/2 at bias.pl:1; did you mean anc/2?
    ");
}

#[test]
fn a_target_without_examples_is_a_warning_where_another_has_some() {
    let files = [
        ("exs.pl", "pos(gp(a,c)). neg(gp(a,b)).\n"),
        ("bk.pl", "parent(a,b). parent(b,c).\n"),
        (
            "bias.pl",
            "head_pred(gp,2).\nhead_pred(gpp,2). body_pred(parent,2).\n",
        ),
    ];
    let (code, out, _) = said(&files, &["check", "."]);
    assert_eq!(code, 0);
    insta::assert_snapshot!(out, @r"
    warning: no example is of gpp/2, which is declared as a predicate to learn
     --> bias.pl:2:1
      |
    2 | head_pred(gpp,2). body_pred(parent,2).
      | ^^^^^^^^^ did you mean `gp`?
    1 positive and 1 negative example of gp/2, 2 clauses of background, 1 mode
    0 positive and 0 negative examples of gpp/2, 2 clauses of background, 1 mode
    ");
    // The other target is learned.
    let (code, out, err) = learn(&files, &["--learner", "foil"]);
    assert_eq!(code, 0);
    assert!(out.contains("% gp/2 by foil, 1 clause: tp 1 fn 0"), "{out}");
    assert!(err.contains("warning: no example is of gpp/2"), "{err}");
    let files = [("exs.pl", ""), files[1], files[2]];
    let (code, out, _) = said(&files, &["check", "."]);
    assert_eq!(code, 2);
    assert!(out.contains("error: no example is of gp/2"), "{out}");
}

#[test]
fn rules_of_the_target_and_constants_without_a_use_are_reported() {
    let files = [
        ("exs.pl", "pos(anc(a,b)). pos(anc(b,c)). neg(anc(b,a)).\n"),
        (
            "bk.pl",
            "parent(a,b). parent(b,c). anc(A,B) :- parent(A,B). anc(c,d).\n",
        ),
        (
            "bias.pl",
            "head_pred(anc,2). body_pred(parent,2). type(anc,(person,person)).\n\
             type(parent,(person,person)). constant(person,a). constant(b,person).\n",
        ),
    ];
    let (code, _, err) = learn(&files, &["--learner", "foil"]);
    assert_eq!(code, 0);
    insta::assert_snapshot!(err, @r"
    warning: ignored facts and rules of anc/2 in the background, because it is the target: 2
     |
     = clauses are proved without them; what is to be covered belongs among the positive examples
    warning: ignored constants of the type a, because no argument has this type: person
     |
     = the value comes first, its type second, as in `constant(red,color)`, and `type` gives an argument its type
    ");
}

#[test]
fn a_missing_file_of_popper_is_named() {
    let all = [
        ("exs.pl", "pos(t(a)). neg(t(b))."),
        ("bk.pl", "q(a,1). q(b,2)."),
        ("bias.pl", "head_pred(t,1). body_pred(q,2)."),
    ];
    for (missing, _) in all {
        let rest: Vec<_> = (all.iter())
            .copied()
            .filter(|(own, _)| *own != missing)
            .collect();
        let (_, _, err) = learn(&rest, &[]);
        assert!(err.contains(&format!("holds no {missing}")), "{err}");
    }
}

#[test]
fn one_of_three_files_stands_for_all() {
    let background = ":- modeh(*,east(+t)).\n:- modeb(*,short(+t)).\n:- determination(east/1,short/1).\nshort(a). short(b).";
    let folder = folder(&[
        ("one.b", background),
        ("one.f", "east(a). east(b)."),
        ("one.n", "east(c)."),
        ("two.b", background),
        ("two.f", "east(a)."),
    ]);
    let check = |name: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
            .args(["check"])
            .arg(folder.path().join(name))
            .output()
            .expect("the program runs");
        text(&output.stdout) + &text(&output.stderr)
    };
    for name in ["one", "one.b", "one.f", "one.n"] {
        let said = check(name);
        assert!(said.contains("2 positive and 1 negative example"), "{said}");
    }
    let said = check("two");
    assert!(
        said.contains("1 positive and 0 negative examples"),
        "{said}"
    );
    let said = check(".");
    assert!(
        said.contains("holds 2 files that end in .b: one.b, two.b"),
        "{said}"
    );
    assert!(check("two.n").contains("cannot read"));
    assert!(check("two.f").contains("1 positive and 0 negative examples"));
    std::fs::remove_file(folder.path().join("two.f")).expect("removed");
    let said = check("two.b");
    assert!(said.contains(" holds no two.f\n"), "{said}");
    std::fs::write(folder.path().join("two.f"), "east(a).").expect("written");
    std::fs::remove_file(folder.path().join("one.b")).expect("removed");
    std::fs::remove_file(folder.path().join("one.f")).expect("removed");
    let said = check(".");
    let warning = "warning: two.b, two.f, one.n: files of other names are read as one task";
    assert!(said.contains(warning), "{said}");
}

#[test]
fn a_predicate_that_has_another_mode_can_be_used() {
    let folder = folder(&[(
        "t.pl",
        ":- modeh(1,t(+y)).\n:- modeb(1,q(+y,#x)).\n:- modeb(1,q(+y,+x)).\n:- modeb(1,q(+x,+x)).\n\
         :- begin_bg.\nq(a,r). q(b,s).\n:- end_bg.\n:- begin_in_pos.\nt(a).\n:- end_in_pos.\n\
         :- begin_in_neg.\nt(b).\n:- end_in_neg.",
    )]);
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
        .args(["check"])
        .arg(folder.path())
        .output()
        .expect("the program runs");
    let said = text(&output.stdout);
    let argument_2 = "argument 2 of q/2 is an input of type x, which neither the head nor any output \
                      produces: this mode can never be used";
    assert_eq!(said.matches(argument_2).count(), 1, "{said}");
    assert!(!said.contains("the predicate can never be used"), "{said}");
}

#[test]
fn a_missing_file_of_negative_examples_is_named() {
    let folder = folder(&[
        (
            "east.b",
            ":- modeh(*,east(+t)).\n:- modeb(*,short(+t)).\n:- determination(east/1,short/1).\nshort(a). short(b). short(e).",
        ),
        ("east.f", "east(a). east(b)."),
    ]);
    let run = |learner: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
            .args(["learn", "--learner", learner])
            .arg(folder.path())
            .output()
            .expect("the program runs");
        text(&output.stderr)
    };
    let err = run("auto");
    let note =
        "note: no negative examples, since there is no .n file: auto takes mml, which needs none";
    assert!(err.contains(note), "{err}");
    let err = run("foil");
    let help = "list atoms that must not be covered in a .n file, of which there is none, ";
    assert!(err.contains(help), "{err}");
}

#[test]
fn test_examples_may_be_files_of_aleph() {
    let files = [
        (
            "east.b",
            ":- modeh(*,east(+t)).\n:- modeb(*,short(+t)).\n:- determination(east/1,short/1).\nshort(a). short(b). short(e).",
        ),
        ("east.f", "east(a). east(b)."),
        ("east.n", "east(c). east(d)."),
        ("other.f", "east(e). east(f)."),
        ("other.n", "east(g)."),
        ("alone.n", "east(e)."),
    ];
    let task = &files[..3];
    let folder = folder(task);
    let tests = crate::command_line::folder(&files[3..]);
    let run = |name: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
            .args(["learn", "--learner", "foil"])
            .arg(folder.path())
            .arg("--test")
            .arg(tests.path().join(name))
            .output()
            .expect("the program runs");
        (text(&output.stdout), text(&output.stderr))
    };
    for name in ["other.f", "other.n"] {
        let (out, err) = run(name);
        assert!(
            out.contains("% on 3 test examples: tp 1 fn 1 tn 1 fp 0"),
            "{out}{err}"
        );
    }
    let (out, err) = run("alone.n");
    assert!(
        out.contains("% on 1 test example: tp 0 fn 0 tn 0 fp 1"),
        "{out}{err}"
    );
    assert!(
        err.contains("alone.f is missing: no such test examples"),
        "{err}"
    );
}

#[test]
fn a_folder_of_two_tasks_is_refused() {
    let table = "x: a, b, c.\n\nt(x)\na\n;\nb\n.\n";
    let (code, _, err) = learn(&[("one.d", table), ("two.d", table)], &[]);
    assert_eq!(code, 2);
    assert!(
        err.contains("holds 2 files that end in .d: one.d, two.d; name the one to read"),
        "{err}"
    );
}

#[test]
fn each_relation_without_an_asterisk_is_learned() {
    let table = "x: a, b, c, c.\n\nt(x)\na\n.\nu(x)\nb\n.\n*v(x)\na\n.\n\nv\nd: +\n.\n";
    let (code, out, err) = said(&[("t.d", table)], &["check", "t.d"]);
    assert_eq!(code, 0, "{out}{err}");
    for expected in [
        "1 positive and 2 negative examples of t/1",
        "1 positive and 2 negative examples of u/1",
        "ignored 1 repeated constant of type x: c",
        "the test of v has 1 constant that its type does not list: d",
        "ignored the test of v/1, which is not learned",
    ] {
        assert_eq!(out.matches(expected).count(), 1, "{expected}: {out}{err}");
    }
}

#[test]
fn a_task_without_modes_is_told_a_line_of_its_layout() {
    let three = [
        ("t.b", "parent(ann,bob). parent(eve,fay)."),
        ("t.f", "son(ann,bob)."),
        ("t.n", "son(eve,fay)."),
    ];
    let (code, _, err) = learn(&three, &[]);
    assert_eq!(code, 2);
    assert!(
        err.contains("as in `!- mode(parent(+,-)).` (Golem)"),
        "{err}"
    );
    let modes = format!("!- mode(parent(+,-)).\n{}", three[0].1);
    let (_, _, err) = learn(&[("t.b", &modes), three[1], three[2]], &[]);
    assert!(!err.contains("is declared for clause bodies"), "{err}");
}

#[test]
fn a_limit_is_named_with_its_option() {
    let task = patients("");
    let task = task.each_ref().map(|(name, text)| (*name, text.as_str()));
    let (code, _, err) = learn(&task, &["--max-body", "0"]);
    assert_eq!(code, 2);
    assert!(
        err.contains("max_body (--max-body) is 0; expected at least 1"),
        "{err}"
    );
}

#[test]
fn a_file_that_is_not_text_is_named_as_in_other_errors() {
    let task = folder(&[("exs.pl", "pos(t(a))."), ("bias.pl", "head_pred(t,1).")]);
    std::fs::write(task.path().join("bk.pl"), b"q(a).\nq(\xff).\n").expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
        .arg("check")
        .arg(task.path())
        .output()
        .expect("the program runs");
    let err = text(&output.stderr);
    assert!(err.contains(" --> bk.pl:2:3"), "{err}");
}
