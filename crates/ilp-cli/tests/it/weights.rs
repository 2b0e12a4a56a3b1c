//! Weights of examples.

use std::fmt::Write as _;

use crate::classes::json;
use crate::command_line::said;
use crate::settings::patients;

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
    let (_, out, _) = run(", 5", &["--learner", "mml", "--cost", "fn=2,fp=1"]);
    let cost = "% cost 150 by weight: 50 uncovered at 2, 50 covered wrongly at 1";
    assert!(out.contains(cost), "{out}");
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
            "the weight of an example is 0; expected a number from 0.000001 to 1000000",
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

#[test]
fn weights_in_the_background_are_named() {
    let files = [
        ("exs.pl", "pos(f(a)). neg(f(c))."),
        ("bk.pl", "q(a). q(b). weight(f(a),3). weight(a,7)."),
        ("bias.pl", "head_pred(f,1). body_pred(q,1)."),
    ];
    let (_, out, err) = said(&files, &["learn", ".", "--learner", "foil"]);
    assert!(
        err.contains("1 fact of weight/2 about examples: part of the background, no weights"),
        "{err}"
    );
    assert!(out.contains("f(A) :- q(A)."), "{out}");
    // Who asks for the predicate means it.
    let bias = "head_pred(f,1). body_pred(q,1). body_pred(weight,2).";
    let files = [files[0], files[1], ("bias.pl", bias)];
    let (_, _, err) = said(&files, &["learn", ".", "--learner", "foil"]);
    assert!(!err.contains("no weights"), "{err}");
}

#[test]
fn an_example_is_explained_as_its_file_writes_it() {
    let files = [
        ("exs.pl", "pos(f(a),3). neg(f(c))."),
        ("bk.pl", "q(a). q(b)."),
        ("bias.pl", "head_pred(f,1). body_pred(q,1)."),
        ("theory.pl", "f(A) :- q(A)."),
    ];
    for example in ["f(a)", "pos(f(a))", "pos(f(a),3)", "pos(f(a), 0.5)."] {
        let (code, out, err) = said(&files, &["explain", "theory.pl", example, "."]);
        assert_eq!(code, 0, "{example}: {err}");
        assert!(out.starts_with("% f(a) is covered"), "{example}: {out}");
    }
}
