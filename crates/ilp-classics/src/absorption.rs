//! Absorption and elementary saturation: a clause in the terms of another one.

use kibitz_prolog::{Clause, Literal, Substitution, Term};

/// The clauses that absorption gives: the literals of `clause` that the body of `with` matches are replaced
/// by its head, once for each way to match them. Results are in the order of the literals, without
/// repetitions.
///
/// # Source
/// Sammut and Banerji 1986; Morales 1992, section 4.5.1.2.
///
/// # Examples
/// ```
/// use kibitz_ilp_classics::absorption::absorptions;
/// use kibitz_prolog::{SymbolTable, print_clause, read_clause};
///
/// let mut symbols = SymbolTable::new();
/// let example = read_clause("f :- b, c, e", &mut symbols)?;
/// let known = read_clause("a :- b, c", &mut symbols)?;
/// let absorbed = absorptions(&example, &known);
/// assert_eq!(print_clause(&absorbed[0], &symbols).to_string(), "f :- e, a.");
/// # Ok::<(), kibitz_prolog::ReadErrors>(())
/// ```
pub fn absorptions(clause: &Clause, with: &Clause) -> Vec<Clause> {
    let mut found: Vec<Clause> = Vec::new();
    for (head, used) in matches(clause, with) {
        let kept = clause.body.iter().enumerate();
        let kept = kept.filter(|(place, _)| !used.contains(place));
        let body = kept.map(|(_, literal)| literal.clone()).chain([head]);
        let absorbed = Clause::new(clause.head.clone(), body.collect());
        if !found.contains(&absorbed) {
            found.push(absorbed);
        }
    }
    found
}

/// Exhaustive elementary saturation: the clause with the heads of all program clauses whose bodies its
/// literals match, and so on; no literal is lost. `None` if it has more than `max_literals` in its body,
/// since it may have no end.
///
/// # Source
/// Rouveirol 1991; Morales 1992, section 4.5.1.3.
pub fn elementary_saturation(
    clause: &Clause,
    program: &[Clause],
    max_literals: usize,
) -> Option<Clause> {
    let mut saturated = clause.clone();
    loop {
        let n_before = saturated.body.len();
        for with in program {
            for (head, _) in matches(&saturated, with) {
                if !saturated.body.contains(&head) {
                    saturated.body.push(head);
                }
                if saturated.body.len() > max_literals {
                    return None;
                }
            }
        }
        if saturated.body.len() == n_before {
            return Some(saturated);
        }
    }
}

/// The ways in which literals of a clause match the body of another one: its head then, and the places of
/// these literals.
fn matches(clause: &Clause, with: &Clause) -> Vec<(Literal, Vec<usize>)> {
    let with = with.shifted(clause.var_bound());
    let mut open = vec![(Substitution::new(), Vec::new())];
    for wanted in &with.body {
        let mut longer = Vec::new();
        for (theta, used) in &open {
            for (place, literal) in clause.body.iter().enumerate() {
                if let Some(theta) = matched(wanted, literal, theta) {
                    longer.push((theta, [&used[..], &[place]].concat()));
                }
            }
        }
        open = longer;
    }
    let head = |theta: Substitution| Literal::positive(theta.apply_atom(&with.head));
    open.into_iter()
        .map(|(theta, used)| (head(theta), used))
        .collect()
}

/// Bindings that make a pattern a literal, whose own variables count as constants, beyond those that there
/// are.
fn matched(pattern: &Literal, literal: &Literal, theta: &Substitution) -> Option<Substitution> {
    let is_alike = pattern.positive == literal.positive
        && pattern.atom.predicate() == literal.atom.predicate();
    if !is_alike {
        return None;
    }
    let mut theta = theta.clone();
    let mut bind = |var, value: &Term| {
        if let Some(bound) = theta.get(var) {
            return bound == value;
        }
        theta.bind(var, value.clone());
        true
    };
    let mut pairs = pattern.atom.args.iter().zip(literal.atom.args.iter());
    (pairs.all(|(own, value)| own.matches(value, &mut bind))).then_some(theta)
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::{SymbolTable, print_clause, read_clause, read_clauses};

    use super::*;

    fn printed(clauses: &[Clause], symbols: &SymbolTable) -> Vec<String> {
        let clauses = clauses.iter();
        clauses
            .map(|clause| print_clause(clause, symbols).to_string())
            .collect()
    }

    #[test]
    fn absorption_gives_a_clause_for_each_way_to_match() {
        let mut symbols = SymbolTable::new();
        let mut read = |text| read_clause(text, &mut symbols).expect("valid");
        let example = read("grand(A,B) :- father(A,C), father(C,B), male(A)");
        let parent = read("parent(X,Y) :- father(X,Y)");
        let mother = read("parent(X,Y) :- mother(X,Y)");
        assert_eq!(
            printed(&absorptions(&example, &parent), &symbols),
            [
                "grand(A,B) :- father(C,B), male(A), parent(A,C).",
                "grand(A,B) :- father(A,C), male(A), parent(C,B)."
            ]
        );
        assert!(absorptions(&example, &mother).is_empty());
    }

    #[test]
    fn saturation_adds_consequences_of_consequences() {
        let mut symbols = SymbolTable::new();
        let mut read = |text| read_clauses(text, &mut symbols).expect("valid");
        let example = read("p(A) :- e(A,B), e(B,C).").remove(0);
        let program = read("t(X,Y) :- e(X,Y). t(X,Z) :- t(X,Y), t(Y,Z).");
        let endless = read("e(Y,s(Y)) :- e(X,Y).");
        let saturated = elementary_saturation(&example, &program, 20).expect("an end");
        assert_eq!(
            printed(&[saturated], &symbols),
            ["p(A) :- e(A,B), e(B,C), t(A,B), t(B,C), t(A,C)."]
        );
        assert_eq!(elementary_saturation(&example, &endless, 20), None);
    }
}
