//! Learns the concept of a fork from one position: PAL generates the others, and a target definition
//! answers its queries.
//!
//! `cargo run -p kibitz-patterns --example fork`

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use kibitz_pal::Ending;
use kibitz_patterns::Concept;
use kibitz_prolog::print_clause;

const TARGET: &str = "
    fork(S1, king, square(X1, Y1), S1, P2, square(X2, Y2), S2, P3, square(X3, Y3), Pos) :-
        contents(S1, king, square(X1, Y1), Pos),
        contents(S1, P2, square(X2, Y2), Pos),
        contents(S2, P3, square(X3, Y3), Pos),
        other_side(S2, S1),
        in_check(S1, square(X1, Y1), P3, square(X3, Y3), Pos),
        legal_move(S2, P3, square(X3, Y3), square(X2, Y2), Pos).";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let concept = Concept {
        name: "fork".into(),
        examples: vec![
            "contents(black, king, square(3,4)). contents(black, queen, square(3,6)). \
             contents(white, king, square(6,7)). contents(white, knight, square(1,5))."
                .into(),
        ],
        background: ["other_side", "in_check", "legal_move"]
            .map(String::from)
            .into(),
        ..Concept::default()
    };
    let prepared = concept.prepare(TARGET, true)?;
    let learned = prepared.learn(prepared.params(), &mut prepared.oracle())?;
    let (positive, negative) = learned.n_examples();
    println!("{positive} positive and {negative} negative examples were generated:");
    for clause in &learned.clauses {
        println!("{}", print_clause(clause, prepared.symbols()));
    }
    assert_eq!(learned.endings, [Ending::Satisfied]);
    let counts = prepared.compare_on_random(&learned.clauses, 500, 1)?;
    assert_eq!(counts.agreed(), counts.n_positions);
    Ok(())
}
