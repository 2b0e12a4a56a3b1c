use std::collections::BTreeSet;

use crate::mode::{Direction, Mode};
use crate::term::{Clause, Literal, Term, Var};

/// The clause restricted to literals that compute with what is known: every input is a variable of
/// the head or an output of an earlier literal, and every literal that only introduces outputs is
/// needed by a later one.
///
/// Literals of predicates without a mode are taken as tests: all their variables must be known, or
/// they are dropped. Body literals come out in an order in which they can be computed. Where a
/// predicate has several modes, the first one that fits is used.
///
/// # Source
/// Morales 1992, section 4.4.4 (functional restriction), as in Golem. The thesis leaves open
/// whether a literal with unused outputs goes; we drop it, because a function always has a value.
#[must_use]
pub fn functionally_reduced(clause: &Clause, modes: &[Mode]) -> Clause {
    let mut known: BTreeSet<Var> = BTreeSet::new();
    clause.head.for_each_var(&mut |var| {
        known.insert(var);
    });
    let mut waiting: Vec<&Literal> = clause.body.iter().collect();
    // Kept literals, each with the new variables it computes.
    let mut ordered: Vec<(Literal, BTreeSet<Var>)> = Vec::new();
    loop {
        let before = waiting.len();
        waiting.retain(|literal| match new_outputs(literal, modes, &known) {
            None => true,
            Some(outputs) => {
                known.extend(&outputs);
                ordered.push(((*literal).clone(), outputs));
                false
            }
        });
        if waiting.len() == before {
            break;
        }
    }
    // From the back: drop what computes only unused variables.
    let mut used: BTreeSet<Var> = BTreeSet::new();
    let mut kept = Vec::new();
    for (literal, outputs) in ordered.into_iter().rev() {
        if !outputs.is_empty() && outputs.is_disjoint(&used) {
            continue;
        }
        literal.atom.for_each_var(&mut |var| {
            used.insert(var);
        });
        kept.push(literal);
    }
    kept.reverse();
    Clause {
        head: clause.head.clone(),
        body: kept,
    }
}

/// The variables a literal would compute, or `None` if some input is not known yet.
fn new_outputs(literal: &Literal, modes: &[Mode], known: &BTreeSet<Var>) -> Option<BTreeSet<Var>> {
    let vars_of = |term: &Term| {
        let mut vars = BTreeSet::new();
        term.for_each_var(&mut |var| {
            vars.insert(var);
        });
        vars
    };
    let unknown: BTreeSet<Var> = literal
        .atom
        .args
        .iter()
        .flat_map(vars_of)
        .filter(|var| !known.contains(var))
        .collect();
    if unknown.is_empty() {
        return Some(unknown);
    }
    if !literal.positive {
        return None;
    }
    modes
        .iter()
        .filter(|mode| mode.predicate == literal.atom.predicate())
        .any(|mode| {
            mode.arguments
                .iter()
                .zip(literal.atom.args.iter())
                .all(|(argument, term)| {
                    argument.direction == Direction::Out || vars_of(term).is_subset(known)
                })
        })
        .then_some(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mode::Argument;
    use crate::{Predicate, SymbolTable, print_clause, read_clause};

    #[test]
    fn unused_and_uncomputable_literals_go() {
        let mut symbols = SymbolTable::new();
        let kind = symbols.intern("any");
        let plus = symbols.intern("plus");
        let mode = Mode {
            predicate: Predicate {
                name: plus,
                arity: 3,
            },
            arguments: [Direction::In, Direction::In, Direction::Out]
                .map(|direction| Argument { direction, kind })
                .into(),
            recall: Some(1),
        };
        let text = "p(X, Y) :- plus(A, X, B), lt(B, Y), plus(X, Y, A), plus(A, B, C), \
                    plus(D, X, E), q(Z), \\+ lt(X, C), lt(X, Y)";
        let clause = read_clause(text, &mut symbols).expect("valid");
        let reduced = functionally_reduced(&clause, &[mode]).normalized();
        assert_eq!(
            print_clause(&reduced, &symbols).to_string(),
            "p(A,B) :- plus(A,B,C), lt(A,B), plus(C,A,D), lt(D,B), plus(C,D,E), \\+ lt(A,E)."
        );
    }
}
