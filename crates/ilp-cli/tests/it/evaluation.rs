//! Tests on other examples, cross-validation, `evaluate`, forms of output, and limits as options.

use std::fmt::Write as _;
use std::process::Command;

use crate::command_line::{BIAS, EXAMPLES, FACTS, folder, text, with_foil};

/// Exit code, output and messages of the program in the folder of a small task.
fn said(examples: &str, more: &[(&str, &str)], args: &[&str]) -> (i32, String, String) {
    let mut files = vec![("exs.pl", examples), ("bk.pl", FACTS), ("bias.pl", BIAS)];
    files.extend(more);
    crate::command_line::said(&files, &with_foil(args))
}

#[test]
fn a_theory_is_tested_on_other_examples() {
    let more = [("other.pl", "pos(east(t2)). pos(east(t3)). neg(east(t4)).")];
    let (code, out, _) = said(EXAMPLES, &more, &["learn", ".", "--test", "other.pl"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("% on 3 test examples: tp 1 fn 1 tn 1 fp 0\n"),
        "{out}"
    );
    assert!(
        out.contains("% accuracy 0.667 [0.208, 0.939], precision 1.000"),
        "{out}"
    );
    let (_, out, _) = said(EXAMPLES, &[], &["learn", ".", "--test", "50%"]);
    assert!(out.contains("tp 1 fn 0 tn 1 fp 0\n% every"), "{out}");
    assert!(
        out.contains("% on 2 test examples: tp 1 fn 0 tn 1 fp 0\n"),
        "{out}"
    );
    let (code, _, err) = said(EXAMPLES, &[], &["learn", ".", "--test", "2"]);
    assert_eq!(code, 2);
    assert!(err.contains("a share lies between 0 and 1"), "{err}");
    let more = [("other.pl", "pos(west(t2)).")];
    let (code, _, err) = said(EXAMPLES, &more, &["learn", ".", "--test", "other.pl"]);
    assert_eq!(code, 2);
    assert!(err.contains("--> other.pl:1:1"), "{err}");
}

#[test]
fn every_fold_is_tested() {
    let (code, out, _) = said(EXAMPLES, &[], &["learn", ".", "--folds", "2"]);
    assert_eq!(code, 0);
    assert!(
        out.starts_with("% fold 1 of 2: tp 1 fn 0 tn 1 fp 0\n"),
        "{out}"
    );
    assert!(
        out.contains("% all 2 folds: tp 2 fn 0 tn 2 fp 0\n% accuracy 1.000"),
        "{out}"
    );
    let (_, out, _) = said(
        EXAMPLES,
        &[],
        &["learn", ".", "--folds", "2", "--format", "json"],
    );
    let value: serde_json::Value = serde_json::from_str(&out).expect("an object");
    assert_eq!(value["folds"].as_array().map(Vec::len), Some(2));
    assert_eq!(value["total"]["counts"]["tp"], 2);
}

#[test]
fn what_is_printed_can_be_evaluated() {
    let (code, program, _) = said(EXAMPLES, &[], &["learn", ".", "--format", "prolog"]);
    assert_eq!((code, &*program), (0, "east(A) :- car(A,B), short(B).\n"));
    let theory = [("theory.pl", &*program)];
    let (code, out, _) = said(EXAMPLES, &theory, &["evaluate", "theory.pl", "."]);
    assert_eq!(code, 0);
    assert!(
        out.starts_with("% 1 clause: tp 2 fn 0 tn 2 fp 0\n% accuracy 1.000"),
        "{out}"
    );
    let wrong = [(
        "theory.pl",
        ":- style_check(-singleton).\neast(A) :- car(A,B).\n",
    )];
    let (code, out, _) = said(
        EXAMPLES,
        &wrong,
        &["evaluate", "theory.pl", ".", "--format", "json"],
    );
    assert_eq!(code, 1);
    let value: serde_json::Value = serde_json::from_str(&out).expect("an object");
    assert_eq!(value["examples"]["counts"]["fp"], 2);
    let other = [("theory.pl", "west(A) :- car(A,B).\n")];
    let (code, _, err) = said(EXAMPLES, &other, &["evaluate", "theory.pl", "."]);
    assert_eq!(code, 2);
    assert!(err.contains("no clause defines east/1"), "{err}");
}

#[test]
fn options_stand_for_what_the_files_say() {
    let two = "pos(east(t1)). pos(east(t3)). neg(east(t5)).";
    let (code, out, _) = said(
        two,
        &[],
        &["learn", ".", "--max-clauses", "1", "--learner", "lff"],
    );
    assert_eq!(code, 0, "{out}");
    let (code, _, err) = said(two, &[], &["learn", ".", "--max-body", "0"]);
    assert_eq!(code, 2);
    assert!(err.contains("max_body"), "{err}");
    let positive = "pos(east(t1)). pos(east(t2)).";
    let (code, _, err) = said(positive, &[], &["learn", "."]);
    assert_eq!(code, 2);
    assert!(err.contains("--closed-world"), "{err}");
    let (code, out, err) = said(positive, &[], &["learn", ".", "--closed-world"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(
        err.contains("added 2 other tuples as negative examples"),
        "{err}"
    );
    assert!(out.contains("tp 2 fn 0 tn 2 fp 0"), "{out}");
    let (code, _, err) = said(
        EXAMPLES,
        &[],
        &[
            "learn",
            ".",
            "--learner",
            "covering",
            "--min-accuracy",
            "0.9",
        ],
    );
    assert_eq!(code, 2);
    assert!(
        err.contains("--min-accuracy is not supported by covering"),
        "{err}"
    );
}

#[test]
fn the_learner_may_be_chosen_by_test() {
    let (code, out, err) = said(EXAMPLES, &[], &["learn", ".", "--learner", "auto"]);
    assert_eq!((code, &err[..]), (0, ""), "{out}");
    assert!(out.contains("% east/1 by auto (foil), 1 clause"), "{out}");
}

#[test]
fn errors_of_goals_are_counted_with_an_example() {
    let theory = [(
        "theory.pl",
        "east(A) :- B >= 3, car(A,B).\neast(A) :- car(A,B), short(B).\n",
    )];
    let evaluate = |format: &str| {
        let args = ["evaluate", "theory.pl", ".", "--format", format];
        said(EXAMPLES, &theory, &args)
    };
    let (code, out, _) = evaluate("text");
    assert_eq!(code, 0);
    insta::assert_snapshot!(out, @r"
    % 2 clauses: tp 2 fn 0 tn 2 fp 0
    % accuracy 1.000 [0.510, 1.000], precision 1.000 [0.342, 1.000], recall 1.000 [0.342, 1.000], F1 1.000, MCC 1.000
    % 4 proofs raised an error (of east(t1): an argument of an arithmetic expression is not bound yet; reorder the literals or bind it first) and count as not covered
    east(A) :- B>=3, car(A,B).  % tp 0 fn 2 tn 2 fp 0
    east(A) :- car(A,B), short(B).  % tp 2 fn 0 tn 2 fp 0
    ");
    let value: serde_json::Value = serde_json::from_str(&evaluate("json").1).expect("an object");
    assert_eq!(
        (&value["raised"], &value["undecided"]),
        (&4.into(), &0.into())
    );
    assert_eq!(value["first-raised"]["example"], "east(t1)");
    let error = value["first-raised"]["error"].as_str().unwrap_or_default();
    assert!(error.contains("not bound"), "{error}");
    let raised: Vec<_> = (0..2).map(|i| &value["clauses"][i]["raised"]).collect();
    assert_eq!(raised, [4, 0]);
}

/// Examples of which twenty of each sign tell a short car from a long one.
fn many_examples() -> (String, String) {
    let (mut examples, mut facts) = (String::new(), String::new());
    for i in 0..40 {
        let (sign, length) = if i < 20 {
            ("pos", "short")
        } else {
            ("neg", "long")
        };
        let _ = writeln!(examples, "{sign}(east(s{i})).");
        let _ = writeln!(facts, "car(s{i},d{i}). {length}(d{i}).");
    }
    (examples, facts)
}

#[test]
fn the_default_learner_chooses_and_says_so() {
    let (examples, facts) = many_examples();
    let folder = folder(&[("exs.pl", &examples), ("bk.pl", &facts), ("bias.pl", BIAS)]);
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
        .args(["learn", "--progress"])
        .arg(folder.path())
        .output()
        .expect("the program runs");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{out}");
    assert!(
        out.starts_with("% east/1 by auto (foil), 1 clause: tp 20 fn 0 tn 20 fp 0"),
        "{out}"
    );
    assert!(
        err.matches("foil is right about 8 of 8 examples to choose by")
            .count()
            == 2,
        "{err}"
    );
}

#[test]
fn all_learners_are_compared_on_the_same_folds() {
    let (examples, facts) = many_examples();
    let files = [
        ("exs.pl", &examples[..]),
        ("bk.pl", &facts),
        ("bias.pl", BIAS),
    ];
    let folder = folder(&files);
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
            .args(args)
            .arg(folder.path())
            .output()
            .expect("the program runs");
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let args = [
        "learn",
        "--learner",
        "all",
        "--folds",
        "4",
        "--max-steps",
        "10000",
        "--format",
        "csv",
    ];
    let (_, out, err) = run(&args);
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        rows[0],
        [
            "learner",
            "folds",
            "accuracy",
            "accuracy_low",
            "accuracy_high",
            "clauses",
            "literals",
            "steps"
        ]
    );
    // Forty tests, all right: the interval is Wilson's.
    for learner in ["auto", "foil", "lff", "progol"] {
        let row = rows
            .iter()
            .find(|row| row[0] == learner)
            .unwrap_or_else(|| panic!("{out}"));
        assert_eq!(
            row[1..7],
            ["4", "1.0000", "0.9124", "1.0000", "1.0", "2.0"],
            "{out}"
        );
    }
    for row in &rows[1..] {
        let accuracy = row[2].parse::<f64>().expect("a number");
        let ends = [row[3], row[4]].map(|own| own.parse::<f64>().expect("a number"));
        assert!(ends[0] <= accuracy && accuracy <= ends[1], "{out}");
    }
    assert!(
        err.contains("note: --max-steps does not limit covering"),
        "{err}"
    );
    // Who cannot learn this is named.
    let n_left_out = err.matches(" is left out: ").count();
    assert_eq!(rows.len() - 1 + n_left_out, 13, "{out}{err}");
    let (code, _, err) = run(&["learn", "--learner", "all"]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("--learner all compares learners on parts of the examples: add --folds 10"),
        "{err}"
    );
}

/// Beside others, too, `auto` and `mml` find the thresholds that they find alone.
#[test]
fn learners_are_compared_with_the_values_that_they_look_for() {
    let (mut examples, mut background) = (String::new(), String::new());
    for i in 0..30 {
        let side = if i < 15 { "neg" } else { "pos" };
        let _ = writeln!(examples, "{side}(big(o{i})).");
        let _ = writeln!(background, "size(o{i},{}).", 10 * i + 3);
    }
    let bias = "head_pred(big,1). body_pred(size,2). type(big,(obj,)). type(size,(obj,num)).";
    let files = [
        ("exs.pl", &*examples),
        ("bk.pl", &background),
        ("bias.pl", bias),
    ];
    let folder = crate::command_line::folder(&files);
    let run = |learner: &str, more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
            .args(["learn", ".", "--folds", "3", "--max-steps", "5000"])
            .args(["--format", "csv", "--learner", learner])
            .args(more)
            .current_dir(folder.path())
            .output()
            .expect("the program runs");
        (text(&output.stdout), text(&output.stderr))
    };
    let (all, said) = run("all", &[]);
    for learner in ["auto", "mml"] {
        let (alone, _) = run(learner, &[]);
        let row = alone.lines().nth(1).expect("a row");
        assert!(row.starts_with(&format!("{learner},3,")), "{row}");
        assert!(all.lines().any(|own| own == row), "{row}\n{all}");
    }
    let note = "note: auto and mml compare argument 2 of size/2 with 30 of its numbers";
    assert!(said.contains(note), "{said}");
    // Learners keep their names where they make exceptions.
    let (repaired, _) = run("all", &["--exceptions"]);
    let names = |table: &str| -> Vec<String> {
        let rows = table.lines().map(|row| row.split(',').next());
        rows.flatten().map(str::to_owned).collect()
    };
    assert_eq!(names(&repaired), names(&all));
}

#[test]
fn the_help_has_learners_for_data_and_from_the_literature() {
    let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
        .args(["learn", "--help"])
        .output()
        .expect("the program runs");
    let help = text(&output.stdout);
    let (data, literature) = (
        help.find("For your data:"),
        help.find("From the literature"),
    );
    let (Some(data), Some(literature)) = (data, literature) else {
        panic!("{help}");
    };
    for (name, is_first) in [
        ("auto", true),
        ("mml", true),
        ("golem", false),
        ("cigol", false),
    ] {
        let line = help
            .find(&format!("  {name} "))
            .unwrap_or_else(|| panic!("{name}: {help}"));
        assert!(line > data && (line < literature) == is_first, "{help}");
    }
}

#[test]
fn without_negative_examples_a_learner_is_taken_that_needs_none() {
    let examples = "pos(east(t1)). pos(east(t2)).";
    let (code, out, err) = said(examples, &[], &["learn", ".", "--learner", "auto"]);
    assert!(code <= 1, "{err}");
    assert!(out.contains("% east/1 by auto"), "{out}{err}");
    let (code, _, err) = said(examples, &[], &["learn", ".", "--learner", "lff"]);
    assert_eq!(code, 2);
    assert!(err.contains("no negative examples"), "{err}");
}

#[test]
fn an_example_is_explained() {
    let more = [("theory.pl", "east(A) :- car(A,B), short(B).")];
    let explain = |example: &str| {
        let (code, out, err) = said(EXAMPLES, &more, &["explain", "theory.pl", example]);
        format!("exit {code}\n{out}{err}")
    };
    insta::assert_snapshot!(explain("east(t1)"), @r"
    exit 0
    % east(t1) is covered
    east(t1)  % by east(A) :- car(A,B), short(B).
      car(t1,c1)  % a fact
      short(c1)  % a fact
    ");
    insta::assert_snapshot!(explain("neg(east(t3))."), @r"
    exit 1
    % east(t3) is not covered
    east(A) :- car(A,B), short(B).
      car(t3,c3) holds, with 1 answer
      short(c3) fails
    ");
    insta::assert_snapshot!(explain("west(t1)"), @r"
    exit 2
    error: the example is of west/1, the predicate to learn is east/1
    ");
    insta::assert_snapshot!(explain("east(T)"), @r"
    exit 2
    error: east(T) is not an example; expected an atom such as east(t1)
    ");
}

#[test]
fn what_is_not_covered_is_explained() {
    let bias = "head_pred(east,1). body_pred(car,2). body_pred(short,1).
type(east,(train,)). type(car,(train,carriage)). type(short,(carriage,)).
direction(east,(in,)). direction(car,(in,out)). direction(short,(in,)).";
    let examples = "pos(east(t1)). pos(east(t3)). neg(east(t4)). neg(east(t5)).";
    let learn = |bias: &str, args: &[&str]| {
        let folder = folder(&[("exs.pl", examples), ("bk.pl", FACTS), ("bias.pl", bias)]);
        let output = Command::new(env!("CARGO_BIN_EXE_kibitz-ilp"))
            .args(with_foil(args))
            .arg(folder.path())
            .output()
            .expect("the program runs");
        text(&output.stdout)
    };
    insta::assert_snapshot!(learn(bias, &["learn"]), @r"
    % east/1 by foil, 1 clause: tp 1 fn 1 tn 2 fp 0
    % no further clause is good enough; 5 steps
    % looked for: variables at most 5 literals from the head (--max-depth)
    :- style_check(-singleton).
    east(A) :- car(A,B), short(B).  % tp 1 fn 1 tn 2 fp 0
    % why not: no clause covers east(t3) and not east(t4): whatever can be said of the first holds for the second (--recursion and --negation allow other literals)
    % why not: nothing that the uncovered examples lead to is an answer of short/1
    ");
    insta::assert_snapshot!(learn(bias, &["check"]), @r"
    2 positive and 2 negative examples of east/1, 8 clauses of background, 2 modes
    % why not: no clause covers east(t3) and not east(t4): whatever can be said of the first holds for the second (--recursion and --negation allow other literals)
    ");
    insta::assert_snapshot!(learn(BIAS, &["learn", "--learner", "progol"]), @r"
    % east/1 by progol, 0 clauses: tp 0 fn 2 tn 2 fp 0
    % no further clause is good enough; 6 steps
    % looked for: at most 4 literals (--max-body), variables at most 3 literals from the head (--max-depth), at least 2 positive examples covered (--min-positives), at most 200 clauses for an example
    :- style_check(-singleton).
    % why not: no clause covers east(t3) and not east(t4): whatever can be said of the first holds for the second (--recursion and --negation allow other literals)
    % why not: for east(t1), `east(A) :- car(A,B), short(B)` covers no other example, and lies beyond the bounds: try --min-positives 1; if it is still not found, --learner lff
    ");
    insta::assert_snapshot!(learn(BIAS, &["learn", "--learner", "lff", "--max-clauses", "1"]), @r"
    % east/1 by lff, 1 clause: tp 1 fn 1 tn 2 fp 0
    % the limit on clauses is reached; 4952 steps
    % --max-clauses allows more clauses
    :- style_check(-singleton).
    east(A) :- car(A,B), short(B).  % tp 1 fn 1 tn 2 fp 0
    % why not: no clause covers east(t3) and not east(t4): whatever can be said of the first holds for the second (--recursion and --negation allow other literals)
    % why not: nothing that the uncovered examples lead to is an answer of short/1
    ");
    let json = learn(bias, &["learn", "--format", "json"]);
    assert!(
        json.contains("\"why-not\": [\n    \"no clause covers east(t3)"),
        "{json}"
    );
}

#[test]
fn an_option_that_a_learner_does_not_obey_is_refused() {
    let args = ["learn", ".", "--learner", "covering", "--max-depth", "2"];
    let (code, _, err) = said(EXAMPLES, &[], &args);
    assert_eq!(code, 2);
    assert_eq!(err, "error: --max-depth is not supported by covering\n");
}

#[test]
fn a_limit_in_a_cross_validation_is_reported() {
    let args = ["learn", ".", "--folds", "2", "--time-limit", "0"];
    let (code, out, err) = said(EXAMPLES, &[], &args);
    assert_eq!(code, 5, "{out}{err}");
    assert!(err.contains("a limit was reached in 2 folds"), "{err}");
    let (code, out, err) = said(EXAMPLES, &[], &["learn", ".", "--folds", "100"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.contains("4 examples make 4 folds, not 100"), "{err}");
    assert!(out.contains("% all 4 folds"), "{out}");
}

#[test]
fn a_file_without_test_examples_is_an_error() {
    let args = ["learn", ".", "--test", "other.pl"];
    let (code, out, err) = said(EXAMPLES, &[("other.pl", "")], &args);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("other.pl: no test examples"), "{err}");
}
