use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::term::{Atom, Term, Var};

/// Remembers which pair of terms became which variable, so that equal pairs at different places
/// become the same variable.
///
/// The class of a pair keeps pairs apart that must not share a variable although the terms are the
/// same; plain least general generalizations use class 0 throughout.
#[derive(Clone, Debug, Default)]
pub struct Generalizer {
    vars: FxHashMap<(Term, Term, u32), Var>,
}

impl Generalizer {
    /// A generalizer without variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// The variable that stands for a pair of differing terms.
    ///
    /// # Panics
    /// With more than 2³² variables.
    pub fn var(&mut self, left: &Term, right: &Term, class: u32) -> Var {
        let next = Var(u32::try_from(self.vars.len()).expect("fewer than 2^32 variables"));
        *self
            .vars
            .entry((left.clone(), right.clone(), class))
            .or_insert(next)
    }

    /// The least general generalization of two terms.
    ///
    /// Variables in the terms count as terms of their own: equal ones on both sides still become
    /// a new variable.
    pub fn terms(&mut self, left: &Term, right: &Term) -> Term {
        match (left, right) {
            (Term::Const(a), Term::Const(b)) if a == b => left.clone(),
            (Term::Compound(f, xs), Term::Compound(g, ys)) if f == g && xs.len() == ys.len() => {
                if left == right && left.is_ground() {
                    return left.clone();
                }
                let args: Arc<[Term]> = xs
                    .iter()
                    .zip(ys.iter())
                    .map(|(x, y)| self.terms(x, y))
                    .collect();
                Term::Compound(*f, args)
            }
            _ => Term::Var(self.var(left, right, 0)),
        }
    }

    /// The least general generalization of two atoms, `None` for different predicates.
    ///
    /// # Examples
    /// ```
    /// # use kibitz_ilp::{Generalizer, SymbolTable, read_clause, print_atom};
    /// let mut symbols = SymbolTable::new();
    /// let a = read_clause("foo(a, f(a), g(X, b), f)", &mut symbols)?.head;
    /// let b = read_clause("foo(Y, f(Y), g(c, b), h(g))", &mut symbols)?.head;
    /// let lgg = Generalizer::new().atoms(&a, &b).expect("one predicate");
    /// assert_eq!(print_atom(&lgg, &symbols).to_string(), "foo(A,f(A),g(B,b),C)");
    /// # Ok::<(), kibitz_ilp::ReadErrors>(())
    /// ```
    pub fn atoms(&mut self, left: &Atom, right: &Atom) -> Option<Atom> {
        if left.predicate() != right.predicate() {
            return None;
        }
        let args = left
            .args
            .iter()
            .zip(right.args.iter())
            .map(|(x, y)| self.terms(x, y))
            .collect();
        Some(Atom {
            name: left.name,
            args,
        })
    }
}
