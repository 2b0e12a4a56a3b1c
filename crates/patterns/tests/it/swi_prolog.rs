//! SWI-Prolog loads the printed definitions and proves them in the same positions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use kibitz_board::{Color, Piece, Role, Square};
use kibitz_patterns::relations::Positions;
use kibitz_patterns::{ChessConstants, Position};
use kibitz_prolog::{
    Atom, Constant, Database, Limits, Literal, Prover, SymbolTable, Term, print_atom, print_clause,
    read_clause, read_clauses,
};

use swipl::swi_prolog;

#[path = "../../../prolog/tests/it/swipl.rs"]
mod swipl;

const RULES: &str = include_str!("../../src/chess.pl");
const NUMBERS: &str = include_str!("../../src/numbers.pl");
const TARGETS: &str = include_str!("../../concepts/pal.pl");

/// Positions in which some of the concepts are present.
fn positions() -> Vec<Position> {
    use Role::{Bishop, King, Knight, Pawn, Queen, Rook};
    let (w, b) = (Color::White, Color::Black);
    let placed = [
        vec![
            (b, King, "c4"),
            (b, Queen, "c6"),
            (w, King, "f7"),
            (w, Knight, "b7"),
        ],
        vec![
            (b, King, "c4"),
            (b, Queen, "c6"),
            (w, King, "f7"),
            (w, Knight, "a5"),
        ],
        vec![
            (w, Bishop, "a1"),
            (w, Pawn, "d4"),
            (b, King, "h8"),
            (w, King, "a8"),
        ],
        vec![
            (w, Bishop, "d4"),
            (b, King, "h8"),
            (b, Knight, "f6"),
            (w, King, "f7"),
        ],
        vec![
            (w, Rook, "a1"),
            (b, King, "g1"),
            (b, Knight, "h1"),
            (w, King, "f3"),
        ],
        vec![
            (w, King, "b3"),
            (w, Knight, "a1"),
            (b, King, "c1"),
            (b, Pawn, "e3"),
        ],
    ];
    let piece = |(color, role, square): (Color, Role, &str)| {
        let square: Square = square.parse().expect("a square");
        (square, Piece { color, role })
    };
    let position = |pieces: Vec<_>| Position::new(pieces.into_iter().map(piece));
    placed.into_iter().map(position).collect()
}

/// The facts of a predicate in a state, or all of them if it has no state.
fn facts(
    text: &str,
    state: Option<Constant>,
    prover: &mut Prover<'_>,
    symbols: &mut SymbolTable,
) -> Vec<Atom> {
    let goal = read_clause(&format!("x :- {text}"), symbols)
        .expect("valid")
        .body;
    let atom = goal[0].atom.clone();
    // The state is written last but for the one a move leads to, as Pos.
    let place = text
        .split(['(', ','])
        .position(|word| word.trim_end_matches(')') == "Pos");
    let mut args: Vec<Term> = atom.args.to_vec();
    if let (Some(place), Some(state)) = (place, state) {
        args[place - 1] = Term::Const(state);
    }
    let clause = kibitz_prolog::Clause {
        head: Atom::new(atom.name, args),
        body: Vec::new(),
    }
    .normalized();
    let atom = clause.head;
    let answers = prover
        .solutions(&[Literal::positive(atom.clone())], usize::MAX)
        .expect("provable");
    let ground = |values: &Vec<Term>| atom.map_vars(&mut |var| values[var.index()].clone());
    answers.bindings.iter().map(ground).collect()
}

#[test]
fn printed_definitions_answer_identically() {
    let mut symbols = SymbolTable::new();
    let names = ChessConstants::new(&mut symbols);
    let known = Arc::new(Positions::new(names));
    let mut builder = Database::builder();
    for relation in known.relations(&mut symbols) {
        builder = builder.native(relation);
    }
    let targets = read_clauses(TARGETS, &mut symbols).expect("valid");
    for text in [RULES, NUMBERS] {
        builder = builder.clauses(&read_clauses(text, &mut symbols).expect("valid"));
    }
    let db = builder
        .clauses(&targets)
        .build(&mut symbols)
        .expect("valid");
    let mut prover = Prover::new(&db, Limits::default());

    let mut program: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |found: &[Atom], symbols: &SymbolTable| {
        for fact in found {
            let predicate = format!("{}/{}", symbols.name(fact.name), fact.args.len());
            let text = print_atom(fact, symbols).to_string();
            program.entry(predicate).or_default().insert(text);
        }
    };
    for text in ["other_side(A,B)", "less_than(A,B)"] {
        add(&facts(text, None, &mut prover, &mut symbols), &symbols);
    }
    let first: Vec<Constant> = positions().into_iter().map(|p| known.number(p)).collect();
    let mut states: BTreeSet<Constant> = first.iter().copied().collect();
    for ply in 0..3 {
        let mut following = BTreeSet::new();
        for &state in &states {
            let mut here = vec!["contents(A,B,C,Pos)"];
            if ply < 2 {
                here.extend([
                    "legal_move(A,B,C,D,Pos)",
                    "make_move(A,B,C,D,Pos,Next)",
                    "in_check(A,B,C,D,Pos)",
                    "stale(A,B,C,Pos)",
                    "sliding_piece(A,B,Pos)",
                    "all_but_k(A,B,Pos)",
                    "line(A,B,Pos)",
                    "coordx(A,B,Pos)",
                    "coordy(A,B,Pos)",
                ]);
            }
            for text in here {
                let found = facts(text, Some(state), &mut prover, &mut symbols);
                if text.starts_with("make_move") {
                    for fact in &found {
                        if let Some(Term::Const(next)) = fact.args.last() {
                            following.insert(*next);
                        }
                    }
                }
                add(&found, &symbols);
            }
        }
        states = following;
    }

    let mut text = String::from(":- style_check(-singleton). :- style_check(-discontiguous).\n");
    for (predicate, facts) in &program {
        let _ = writeln!(text, ":- dynamic {predicate}.");
        for fact in facts {
            let _ = writeln!(text, "{fact}.");
        }
    }
    for clause in &targets {
        let _ = writeln!(text, "{}", print_clause(clause, &symbols));
    }
    let mut expected = String::new();
    let mut n_present = 0;
    let mut seen = BTreeSet::new();
    for clause in &targets {
        let head = &clause.head;
        if !seen.insert(symbols.name(head.name).to_owned()) {
            continue;
        }
        for &state in &first {
            let last = head.args.len() - 1;
            let mut args: Vec<Term> = (0..).take(last).map(Term::var).collect();
            args.push(Term::Const(state));
            let goal = Atom::new(head.name, args);
            let found = prover.prove(&[Literal::positive(goal.clone())]);
            let present = found.expect("provable").is_proved();
            n_present += usize::from(present);
            let _ = writeln!(text, "query({}).", print_atom(&goal, &symbols));
            let _ = writeln!(expected, "{}", if present { "yes" } else { "no" });
        }
    }
    assert!(seen.len() >= 11 && n_present >= 11, "{n_present} present");
    let goal = "forall(query(Q), (call(Q) -> writeln(yes) ; writeln(no)))";
    if let Some(answers) = swi_prolog(&text, goal) {
        assert_eq!(answers, expected);
    }
}
