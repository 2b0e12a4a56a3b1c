//! Clauses in parameters and in tables.

use std::collections::BTreeSet;

use kibitz_experiment::Problems;
use kibitz_ilp::subsumes;
use kibitz_prolog::{Atom, Clause, Literal, Symbol, SymbolTable, Term, print_clause, read_clauses};

/// The clauses of the parameter at `path`; text that cannot be read is reported and has none.
pub(crate) fn check(path: &str, text: &str, problems: &mut Problems) -> Vec<Clause> {
    read_clauses(text, &mut SymbolTable::new()).unwrap_or_else(|errors| {
        problems.at(path, errors.to_string());
        Vec::new()
    })
}

/// Clauses as one line of Prolog text.
pub(crate) fn print(clauses: &[Clause], symbols: &SymbolTable) -> String {
    let lines = clauses.iter();
    let lines = lines.map(|clause| print_clause(clause, symbols).to_string());
    lines.collect::<Vec<_>>().join(" ")
}

/// Whether a clause is another one but for the names of variables and the order of literals.
pub(crate) fn is_variant(one: &Clause, other: &Clause) -> bool {
    let of = |clause: &Clause| BTreeSet::from_iter(&clause.body).len();
    of(one) == of(other) && is_part(one, other)
}

/// Whether a clause is another one without some of its literals, but for the names of variables and the
/// order of literals: whether it theta-subsumes the other one by different variables for different ones.
pub(crate) fn is_part(part: &Clause, whole: &Clause) -> bool {
    // Conditions on variables, of a name that no literal has.
    let marked = |clause: &Clause| {
        let mut marked = clause.normalized();
        let vars: Vec<Term> = (0..marked.var_bound()).map(Term::var).collect();
        let mut mark = |args: &[&Term]| {
            let args = args.iter().copied().cloned();
            (marked.body).push(Literal::positive(Atom::new(Symbol::NECK, args)));
        };
        for one in &vars {
            mark(&[one]);
            for other in vars.iter().filter(|other| *other != one) {
                mark(&[one, other]);
            }
        }
        marked
    };
    subsumes(&marked(part), &marked(whole))
}

/// The clause with a constant of its own for each variable.
pub(crate) fn skolemized(clause: &Clause, symbols: &mut SymbolTable) -> Clause {
    clause.map_vars(&mut |var| skolem_constant(var.0, symbols))
}

/// The constant for a variable of this number.
pub(crate) fn skolem_constant(var: u32, symbols: &mut SymbolTable) -> Term {
    Term::symbol(symbols.intern(&format!("any {var}")))
}

#[cfg(test)]
mod tests {
    use kibitz_prolog::read_clause;

    use super::*;

    #[test]
    fn variants_have_the_same_literals_up_to_names() {
        let mut symbols = SymbolTable::new();
        let mut read = |text| read_clause(text, &mut symbols).expect("valid");
        let one = read("p(X) :- q(X,Y), q(Y,Z)");
        let cases = [
            ("p(B) :- q(A,C), q(B,A)", true, true),
            ("p(B) :- q(A,C), q(B,A), q(B,A)", true, true),
            ("p(B) :- q(A,C), q(B,A), r(A)", true, false),
            ("p(B) :- q(B,B)", false, false),
            ("p(B) :- q(A,B), q(B,A)", false, false),
            ("p(B) :- q(B,A), q(A,a)", false, false),
            ("p(B) :- q(B,A)", false, false),
        ];
        for (text, part, variant) in cases {
            let other = read(text);
            assert_eq!(is_part(&one, &other), part, "{text}");
            assert_eq!(is_variant(&one, &other), variant, "{text}");
            assert_eq!(is_variant(&other, &one), variant, "{text}");
        }
        assert!(is_part(&read("p(X)"), &read("p(Y) :- q(Y,Z)")));
        assert!(!is_part(&read("p(X)"), &read("p(a) :- q(Y,Z)")));
    }
}
