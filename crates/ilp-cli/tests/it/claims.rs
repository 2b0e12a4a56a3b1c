//! What the program says of tasks is true: of what cannot be learned, of limits, and of the data.

use std::fmt::Write as _;

use crate::command_line::{BIAS, EXAMPLES, FACTS, said};

/// Exit code, output and messages for a task in Popper's layout.
fn popper(
    [examples, background, bias]: [&str; 3],
    more: &[(&str, &str)],
    args: &[&str],
) -> (i32, String, String) {
    let mut files = vec![
        ("exs.pl", examples),
        ("bk.pl", background),
        ("bias.pl", bias),
    ];
    files.extend(more);
    said(&files, args)
}

/// Sixty objects with a number each: the positive ones are those in the middle.
fn numbers() -> [String; 2] {
    let (mut examples, mut background) = (String::new(), String::new());
    for i in 0..60 {
        let value = f64::from(i * 37 % 60) + 0.5;
        let side = if (20.0..40.0).contains(&value) {
            "pos"
        } else {
            "neg"
        };
        let _ = write!(examples, "{side}(ok(o{i})). ");
        let _ = write!(background, "val(o{i},{value}). ");
    }
    [examples, background]
}

#[test]
fn the_limit_on_steps_bounds_the_listing_of_the_background() {
    let list = vec!["a"; 250].join(",");
    let examples = format!("pos(f([{list}])). neg(f(b)). neg(f([])).");
    let bias = "head_pred(f,1). body_pred(emp,1). body_pred(tl,2).";
    // A list is asked for its tail, and not whether each other one is its tail.
    let task = [&examples, "emp([]). tl([_|T],T).", bias];
    let few = ["learn", ".", "--learner", "foil", "--max-steps", "1000"];
    let (code, out, err) = popper(task, &[], &few);
    assert_eq!((code, &*err), (0, ""), "{out}");
    // By these rules it can only be asked about pairs.
    let pairs = "emp([]). tl(X,T) :- X = [_|T], T \\== 1.";
    for learner in ["foil", "mml", "golem", "mfoil", "auto"] {
        let args = ["learn", ".", "--learner", learner, "--max-steps", "1000"];
        let (code, out, err) = popper([&examples, pairs, bias], &[], &args);
        assert_eq!(code, 5, "{learner}: {out}{err}");
        let limit = "the answers of tl/2 take more steps to list than --max-steps allows";
        assert!(err.contains(limit), "{learner}: {err}");
        assert!(
            out.contains("the limit on steps is reached"),
            "{learner}: {out}"
        );
    }
}

#[test]
fn thresholds_count_where_the_learner_takes_them() {
    let [examples, background] = numbers();
    let typed = "head_pred(ok,1). body_pred(val,2). type(ok,(o,)). type(val,(o,num)).";
    let task = [&*examples, &*background, typed];
    let (code, out, _) = popper(task, &[], &["check", "."]);
    assert_eq!((code, out.lines().count()), (0, 1), "{out}");
    let (code, out, _) = popper(task, &[], &["learn", "."]);
    assert!(
        code == 0 && out.contains("val(A,B), B=<39.5, B>=20.5."),
        "{out}"
    );
    let (_, out, _) = popper(task, &[], &["learn", ".", "--learner", "lff"]);
    for part in [
        " more examples (--learner auto and mml name or compare values; ",
        "only literals of val/2; --learner auto and mml compare its numbers with thresholds",
    ] {
        assert!(out.contains(part), "{out}");
    }
    let untyped = "head_pred(ok,1). body_pred(val,2).";
    let (_, out, _) = popper([&examples, &background, untyped], &[], &["check", "."]);
    let hint = "argument 2 of val/2 holds numbers, but has no type of its own";
    assert!(out.contains(hint), "{out}");
}

#[test]
fn what_a_bound_leaves_open_is_not_claimed() {
    // Everybody knows four others: the literals about one example are too many to write down.
    let (mut examples, mut background) = (String::new(), String::from("rich(p7). "));
    for i in 0..90 {
        let side = ["pos", "neg"][i % 2];
        let _ = write!(examples, "{side}(good(p{i})). ");
        for j in [3 * i + 1, 5 * i + 2, 7 * i + 3, 11 * i + 4] {
            let _ = write!(background, "knows(p{i},p{}). ", j % 90);
        }
    }
    let bias = "head_pred(good,1). body_pred(knows,2). body_pred(rich,1). body_pred(poor,1).";
    background.push_str("poor(p90).");
    let (_, out, _) = popper([&examples, &background, bias], &[], &["check", "."]);
    assert!(!out.contains("why not: nothing that"), "{out}");
    assert!(!out.contains("no clause"), "{out}");
    // A comparison that needs its constant bound may tell what nothing else does.
    let files = [
        (
            "t.b",
            ":- modeh(1,ok(+obj)). :- modeb(1,val(+obj,-num)). :- modeb(1,lteq(+num,#num)).
             :- determination(ok/1,val/2). :- determination(ok/1,lteq/2).
             val(a,1). val(b,2). val(c,3). val(d,4). lteq(X,Y) :- X =< Y.",
        ),
        ("t.f", "ok(a). ok(b)."),
        ("t.n", "ok(c). ok(d)."),
    ];
    let (_, out, _) = said(&files, &["check", "."]);
    assert!(!out.contains("no clause"), "{out}");
    let (code, out, _) = said(&files, &["learn", "."]);
    assert!(code == 0 && out.contains("lteq(B,2)"), "{out}");
}

#[test]
fn a_predicate_that_cannot_be_asked_is_named() {
    let background = "p(X,Y) :- p(Y,X). p(a,1). q(c).";
    let bias = "head_pred(f,1). body_pred(p,2). body_pred(q,1).";
    let task = ["pos(f(a)). neg(f(b)).", background, bias];
    let (_, out, _) = popper(task, &[], &["check", "."]);
    for part in [
        "warning: p/2 is not used: ",
        "no literal holds for f(a); p/2 cannot be asked",
        "is an answer of q/1\n",
    ] {
        assert!(out.contains(part), "{out}");
    }
    let (_, _, err) = popper(task, &[], &["learn", "."]);
    assert!(err.matches("met a bound in p/2").count() <= 1, "{err}");
}

#[test]
fn an_atom_that_is_positive_and_negative_is_named_once() {
    let examples = "pos(f(a)). neg(f(a)). pos(f(a)). neg(f(b)).";
    let task = [
        examples,
        "p(a,1). p(b,2).",
        "head_pred(f,1). body_pred(p,2).",
    ];
    let (_, out, _) = popper(task, &[], &["check", "."]);
    let expected =
        "% why not: 1 atom is both positive and negative, which no theory gets right: f(a)\n";
    assert!(out.ends_with(&format!("1 mode\n{expected}")), "{out}");
}

#[test]
fn names_that_rules_reach_are_not_missed() {
    let examples = "pos(last([a,b,c],c)). pos(last([d],d)). neg(last([a,b],a)).";
    let bias = "head_pred(last,2). body_pred(head,2). body_pred(tail,2). enable_recursion.";
    let background = "head([H|_],H). tail([_|T],T).";
    let (_, out, _) = popper([examples, background, bias], &[], &["check", "."]);
    assert!(!out.contains("does not mention"), "{out}");
    let facts = [
        "pos(p(zoe)). pos(p(a)). neg(p(b)).",
        "q(a).",
        "head_pred(p,1). body_pred(q,1).",
    ];
    let (_, out, _) = popper(facts, &[], &["check", "."]);
    let hint = "positive examples have names that the background does not mention: zoe";
    assert!(out.contains(hint), "{out}");
}

#[test]
fn all_commands_accept_positive_examples_alone() {
    let task = [
        "pos(gp(ann,dan)). pos(gp(ann,eve)). pos(gp(bob,fay)).",
        "parent(ann,bob). parent(ann,cas). parent(bob,dan). parent(cas,eve). parent(dan,fay).",
        "head_pred(gp,2). body_pred(parent,2).",
    ];
    let theory = [("theory.pl", "gp(A,B) :- parent(A,C), parent(C,B).")];
    for args in [
        &["check", "."][..],
        &["learn", "."],
        &["evaluate", "theory.pl", "."],
    ] {
        let (code, out, err) = popper(task, &theory, args);
        assert_eq!(code, 0, "{args:?}: {out}{err}");
    }
    let none = ["neg(gp(ann,dan)).", task[1], task[2]];
    for command in ["check", "learn"] {
        let (code, ..) = popper(none, &[], &[command, "."]);
        assert_eq!(code, 2, "{command}");
    }
}

#[test]
fn no_fold_is_empty_and_halves_add_up() {
    let examples = "pos(east(t1)). pos(east(t2)). pos(east(t5)).
                    neg(east(t3)). neg(east(t4)). neg(east(t6)).";
    let task = [examples, FACTS, BIAS];
    let learn = ["learn", ".", "--learner", "foil"];
    let (_, out, _) = popper(task, &[], &[&learn[..], &["--folds", "6"]].concat());
    assert!(!out.contains("tp 0 fn 0 tn 0 fp 0"), "{out}");
    let (_, out, _) = popper(task, &[], &[&learn[..], &["--test", "50%"]].concat());
    assert!(out.contains("% on 3 test examples: "), "{out}");
    let (code, _, err) = popper(task, &[], &[&learn[..], &["--test", "."]].concat());
    assert!(code == 2 && err.contains("this is a folder"), "{err}");
    let (code, _, err) = popper(task, &[], &[&learn[..], &["--time-limit", "-1"]].concat());
    assert!(code == 2 && err.contains("at least 0"), "{err}");
    let mut wrong = String::new();
    for i in 0..50 {
        let _ = writeln!(wrong, "closed(c{i}).");
    }
    let more = [("wrong.pl", &*wrong)];
    let (_, _, err) = popper(task, &more, &[&learn[..], &["--test", "wrong.pl"]].concat());
    assert!(err.contains("30 more errors in these files"), "{err}");
    let (code, ..) = popper(
        task,
        &more,
        &["evaluate", "wrong.pl", ".", "--format", "csv"],
    );
    assert_eq!(code, 2);
}

#[test]
fn learners_that_ran_out_of_steps_are_named() {
    let task = [EXAMPLES, FACTS, BIAS];
    let (_, out, _) = popper(task, &[], &["learn", ".", "--max-steps", "0"]);
    for part in [
        "% ran out of steps: foil, ",
        "lies within the bounds: more steps may find it (--max-steps)",
    ] {
        assert!(out.contains(part), "{out}");
    }
    assert!(!out.contains("another learner"), "{out}");
}

#[test]
fn objects_of_other_classes_that_are_no_negative_examples_are_counted() {
    let task = [
        "pos(kind(dog,mammal)). pos(kind(cat,mammal)). pos(kind(owl,bird)). pos(kind(hen,bird)).
         neg(kind(dog,bird)).",
        "fur(dog). fur(cat). wings(owl). wings(hen).",
        "head_pred(kind,2). body_pred(fur,1). body_pred(wings,1). type(kind,(animal,class)).
         type(fur,(animal,)). type(wings,(animal,)). constant(mammal,class). constant(bird,class).",
    ];
    for command in ["learn", "check"] {
        let (_, out, err) = popper(task, &[], &[command, "."]);
        let warning =
            "warning: 3 atoms are missing among the negative examples, with another class";
        assert!((out.clone() + &err).contains(warning), "{out}{err}");
    }
    let (code, _, err) = popper(task, &[], &["learn", ".", "--closed-world"]);
    assert!(code == 0 && !err.contains("another class"), "{err}");
}

#[test]
fn a_left_recursive_theory_is_explained_by_its_tables() {
    let task = [
        "pos(reach(a,b)). neg(reach(f,a)).",
        "edge(a,b). edge(b,c). edge(d,e). edge(e,f). edge(f,d).",
        "head_pred(reach,2). body_pred(edge,2). enable_recursion.",
    ];
    let theory = [(
        "theory.pl",
        "reach(A,B) :- reach(A,C), edge(C,B). reach(A,B) :- edge(A,B).",
    )];
    let args = ["explain", "theory.pl", "reach(f,a)", "."];
    let (code, out, _) = popper(task, &theory, &args);
    assert_eq!(code, 1);
    assert!(!out.contains("too"), "{out}");
    assert!(out.contains("edge(f,a) fails\n"), "{out}");
}

/// The price of an uncovered example where labels must be exact is not a number of bits.
#[test]
fn labels_that_must_be_exact_have_no_message() {
    let mut task = ["", "", "head_pred(good,1). body_pred(red,1)."].map(str::to_owned);
    for i in 0..10 {
        let side = if i % 2 == 0 { "pos" } else { "neg" };
        let _ = write!(task[0], "{side}(good(o{i})). ");
        let _ = write!(task[1], "red(o{i}). ");
    }
    let task = task.each_ref().map(String::as_str);
    let args = ["learn", ".", "--learner", "mml", "--noise", "none"];
    let (_, out, err) = popper(task, &[], &args);
    assert!(
        out.contains("bits, without errors (--noise none)\n"),
        "{out}{err}"
    );
    assert!(
        out.contains("covers more examples without an error\n"),
        "{out}"
    );
    assert!(!out.contains("message of"), "{out}");
    let args = ["learn", ".", "--noise", "none", "--max-steps", "1000000"];
    let (_, out, err) = popper(task, &[], &args);
    assert!(!out.contains("ran out of steps"), "{out}{err}");
}

#[test]
fn examples_that_are_not_looked_at_are_counted() {
    let mut examples = "neg(h(a)). neg(h(b)). ".to_owned();
    for i in 0..50 {
        let _ = write!(examples, "pos(h(o{i})). ");
    }
    let task = [&*examples, "p(a). p(b).", "head_pred(h,1). body_pred(p,1)."];
    let (_, out, _) = popper(task, &[], &["check", "."]);
    assert!(
        out.contains("and 15 more (the first 20 of 50 examples were looked at)\n"),
        "{out}"
    );
}

/// Other answers than those before an error are not known; those before it are.
#[test]
fn an_error_in_the_search_for_all_answers_is_told_as_such() {
    let task = [
        "pos(h(a)). neg(h(c)). neg(h(b)).",
        "p(a). p(b). q(a,b). q(b,c). p(X) :- nope(X).",
        "head_pred(h,1). body_pred(p,1). body_pred(q,2).",
    ];
    let (_, _, err) = popper(task, &[], &["learn", "."]);
    let expected = "the search for all answers of p/1 raised an error, and answers may be missing";
    assert!(err.contains(expected), "{err}");
}

/// Learners that prove goals can do without a list of answers.
#[test]
fn what_cannot_be_listed_is_no_error_of_the_files() {
    let task = [
        "pos(h(a)). neg(h(c)). neg(h(b)).",
        "p(a). p(b). q(a,b). q(b,c). p(X) :- p(X). q(X,Y) :- q(X,Z), q(Z,Y).",
        "head_pred(h,1). body_pred(p,1). body_pred(q,2).",
    ];
    let (code, out, err) = popper(task, &[], &["check", "."]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("warning: "), "{out}");
}

#[test]
fn options_without_an_effect_are_named() {
    let task = [EXAMPLES, FACTS, BIAS];
    let (_, _, err) = popper(task, &[], &["learn", ".", "--max-depth", "2"]);
    let note = "note: --max-depth has no effect on mml and lff, of which auto may choose a theory";
    assert!(err.contains(note), "{err}");
    let args = ["learn", ".", "--learner", "covering", "--max-steps", "9"];
    let (code, _, err) = popper(task, &[], &args);
    let error = "--max-steps is not supported by covering";
    assert!(code == 2 && err.contains(error), "{code}: {err}");
}
