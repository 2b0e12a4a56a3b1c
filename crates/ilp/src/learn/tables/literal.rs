/// An argument of a literal over the variables of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::learn) enum Arg {
    /// A variable that head or earlier literals bind.
    Var(u32),
    /// A constant, by term number.
    Const(u32),
    /// A variable that this literal introduces; each one occurs once.
    New,
}

impl Arg {
    /// Its value, `None` for a new variable.
    pub(in crate::learn) fn value(self, value_of: impl Fn(u32) -> u32) -> Option<u32> {
        match self {
            Arg::Var(var) => Some(value_of(var)),
            Arg::Const(constant) => Some(constant),
            Arg::New => None,
        }
    }
}

/// The relation of being equal, which no table lists: its literals have a variable on the left and
/// a variable or constant on the right.
pub(in crate::learn) const EQUALS: u32 = u32::MAX;

/// A literal that may be added to a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::learn) struct Lit {
    /// The relation by number, or [`EQUALS`].
    pub(in crate::learn) relation: u32,
    pub(in crate::learn) args: Vec<Arg>,
    pub(in crate::learn) positive: bool,
}

impl Lit {
    /// A variable is equal to another one, or to a constant.
    pub(in crate::learn) fn equal(left: u32, right: Arg) -> Self {
        Self {
            relation: EQUALS,
            args: vec![Arg::Var(left), right],
            positive: true,
        }
    }

    /// Number of variables the literal introduces.
    pub(in crate::learn) fn n_new(&self) -> usize {
        self.args.iter().filter(|arg| **arg == Arg::New).count()
    }

    pub(in crate::learn) fn negated(&self) -> Lit {
        Self {
            positive: !self.positive,
            ..self.clone()
        }
    }

    /// The bound variables it mentions.
    pub(in crate::learn) fn vars(&self) -> impl Iterator<Item = u32> + '_ {
        self.args.iter().filter_map(|arg| match arg {
            Arg::Var(var) => Some(*var),
            Arg::Const(_) | Arg::New => None,
        })
    }
}

/// Literals with at most this many arguments need no memory of their own to be looked up.
const INLINE_ARGS: usize = 6;

/// The values of a literal's arguments, `None` for new variables.
#[derive(Debug)]
pub(in crate::learn) struct Values {
    inline: [Option<u32>; INLINE_ARGS],
    allocated: Vec<Option<u32>>,
    len: usize,
}

impl Values {
    pub(in crate::learn) fn new(args: &[Arg], value_of: impl Fn(u32) -> u32) -> Self {
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

    pub(in crate::learn) fn as_slice(&self) -> &[Option<u32>] {
        if self.len <= INLINE_ARGS {
            &self.inline[..self.len]
        } else {
            &self.allocated
        }
    }
}
