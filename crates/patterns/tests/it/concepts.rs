//! Concepts of Morales 1992 learned with an oracle, and the errors for bad input.

use kibitz_pal::{Ending, Example, equivalent_relative_to};
use kibitz_patterns::{Concept, ConceptError};
use kibitz_prolog::print_clause;

const TARGETS: &str = include_str!("../../concepts/pal.pl");
const BACKGROUND: [&str; 6] = [
    "other_side",
    "sliding_piece",
    "in_check",
    "check_mate",
    "legal_move",
    "stale",
];

fn concept(name: &str, dynamic: bool, example: &str) -> Concept {
    let background: Vec<String> = BACKGROUND.iter().map(|b| format!("{b:?}")).collect();
    let text = format!(
        "name = {name:?}\ndynamic = {dynamic}\nexamples = [{example:?}]\nbackground = [{}]\n",
        background.join(", ")
    );
    toml::from_str(&text).expect("a valid concept")
}

const FORK: &str = "contents(black, king, square(3,4)). contents(black, queen, square(3,6)).
    contents(white, king, square(6,7)). contents(white, knight, square(1,5)).";

#[test]
fn the_fork_of_chapter_5() {
    let prepared = concept("fork", false, FORK)
        .prepare(TARGETS, true)
        .expect("sound");
    let learned = prepared
        .learn(prepared.params(), &mut prepared.oracle())
        .expect("learned");
    assert_eq!(learned.endings, [Ending::Satisfied]);
    assert!(equivalent_relative_to(
        &prepared.target()[0],
        &learned.clauses[0],
        prepared.definitions()
    ));
    insta::assert_snapshot!(
        print_clause(&learned.clauses[0], prepared.symbols()).to_string(),
        @"fork(A,king,square(B,C),A,D,square(E,F),G,H,square(I,J),K) :- contents(A,D,square(E,F),K), other_side(A,G), in_check(A,square(B,C),H,square(I,J),K), legal_move(G,H,square(I,J),square(E,F),K)."
    );
    let agreement = prepared
        .compare_on_random(&learned.clauses, 300, 1)
        .expect("provable");
    assert_eq!(agreement.n_positions, agreement.agreed());
    assert!(agreement.n_positive > 0);
}

#[test]
fn the_first_clause_of_the_fork_has_22_literals() {
    // Section 5.1.4.1: contents, other_side, sliding_piece, in_check and legal_move.
    let mut fork = concept("fork", false, FORK);
    fork.background
        .retain(|b| b != "check_mate" && b != "stale");
    let prepared = fork.prepare(TARGETS, true).expect("sound");
    let first = &prepared.examples()[..1];
    let learned = prepared
        .learn_from_given(first, prepared.params(), &mut prepared.oracle())
        .expect("provable");
    assert_eq!(learned.unreduced[0].body.len(), 22);
}

#[test]
fn symmetries_save_examples() {
    let example = "contents(white, king, square(1,1)). contents(black, king, square(8,8)).
        contents(white, knight, square(8,1)). contents(black, pawn, square(7,3)).";
    let prepared = concept("threat", true, example)
        .prepare(TARGETS, true)
        .expect("sound");
    let plain = prepared
        .learn(prepared.params(), &mut prepared.oracle())
        .expect("learned");
    let mut params = prepared.params();
    params.symmetries = true;
    let mirrored = prepared
        .learn(params, &mut prepared.oracle())
        .expect("learned");
    for learned in [&plain, &mirrored] {
        assert!(equivalent_relative_to(
            &prepared.target()[0],
            &learned.clauses[0],
            prepared.definitions()
        ));
    }
    assert!(mirrored.steps.len() < plain.steps.len());
    assert_eq!(prepared.domain().mirrored(&prepared.examples()[0]).len(), 7);
}

fn error(concept: &Concept, targets: &str) -> String {
    concept
        .prepare(targets, true)
        .map(|_| ())
        .expect_err("a mistake")
        .to_string()
}

#[test]
fn mistakes_are_named() {
    let fork = concept("fork", false, FORK);
    insta::assert_snapshot!(
        error(&concept("fork", false, "8/8/8/9/8/8/8/8 w - -"), TARGETS),
        @"example 1: `8/8/8/9/8/8/8/8 w - -` is not the FEN of a position: invalid board part in fen"
    );
    insta::assert_snapshot!(
        error(&concept("fork", false, "contents(green, king, square(1, 2))."), TARGETS),
        @"example 1: `contents(green,king,square(1,2))`: the side is white or black, the piece pawn, knight, bishop, rook, queen or king"
    );
    let mut unknown = fork.clone();
    unknown.background.push("in_chek".into());
    insta::assert_snapshot!(
        error(&unknown, TARGETS),
        @"unknown background predicate `in_chek`"
    );
    insta::assert_snapshot!(
        error(&fork, "fork(Pos) :- contents(S, king, Place, Pos"),
        @r#"
    the targets cannot be read:
    line 1, column 42: expected "," or ")" in the arguments, found the end of the text
    "#
    );
    insta::assert_snapshot!(
        error(&fork, "fork(Pos) :- contens(S, king, Place, Pos)."),
        @"clause 1 of the targets, of fork: predicate contens/4 is not defined; did you mean `contents`?"
    );
    let missing = error(
        &concept("forks", false, FORK),
        "fork(Pos) :- contents(_, _, _, Pos).",
    );
    insta::assert_snapshot!(missing, @"the targets do not define `forks`");
    let no_fork = concept(
        "fork",
        false,
        "contents(black, king, square(3,4)). contents(white, king, square(6,7)).",
    )
    .prepare(TARGETS, true)
    .expect("sound");
    let found = no_fork.learn(no_fork.params(), &mut no_fork.oracle());
    assert!(matches!(found, Err(ConceptError::Pal(_))), "{found:?}");
}

/// Facts for the pieces of a position.
fn facts(pieces: &[&str]) -> String {
    format!("contents({}).", pieces.join("). contents("))
}

#[test]
fn the_first_pin_takes_a_blocked_pawn_for_a_pinned_one() {
    // Section 6.3.1 and Figure 6.2, whose squares cannot be read in the scan.
    let pinned = facts(&[
        "white, bishop, square(4,4)",
        "black, king, square(8,8)",
        "black, knight, square(6,6)",
        "white, king, square(6,7)",
    ]);
    // The rook attacks a pawn that another pawn blocks; behind it there is no king.
    let blocked = facts(&[
        "white, rook, square(1,6)",
        "black, king, square(6,8)",
        "black, pawn, square(6,6)",
        "white, king, square(1,1)",
        "white, pawn, square(6,5)",
    ]);
    let prepared = |name: &str| {
        let mut pin = concept(name, name == "pin1", &pinned);
        pin.examples.push(blocked.clone());
        pin.concepts = vec!["threat".into()];
        pin.prepare(TARGETS, true).expect("sound")
    };
    let first = prepared("pin1");
    let learned = first
        .learn(first.params(), &mut first.oracle())
        .expect("learned");
    assert_eq!(learned.endings, [Ending::Satisfied]);
    let second = prepared("pin2");
    for (prepared, definition, expected) in [
        (&first, learned.clauses.as_slice(), [true, true]),
        (&second, second.target(), [true, false]),
    ] {
        let holds = |example: &Example| {
            let found = prepared.compare_on(definition, prepared.target(), [example.clone()]);
            found.expect("provable").n_covered == 1
        };
        let found: Vec<bool> = prepared.examples().iter().map(holds).collect();
        assert_eq!(found, expected);
    }
}

/// Two kings on the first rank, two files apart.
fn kings(background: &[&str]) -> Concept {
    let facts = "contents(white, king, square(1, 1)). contents(black, king, square(3, 1)).";
    Concept {
        name: "concept".to_owned(),
        dynamic: true,
        examples: vec![facts.to_owned()],
        background: background.iter().map(ToString::to_string).collect(),
        symmetries: Vec::new(),
        ..Concept::default()
    }
}

#[test]
fn moves_that_change_a_distance_say_how() {
    let text = |background: &[&str]| {
        let prepared = kings(background).prepare("", false).expect("sound");
        let clause = prepared.initial_clause().expect("a position");
        print_clause(&clause, prepared.symbols()).to_string()
    };
    // Black can go farther, to two squares, and White no nearer.
    let compared = text(&["distance", "less_value"]);
    assert_eq!(compared.matches("less_value(2,3,").count(), 2, "{compared}");
    assert_eq!(compared.matches("make_move(").count(), 2, "{compared}");
    assert!(!text(&["distance"]).contains("make_move("));
}

#[test]
fn positions_are_shifted_as_far_as_the_board_goes() {
    let concept = Concept {
        translations: true,
        ..kings(&["distance"])
    };
    let prepared = concept.prepare("", false).expect("sound");
    let shifted = prepared.domain().mirrored(&prepared.examples()[0]);
    assert_eq!(shifted.len(), 6 * 8 - 1);
}
