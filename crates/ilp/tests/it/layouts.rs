//! One task in every layout gives one theory.

use std::fmt::Write;

use kibitz_ilp::learn::{Foil, Golem};
use kibitz_ilp::{Source, Study, Task};
use kibitz_prolog::print_clause;

use crate::common::{POPPER_BIAS, atom, board_facts, popper_examples, positions};

fn source<'t>(name: &'t str, text: &'t str) -> Source<'t> {
    Source { name, text }
}

fn lines(sides: &[[i64; 6]], before: &str) -> String {
    sides.iter().fold(String::new(), |mut text, position| {
        let _ = writeln!(text, "{before}{}.", atom(*position));
        text
    })
}

/// The same 300 positions in five layouts.
fn tasks() -> Vec<(&'static str, Task)> {
    let sides = positions(300, 7);
    let facts = board_facts();
    let modes = |end: &str| {
        format!(
            ":- modeh(1,illegal(+rf,+rf,+rf,+rf,+rf,+rf)){end}\n\
             :- modeb(1,adj(+rf,+rf)){end}\n:- modeb(1,lt(+rf,+rf)){end}\n"
        )
    };
    let examples = popper_examples(&sides);
    let popper = Task::from_popper(
        source("exs.pl", &examples),
        source("bk.pl", &facts),
        source("bias.pl", POPPER_BIAS),
    );
    let aleph = format!(
        ":- use_module(library(aleph)).\n:- aleph_set(clauselength,6).\n{}\
         :- determination(illegal/6,adj/2).\n:- determination(illegal/6,lt/2).\n\
         :- begin_bg.\n{facts}:- end_bg.\n:- begin_in_pos.\n{}:- end_in_pos.\n\
         :- begin_in_neg.\n{}:- end_in_neg.\n:- aleph_read_all.\n",
        modes("."),
        lines(&sides[0], ""),
        lines(&sides[1], "")
    );
    let golem = format!(
        "!- mode(illegal(+,+,+,+,+,+)).\n!- mode(adj(+,+)).\n!- mode(lt(+,+)).\n\
         !- determination(illegal/6,adj/2).\n!- determination(illegal/6,lt/2).\n{facts}"
    );
    let progol = format!(
        "{}{facts}{}{}",
        modes("?"),
        lines(&sides[0], ""),
        lines(&sides[1], ":- ")
    );
    let tuples = |side: &[[i64; 6]]| lines(side, "").replace("illegal(", "").replace(").", "");
    let table = |name: &str| {
        facts
            .lines()
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix('('))
            .fold(String::new(), |text, line| {
                text + line.trim_end_matches(").") + "\n"
            })
    };
    let foil = format!(
        "#rf: 0,1,2,3,4,5,6,7.\n\nillegal(rf,rf,rf,rf,rf,rf)\n{};\n{}.\n\
         *adj(rf,rf) ##\n{}.\n*lt(rf,rf) ##\n{}.\n",
        tuples(&sides[0]),
        tuples(&sides[1]),
        table("adj"),
        table("lt")
    );
    vec![
        ("popper", popper.expect("valid")),
        (
            "aleph",
            Task::from_aleph(source("p.pl", &aleph)).expect("valid"),
        ),
        (
            "golem",
            Task::from_three_files(
                source("p.b", &golem),
                source("p.f", &lines(&sides[0], "")),
                source("p.n", &lines(&sides[1], "")),
            )
            .expect("valid"),
        ),
        (
            "progol",
            Task::from_progol(source("p.pl", &progol)).expect("valid"),
        ),
        (
            "foil",
            Task::from_foil(source("p.d", &foil)).expect("valid"),
        ),
    ]
}

#[test]
fn every_layout_gives_the_same_theory() {
    let mut theories = Vec::new();
    for (layout, mut task) in tasks() {
        assert!(
            task.check().warnings.is_empty(),
            "{layout}: {:?}",
            task.check().warnings
        );
        let theory = task.learn(&Foil::default());
        let theory = theory.unwrap_or_else(|e| panic!("{layout}: {e}"));
        let [tp, fn_, _, fp] = theory.total.confusion();
        assert_eq!(
            (tp, fn_, fp),
            (task.positive.len(), 0, 0),
            "{layout}\n{theory}"
        );
        theories.push((layout, theory.text));
    }
    for (layout, theory) in &theories[1..] {
        assert_eq!(*theory, theories[0].1, "{layout}");
    }
}

#[test]
fn golem_learns_from_its_own_layout() {
    let (_, mut task) = tasks().swap_remove(2);
    let golem = Golem {
        seed: 1,
        ..Golem::default()
    };
    let theory = task.learn(&golem).expect("valid");
    let again = task.learn(&golem).expect("valid");
    assert_eq!(theory.clauses, again.clauses, "one seed, one theory");
    let [tp, fn_, _, fp] = theory.total.confusion();
    assert_eq!(fp, 0);
    assert_eq!(fn_, 0, "{theory}");
    assert!(tp > 80);
    for clause in &theory.clauses {
        assert!(
            clause.body.len() <= 6,
            "{}",
            print_clause(clause, &task.symbols)
        );
    }
}

/// The oddities of FOIL's own files: names with signs, constants that are signs, tests behind a full
/// stop.
#[test]
fn tests_of_foil_are_test_examples() {
    let text = "sign: +, -, ?.\nn: 1,2,3,4.\n\nis_+(n,sign)\n1,+\n2,+\n;\n1,-\n3,+\n.\n\
                *up(n) #\n1\n2\n.\n*of(n,sign) #-/-#\n1,+\n2,+\n3,-\n.\n.\n\n\
                is_+\n4,+: +\n2,-: -   | a comment\n3,-: -\n.\n";
    let task = Task::from_foil(source("t.d", text)).expect("valid");
    assert_eq!(task.symbols.name(task.target.name), "is_+");
    assert_eq!([task.positive.len(), task.negative.len()], [2, 2]);
    assert_eq!(task.test.each_ref().map(Vec::len), [1, 2]);
    let unsigned = Task::from_foil(source("t.d", &text.replace("3,-: -", "3,-")));
    let error = unsigned.expect_err("no sign").to_string();
    assert!(
        error.contains("a test tuple has no sign") && error.contains("t.d:25:1"),
        "{error}"
    );
}

/// What a task says when it is checked, and its theory by Foil.
fn learned(task: Result<Task, kibitz_ilp::TaskError>) -> (Vec<String>, String) {
    let mut task = task.unwrap_or_else(|error| panic!("{error}"));
    let warnings = task
        .check()
        .warnings
        .into_iter()
        .map(|it| it.kind.to_string());
    let warnings = warnings.collect();
    // The examples are too few to pay for a clause in bits.
    let foil = Foil {
        encoding_limit: false,
        ..Foil::default()
    };
    let theory = task.learn(&foil).expect("learned");
    assert!(theory.is_correct(), "{theory}");
    (warnings, theory.text)
}

#[test]
fn modes_take_terms_apart_compare_and_negate() {
    let lists = ":- set(i,2), set(c,2)?.\n:- unset(cover)?\n:- modeh(1,two(+list))?\n\
                 :- modeb(1,+list = [-item|-list])?\n:- modeb(1,+list = [])?\n\
                 two([a,b]). two([c,a]).\n:- two([]).\n:- two([a]).\n";
    let (warnings, theory) = learned(Task::from_progol(source("t.pl", lists)));
    assert_eq!(warnings, ["setting `cover` is ignored"]);
    assert_eq!(theory, "two(A) :- A=[B|C], C=[D|E].\n");

    let compared = ":- modeh(1,small(+thing)).\n:- modeb(1,size(+thing,-num)).\n\
                    :- modeb(3,(+num =< #num)).\n:- modeb(1,not(round(+thing))).\n\
                    :- determination(small/1,size/2).\n:- determination(small/1,'=<'/2).\n\
                    :- determination(small/1,round/1).\n:- begin_bg.\n\
                    size(a,1). size(b,3). size(c,5). size(d,9). size(e,2). round(e).\n:- end_bg.\n\
                    :- begin_in_pos.\nsmall(a). small(b).\n:- end_in_pos.\n\
                    :- begin_in_neg.\nsmall(c). small(d). small(e).\n:- end_in_neg.\n";
    let (warnings, theory) = learned(Task::from_aleph(source("t.pl", compared)));
    assert!(warnings.is_empty(), "{warnings:?}");
    for part in ["\\+round(A)", "size(A,B)", "B=<3"] {
        assert!(theory.replace("\\+ ", "\\+").contains(part), "{theory}");
    }
}

/// The target is what the positive examples are of; without negative examples the file is read.
#[test]
fn golem_learns_what_the_examples_are_of() {
    let background = "!- mode(up(+,-)).\n!- mode(far(+,+)).\nup(1,2). up(2,3). up(3,4).\n";
    let task = Task::from_three_files(
        source("t.b", background),
        source("t.f", "far(1,3). far(2,4).\n"),
        source("t.n", "far(1,2). far(3,1). far(1,4).\n"),
    );
    let (warnings, theory) = learned(task);
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(theory, "far(A,B) :- up(A,C), up(C,B).\n");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [("t.b", background), ("t.f", "far(1,3).\n")] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let task = Task::from_dir(folder.path()).expect("read");
    assert_eq!([task.positive.len(), task.negative.len()], [1, 0]);
}

/// Insertion sort of lists of up to three numbers: the call is of what a relation took off, and another
/// relation leads from its answer.
#[test]
fn foil_files_have_recursive_definitions() {
    let mut lists: Vec<Vec<usize>> = vec![Vec::new()];
    for n in 0..3 {
        let longer: Vec<Vec<usize>> = (lists.iter())
            .filter(|list| list.len() == n)
            .flat_map(|list| (0..3).map(|item| [&[item], &list[..]].concat()))
            .filter(|list| !list[1..].contains(&list[0]))
            .collect();
        lists.extend(longer);
    }
    let word = |list: &[usize]| {
        let items: Vec<String> = list.iter().map(usize::to_string).collect();
        format!("[{}]", items.join("\\,"))
    };
    let sorted = |list: &[usize]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    };
    let words: Vec<String> = lists.iter().map(|list| word(list)).collect();
    let mut text = format!(
        "item: 0,1,2.\nlist: *{}.\n\nisort(list,list)\n",
        words.join(",")
    );
    for list in &lists {
        let _ = writeln!(text, "{},{}", word(list), word(&sorted(list)));
    }
    text.push_str(".\n*components(list,item,list) #--/-##\n");
    for list in lists.iter().filter(|list| !list.is_empty()) {
        let _ = writeln!(text, "{},{},{}", word(list), list[0], word(&list[1..]));
    }
    text.push_str(".\n*insert(item,list,list) ##-\n");
    for list in lists.iter().filter(|list| **list == sorted(list)) {
        for item in (0..3).filter(|item| !list.contains(item)) {
            let longer = sorted(&[&[item], &list[..]].concat());
            let _ = writeln!(text, "{item},{},{}", word(list), word(&longer));
        }
    }
    text.push_str(".\n");
    let mut task = Task::from_foil(source("sort.d", &text)).expect("valid");
    let theory = task.learn(&Foil::default()).expect("learned");
    assert!(theory.is_correct(), "{theory}");
    assert_eq!(
        theory.text,
        "isort([],[]).\nisort(A,B) :- components(A,C,D), isort(D,E), insert(C,E,B).\n"
    );
}

/// A theory's own definition stands for that of a library.
#[test]
fn a_target_is_not_proved_by_the_library() {
    let task = Task::from_popper(
        source("exs.pl", "pos(last([1,2],2)). neg(last([1,2],1))."),
        source("bk.pl", "tail([_|T],T)."),
        source(
            "bias.pl",
            "head_pred(last,2). body_pred(tail,2). enable_recursion.",
        ),
    );
    let mut task = task.expect("valid");
    let theory = source("th.pl", "last(A,B) :- tail(A,C), last(C,B).");
    let clauses = task.read_theory(theory).expect("valid");
    let problem = kibitz_ilp::Problem::new(&mut task).expect("compiles");
    let verified = problem.verify(&clauses, kibitz_prolog::Limits::default());
    assert_eq!(verified.expect("verified").total.confusion(), [0, 1, 1, 0]);
}
