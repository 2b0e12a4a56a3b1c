//! Dimensional analysis of constraints.

use std::convert::Infallible;
use std::str::FromStr;

use crate::constraint::{Constraint, ConstraintKind};

/// The physical dimension of a variable: a base, divided by time n times, as in `level/time`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    base: String,
    per_time: usize,
}

impl FromStr for Dimension {
    type Err = Infallible;

    /// Reads a name, followed by `/time` for each division by time.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let base = text.trim_end_matches("/time");
        Ok(Self {
            base: base.to_owned(),
            per_time: (text.len() - base.len()) / "/time".len(),
        })
    }
}

/// Whether a constraint is dimensionally homogeneous: it adds and equates quantities of one
/// dimension. Monotonic functions may map any dimension to any other; products are not checked.
pub(super) fn is_homogeneous(constraint: &Constraint, dimensions: &[Dimension]) -> bool {
    let of = |argument: usize| &dimensions[constraint.variables[argument]];
    match constraint.kind {
        ConstraintKind::Add => of(0) == of(1) && of(1) == of(2),
        ConstraintKind::Minus => of(0) == of(1),
        ConstraintKind::Deriv => of(0).base == of(1).base && of(0).per_time + 1 == of(1).per_time,
        _ => true,
    }
}
