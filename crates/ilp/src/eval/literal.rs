//! The literal of clauses in numbers.

use std::sync::Arc;

/// An argument of a literal over the variables of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Arg {
    /// A variable, by its number in the clause.
    Var(u32),
    /// A constant, by its number in a list that goes with the clause.
    Const(u32),
    /// A variable that this literal introduces and that has no number yet: the next one of the
    /// clause. Each occurs once.
    New,
}

impl Arg {
    /// The variable, if it is one with a number.
    pub(crate) fn var(self) -> Option<u32> {
        match self {
            Arg::Var(var) => Some(var),
            Arg::Const(_) | Arg::New => None,
        }
    }

    /// Its value, `None` for a new variable.
    pub(crate) fn value(self, value_of: impl Fn(u32) -> u32) -> Option<u32> {
        match self {
            Arg::Var(var) => Some(value_of(var)),
            Arg::Const(constant) => Some(constant),
            Arg::New => None,
        }
    }
}

/// The relation of being equal, which no table lists: its literals have a variable on the left and
/// a variable or constant on the right.
pub(crate) const EQUALS: u32 = u32::MAX;

/// A body literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Lit {
    /// The relation by its number, [`EQUALS`], or in a clause made of modes the mode.
    pub(crate) relation: u32,
    pub(crate) args: Arc<[Arg]>,
    pub(crate) positive: bool,
}

impl Lit {
    /// A positive literal.
    pub(crate) fn positive(relation: u32, args: impl Into<Arc<[Arg]>>) -> Self {
        Self {
            relation,
            args: args.into(),
            positive: true,
        }
    }

    /// A variable is equal to another one, or to a constant.
    pub(crate) fn equal(left: u32, right: Arg) -> Self {
        Self::positive(EQUALS, [Arg::Var(left), right])
    }

    /// Number of variables the literal introduces without naming them.
    pub(crate) fn n_new(&self) -> usize {
        self.args.iter().filter(|arg| **arg == Arg::New).count()
    }

    /// The negation.
    pub(crate) fn negated(&self) -> Lit {
        Self {
            positive: !self.positive,
            ..self.clone()
        }
    }

    /// The same literal over other arguments.
    pub(crate) fn map_args(&self, arg: impl FnMut(Arg) -> Arg) -> Self {
        Self {
            args: self.args.iter().copied().map(arg).collect(),
            ..*self
        }
    }

    /// The same literal with other numbers for its variables.
    pub(crate) fn renamed(&self, mut rename: impl FnMut(u32) -> u32) -> Self {
        self.map_args(|arg| match arg {
            Arg::Var(var) => Arg::Var(rename(var)),
            other => other,
        })
    }

    /// The numbered variables it mentions.
    pub(crate) fn vars(&self) -> impl Iterator<Item = u32> + '_ {
        self.args.iter().filter_map(|arg| arg.var())
    }
}

/// Literals with at most this many arguments need no memory of their own to be looked up.
const INLINE_ARGS: usize = 6;

/// The values of a literal's arguments, `None` for new variables.
#[derive(Debug)]
pub(crate) struct Values {
    inline: [Option<u32>; INLINE_ARGS],
    allocated: Vec<Option<u32>>,
    len: usize,
}

impl Values {
    pub(crate) fn new(args: &[Arg], value_of: impl Fn(u32) -> u32) -> Self {
        let value = |arg: &Arg| arg.value(&value_of);
        let mut inline = [None; INLINE_ARGS];
        let mut allocated = Vec::new();
        if args.len() <= INLINE_ARGS {
            inline
                .iter_mut()
                .zip(args)
                .for_each(|(slot, arg)| *slot = value(arg));
        } else {
            allocated.extend(args.iter().map(value));
        }
        Self {
            inline,
            allocated,
            len: args.len(),
        }
    }

    pub(crate) fn as_slice(&self) -> &[Option<u32>] {
        if self.len <= INLINE_ARGS {
            &self.inline[..self.len]
        } else {
            &self.allocated
        }
    }
}
