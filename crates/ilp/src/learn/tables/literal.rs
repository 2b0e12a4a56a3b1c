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

/// A literal that may be added to a clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::learn) enum Lit {
    /// A relation, by number.
    Rel {
        relation: u32,
        args: Vec<Arg>,
        positive: bool,
    },
    /// Two variables are equal, or not.
    Same {
        left: u32,
        right: u32,
        positive: bool,
    },
    /// A variable has a value, or not.
    Value {
        var: u32,
        value: u32,
        positive: bool,
    },
}

impl Lit {
    /// Number of variables the literal introduces.
    pub(in crate::learn) fn n_new(&self) -> usize {
        match self {
            Lit::Rel { args, .. } => args.iter().filter(|arg| **arg == Arg::New).count(),
            Lit::Same { .. } | Lit::Value { .. } => 0,
        }
    }

    pub(in crate::learn) fn negated(&self) -> Lit {
        let mut lit = self.clone();
        match &mut lit {
            Lit::Rel { positive, .. }
            | Lit::Same { positive, .. }
            | Lit::Value { positive, .. } => {
                *positive = !*positive;
            }
        }
        lit
    }

    /// The bound variables it mentions.
    pub(in crate::learn) fn vars(&self) -> Vec<u32> {
        match self {
            Lit::Rel { args, .. } => args
                .iter()
                .filter_map(|arg| {
                    if let Arg::Var(var) = arg {
                        Some(*var)
                    } else {
                        None
                    }
                })
                .collect(),
            Lit::Same { left, right, .. } => vec![*left, *right],
            Lit::Value { var, .. } => vec![*var],
        }
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
