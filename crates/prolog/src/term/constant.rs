//! Constants.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::Symbol;

/// A floating point number with a total order, so that it can be compared, sorted and hashed.
#[derive(Clone, Copy, Debug)]
pub struct Real(pub f64);

impl PartialEq for Real {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Real {}

impl PartialOrd for Real {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Real {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Hash for Real {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// An atomic constant: a number, a name or a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Constant {
    /// An integer.
    Int(i64),
    /// A floating point number.
    Real(Real),
    /// A name, such as `rook`, `'White'` or `[]`.
    Symbol(Symbol),
    /// A string in double quotes; the symbol holds its text.
    Text(Symbol),
}
