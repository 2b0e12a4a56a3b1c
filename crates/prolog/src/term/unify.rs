//! Unification.

use super::{Atom, Substitution, Term, Var};

/// Extends `bindings` to the most general unifier of two terms, and tells whether there is one.
///
/// Terms from different clauses must be standardized apart first. After a failure `bindings` may hold
/// part of the attempt.
///
/// # Source
/// Morales 1992, section 4.1.
fn unify_terms(a: &Term, b: &Term, bindings: &mut Substitution) -> bool {
    let mut work = vec![(a.clone(), b.clone())];
    while let Some((a, b)) = work.pop() {
        let (a, b) = (bindings.resolve(&a).clone(), bindings.resolve(&b).clone());
        match (a, b) {
            (Term::Var(x), Term::Var(y)) if x == y => {}
            (Term::Var(var), term) | (term, Term::Var(var)) => {
                if occurs(var, &term, bindings) {
                    return false;
                }
                bindings.bind(var, term);
            }
            (Term::Const(x), Term::Const(y)) => {
                if x != y {
                    return false;
                }
            }
            (Term::Compound(f, xs), Term::Compound(g, ys)) => {
                if f != g || xs.len() != ys.len() {
                    return false;
                }
                work.extend(xs.iter().cloned().zip(ys.iter().cloned()));
            }
            (Term::Const(_), Term::Compound(..)) | (Term::Compound(..), Term::Const(_)) => {
                return false;
            }
        }
    }
    true
}

/// The most general unifier of two atoms, with the occurs check.
///
/// # Examples
/// ```
/// # use kibitz_prolog::{SymbolTable, read_term, Atom, unify_atoms};
/// let mut symbols = SymbolTable::new();
/// let goal = Atom::from_term(&read_term("p(X, f(X), Y)", &mut symbols)?).expect("an atom");
/// assert!(unify_atoms(&goal, &goal).is_some());
/// # Ok::<(), kibitz_prolog::ReadErrors>(())
/// ```
pub fn unify_atoms(a: &Atom, b: &Atom) -> Option<Substitution> {
    if a.predicate() != b.predicate() {
        return None;
    }
    let mut bindings = Substitution::new();
    a.args
        .iter()
        .zip(b.args.iter())
        .all(|(x, y)| unify_terms(x, y, &mut bindings))
        .then_some(bindings)
}

/// The occurs check: whether a variable occurs in a term under the bindings.
fn occurs(var: Var, term: &Term, bindings: &Substitution) -> bool {
    !term.all_parts(&mut |part| match part {
        Term::Var(_) => match bindings.resolve(part) {
            Term::Var(own) => *own != var,
            bound => !occurs(var, bound, bindings),
        },
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SymbolTable, read_term};

    #[test]
    fn matching_binds_variables_of_the_pattern_alone() {
        let matches = |pair: &str| {
            let mut symbols = SymbolTable::new();
            let Term::Compound(_, args) = read_term(pair, &mut symbols).expect("valid") else {
                panic!("a pair is expected")
            };
            let mut theta = Substitution::new();
            let fits = args[0].matches(&args[1], &mut |var, value| {
                let known = theta.get(var).cloned();
                theta.bind(var, value.clone());
                known.is_none_or(|known| known == *value)
            });
            assert!(!fits || theta.apply(&args[0]) == args[1], "{pair}");
            fits
        };
        assert!(matches("p(f(X, [Y|T], X), f(a, [b, c], a))"));
        assert!(matches("p(f(X, b), f(g(Z), b))"));
        assert!(!matches("p(f(X, X), f(a, b))"));
        assert!(!matches("p(f(a), f(Z))"));
        assert!(!matches("p(f(X), f(a, b))"));
        assert!(!matches("p([X], [a, b])"));
    }

    fn check(pair: &str, unifies: bool) {
        let mut symbols = SymbolTable::new();
        let Term::Compound(_, args) = read_term(pair, &mut symbols).expect("valid") else {
            panic!("a pair is expected")
        };
        let mut bindings = Substitution::new();
        assert_eq!(
            unify_terms(&args[0], &args[1], &mut bindings),
            unifies,
            "{pair}"
        );
        if unifies {
            assert_eq!(bindings.apply(&args[0]), bindings.apply(&args[1]), "{pair}");
        }
    }

    #[test]
    fn unification() {
        check("p(f(X, b), f(a, Y))", true);
        check("p(f(X, X), f(a, b))", false);
        check("p(f(X, Y), f(Y, c))", true);
        check("p([H|T], [1, 2, 3])", true);
        check("p(X, f(X))", false);
        check("p(1, '1')", false);
        check("p(\"a\", a)", false);
    }
}
