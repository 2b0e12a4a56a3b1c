//! The mode declarations of a task, in numbers.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::pattern::Arg;
use crate::mode::{Argument, Direction};
use crate::task::Bias;
use crate::term::{Predicate, Symbol};

/// A type of arguments.
pub(in crate::learn) type Kind = u16;

/// What clauses may look like: the head, and the modes of body literals.
#[derive(Clone, Debug)]
pub(in crate::learn) struct Language {
    pub(in crate::learn) target: Predicate,
    pub(in crate::learn) head: Vec<(Direction, Kind)>,
    pub(in crate::learn) modes: Vec<ModeUse>,
    /// Ways of asking predicates; modes that differ in constants only share one.
    pub(in crate::learn) accesses: Vec<Access>,
}

/// One mode of a body literal.
#[derive(Clone, Debug)]
pub(in crate::learn) struct ModeUse {
    pub(in crate::learn) access: usize,
    pub(in crate::learn) args: Vec<(Direction, Kind)>,
    /// Most answers to one call that the bottom clause takes.
    pub(in crate::learn) recall: usize,
}

/// A predicate with the places of what is given and of what is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::learn) struct Access {
    pub(in crate::learn) predicate: Predicate,
    pub(in crate::learn) inputs: Vec<usize>,
    pub(in crate::learn) outputs: Vec<usize>,
}

impl ModeUse {
    /// Places that calls fill.
    pub(in crate::learn) fn is_determinate(&self) -> bool {
        self.recall == 1
    }
}

impl Language {
    /// The language of a bias. Literals of the target itself are left out.
    pub(in crate::learn) fn new(bias: &Bias) -> Self {
        let mut kinds: IndexSet<Symbol, FxBuildHasher> = IndexSet::default();
        let mut accesses: IndexSet<Access, FxBuildHasher> = IndexSet::default();
        let mut numbered = |argument: &Argument| {
            let kind = kinds.insert_full(argument.kind).0;
            let kind = Kind::try_from(kind).expect("fewer than 2^16 types");
            (argument.direction, kind)
        };
        let head = bias.head.arguments.iter().map(&mut numbered).collect();
        let target = bias.head.predicate;
        let others = (bias.body.iter()).filter(|mode| mode.predicate != target);
        let modes = others.map(|mode| {
            let (inputs, outputs) = (0..mode.arguments.len())
                .partition(|&place| mode.arguments[place].direction == Direction::In);
            let access = Access {
                predicate: mode.predicate,
                inputs,
                outputs,
            };
            ModeUse {
                access: accesses.insert_full(access).0,
                args: mode.arguments.iter().map(&mut numbered).collect(),
                recall: mode.recall.map_or(usize::MAX, |recall| recall as usize),
            }
        });
        let modes = modes.collect();
        Self {
            target,
            head,
            modes,
            accesses: accesses.into_iter().collect(),
        }
    }

    /// The access of a mode.
    pub(in crate::learn) fn access(&self, mode: usize) -> &Access {
        &self.accesses[self.modes[mode].access]
    }

    /// Whether literals may take a variable of the head from the start.
    pub(in crate::learn) fn head_is_input(&self, head: &[Arg], var: usize) -> bool {
        let is_it = |arg: &Arg| matches!(arg, Arg::Var(own) if usize::from(*own) == var);
        let mut args = head.iter().zip(&self.head);
        args.any(|(arg, (direction, _))| is_it(arg) && *direction == Direction::In)
    }
}
