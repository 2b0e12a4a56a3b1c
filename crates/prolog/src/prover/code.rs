use rustc_hash::FxHashMap;

use super::builtin::Builtin;
use crate::term::{Constant, Predicate, Symbol, Term};

/// Marks an index into the code of a query rather than of the database.
pub(super) const DYNAMIC: u32 = 1 << 31;

/// A run of goals or arguments in a [`Code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) len: u32,
}

/// An argument as written in a clause.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg {
    /// A variable, by its place in the clause's environment.
    Var(u32),
    Const(Constant),
    /// A ground compound term of the database.
    Static(u32),
    Struct(Symbol, Span),
}

/// Which predicate a goal calls.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// An entry of the database.
    Entry(u32),
    /// A predicate that the database does not mention.
    Named(Predicate),
}

/// A goal in the body of a clause.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal {
    Call(Target, Span),
    Builtin(Builtin, Span),
    Not(Span),
    Or(Span, Span),
    IfThenElse(Span, Span, Span),
    /// Forgets the choices made since the frame was entered.
    Cut,
    Fail,
    /// `call(Goal, Extra...)`
    CallTerm(Span),
    /// `findall`: the block ends in [`Goal::Collect`].
    Findall {
        block: Span,
        result: Span,
    },
    /// `catch(Goal, Catcher, Recovery)`: the block ends in [`Goal::EndCatch`]; then the others.
    Catch {
        block: Span,
        otherwise: Span,
    },
    /// The goal of a `catch` has succeeded.
    EndCatch,
    /// Copies its argument into the collection of the innermost `findall` and fails.
    Collect(Span),
}

/// A rule, or a fact that is not ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) head: Span,
    pub(super) body: Span,
    pub(super) n_vars: u32,
}

/// Goals and arguments of many clauses, each in one flat list.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) goals: Vec<Goal>,
    pub(super) args: Vec<Arg>,
}

impl Code {
    /// Where every query's code keeps the two goals that end a negation whose block succeeded.
    pub(super) const REFUSE: u32 = 0;

    /// Becomes the code of a query that has nothing but the goals at [`Code::REFUSE`].
    pub(super) fn restart(&mut self) {
        self.goals.clear();
        self.goals.extend([Goal::Cut, Goal::Fail]);
        self.args.clear();
    }
}

/// A condition of a rule's head on the constants of an example, checked before unification.
#[derive(Clone, Copy, Debug)]
pub(super) enum HeadCheck {
    /// Two arguments are one variable.
    Same(usize, usize),
    /// An argument is a constant.
    Is(usize, Constant),
}

impl HeadCheck {
    /// The checks of a head with these arguments.
    pub(super) fn all(head: &[Term]) -> Box<[Self]> {
        let check = |(i, arg): (usize, &Term)| match arg {
            Term::Const(constant) => Some(Self::Is(i, *constant)),
            Term::Var(_) => {
                let earlier = head[..i].iter().position(|own| own == arg);
                earlier.map(|j| Self::Same(j, i))
            }
            Term::Compound(..) => None,
        };
        head.iter().enumerate().filter_map(check).collect()
    }

    /// Whether no unifier can exist.
    pub(super) fn refutes(self, args: &[Term]) -> bool {
        match self {
            Self::Same(i, j) => {
                matches!((&args[i], &args[j]), (Term::Const(a), Term::Const(b)) if a != b)
            }
            Self::Is(i, constant) => matches!(&args[i], Term::Const(own) if *own != constant),
        }
    }
}

/// Clauses made ready for one database, to be run on many examples.
#[derive(Clone, Debug)]
pub struct PreparedTheory {
    pub(super) code: Code,
    /// Rules in the order they were given, with their heads.
    pub(super) rules: Vec<(Predicate, Rule)>,
    /// For each rule the conditions of its head on constants.
    pub(super) checks: Vec<Box<[HeadCheck]>>,
    /// The same rules by predicate, for recursive calls; empty where no clause calls another.
    pub(super) by_predicate: FxHashMap<Predicate, Vec<Rule>>,
}
