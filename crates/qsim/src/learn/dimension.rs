//! What quantities are quantities of.

use std::convert::Infallible;
use std::str::FromStr;

use crate::constraint::{Constraint, ConstraintKind};

/// What a quantity is a quantity of, and how often it is divided by time: `level`, `level/time`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    of: String,
    per_time: usize,
}

impl FromStr for Dimension {
    type Err = Infallible;

    /// Reads a name, followed by `/time` for each division by time.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        let of = text.trim_end_matches("/time");
        Ok(Self {
            of: of.to_owned(),
            per_time: (text.len() - of.len()) / "/time".len(),
        })
    }
}

/// Whether a constraint compares and adds only what is of one dimension. Functions may lead from
/// anything to anything, and what is multiplied is not looked at.
pub(super) fn fits(constraint: &Constraint, dimensions: &[Dimension]) -> bool {
    let of = |argument: usize| &dimensions[constraint.variables[argument]];
    match constraint.kind {
        ConstraintKind::Add => of(0) == of(1) && of(1) == of(2),
        ConstraintKind::Minus => of(0) == of(1),
        ConstraintKind::Deriv => of(0).of == of(1).of && of(0).per_time + 1 == of(1).per_time,
        _ => true,
    }
}
