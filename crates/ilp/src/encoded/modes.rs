//! The mode declarations of a task, in numbers.

use indexmap::IndexSet;
use kibitz_prolog::{Argument, Direction, Predicate, Symbol};
use rustc_hash::FxBuildHasher;

use super::dictionary::number;
use crate::task::Bias;

/// A type of arguments.
pub(crate) type Kind = u32;

/// The language of clauses: the mode of the head, and those of body literals.
#[derive(Clone, Debug)]
pub(crate) struct Language {
    pub(crate) target: Predicate,
    pub(crate) head: Vec<(Direction, Kind)>,
    pub(crate) modes: Vec<BodyMode>,
    /// Accesses to predicates; modes that differ in constants only share one.
    pub(crate) accesses: Vec<Access>,
    /// The types by number.
    pub(crate) kinds: Vec<Symbol>,
}

/// One mode of a body literal.
#[derive(Clone, Debug)]
pub(crate) struct BodyMode {
    pub(crate) access: usize,
    pub(crate) args: Vec<(Direction, Kind)>,
    /// Most answers to one call that the bottom clause takes.
    pub(crate) recall: usize,
}

/// A predicate with the places of its inputs and of its outputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Access {
    pub(crate) predicate: Predicate,
    pub(crate) inputs: Vec<usize>,
    pub(crate) outputs: Vec<usize>,
}

impl BodyMode {
    /// Whether calls have one answer at most.
    pub(crate) fn is_determinate(&self) -> bool {
        self.recall == 1
    }
}

impl Language {
    /// The language of a bias. Literals of the target itself are left out.
    pub(crate) fn new(bias: &Bias) -> Self {
        let mut kinds: IndexSet<Symbol, FxBuildHasher> = IndexSet::default();
        let mut accesses: IndexSet<Access, FxBuildHasher> = IndexSet::default();
        let mut numbered = |argument: &Argument| {
            let kind = kinds.insert_full(argument.kind).0;
            (argument.direction, number(kind))
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
            BodyMode {
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
            kinds: kinds.into_iter().collect(),
        }
    }

    /// The access of a mode.
    pub(crate) fn access(&self, mode: usize) -> &Access {
        &self.accesses[self.modes[mode].access]
    }
}
