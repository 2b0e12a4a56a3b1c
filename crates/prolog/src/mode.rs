//! Mode declarations: which arguments of a predicate are input, output or constant, and their types.

use crate::term::{Predicate, Symbol};

/// Most arguments of a target or background predicate.
pub const MAX_ARITY: usize = 255;

/// The direction of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// `+`: a variable bound by the head or an earlier literal.
    In,
    /// `-`: a bound or a new variable.
    Out,
    /// `#`: a constant.
    Constant,
}

/// Direction and type of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Argument {
    /// The direction.
    pub direction: Direction,
    /// The type: arguments share variables only within a type.
    pub kind: Symbol,
}

/// A mode declaration of a predicate, which may have several.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mode {
    /// The predicate.
    pub predicate: Predicate,
    /// One entry for each argument of the predicate.
    pub arguments: Vec<Argument>,
    /// Most answers for given inputs; `None` for no limit. With `Some(1)` the mode is determinate: the
    /// outputs are a function of the inputs.
    pub recall: Option<u32>,
}

impl Mode {
    /// Indices of the arguments with this direction.
    #[inline]
    pub fn places(&self, direction: Direction) -> impl Iterator<Item = usize> {
        self.arguments
            .iter()
            .enumerate()
            .filter(move |(_, argument)| argument.direction == direction)
            .map(|(index, _)| index)
    }
}
