use std::sync::Arc;

use super::{Constant, Symbol};

/// A variable of one clause, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

impl Var {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable, an atomic constant, or a function symbol with arguments.
///
/// Arguments are shared, so that cloning a term costs at most one reference count.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A variable.
    Var(Var),
    /// A number, name or string.
    Const(Constant),
    /// A function symbol with at least one argument.
    Compound(Symbol, Arc<[Term]>),
}

impl Term {
    /// The empty list.
    pub const NIL: Term = Term::Const(Constant::Symbol(Symbol::NIL));

    /// The variable with this number.
    pub fn var(number: u32) -> Self {
        Term::Var(Var(number))
    }

    /// A whole number.
    pub fn int(value: i64) -> Self {
        Term::Const(Constant::Int(value))
    }

    /// A name.
    pub fn symbol(symbol: Symbol) -> Self {
        Term::Const(Constant::Symbol(symbol))
    }

    /// A function symbol applied to arguments; without arguments, the name itself.
    pub fn compound(functor: Symbol, args: impl IntoIterator<Item = Term>) -> Self {
        let args: Arc<[Term]> = args.into_iter().collect();
        if args.is_empty() {
            Term::symbol(functor)
        } else {
            Term::Compound(functor, args)
        }
    }

    /// The list `[head|tail]`.
    pub fn cons(head: Term, tail: Term) -> Self {
        Term::Compound(Symbol::CONS, Arc::from([head, tail]))
    }

    /// The parts of a conjunction or tuple `a, b, c`; a single term for anything else.
    pub fn conjuncts(&self) -> Vec<&Term> {
        let mut parts = Vec::new();
        let mut rest = self;
        while let Term::Compound(Symbol::COMMA, args) = rest
            && args.len() == 2
        {
            parts.push(&args[0]);
            rest = &args[1];
        }
        parts.push(rest);
        parts
    }

    /// Whether no variable occurs.
    pub fn is_ground(&self) -> bool {
        match self {
            Term::Var(_) => false,
            Term::Const(_) => true,
            Term::Compound(_, args) => args.iter().all(Term::is_ground),
        }
    }

    /// Whether the variable occurs.
    pub fn contains_var(&self, var: Var) -> bool {
        match self {
            Term::Var(own) => *own == var,
            Term::Const(_) => false,
            Term::Compound(_, args) => args.iter().any(|arg| arg.contains_var(var)),
        }
    }

    /// Calls `visit` for every occurrence of a variable, from left to right.
    pub fn for_each_var(&self, visit: &mut impl FnMut(Var)) {
        match self {
            Term::Var(var) => visit(*var),
            Term::Const(_) => {}
            Term::Compound(_, args) => args.iter().for_each(|arg| arg.for_each_var(visit)),
        }
    }

    /// The term with every variable replaced; unchanged parts stay shared.
    #[must_use]
    pub fn map_vars(&self, replace: &mut impl FnMut(Var) -> Term) -> Term {
        match self {
            Term::Var(var) => replace(*var),
            Term::Const(_) => self.clone(),
            Term::Compound(_, args) if args.iter().all(Term::is_ground) => self.clone(),
            Term::Compound(functor, args) => Term::Compound(
                *functor,
                args.iter().map(|arg| arg.map_vars(replace)).collect(),
            ),
        }
    }

    /// Number of symbols, constants and variables the term is written with.
    pub fn size(&self) -> usize {
        match self {
            Term::Var(_) | Term::Const(_) => 1,
            Term::Compound(_, args) => 1 + args.iter().map(Term::size).sum::<usize>(),
        }
    }
}
