//! The theories that the learners find for small tasks, through the real program.

use std::fmt::Write as _;

use crate::command_line::{BIAS, EXAMPLES, FACTS, MODES, folder, learn, run, text};

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
        stopped.contains("the limit on steps is reached; this is the best theory so far; 1 step"),
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
    % why not: no literal that holds for the uncovered examples has argument 1 of the head
    % why not: no literal that holds for the uncovered examples has argument 2 of the head
    % why not: nothing that the uncovered examples lead to is an answer of nil/1
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
    % why not: no literal that holds for the uncovered examples has argument 1 of the head
    % why not: no literal that holds for the uncovered examples has argument 2 of the head
    % why not: nothing that the uncovered examples lead to is an answer of nil/1
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
