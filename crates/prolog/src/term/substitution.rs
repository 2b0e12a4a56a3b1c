//! Substitutions.

use rustc_hash::FxHashMap;

use super::{Atom, Clause, Literal, Term, Var};

/// A substitution: bindings of variables to terms.
///
/// Triangular: a bound term may contain variables that are bound themselves;
/// [`Substitution::apply`] follows the bindings to the end.
///
/// # Source
/// Morales 1992, section 4.1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Substitution {
    bindings: FxHashMap<Var, Term>,
}

impl Substitution {
    /// The empty substitution.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// The term directly bound to a variable.
    #[inline]
    pub fn get(&self, var: Var) -> Option<&Term> {
        self.bindings.get(&var)
    }

    /// Binds a variable, replacing an earlier binding.
    #[inline]
    pub fn bind(&mut self, var: Var, term: Term) {
        self.bindings.insert(var, term);
    }

    /// Dereferences a term: follows bindings to a constant, a compound term or an unbound variable.
    #[inline]
    pub fn resolve<'a>(&'a self, mut term: &'a Term) -> &'a Term {
        while let Term::Var(var) = term
            && let Some(bound) = self.bindings.get(var)
        {
            term = bound;
        }
        term
    }

    /// The substitution applied to a term.
    #[must_use]
    pub fn apply(&self, term: &Term) -> Term {
        term.rebuilt(&mut |part| match part {
            Term::Var(_) => match self.resolve(part) {
                bound @ Term::Compound(..) => Some(self.apply(bound)),
                other => Some(other.clone()),
            },
            _ => None,
        })
    }

    /// The substitution applied to an atom.
    #[must_use]
    pub fn apply_atom(&self, atom: &Atom) -> Atom {
        Atom {
            name: atom.name,
            args: atom.args.iter().map(|arg| self.apply(arg)).collect(),
        }
    }

    /// The substitution applied to a literal.
    #[must_use]
    pub fn apply_literal(&self, literal: &Literal) -> Literal {
        Literal {
            positive: literal.positive,
            atom: self.apply_atom(&literal.atom),
        }
    }

    /// The substitution applied to a clause.
    #[must_use]
    pub fn apply_clause(&self, clause: &Clause) -> Clause {
        Clause {
            head: self.apply_atom(&clause.head),
            body: clause
                .body
                .iter()
                .map(|literal| self.apply_literal(literal))
                .collect(),
        }
    }
}
