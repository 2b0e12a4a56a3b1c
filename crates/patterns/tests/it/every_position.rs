//! Learned definitions agree with their targets on every position of a few pieces.

use std::collections::BTreeMap;

use kibitz_board::{Bitboard, Piece, Role, Square};
use kibitz_pal::{Ending, Example};
use kibitz_patterns::{Concept, ConceptDomain, PieceMove, Position, PreparedConcept};
use kibitz_prolog::Constant;

const TARGETS: &str = include_str!("../../concepts/pal.pl");
const CONCEPTS: &str = include_str!("../../../../data/morales1992/concepts.toml");

/// The concept of this name.
fn concept(name: &str) -> PreparedConcept {
    let mut concepts: BTreeMap<String, Concept> = toml::from_str(CONCEPTS).expect("concepts");
    let concept = concepts.remove(name).expect("a concept");
    concept.prepare(TARGETS, true).expect("sound")
}

/// All legal positions with these pieces on the files a to d and the first ranks, which hold a
/// corner, edges and the middle of the board.
fn positions(prepared: &PreparedConcept, pieces: &[(&str, &str)], ranks: i64) -> Vec<Example> {
    let constant = |name: &str| Constant::Symbol(prepared.symbols().get(name).expect("a name"));
    let places: Vec<[i64; 2]> = (1..=4)
        .flat_map(|file| (1..=ranks).map(move |rank| [file, rank]))
        .collect();
    let mut all: Vec<Example> = vec![Vec::new()];
    for (side, piece) in pieces {
        let placed = |example: &Example, [file, rank]: [i64; 2]| {
            let mut longer = example.clone();
            longer.push(vec![
                constant(side),
                constant(piece),
                Constant::Int(file),
                Constant::Int(rank),
            ]);
            longer
        };
        all = (all.iter())
            .flat_map(|example| places.iter().map(|&place| placed(example, place)))
            .collect();
    }
    all.retain(|example| prepared.domain().is_legal(example));
    all
}

/// Learns a concept and compares it with its target and with the rules of chess on every position.
fn compare(
    name: &str,
    pieces: &[(&str, &str)],
    ranks: i64,
    is_present: impl Fn(&Position) -> bool,
) {
    let prepared = concept(name);
    let learned = prepared
        .learn(prepared.params(), &mut prepared.oracle())
        .expect("learned");
    assert_eq!(learned.endings.last(), Some(&Ending::Satisfied));
    let ConceptDomain::Chess(chess) = prepared.domain() else {
        panic!("a concept of chess");
    };
    let all = positions(&prepared, pieces, ranks);
    assert!(all.len() > 1_000);
    let present = |example: &&Example| is_present(&chess.position(example));
    let positive = all.iter().filter(present).count();
    let found = prepared
        .compare_on(&learned.clauses, prepared.target(), all)
        .expect("provable");
    assert_eq!(found.agreed(), found.n_positions);
    assert_eq!(found.n_positive as usize, positive);
}

/// The pieces with their squares.
fn pieces(position: &Position) -> impl Iterator<Item = (Square, Piece)> {
    position.board().clone().into_iter()
}

/// Whether some piece does this.
fn some(position: &Position, does: impl Fn(Square, Piece) -> bool) -> bool {
    pieces(position).any(|(square, piece)| does(square, piece))
}

const KNIGHT_AND_PAWN: [(&str, &str); 4] = [
    ("white", "king"),
    ("white", "knight"),
    ("black", "king"),
    ("black", "pawn"),
];

#[test]
fn threat1_on_every_position() {
    compare("threat1", &KNIGHT_AND_PAWN, 4, |position| {
        some(position, |from, piece| {
            let enemies = position.board().by_color(!piece.color);
            (position.legal_moves(from) & enemies).any()
        })
    });
}

#[test]
fn threat_on_every_position() {
    compare("threat", &KNIGHT_AND_PAWN, 3, |position| {
        some(position, |from, piece| {
            (position.moves(from) & position.board().by_color(!piece.color)).any()
        })
    });
}

#[test]
fn can_check_on_every_position() {
    compare("can_check", &KNIGHT_AND_PAWN, 4, |position| {
        some(position, |from, piece| {
            let checks = |position: &Position, from| {
                let own = Bitboard::from_square(from);
                (position.checkers(!piece.color) & own).any()
            };
            let moves = position.moves(from).into_iter();
            let mut checking = moves.map(|to| (position.after(PieceMove { from, to }), to));
            !checks(position, from) && checking.any(|(after, to)| checks(&after, to))
        })
    });
}

#[test]
fn fork_on_every_position() {
    let queen_and_knight = [
        ("black", "king"),
        ("black", "queen"),
        ("white", "king"),
        ("white", "knight"),
    ];
    compare("fork", &queen_and_knight, 3, |position| {
        some(position, |_, king| {
            king.role == Role::King
                && (position.checkers(king.color).into_iter()).any(|checker| {
                    let own = position.board().by_color(king.color);
                    (position.legal_moves(checker) & own).any()
                })
        })
    });
}
