//! The sub-patterns of appendix F, on positions with king and pawn against king.

use std::collections::BTreeMap;

use kibitz_board::{Chess, Position as _};
use kibitz_pal::{Ending, Example, PalResult};
use kibitz_patterns::can_run::{PRINTED, Patterns, Runs};
use kibitz_patterns::{
    Board, Changes, Concept, ConceptDomain, Places, Position, PreparedConcept, TeachingSetParams,
};
use kibitz_prolog::read_clauses;

const SUB_PATTERNS: &str = include_str!("../../../../data/morales1992/kpk.pl");

fn prepared(name: &str, background: &[&str]) -> PreparedConcept {
    let men = "contents(white, king, square(1, 1)). contents(white, pawn, square(4, 2)). \
        contents(black, king, square(8, 8)).";
    let concept = Concept {
        name: name.to_owned(),
        board: Board::Chess,
        dynamic: false,
        examples: vec![men.to_owned()],
        chosen: Vec::new(),
        background: background.iter().map(|&name| name.to_owned()).collect(),
        concepts: Vec::new(),
        symmetries: Vec::new(),
        translations: false,
        places: Places::Coordinates,
        truth: None,
        changes: Changes::Places,
        keep_pieces: false,
    };
    concept.prepare(SUB_PATTERNS, true).expect("sound")
}

/// The truth of each sub-pattern in these positions.
fn truths(positions: &[Chess]) -> BTreeMap<String, Vec<bool>> {
    let mut symbols = kibitz_prolog::SymbolTable::new();
    let clauses = read_clauses(SUB_PATTERNS, &mut symbols).expect("sound");
    let mut names: Vec<&str> = (clauses.iter())
        .map(|clause| symbols.name(clause.head.name))
        .collect();
    names.dedup();
    assert_eq!(names.len(), 37);
    let truth = |name: &str| {
        let prepared = prepared(name, &[]);
        let boards = positions
            .iter()
            .map(|own| Position::from(own.board().clone()));
        let boards: Vec<Position> = boards.collect();
        let judged = prepared
            .labeled(prepared.target(), boards)
            .expect("provable");
        let holds = judged.map(|case| case.expect("provable").1).collect();
        (name.to_owned(), holds)
    };
    names.into_iter().map(truth).collect()
}

/// The first pattern of appendix F that follows from the sub-patterns, except the second, which moves
/// the pawn.
fn first(says: impl Fn(&str) -> bool) -> Option<u8> {
    if says("first_boards") {
        return Some(1);
    }
    if ["excepted_boards", "stales", "king_in_front"]
        .into_iter()
        .any(&says)
    {
        return None;
    }
    let any = |names: &[&str]| names.iter().any(|name| says(name));
    let all = |names: &[&str]| names.iter().all(|name| says(name));
    let close = any(&["king_pawn_1", "king_pawn_2", "king_pawn_3"]);
    let beside = any(&["opposition_file", "opposition_rank"]);
    let divides = says("king_divides");
    let near = says("king_near_1");
    let patterns = [
        says("pawn_nearer"),
        near && any(&["pawn_on_6", "pawn_on_7"]),
        near && all(&["king_on_7", "pawn_on_5"]),
        divides && all(&["king_on_6", "king_higher"]),
        divides && says("king_on_7") && close,
        divides && all(&["king_on_7", "king_as_far"]) && !close,
        says("level_two_below") && any(&["king_divides", "opposition_file"]),
        divides && all(&["king_on_6", "king_near_2", "near_alike"]),
        divides && !says("king_on_8") && beside && !any(&["kings_manh_3", "kings_manh_4"]),
        divides && all(&["king_on_8", "oking_as_far", "king_near_2"]),
        divides && all(&["king_on_8", "pawn_on_3"]) && beside,
        all(&[
            "oking_on_8",
            "king_on_6",
            "pawn_on_6",
            "king_near_2",
            "oking_near_2",
        ]),
        near && any(&["oking_as_far", "oking_one_farther"])
            && (any(&["king_on_8", "oking_on_8"]) || !says("pawn_divides")),
        near && all(&["king_on_7", "king_one_farther"]),
        near && all(&["pawn_on_4", "kings_level"]) && !says("king_on_8"),
        near && all(&["pawn_on_3", "oking_near_3", "kings_level"]) && !says("king_on_8"),
    ];
    (3..)
        .zip(patterns)
        .find_map(|(number, holds)| holds.then_some(number))
}

#[test]
fn the_sub_patterns_make_the_printed_patterns() {
    let positions: Vec<Chess> = Runs::default().positions().step_by(3).collect();
    let truths = truths(&positions);
    let patterns = Patterns::read(PRINTED).expect("sound");
    let mut seen = BTreeMap::new();
    for (i, position) in positions.iter().enumerate() {
        let says = |name: &str| truths[name][i];
        assert_eq!(
            says("near_alike"),
            says("near_alike_by_rank"),
            "{position:?}"
        );
        let printed = patterns.first(position).expect("provable");
        let own = first(says);
        // The second pattern puts the pawn on the third rank.
        if !says("pawn_on_2") || own == Some(1) {
            assert_eq!(own, printed, "{position:?}");
            *seen.entry(own).or_insert(0) += 1;
        }
    }
    // All patterns decide some position, but for the second, and some of the first's four boards.
    for number in 3..=18 {
        assert!(seen.contains_key(&Some(number)), "{number}: {seen:?}");
    }
}

/// The concept learned from a start with generated examples.
fn generated(prepared: &PreparedConcept, start: &Example) -> PalResult {
    let given = std::slice::from_ref(start);
    prepared
        .learn_starting_with(given, prepared.params(), &mut prepared.oracle())
        .expect("learned")
}

#[test]
fn the_men_stay_on_their_sides() {
    let prepared = prepared("king_on_8", &["other_side", "coordx", "coordy"]);
    let start = prepared.random_instance(prepared.target(), 7).expect("met");
    let learned = generated(&prepared, &start);
    assert_eq!(learned.endings, [Ending::Satisfied]);
    assert!(!learned.steps.is_empty());
    for step in &learned.steps {
        for (own, first) in step.example.iter().zip(&start) {
            assert_eq!(own[..2], first[..2]);
        }
    }
}

#[test]
fn a_board_teaches_itself() {
    let prepared = prepared("first_boards", &["other_side"]);
    let board = &prepared.target()[..1];
    let start = prepared.random_instance(board, 1).expect("named");
    assert_eq!(start, prepared.random_instance(board, 2).expect("named"));
    let ConceptDomain::Chess(domain) = prepared.domain() else {
        panic!("positions of chess")
    };
    let drawn = prepared.labeled(board, [domain.position(&start)]);
    let drawn = drawn.expect("provable").map(|case| case.expect("provable"));
    assert!(drawn.into_iter().all(|(_, holds)| holds));
    let chosen = prepared.smallest_teaching_set(&start, TeachingSetParams::default());
    assert_eq!(chosen.expect("provable"), Some(vec![start]));
}

#[test]
fn a_teaching_set_teaches_more_than_generated_examples() {
    let background = [
        "other_side",
        "legal_move",
        "coordx",
        "coordy",
        "distance",
        "dist_qs",
    ];
    let prepared = prepared("oking_as_far", &background);
    let start = prepared.random_instance(prepared.target(), 3).expect("met");
    let generated = generated(&prepared, &start);
    assert_ne!(generated.endings[0], Ending::Satisfied);
    let few = TeachingSetParams {
        pool: 1,
        pools: 1,
        ..TeachingSetParams::default()
    };
    // The only example of the pool does not suffice: uncovered ones are added.
    let chosen = prepared
        .smallest_teaching_set(&start, few)
        .expect("provable");
    let chosen = chosen.expect("examples that do");
    let learned = prepared
        .learn_from_given(&chosen, prepared.params(), &mut prepared.oracle())
        .expect("learned");
    assert_eq!(learned.endings, [Ending::Satisfied]);
}
