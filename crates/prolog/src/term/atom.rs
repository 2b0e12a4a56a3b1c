//! Predicates, atoms and literals.

use std::sync::Arc;

use super::{Constant, Symbol, Term, Var};

/// A predicate: its name and number of arguments, written `name/arity`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Predicate {
    /// Its name.
    pub name: Symbol,
    /// Its number of arguments.
    pub arity: usize,
}

/// A predicate applied to arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom {
    /// The name of the predicate.
    pub name: Symbol,
    /// The arguments, shared between clones.
    pub args: Arc<[Term]>,
}

impl Atom {
    /// The predicate `name` applied to `args`.
    pub fn new(name: Symbol, args: impl IntoIterator<Item = Term>) -> Self {
        Self {
            name,
            args: args.into_iter().collect(),
        }
    }

    /// Name and arity.
    #[inline]
    pub fn predicate(&self) -> Predicate {
        Predicate {
            name: self.name,
            arity: self.args.len(),
        }
    }

    /// Whether no variable occurs.
    #[inline]
    pub fn is_ground(&self) -> bool {
        self.args.iter().all(Term::is_ground)
    }

    /// Calls `visit` for every occurrence of a variable, from left to right.
    pub fn for_each_var(&self, visit: &mut impl FnMut(Var)) {
        self.args.iter().for_each(|arg| arg.for_each_var(visit));
    }

    /// The atom with every variable replaced.
    #[must_use]
    pub fn map_vars(&self, replace: &mut impl FnMut(Var) -> Term) -> Atom {
        Atom {
            name: self.name,
            args: self.args.iter().map(|arg| arg.map_vars(replace)).collect(),
        }
    }

    /// The atom as a term.
    #[inline]
    pub fn to_term(&self) -> Term {
        if self.args.is_empty() {
            Term::symbol(self.name)
        } else {
            Term::Compound(self.name, Arc::clone(&self.args))
        }
    }

    /// A name or compound term as an atom; `None` for numbers, strings and variables.
    #[inline]
    pub fn from_term(term: &Term) -> Option<Atom> {
        match term {
            Term::Const(Constant::Symbol(name)) => Some(Atom {
                name: *name,
                args: Arc::from([]),
            }),
            Term::Compound(name, args) => Some(Atom {
                name: *name,
                args: Arc::clone(args),
            }),
            Term::Var(_) | Term::Const(_) => None,
        }
    }
}

/// An atom or its negation as failure, in the body of a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    /// False for `\+ atom`.
    pub positive: bool,
    /// The atom that is asserted or negated.
    pub atom: Atom,
}

impl Literal {
    /// The positive literal `atom`.
    #[inline]
    pub fn positive(atom: Atom) -> Self {
        Self {
            positive: true,
            atom,
        }
    }

    /// The negative literal `\+ atom`.
    #[inline]
    pub fn negative(atom: Atom) -> Self {
        Self {
            positive: false,
            atom,
        }
    }

    /// The literal with every variable replaced.
    #[must_use]
    pub fn map_vars(&self, replace: &mut impl FnMut(Var) -> Term) -> Literal {
        Literal {
            positive: self.positive,
            atom: self.atom.map_vars(replace),
        }
    }
}
