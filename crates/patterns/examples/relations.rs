//! Queries a position: the rules of chess as native relations of logic programs.
//!
//! `cargo run -p kibitz-patterns --example relations`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::sync::Arc;

use kibitz_board::{Color, Piece, Role, Square};
use kibitz_patterns::relations::Positions;
use kibitz_patterns::{ChessConstants, Position, draw};
use kibitz_prolog::{
    Database, Limits, Prover, SymbolTable, Term, print_term, read_clause, read_clauses,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut symbols = SymbolTable::new();
    let positions = Arc::new(Positions::new(ChessConstants::new(&mut symbols)));
    let rules = read_clauses(
        "attacked(Side, Piece, F, R, Pos) :-
             contents(Side, Piece, F, R, Pos), legal_move(Other, _, _, _, F, R, Pos), Other \\= Side.",
        &mut symbols,
    )?;
    let mut builder = Database::builder().clauses(&rules);
    for relation in positions.relations(&mut symbols) {
        builder = builder.native(relation);
    }
    let db = builder.build(&mut symbols)?;

    let piece = |color, role| Piece { color, role };
    let position = Position::new([
        (Square::C4, piece(Color::Black, Role::King)),
        (Square::C6, piece(Color::Black, Role::Queen)),
        (Square::F7, piece(Color::White, Role::King)),
        (Square::A5, piece(Color::White, Role::Knight)),
    ]);
    println!("{}", draw(&position));
    let number = positions.number(position);

    let query = read_clause("query :- attacked(Side, Piece, F, R, Pos)", &mut symbols)?;
    let in_position = query.map_vars(&mut |var| match var.index() {
        4 => Term::Const(number),
        _ => Term::Var(var),
    });
    let answers = Prover::new(&db, Limits::default()).solutions(&in_position.body, 10)?;
    let attacked: Vec<String> = (answers.bindings.iter())
        .map(|row| {
            let words = row[..4].iter().map(|term| print_term(term, &symbols));
            words
                .map(|word| word.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    println!("attacked: {}", attacked.join(", "));
    assert_eq!(attacked, ["black queen 3 6"]);
    Ok(())
}
