use std::collections::BTreeSet;

use crate::term::{Clause, Var};

/// The clause without body literals that no chain of shared variables connects to the head.
///
/// # Source
/// Morales 1992, sections 4.4.4 and 5.2.3.1. The thesis leaves open what becomes of ground
/// literals; we drop them, as they share no variable with anything. A clause whose head is ground
/// is returned unchanged.
#[must_use]
pub fn connected(clause: &Clause) -> Clause {
    let mut reached: BTreeSet<Var> = BTreeSet::new();
    clause.head.for_each_var(&mut |var| {
        reached.insert(var);
    });
    if reached.is_empty() {
        return clause.clone();
    }
    let vars: Vec<BTreeSet<Var>> = clause
        .body
        .iter()
        .map(|literal| {
            let mut vars = BTreeSet::new();
            literal.atom.for_each_var(&mut |var| {
                vars.insert(var);
            });
            vars
        })
        .collect();
    let mut kept = vec![false; clause.body.len()];
    loop {
        let before = reached.len();
        for (i, own) in vars.iter().enumerate() {
            if !kept[i] && !own.is_disjoint(&reached) {
                kept[i] = true;
                reached.extend(own);
            }
        }
        if reached.len() == before {
            break;
        }
    }
    let body = clause
        .body
        .iter()
        .zip(&kept)
        .filter(|(_, kept)| **kept)
        .map(|(l, _)| l.clone());
    Clause {
        head: clause.head.clone(),
        body: body.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SymbolTable, print_clause, read_clause};

    #[test]
    fn only_connected_literals_stay() {
        let cases = [
            (
                "p(X) :- q(Y, Z), q(X, W), r(W), r(Z), s(a)",
                "p(A) :- q(A,B), r(B).",
            ),
            (
                "p(X) :- r(Z), q(Y, Z), q(X, Y)",
                "p(A) :- r(B), q(C,B), q(A,C).",
            ),
            ("p(a) :- q(X)", "p(a) :- q(A)."),
        ];
        for (text, expected) in cases {
            let mut symbols = SymbolTable::new();
            let clause = connected(&read_clause(text, &mut symbols).expect("valid")).normalized();
            assert_eq!(print_clause(&clause, &symbols).to_string(), expected);
        }
    }
}
