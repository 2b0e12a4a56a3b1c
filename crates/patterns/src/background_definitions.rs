//! Definitions of the background predicates, for the final reduction of a definition and for relative
//! subsumption.

use kibitz_prolog::{Clause, ReadErrors, Symbol, SymbolTable, Var, lgg_clauses, read_clauses};
use rustc_hash::FxHashSet;

use crate::Board;

const CHESS: &str = include_str!("chess_definitions.pl");
const PLACEMENT: &str = include_str!("placement_definitions.pl");

/// One clause for each predicate of the background and for each concept but the one to be learned.
///
/// A concept with several clauses gets their least general generalization, without literals that have
/// other variables than the head.
///
/// # Source
/// Morales 1992, section 5.4.3. The definition of `ltxy3` in appendix B is printed without the
/// literals that both clauses of `ltx3` imply.
pub(crate) fn background_definitions(
    board: Board,
    targets: &[Clause],
    learned: Symbol,
    symbols: &mut SymbolTable,
) -> Result<Vec<Clause>, ReadErrors> {
    let text = match board {
        Board::Chess => CHESS,
        Board::Placement => PLACEMENT,
    };
    let mut found = read_clauses(text, symbols)?;
    let n_background = found.len();
    for clause in targets.iter().filter(|c| c.head.name != learned) {
        let own = |known: &&mut Clause| known.head.predicate() == clause.head.predicate();
        match found[n_background..].iter_mut().find(own) {
            Some(known) => *known = common_consequences(known, clause),
            None => found.push(clause.clone()),
        }
    }
    Ok(found)
}

/// The literals about the arguments of the head that two clauses of a predicate imply, by their lgg.
fn common_consequences(left: &Clause, right: &Clause) -> Clause {
    let Some(mut both) = lgg_clauses(left, right) else {
        return left.clone();
    };
    let mut bound: FxHashSet<Var> = FxHashSet::default();
    both.head.for_each_var(&mut |var| {
        bound.insert(var);
    });
    both.body.retain(|literal| {
        let mut known = true;
        literal
            .atom
            .for_each_var(&mut |var| known &= bound.contains(&var));
        known
    });
    both.normalized()
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::print_clause;

    use super::*;

    #[test]
    fn several_clauses_imply_their_common_literals() {
        let mut symbols = SymbolTable::new();
        let text = "up(A, B, P) :- on(A, P), on(B, P), less(A, B). up(C, D, P) :- on(D, P), on(C, P), less(D, C).
            flat(A) :- on(A, P).";
        let targets = read_clauses(text, &mut symbols).expect("sound");
        let flat = symbols.intern("flat");
        let found =
            background_definitions(Board::Placement, &targets, flat, &mut symbols).expect("sound");
        let last = found.last().expect("a clause");
        insta::assert_snapshot!(
            print_clause(last, &symbols).to_string(),
            @"up(A,B,C) :- on(A,C), on(B,C)."
        );
    }
}
