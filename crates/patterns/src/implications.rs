//! What literals imply, for the final reduction of a definition and for comparing definitions.

use kibitz_ilp::{Clause, ReadErrors, Symbol, SymbolTable, Var, lgg_clauses, read_clauses};
use rustc_hash::FxHashSet;

use crate::Board;

const CHESS: &str = include_str!("implied.pl");
const PLACEMENT: &str = include_str!("placement_implied.pl");

/// One clause for each predicate of the background knowledge and for each concept but the one to be
/// learned.
///
/// A concept with several clauses implies what all of them say.
///
/// # Source
/// Morales 1992, section 5.4.3. The definition of `ltxy3` in appendix B is printed without what both
/// clauses of `ltx3` say.
pub(crate) fn implications(
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
            Some(known) => *known = said_by_both(known, clause),
            None => found.push(clause.clone()),
        }
    }
    Ok(found)
}

/// What two clauses of one predicate both say of the arguments of its head.
fn said_by_both(left: &Clause, right: &Clause) -> Clause {
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
    use super::*;
    use kibitz_ilp::print_clause;

    #[test]
    fn alternatives_imply_what_they_have_in_common() {
        let mut symbols = SymbolTable::new();
        let text = "up(A, B, P) :- on(A, P), on(B, P), less(A, B). up(C, D, P) :- on(D, P), on(C, P), less(D, C).
            flat(A) :- on(A, P).";
        let targets = read_clauses(text, &mut symbols).expect("sound");
        let flat = symbols.intern("flat");
        let found = implications(Board::Placement, &targets, flat, &mut symbols).expect("sound");
        let last = found.last().expect("a clause");
        insta::assert_snapshot!(
            print_clause(last, &symbols).to_string(),
            @"up(A,B,C) :- on(A,C), on(B,C)."
        );
    }
}
