//! Concepts of placed pieces, Morales 1992, sections 6.1 and 6.2.1, and teaching sets.

use kibitz_pal::{Ending, Outcome, Step, equivalent_relative_to};
use kibitz_patterns::{Concept, PreparedConcept, TeachingSetParams};

const TARGETS: &str = include_str!("../../../../data/morales1992/placements.pl");

fn prepared(text: &str) -> PreparedConcept {
    let concept: Concept = toml::from_str(text).expect("a valid concept");
    concept.prepare(TARGETS, true).expect("a sound concept")
}

fn special() -> PreparedConcept {
    prepared(
        r#"
name = "legal_special"
board = "placement"
keep-pieces = true
background = ["less_than"]
examples = [
  "piece(wk,4,5). piece(wr,2,5). piece(bk,7,5).",
  "piece(wk,4,5). piece(wr,7,5). piece(bk,2,5).",
  "piece(wk,4,5). piece(wr,4,2). piece(bk,4,7).",
  "piece(wk,4,5). piece(wr,4,7). piece(bk,4,2).",
]
"#,
    )
}

#[test]
fn each_disjunct_becomes_a_clause() {
    let prepared = special();
    let learned = prepared
        .learn(prepared.params(), &mut prepared.oracle())
        .expect("learned");
    assert_eq!(learned.endings, [Ending::Satisfied; 4]);
    for (target, clause) in prepared.target().iter().zip(&learned.clauses) {
        assert!(equivalent_relative_to(
            target,
            clause,
            prepared.definitions()
        ));
    }
}

#[test]
fn a_definition_is_compared_with_another_one_everywhere() {
    let prepared = prepared(
        r#"
name = "illegal"
truth = "illegal_with_exceptions"
board = "placement"
keep-pieces = true
background = ["adjacent"]
examples = ["piece(wk,1,4). piece(wr,5,7). piece(bk,5,2)."]
"#,
    );
    let found = prepared
        .compare_everywhere(prepared.target(), prepared.truth())
        .expect("provable");
    assert_eq!(found.n_positions, 1 << 18);
    // 2 x 16 x 35 = 1,120 legal positions have the white king between rook and black king: in each
    // order, on each file and rank, on 35 of 56 triples of squares, as the kings must not touch.
    assert_eq!(found.n_positive, 86_976);
    assert_eq!(found.n_both, found.n_positive);
    assert_eq!(found.n_covered, 88_096);
}

#[test]
fn the_teaching_set_has_two_examples_for_each_disjunct() {
    let prepared = special();
    let params = TeachingSetParams {
        pool: 30,
        pools: 1,
        ..TeachingSetParams::default()
    };
    let chosen = prepared.teaching_set(params).expect("provable");
    let chosen = chosen.expect("examples that do");
    assert_eq!(chosen.len(), 8);
    assert_eq!(chosen, prepared.teaching_set(params).unwrap().unwrap());
    let learned = prepared
        .learn_from_given(&chosen, prepared.params(), &mut prepared.oracle())
        .expect("learned");
    assert_eq!(learned.endings, [Ending::Satisfied; 4]);
    // The first example is given, and one generalized with at once; the other six are stored.
    assert_eq!(learned.n_examples(), (7, 0));
    let stored = |step: &&Step| step.outcome == Outcome::Stored;
    assert_eq!(learned.steps.iter().filter(stored).count(), 6);
}

#[test]
fn examples_that_a_finished_definition_covers_are_not_asked_about() {
    let prepared = special();
    let found = prepared.teaching_set(TeachingSetParams {
        pool: 30,
        pools: 1,
        ..TeachingSetParams::default()
    });
    let [first, second] = [0, 1].map(|i| found.clone().unwrap().unwrap()[i].clone());
    let given = [first, second.clone(), second];
    let learned = prepared
        .learn_from_given(&given, prepared.params(), &mut prepared.oracle())
        .expect("learned");
    assert_eq!(learned.steps.len(), 1);
    assert_eq!(learned.clauses.len(), 1);
}

#[test]
fn an_example_reads_back_from_its_text() {
    let prepared = special();
    let texts: Vec<String> = (prepared.examples().iter())
        .map(|example| prepared.example_text(example))
        .collect();
    assert_eq!(
        texts[0],
        "piece(wk, 4, 5). piece(wr, 2, 5). piece(bk, 7, 5)."
    );
}

#[test]
fn an_unknown_truth_is_named() {
    let concept: Concept = toml::from_str(
        r#"
name = "diagonal"
truth = "diagonnal"
board = "placement"
background = ["line"]
examples = ["piece(p1,3,2). piece(p2,5,4). piece(p3,8,7)."]
"#,
    )
    .expect("a valid concept");
    let error = concept.prepare(TARGETS, true).map(|_| ()).unwrap_err();
    insta::assert_snapshot!(
        error.to_string(),
        @"the targets do not define `diagonnal`"
    );
}
