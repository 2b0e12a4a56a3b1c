use crate::term::{Constant, Symbol};

/// Marks an address in the ground terms of the database rather than on the heap.
pub(super) const STATIC: u32 = 1 << 31;

/// One word of the prover's memory.
///
/// A variable is a [`Cell::Ref`]: to itself while unbound, to its value once bound. A compound term
/// is a [`Cell::Struct`] that points to a [`Cell::Functor`] followed by its arguments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    Ref(u32),
    Const(Constant),
    Struct(u32),
    Functor(Symbol, u32),
}
