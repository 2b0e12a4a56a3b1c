//! Several targets in one task, and classes of objects.

use std::fmt::Write as _;

use crate::command_line::said;

pub(crate) fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

/// Of the red and the blue things, one is both large and round, and one is neither.
const COLORS: [(&str, &str); 3] = [
    (
        "exs.pl",
        "pos(red(a)). pos(red(b)). pos(red(c)). pos(red(d)). pos(red(h)).
         pos(blue(e)). pos(blue(f)). pos(blue(g)).
         neg(red(e)). neg(red(f)). neg(red(g)).
         neg(blue(a)). neg(blue(b)). neg(blue(c)). neg(blue(d)). neg(blue(h)).",
    ),
    (
        "bk.pl",
        "large(a). large(b). large(c). large(d). round(d). round(e). round(f). round(g).",
    ),
    (
        "bias.pl",
        "head_pred(red,1).\nhead_pred(blue,1).\nbody_pred(large,1).\nbody_pred(round,1).\nmax_body(1).",
    ),
];

/// A theory of both colors.
const THEORY: (&str, &str) = ("theory.pl", "red(A) :- large(A).\nblue(A) :- round(A).\n");

#[test]
fn each_target_has_a_theory_and_each_object_a_class() {
    let learn = ["learn", ".", "--learner", "foil", "--min-accuracy", "0.7"];
    let (code, out, err) = said(&COLORS, &[&learn[..], &["--format", "prolog"]].concat());
    assert_eq!((code, &out[..]), (1, THEORY.1), "{err}");
    let (_, learned, _) = said(&COLORS, &learn);
    let files = [&COLORS[..], &[THEORY]].concat();
    let (code, out, err) = said(&files, &["evaluate", "theory.pl", "."]);
    assert_eq!(code, 1, "{err}");
    // Of the clauses that cover d, `large` is right about 4 of 4 and `round` about 3 of 4; no clause covers h.
    insta::assert_snapshot!(out, @r"
    % red/1, 1 clause: tp 4 fn 1 tn 3 fp 0
    % accuracy 0.875 [0.529, 0.978], precision 1.000 [0.510, 1.000], recall 0.800 [0.376, 0.964], F1 0.889, MCC 0.775
    red(A) :- large(A).  % tp 4 fn 1 tn 3 fp 0
    % blue/1, 1 clause: tp 3 fn 0 tn 4 fp 1
    % accuracy 0.875 [0.529, 0.978], precision 0.750 [0.301, 0.954], recall 1.000 [0.439, 1.000], F1 0.857, MCC 0.775
    blue(A) :- round(A).  % tp 3 fn 0 tn 4 fp 1
    % classes of 8 objects: accuracy 1.000 [0.676, 1.000]
    %   true \ decided  red  blue
    %   red               5     0
    %   blue              0     3
    % covered by no clause: 1 object, decided as the most frequent class red (1 right); covered by clauses of several classes: 1 object, decided by the most precise clause (1 right)
    ");
    let decided = |text: &str| {
        text.split_once("% classes of")
            .map(|(_, own)| own.to_owned())
    };
    assert!(decided(&out).is_some());
    assert_eq!(decided(&learned), decided(&out));
    let (_, out, _) = said(&files, &["evaluate", "theory.pl", ".", "--format", "json"]);
    let value = json(&out);
    assert_eq!(value["theories"][1]["target"], "blue/1");
    let decided = &value["decisions"][0]["training"];
    assert_eq!(decided["table"], serde_json::json!([[5, 0], [0, 3]]));
    assert_eq!(decided["uncovered"]["objects"], 1);
    assert_eq!(decided["contested"]["right"], 1);
}

#[test]
fn every_command_knows_all_targets() {
    let (code, out, _) = said(&COLORS, &["check", "."]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.contains("5 positive and 3 negative examples of red/1"),
        "{out}"
    );
    assert!(
        out.contains("3 positive and 5 negative examples of blue/1"),
        "{out}"
    );
    let files = [&COLORS[..], &[THEORY]].concat();
    let (code, out, _) = said(&files, &["explain", "theory.pl", "blue(e)", "."]);
    assert_eq!(code, 0, "{out}");
    assert!(out.starts_with("% blue(e) is covered"), "{out}");
    let (code, _, err) = said(&files, &["explain", "theory.pl", "green(e)", "."]);
    assert_eq!(code, 2);
    assert!(
        err.contains("the predicate to learn is red/1 or blue/1"),
        "{err}"
    );
    let tests = (
        "more.pl",
        "pos(red(b)). neg(blue(b)). pos(blue(g)). neg(red(g)). pos(blue(h)). neg(red(h)).",
    );
    let files = [&COLORS[..], &[tests]].concat();
    let args = [
        "learn",
        ".",
        "--learner",
        "foil",
        "--test",
        "more.pl",
        "--format",
        "json",
    ];
    let (_, out, err) = said(&files, &args);
    let value = json(&out);
    assert_eq!(
        value["theories"][0]["test"]["counts"]["tn"], 2,
        "{out}{err}"
    );
    let decided = &value["decisions"][0]["test"];
    assert_eq!(
        decided["table"],
        serde_json::json!([[1, 0], [2, 0]]),
        "{out}"
    );
}

#[test]
fn folds_keep_the_examples_of_an_object_together() {
    let args = ["learn", ".", "--learner", "foil", "--folds", "3"];
    let (code, out, err) = said(&COLORS, &args);
    assert_eq!(code, 0, "{out}{err}");
    for part in ["% red/1\n% fold 1 of 3", "% blue/1\n% fold 1 of 3"] {
        assert!(out.contains(part), "{out}");
    }
    assert!(
        out.contains("% classes of 8 objects in all folds: accuracy "),
        "{out}"
    );
    let (_, out, _) = said(&COLORS, &[&args[..], &["--format", "json"]].concat());
    let value = json(&out);
    let table = &value["decisions"][0]["table"];
    let cells = table
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|row| row.as_array());
    let n: u64 = cells.flatten().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(n, 8, "{out}");
    assert_eq!(value["theories"][1]["target"], "blue/1");
    let args = [
        "learn",
        ".",
        "--learner",
        "all",
        "--folds",
        "2",
        "--max-steps",
        "1000",
        "--format",
        "csv",
    ];
    let (_, out, _) = said(&COLORS, &args);
    assert!(out.starts_with("target,learner,folds,accuracy"), "{out}");
    let (head, _) = out.split_once('\n').expect("a head");
    assert!(head.ends_with(",class_accuracy"), "{out}");
    assert!(out.contains("\nblue/1,foil,2,"), "{out}");
    let foil = out.lines().filter(|line| line.contains(",foil,2,"));
    let shares: Vec<&str> = foil.filter_map(|line| line.rsplit(',').next()).collect();
    assert_eq!(shares.len(), 2);
    assert_eq!(shares[0], shares[1]);
    assert!(shares[0].parse::<f64>().is_ok(), "{out}");
}

const KINDS: &str = "
    head_pred(kind,2). body_pred(hairy,1). body_pred(winged,1). body_pred(scaly,1).
    type(kind,(animal,class)). type(hairy,(animal,)). type(winged,(animal,)). type(scaly,(animal,)).
    constant(bird,class). constant(fish,class). constant(mammal,class).";

/// Three kinds of animals, by a constant of the head.
fn kinds(bias: &str) -> [(&'static str, String); 3] {
    let (mut examples, mut facts) = (String::new(), String::new());
    for i in 0..12 {
        let kind = ["mammal", "bird", "fish"][i % 3];
        for other in ["mammal", "bird", "fish"] {
            let sign = if other == kind { "pos" } else { "neg" };
            let _ = writeln!(examples, "{sign}(kind(a{i},{other})).");
        }
        let _ = writeln!(facts, "{}(a{i}).", ["hairy", "winged", "scaly"][i % 3]);
    }
    // A bat.
    facts.push_str("winged(a0).\n");
    [
        ("exs.pl", examples),
        ("bk.pl", facts),
        ("bias.pl", bias.to_owned()),
    ]
}

#[test]
fn classes_may_be_constants_of_the_head() {
    let files = kinds(KINDS);
    let files = files.each_ref().map(|(name, text)| (*name, &text[..]));
    let theory = (
        "theory.pl",
        "kind(A,mammal) :- hairy(A).\nkind(A,bird) :- winged(A).\n",
    );
    let (_, out, err) = said(
        &[&files[..], &[theory]].concat(),
        &["evaluate", "theory.pl", "."],
    );
    // Classes stand in the order of their declarations; fish is no less frequent, but bird is first.
    let (_, decided) = out.split_once("% classes of").expect(&err);
    insta::assert_snapshot!(decided.trim_start(), @r"
    12 objects: accuracy 0.667 [0.391, 0.862]
    %   true \ decided  bird  fish  mammal
    %   bird               4     0       0
    %   fish               4     0       0
    %   mammal             0     0       4
    % covered by no clause: 4 objects, decided as the most frequent class bird (0 right); covered by clauses of several classes: 1 object, decided by the most precise clause (1 right)
    ");
    let (_, out, err) = said(&files, &["learn", ".", "--learner", "mfoil"]);
    assert!(
        out.contains("% classes of 12 objects: accuracy 1.000"),
        "{out}{err}"
    );
    // Without the bat there is a clause for every example.
    let facts = files[1].1.replace("winged(a0).\n", "");
    let separable = [files[0], ("bk.pl", &facts), files[2]];
    let (code, out, _) = said(&separable, &["check", "."]);
    assert_eq!(code, 0, "{out}");
    assert!(!out.contains("why not"), "{out}");
    for learner in ["foil", "progol", "mio", "mis", "auto", "lff"] {
        let (_, out, err) = said(&files, &["learn", ".", "--learner", learner]);
        assert!(
            out.contains("% classes of 12 objects: accuracy 1.000"),
            "{learner}: {out}{err}"
        );
    }
}

#[test]
fn objects_with_several_classes_or_none_are_left_out_and_counted() {
    let files = kinds(KINDS);
    let both = files[0]
        .1
        .replace("neg(kind(a0,fish)).", "pos(kind(a0,fish)).");
    let none = both.replace("pos(kind(a1,bird)).", "neg(kind(a1,bird)).");
    for (examples, n) in [(&both, 1), (&none, 2)] {
        let files = [
            ("exs.pl", &examples[..]),
            ("bk.pl", &files[1].1),
            ("bias.pl", &files[2].1),
        ];
        let (_, out, err) = said(&files, &["learn", ".", "--learner", "mfoil"]);
        let shown = format!("% classes of {} objects: accuracy", 12 - n);
        assert!(out.contains(&shown), "{out}{err}");
        let left = if n == 1 { "1 object" } else { "2 objects" };
        let left =
            format!("% left out: {left} with no class or several among the positive examples");
        assert!(out.contains(&left), "{out}");
        let args = ["learn", ".", "--learner", "mfoil", "--format", "json"];
        let (_, out, _) = said(&files, &args);
        let decided = &json(&out)["decisions"][0]["training"];
        assert_eq!(decided["left-out"], n, "{out}");
        // The examples of each object stay together, and each is tested on once.
        let args = [&args[..], &["--folds", "4"]].concat();
        let value = json(&said(&files, &args).1);
        let folds = value["folds"].as_array().expect("folds");
        for fold in folds {
            let counts = &fold["counts"];
            let n: u64 = ["tp", "fn", "tn", "fp"]
                .iter()
                .filter_map(|own| counts[own].as_u64())
                .sum();
            assert_eq!(n, 9, "{value}");
        }
        assert_eq!(folds.len(), 4);
    }
    // Of kinships each object has several.
    let many = files[0].1.replace("neg", "pos");
    let files = [
        ("exs.pl", &format!("{many} neg(kind(z,fish)).")[..]),
        ("bk.pl", &files[1].1),
        ("bias.pl", &files[2].1),
    ];
    let (_, out, _) = said(&files, &["learn", ".", "--learner", "mfoil"]);
    assert!(!out.contains("classes of"), "{out}");
}

#[test]
fn aleph_may_have_several_modes_for_heads() {
    let program = ":- modeh(1,red(+thing)).\n:- modeh(1,blue(+thing)).\n:- modeb(1,large(+thing)).\n:- modeb(1,round(+thing)).
:- determination(red/1,large/1).\n:- determination(blue/1,round/1).
:- begin_bg.\nlarge(a). large(b). round(c). round(d). weight(a,3).\n:- end_bg.
:- begin_in_pos.\nred(a). red(b). blue(c). blue(d).\nweight(red(a),2).\n:- end_in_pos.
:- begin_in_neg.\nred(c). red(d). blue(a). blue(b).\n:- end_in_neg.\n";
    let (code, out, err) = said(
        &[("p.pl", program)],
        &["learn", ".", "--learner", "mml", "--size-weight", "0.01"],
    );
    assert_eq!((code, &err[..]), (0, ""), "{out}");
    assert!(
        out.contains("red(A) :- large(A).  % tp 2 fn 0 tn 2 fp 0"),
        "{out}"
    );
    assert!(
        out.contains("blue(A) :- round(A).  % tp 2 fn 0 tn 2 fp 0"),
        "{out}"
    );
    assert!(
        out.contains("% classes of 4 objects: accuracy 1.000"),
        "{out}"
    );
    assert_eq!(
        out.matches("% by weight: accuracy 1.000").count(),
        1,
        "{out}"
    );
    let wrong = program.replace("weight(red(a),2)", "weight(red(z),2)");
    let (code, _, err) = said(&[("p.pl", &wrong)], &["learn", "."]);
    assert_eq!(code, 2);
    assert!(
        err.contains("a weight of red(z), which is not an example"),
        "{err}"
    );
    assert!(err.contains("p.pl:12:1"), "{err}");
}

#[test]
fn a_target_in_bodies_has_the_answers_of_the_background() {
    let bias = format!("{}\nbody_pred(blue,1).", COLORS[2].1);
    let files = [COLORS[0], COLORS[1], ("bias.pl", &bias)];
    let (_, _, err) = said(&files, &["learn", ".", "--learner", "foil"]);
    assert!(
        err.contains("blue/1 is to be learned, too: in clauses of red/1 it has the answers of the background alone"),
        "{err}"
    );
    assert!(err.contains("bias.pl:6:1"), "{err}");
}

#[test]
fn a_target_without_positive_examples_stops_no_other() {
    let files = [
        ("exs.pl", "pos(red(a)). neg(red(e)). neg(blue(a))."),
        COLORS[1],
        COLORS[2],
        ("theory.pl", "red(A) :- large(A)."),
    ];
    for args in [
        &["learn", ".", "--learner", "foil"][..],
        &["evaluate", "theory.pl", "."],
    ] {
        let (code, out, err) = said(&files, args);
        assert_eq!(code, 0, "{out}{err}");
        assert!(err.contains("no positive examples of blue/1"), "{err}");
        assert!(out.contains("red(A) :- large(A)."), "{out}");
        assert!(out.contains("blue/1"), "{out}");
    }
    let none = [
        ("exs.pl", "neg(red(e)). neg(blue(a))."),
        COLORS[1],
        COLORS[2],
    ];
    let (code, _, err) = said(&none, &["learn", ".", "--learner", "foil"]);
    assert_eq!(code, 2);
    assert!(err.contains("no positive examples of red/1"), "{err}");
}

#[test]
fn a_theory_without_clauses_covers_nothing() {
    let empty = (
        "theory.pl",
        "% red/1 by foil, 0 clauses\n:- style_check(-singleton).\n",
    );
    let files = [&COLORS[..], &[empty]].concat();
    let (code, out, err) = said(&files, &["evaluate", "theory.pl", "."]);
    assert_eq!((code, &err[..]), (1, ""), "{out}");
    assert!(
        out.contains("% red/1, 0 clauses: tp 0 fn 5 tn 3 fp 0"),
        "{out}"
    );
    let other = [&COLORS[..], &[("theory.pl", "green(A) :- large(A).")]].concat();
    let (code, _, err) = said(&other, &["evaluate", "theory.pl", "."]);
    assert_eq!(code, 2);
    assert!(err.contains("no clause defines red/1 or blue/1"), "{err}");
}

#[test]
fn a_theory_cannot_call_another_target() {
    let theory = (
        "theory.pl",
        "red(A) :- large(A).\nblue(A) :- round(A), \\+ red(A).\n",
    );
    let files = [&COLORS[..], &[theory]].concat();
    for args in [
        &["evaluate", "theory.pl", "."][..],
        &["explain", "theory.pl", "blue(e)", "."],
    ] {
        let (code, _, err) = said(&files, args);
        assert_eq!(code, 2, "{err}");
        assert!(
            err.contains("this clause calls red/1, another target of the files"),
            "{err}"
        );
        assert!(err.contains("theory.pl:2:1"), "{err}");
    }
}

#[test]
fn a_share_that_draws_nothing_is_an_error() {
    let (code, _, err) = said(
        &COLORS,
        &["learn", ".", "--learner", "foil", "--test", "1%"],
    );
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("--test 0.01: of 16 examples no one is drawn"),
        "{err}"
    );
    let (code, out, _) = said(
        &COLORS,
        &["learn", ".", "--learner", "foil", "--test", "40%"],
    );
    assert!(code < 2 && out.contains("objects to test on"), "{out}");
}

#[test]
fn a_closed_world_knows_the_objects_of_other_classes() {
    let files = [
        (
            "exs.pl",
            "pos(red(a)). pos(red(b)). pos(blue(e)). pos(blue(f)).",
        ),
        ("bk.pl", "large(a). large(b)."),
        (
            "bias.pl",
            "head_pred(red,1). head_pred(blue,1). body_pred(large,1).
             type(red,(thing,)). type(blue,(thing,)). type(large,(thing,)).",
        ),
    ];
    let args = ["learn", ".", "--learner", "foil", "--closed-world"];
    let (_, out, err) = said(&files, &args);
    // That e and f are things is known from the other class alone.
    assert!(
        out.contains("% red/1 by foil, 1 clause: tp 2 fn 0 tn 2 fp 0"),
        "{out}{err}"
    );
}

#[test]
fn declared_constants_are_named_where_variables_join_nothing() {
    let (mut examples, mut facts) = (String::new(), String::new());
    for i in 0..6 {
        let _ = writeln!(examples, "pos(red(a{i})). neg(red(b{i})).");
        let _ = writeln!(facts, "shade(a{i},warm). shade(b{i},cold).");
    }
    let files = [
        ("exs.pl", &examples[..]),
        ("bk.pl", &facts),
        (
            "bias.pl",
            "head_pred(red,1). body_pred(shade,2). type(red,(thing,)). type(shade,(thing,tone)).
             constant(warm,tone). constant(cold,tone).",
        ),
    ];
    let (_, out, err) = said(&files, &["check", "."]);
    assert!(!out.contains("no clause covers"), "{out}{err}");
    for learner in ["progol", "mio"] {
        let (code, out, err) = said(&files, &["learn", ".", "--learner", learner]);
        assert_eq!(code, 0, "{learner}: {out}{err}");
        assert!(out.contains("red(A) :- shade(A,warm)."), "{learner}: {out}");
    }
}

#[test]
fn progol_may_have_several_modes_for_heads() {
    let program = ":- modeh(1,red(+thing))?\n:- modeh(1,blue(+thing))?
:- modeb(1,large(+thing))?\n:- modeb(1,round(+thing))?
large(a). large(b). round(c). round(d).
red(a). red(b). blue(c). blue(d).
:- red(c). :- red(d). :- blue(a). :- blue(b).\n";
    let (code, out, err) = said(&[("p.pl", program)], &["learn", ".", "--learner", "progol"]);
    assert_eq!((code, &err[..]), (0, ""), "{out}");
    for clause in ["red(A) :- large(A).", "blue(A) :- round(A)."] {
        assert!(out.contains(clause), "{out}");
    }
}
