//! Terms and variables.

use std::sync::Arc;

use super::{Constant, Symbol};

/// Deepest nesting of terms that are read or built by the prover, other than along a list.
pub const MAX_NESTING: usize = 1_000;
/// Longest list that is read or built by the prover as a [`Term`].
pub const MAX_LIST_LENGTH: usize = 10_000;

/// A variable of one clause, numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub u32);

impl Var {
    /// The number as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable, an atomic constant, or a function symbol with arguments.
///
/// Arguments are shared, so that cloning a term costs at most one reference count. Comparison, hashing
/// and dropping recurse: terms that are read or proved have at most [`MAX_NESTING`] levels besides the
/// items of lists, and lists have at most [`MAX_LIST_LENGTH`] items.
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
    #[inline]
    pub fn var(number: u32) -> Self {
        Term::Var(Var(number))
    }

    /// An integer.
    #[inline]
    pub fn int(value: i64) -> Self {
        Term::Const(Constant::Int(value))
    }

    /// A name.
    #[inline]
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
    #[inline]
    pub fn cons(head: Term, tail: Term) -> Self {
        Term::Compound(Symbol::CONS, Arc::from([head, tail]))
    }

    /// The conjuncts of a conjunction `a, b, c`, or the term itself.
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
    #[inline]
    pub fn is_ground(&self) -> bool {
        self.all_parts(&mut |part| !matches!(part, Term::Var(_)))
    }

    /// Whether the variable occurs.
    #[inline]
    pub fn contains_var(&self, var: Var) -> bool {
        !self.all_parts(&mut |part| *part != Term::Var(var))
    }

    /// Calls `visit` for every occurrence of a variable, from left to right.
    pub fn for_each_var(&self, visit: &mut impl FnMut(Var)) {
        self.all_parts(&mut |part| {
            if let Term::Var(var) = part {
                visit(*var);
            }
            true
        });
    }

    /// Whether a condition holds for the term and all its subterms, in preorder; stops at the first
    /// failure.
    ///
    /// Iterates over the last argument, so that long lists take no stack.
    pub fn all_parts(&self, holds: &mut impl FnMut(&Term) -> bool) -> bool {
        let mut term = self;
        while holds(term) {
            let Term::Compound(_, args) = term else {
                return true;
            };
            let Some((last, rest)) = args.split_last() else {
                return true;
            };
            if !rest.iter().all(|arg| arg.all_parts(holds)) {
                return false;
            }
            term = last;
        }
        false
    }

    /// One-sided matching: whether a substitution of this term's variables yields `target`, whose own
    /// variables count as constants. `bind` receives the bindings from left to right and returns
    /// whether a binding agrees with the earlier ones.
    ///
    /// Iterates over the last argument, so that long lists take no stack.
    pub fn matches(&self, target: &Self, bind: &mut impl FnMut(Var, &Self) -> bool) -> bool {
        let (mut pattern, mut target) = (self, target);
        loop {
            let (args, others) = match (pattern, target) {
                (Self::Var(var), _) => return bind(*var, target),
                (Self::Compound(f, args), Self::Compound(g, others))
                    if f == g && args.len() == others.len() =>
                {
                    (args, others)
                }
                _ => return pattern == target,
            };
            let (Some((last, args)), Some((other, others))) =
                (args.split_last(), others.split_last())
            else {
                return true;
            };
            let mut pairs = args.iter().zip(others);
            if !pairs.all(|(arg, other)| arg.matches(other, bind)) {
                return false;
            }
            (pattern, target) = (last, other);
        }
    }

    /// The term with subterms replaced, in preorder: where `replace` returns a term, it replaces the
    /// whole subterm.
    ///
    /// Iterates over the last argument, so that long lists take no stack.
    pub(crate) fn rebuilt(&self, replace: &mut impl FnMut(&Term) -> Option<Term>) -> Term {
        let mut spine = Vec::new();
        let mut term = self;
        let mut last = loop {
            if let Some(other) = replace(term) {
                break other;
            }
            let Term::Compound(functor, args) = term else {
                break term.clone();
            };
            let Some((last, rest)) = args.split_last() else {
                break term.clone();
            };
            let mut own = Vec::with_capacity(args.len());
            own.extend(rest.iter().map(|arg| arg.rebuilt(replace)));
            spine.push((*functor, own));
            term = last;
        };
        while let Some((functor, mut args)) = spine.pop() {
            args.push(last);
            last = Term::Compound(functor, args.into());
        }
        last
    }

    /// The term with every variable replaced; a ground term stays shared.
    #[must_use]
    pub fn map_vars(&self, replace: &mut impl FnMut(Var) -> Term) -> Term {
        if self.is_ground() {
            return self.clone();
        }
        self.rebuilt(&mut |part| match part {
            Term::Var(var) => Some(replace(*var)),
            _ => None,
        })
    }

    /// Number of occurrences of symbols, constants and variables.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.all_parts(&mut |_| {
            size += 1;
            true
        });
        size
    }
}

/// The height of a term.
///
/// Terms built from outside input must keep within [`Height::fits`], so that recursion over terms fits
/// the stack: it may descend into all arguments but the last, and into the last one if a level takes
/// little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Height {
    /// Levels, steps from a list to its tail excluded.
    nesting: usize,
    /// All levels.
    levels: usize,
}

impl Height {
    /// The height of a function symbol over arguments.
    pub(crate) fn over(functor: Symbol, args: impl IntoIterator<Item = Height>) -> Self {
        let (mut nesting, mut levels, mut last) = (0, 0, None);
        for arg in args {
            nesting = nesting.max(last.map_or(0, |last| last + 1));
            levels = levels.max(arg.levels);
            last = Some(arg.nesting);
        }
        // The tail of a list is not nested.
        let step = usize::from(functor != Symbol::CONS);
        Self {
            nesting: nesting.max(last.unwrap_or(0) + step),
            levels: levels + 1,
        }
    }

    /// Whether the height is within the limits.
    pub(crate) fn fits(self) -> bool {
        self.nesting <= MAX_NESTING && self.levels <= MAX_NESTING + MAX_LIST_LENGTH
    }
}
