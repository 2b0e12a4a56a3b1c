//! Typed modes of predicates: which arguments must be known, and which are computed.

use crate::term::{Predicate, Symbol};

/// Most arguments of a predicate to learn or to learn with.
pub const MAX_ARITY: usize = 255;

/// How an argument of a literal may be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// `+`: a variable bound by the head or an earlier literal.
    In,
    /// `-`: a bound variable or a new one.
    Out,
    /// `#`: a constant.
    Constant,
}

/// Direction and type of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Argument {
    /// How it may be filled.
    pub direction: Direction,
    /// Variables are only shared between arguments of one type.
    pub kind: Symbol,
}

/// One way of using a predicate; a predicate may have several.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mode {
    /// The predicate.
    pub predicate: Predicate,
    /// As many arguments as the predicate has.
    pub arguments: Vec<Argument>,
    /// Most answers for one choice of inputs; `None` for no limit. With `Some(1)` the outputs are
    /// a function of the inputs.
    pub recall: Option<u32>,
}

impl Mode {
    /// Places of the arguments with this direction.
    pub fn places(&self, direction: Direction) -> impl Iterator<Item = usize> {
        self.arguments
            .iter()
            .enumerate()
            .filter(move |(_, argument)| argument.direction == direction)
            .map(|(place, _)| place)
    }
}
