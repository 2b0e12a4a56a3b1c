//! Passive learning: PAL with given examples instead of perturbation (Morales 1992, section 5.3.4).

use std::collections::BTreeMap;

use kibitz_pal::{
    Change, ConnectedBy, Ending, Novelty, Outcome, PalError, PalParams, UnsatisfiedTeacher,
    equivalent_relative_to,
};
use kibitz_patterns::{Concept, ConceptError, Places, PreparedConcept};
use kibitz_prolog::{Clause, print_clause};

const TARGETS: &str = include_str!("../../concepts/pal.pl");
const CONCEPTS: &str = include_str!("../../../../data/morales1992/concepts.toml");
const TRACE: &str = include_str!("../../../../experiments/morales1992/can-threat-trace.toml");

fn print(clause: &Clause, prepared: &PreparedConcept) -> String {
    print_clause(clause, prepared.symbols()).to_string()
}

#[test]
fn the_run_of_appendix_a() {
    let file: toml::Table = TRACE.parse().expect("TOML");
    let params = &file["params"];
    let mut concepts: BTreeMap<String, Concept> = toml::from_str(CONCEPTS).expect("concepts");
    let mut concept = concepts.remove("can_threat").expect("a concept");
    concept.places = Places::Coordinates;
    for step in params["steps"].as_array().expect("steps") {
        let example = step["example"].as_str().expect("text");
        concept.examples.push(example.to_owned());
    }
    let prepared = concept.prepare(TARGETS, true).expect("sound");
    let params = PalParams {
        novelty: Novelty::Components,
        connected_by: ConnectedBy::Arguments,
        ..prepared.params()
    };
    let learned = prepared
        .learn_from_given(
            prepared.examples(),
            params,
            &mut UnsatisfiedTeacher(prepared.oracle()),
        )
        .expect("learned");
    assert_eq!(learned.steps.len(), 30);
    assert_eq!(learned.n_examples(), (23, 7));
    assert_eq!(learned.n_refused(), 4);
    // The final clause covers the four stored examples.
    assert_eq!(learned.endings, [Ending::Exhausted]);
    insta::assert_snapshot!(
        print(&learned.clauses[0], &prepared),
        @r"can_threat(A,B,square(C,D),E,F,square(G,H),square(I,J),K) :- contents(E,F,square(G,H),K), \+ threat(A,B,square(C,D),E,F,square(G,H),K), make_move(A,B,square(C,D),square(I,J),K,L), threat(A,B,square(I,J),E,F,square(G,H),L)."
    );
    assert_eq!(learned.steps[0].change, Change::Exchanged);
    let changed: Vec<usize> = (learned.steps[1..].iter())
        .map(|step| match &step.change {
            Change::Perturbed(class) => class.len(),
            _ => 0,
        })
        .collect();
    assert_eq!(changed, [1; 29], "one argument at a time");
    // By name alone, no move brings about anything after step 4: its definition is refused.
    let by_name = PalParams {
        novelty: Novelty::Predicate,
        ..params
    };
    let learned = prepared
        .learn_from_given(
            prepared.examples(),
            by_name,
            &mut UnsatisfiedTeacher(prepared.oracle()),
        )
        .expect("learned");
    assert_eq!(learned.steps[3].outcome, Outcome::Rejected);
}

/// Checks by a knight or by a rook, not by other pieces.
const TWO_KINDS: &str = "
noted(S1, king, square(X1, Y1), S2, knight, square(X2, Y2), Pos) :-
    contents(S1, king, square(X1, Y1), Pos), contents(S2, knight, square(X2, Y2), Pos),
    other_side(S1, S2), in_check(S1, square(X1, Y1), knight, square(X2, Y2), Pos).
noted(S1, king, square(X1, Y1), S2, rook, square(X2, Y2), Pos) :-
    contents(S1, king, square(X1, Y1), Pos), contents(S2, rook, square(X2, Y2), Pos),
    other_side(S1, S2), in_check(S1, square(X1, Y1), rook, square(X2, Y2), Pos).
";

fn two_kinds(others: &[&str]) -> PreparedConcept {
    let first = "contents(white, king, square(1,1)). contents(black, knight, square(2,3)).";
    let examples: Vec<String> = [first]
        .iter()
        .chain(others)
        .map(|e| format!("{e:?}"))
        .collect();
    let text = format!(
        "name = \"noted\"\nexamples = [{}]\nbackground = [\"other_side\", \"in_check\"]\n",
        examples.join(", ")
    );
    let concept: Concept = toml::from_str(&text).expect("a concept");
    concept.prepare(TWO_KINDS, true).expect("sound")
}

#[test]
fn a_stored_example_starts_another_clause() {
    let prepared = two_kinds(&[
        "contents(black, king, square(1,1)). contents(white, knight, square(2,3)).",
        "contents(white, king, square(1,1)). contents(black, bishop, square(3,3)).",
        "contents(white, king, square(1,1)). contents(black, rook, square(1,5)).",
        "contents(white, king, square(2,6)). contents(black, knight, square(3,4)).",
        "contents(black, king, square(4,3)). contents(white, rook, square(8,3)).",
        "contents(black, king, square(8,8)). contents(white, knight, square(6,7)).",
    ]);
    let mut teacher = UnsatisfiedTeacher(prepared.oracle());
    let learned = prepared
        .learn_from_given(prepared.examples(), prepared.params(), &mut teacher)
        .expect("learned");
    let outcomes: Vec<Outcome> = learned.steps.iter().map(|step| step.outcome).collect();
    assert_eq!(
        outcomes,
        [
            Outcome::Generalized,
            Outcome::Negative,
            Outcome::TooGeneral,
            Outcome::Generalized,
            Outcome::TooGeneral,
            Outcome::Generalized
        ]
    );
    assert_eq!(learned.clauses.len(), 2);
    assert!(learned.open.is_empty());
    for (learned, target) in learned.clauses.iter().zip(prepared.target()) {
        let same = equivalent_relative_to(target, learned, prepared.definitions());
        assert!(same, "{}", print(learned, &prepared));
    }
    // A limit on clauses leaves the stored examples open.
    let one = PalParams {
        max_clauses: 1,
        ..prepared.params()
    };
    let learned = prepared
        .learn_from_given(
            prepared.examples(),
            one,
            &mut UnsatisfiedTeacher(prepared.oracle()),
        )
        .expect("learned");
    assert_eq!((learned.clauses.len(), learned.open.len()), (1, 2));
    // A satisfied teacher is not asked again.
    let learned = prepared
        .learn_from_given(prepared.examples(), one, &mut prepared.oracle())
        .expect("learned");
    assert_eq!(learned.endings, [Ending::Satisfied]);
    assert!(learned.steps.len() < outcomes.len());
}

#[test]
fn wrong_examples_are_named() {
    let error = |others: &[&str]| {
        let prepared = two_kinds(others);
        let followed = prepared.learn_from_given(
            prepared.examples(),
            prepared.params(),
            &mut prepared.oracle(),
        );
        match followed {
            Err(ConceptError::Pal(error)) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    insta::assert_snapshot!(
        error(&[
            "contents(black, king, square(1,1)). contents(white, knight, square(2,3)).",
            "contents(black, king, square(1,1)). contents(white, pawn, square(2,8)).",
        ]),
        @"example 3 is not a legal state"
    );
    insta::assert_snapshot!(
        error(&["contents(black, king, square(1,1))."]),
        @"example 2 has 1 components, the first one has 2"
    );
    let prepared = two_kinds(&[]);
    let none = prepared.learn_from_given(&[], prepared.params(), &mut prepared.oracle());
    assert_eq!(none, Err(ConceptError::Pal(PalError::NoExample)));
}

#[test]
fn literals_about_a_position_alone_are_derived() {
    let concept: Concept = toml::from_str(
        r#"
name = "attended"
examples = ["contents(white, king, square(1,1)). contents(black, queen, square(7,3))."]
background = ["other_side"]
concepts = ["has_queen", "has_rook"]
"#,
    )
    .expect("a concept");
    let targets = "
has_queen(Pos) :- contents(_, queen, square(_, _), Pos).
has_rook(Pos) :- contents(_, rook, square(_, _), Pos).
attended(S, king, square(X, Y), Pos) :- contents(S, king, square(X, Y), Pos), has_queen(Pos).
";
    let prepared = concept.prepare(targets, true).expect("sound");
    let learned = prepared
        .learn_from_given(
            prepared.examples(),
            prepared.params(),
            &mut prepared.oracle(),
        )
        .expect("learned");
    let said = print(&learned.unreduced[0], &prepared);
    assert!(said.contains("has_queen("), "{said}");
    assert!(!said.contains("has_rook("), "{said}");
}
