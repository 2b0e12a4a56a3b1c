//! Several targets in one task, classes of objects, and weights of examples.

use std::fmt::Write as _;

use crate::command_line::said;
use crate::settings::patients;

fn json(text: &str) -> serde_json::Value {
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
    assert!(out.contains("\nblue/1,foil,2,"), "{out}");
}

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
    let files = kinds(
        "head_pred(kind,2). body_pred(hairy,1). body_pred(winged,1). body_pred(scaly,1).
         type(kind,(animal,class)). type(hairy,(animal,)). type(winged,(animal,)). type(scaly,(animal,)).
         constant(bird,class). constant(fish,class). constant(mammal,class).",
    );
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
    // An object with two classes leaves nothing to decide.
    let both = format!(
        "{} pos(kind(a0,fish)).",
        files[0].1.replace("neg(kind(a0,fish)).", "")
    );
    let files = [("exs.pl", &both[..]), files[1], files[2]];
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
fn a_target_without_examples_is_named() {
    let files = [
        ("exs.pl", "pos(red(a)). neg(red(e))."),
        COLORS[1],
        COLORS[2],
    ];
    let (code, _, err) = said(&files, &["learn", ".", "--learner", "foil"]);
    assert_eq!(code, 2);
    assert!(err.contains("no positive examples of blue/1"), "{err}");
}

#[test]
fn weights_decide_which_theory_is_shortest() {
    let run = |heavy: &str, args: &[&str]| {
        let files = patients(heavy);
        let files = files.each_ref().map(|(name, text)| (*name, &text[..]));
        said(&files, &[&["learn", "."], args].concat())
    };
    for learner in ["mml", "auto"] {
        let (_, out, _) = run("", &["--learner", learner]);
        assert!(!out.contains("ill(A) :- marked(A)."), "{learner}: {out}");
        assert!(!out.contains("by weight"), "{learner}: {out}");
        let (_, out, _) = run(", 5", &["--learner", learner]);
        assert!(
            out.contains("ill(A) :- marked(A).  % tp 30 fn 10 tn 110 fp 50"),
            "{learner}: {out}"
        );
        assert!(
            out.contains("% by weight: accuracy 0.722,"),
            "{learner}: {out}"
        );
    }
    // A weight of all positive examples is a cost of them.
    let message = |out: &str| {
        let line = out.lines().find(|line| line.starts_with("% message of"));
        line.map(str::to_owned)
    };
    let (_, weighted, _) = run(", 5", &["--learner", "mml"]);
    let (_, costly, _) = run("", &["--learner", "mml", "--cost", "fn=5,fp=1"]);
    assert!(message(&weighted).is_some());
    assert_eq!(message(&weighted), message(&costly));
    // The same weight for all changes nothing.
    let files = weighted_all("2.5");
    let files = files.each_ref().map(|(name, text)| (*name, &text[..]));
    let (_, same, _) = said(&files, &["learn", ".", "--learner", "mml"]);
    let (_, plain, _) = run("", &["--learner", "mml"]);
    assert_eq!(message(&same), message(&plain));
    let (_, out, err) = run(", 5", &["--learner", "foil"]);
    assert!(
        err.contains("40 weights of examples ignored by foil, which counts each example once"),
        "{out}{err}"
    );
    let (_, out, _) = run(
        ", 5",
        &["--learner", "mml", "--folds", "4", "--format", "json"],
    );
    let total = &json(&out)["total"];
    assert_eq!(total["counts"]["tp"], 30, "{out}");
    assert_eq!(total["weighted"]["weights"]["tp"], 150.0, "{out}");
}

/// The same with a weight of every example, as facts.
fn weighted_all(weight: &str) -> [(&'static str, String); 3] {
    let [(name, mut examples), facts, bias] = patients("");
    for i in 0..200 {
        let _ = writeln!(examples, "weight(ill(p{i}),{weight}).");
    }
    [(name, examples), facts, bias]
}

#[test]
fn copies_of_an_example_add_up() {
    let facts = "q(a). q(b). r(c).";
    let bias = "head_pred(f,1). body_pred(q,1). body_pred(r,1).";
    let weights = |examples: &str| {
        let files = [("exs.pl", examples), ("bk.pl", facts), ("bias.pl", bias)];
        let (_, out, err) = said(
            &files,
            &["learn", ".", "--learner", "mml", "--format", "json"],
        );
        assert_eq!(err, "");
        json(&out)["training"]["weighted"]["weights"].clone()
    };
    let sum = |own: serde_json::Value| {
        own["tp"]
            .as_f64()
            .zip(own["fn"].as_f64())
            .map(|(a, b)| a + b)
    };
    assert_eq!(
        sum(weights("pos(f(a),3). pos(f(a)). pos(f(b)). neg(f(c)).")),
        Some(5.0)
    );
    assert_eq!(
        sum(weights("pos(f(a)). pos(f(a)). weight(f(a),3). neg(f(c)).")),
        Some(6.0)
    );
}

#[test]
fn wrong_weights_are_refused_with_their_place() {
    for (line, message) in [
        (
            "pos(f(b),0).",
            "the weight of an example is 0; expected a number above 0",
        ),
        (
            "neg(f(b),-1.5).",
            "the weight of an example is -1.5; expected",
        ),
        (
            "pos(f(b),heavy).",
            "the weight of an example is heavy; expected",
        ),
        (
            "weight(f(a),none).",
            "the weight of an example is none; expected",
        ),
        (
            "weight(f(z),2).",
            "a weight of f(z), which is not an example",
        ),
        (
            "weight(g(a),2).",
            "this example is of g/1, the predicate to learn is f/1",
        ),
        (
            "weight(f(a),2). weight(f(a),2).",
            "f(a) has a second weight",
        ),
        ("weight(f(a)).", "an example is expected"),
    ] {
        let examples = format!("pos(f(a)). neg(f(c)).\n{line}");
        let files = [
            ("exs.pl", &examples[..]),
            ("bk.pl", "q(a). q(b)."),
            ("bias.pl", "head_pred(f,1). body_pred(q,1)."),
        ];
        let (code, _, err) = said(&files, &["learn", "."]);
        assert_eq!(code, 2, "{line}: {err}");
        assert!(err.contains(message), "{line}: {err}");
        assert!(err.contains("exs.pl:2:"), "{line}: {err}");
    }
}
