//! One task in every layout gives one theory.

use std::fmt::Write;

use crate::common::{POPPER_BIAS, atom, board_facts, popper_examples, positions};
use kibitz_ilp::learn::{Foil, Golem};
use kibitz_ilp::{Source, Task, print_clause};

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
