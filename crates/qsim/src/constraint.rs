//! The constraints of a qualitative differential equation.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::quantity::Magnitude;

/// The kind of a constraint: the relation between its variables.
///
/// # Source
/// Kuipers 1986, Qualitative simulation, Artificial Intelligence 29 (3), 289–338; the six of
/// Morales 1992, section 8.1, and `constant`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConstraintKind {
    /// X + Y = Z.
    Add,
    /// X · Y = Z.
    Mult,
    /// X = −Y.
    Minus,
    /// Y is a strictly increasing function of X.
    MPlus,
    /// Y is a strictly decreasing function of X.
    MMinus,
    /// Y is the derivative of X.
    Deriv,
    /// X does not change.
    Constant,
}

impl ConstraintKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Add,
        Self::Mult,
        Self::Minus,
        Self::MPlus,
        Self::MMinus,
        Self::Deriv,
        Self::Constant,
    ];

    /// Number of variables it takes.
    pub fn arity(self) -> usize {
        match self {
            Self::Add | Self::Mult => 3,
            Self::Minus | Self::MPlus | Self::MMinus | Self::Deriv => 2,
            Self::Constant => 1,
        }
    }

    /// Its name in system files: `m_plus`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Mult => "mult",
            Self::Minus => "minus",
            Self::MPlus => "m_plus",
            Self::MMinus => "m_minus",
            Self::Deriv => "deriv",
            Self::Constant => "constant",
        }
    }

    /// Its formula over variables of these names: `x + y = z`.
    pub fn reads(self, names: &[&str]) -> String {
        match (self, names) {
            (Self::Add, [x, y, z]) => format!("{x} + {y} = {z}"),
            (Self::Mult, [x, y, z]) => format!("{x} * {y} = {z}"),
            (Self::Minus, [x, y]) => format!("{x} = -{y}"),
            (Self::MPlus, [x, y]) => format!("{y} = M+({x})"),
            (Self::MMinus, [x, y]) => format!("{y} = M-({x})"),
            (Self::Deriv, [x, y]) => format!("d/dt {x} = {y}"),
            (Self::Constant, [x]) => format!("{x} constant"),
            _ => format!("{}({})", self.name(), names.join(", ")),
        }
    }
}

/// A constraint on variables, given by their indices in the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// Its kind.
    pub kind: ConstraintKind,
    /// Its arguments, in the order of [`ConstraintKind`].
    pub variables: Vec<usize>,
    /// Corresponding values: rows of landmarks, one for each argument, at which it holds.
    pub corresponding: Vec<Vec<Magnitude>>,
}

impl Constraint {
    /// A constraint without corresponding values.
    pub fn new(kind: ConstraintKind, variables: impl Into<Vec<usize>>) -> Self {
        Self {
            kind,
            variables: variables.into(),
            corresponding: Vec::new(),
        }
    }

    /// The same with one more row of corresponding values.
    #[must_use]
    pub fn at(mut self, landmarks: impl Into<Vec<Magnitude>>) -> Self {
        self.corresponding.push(landmarks.into());
        self
    }
}

/// Why a constraint is ill-formed over its variables.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// Too few or too many variables.
    #[error("`{}` takes {} variable{}, not {found}", kind.name(), kind.arity(), if kind.arity() == 1 { "" } else { "s" })]
    Arity {
        /// The kind of the constraint.
        kind: ConstraintKind,
        /// The number of variables given.
        found: usize,
    },
    /// An index that no variable has.
    #[error("no variable {index}")]
    NoVariable {
        /// The index.
        index: usize,
    },
    /// The constraint needs signs, and this argument's space has no zero.
    #[error("`{}` needs the landmark `0` here", kind.name())]
    NoZero {
        /// The kind of the constraint.
        kind: ConstraintKind,
        /// Index among the constraint's arguments.
        argument: usize,
    },
    /// This kind has no corresponding values.
    #[error("`{}` has no corresponding values", kind.name())]
    NoCorresponding {
        /// The kind of the constraint.
        kind: ConstraintKind,
    },
    /// A row that is too short or too long.
    #[error("a row of corresponding values has {expected} landmarks, not {found}")]
    RowLength {
        /// Index of the row.
        row: usize,
        /// The arity of the constraint.
        expected: usize,
        /// Landmarks in the row.
        found: usize,
    },
    /// A corresponding value that is not a landmark of the argument's space.
    #[error("corresponding values are landmarks")]
    NotALandmark {
        /// Index of the row.
        row: usize,
        /// Index in the row.
        argument: usize,
    },
    /// An infinite corresponding value of a sum or product, which would imply nothing.
    #[error("corresponding values of `{}` are finite", kind.name())]
    Infinite {
        /// The kind of the constraint.
        kind: ConstraintKind,
        /// Index of the row.
        row: usize,
        /// Index in the row.
        argument: usize,
    },
    /// Two rows cannot both hold.
    #[error("contradictory corresponding values: the row contradicts {other}")]
    Contradictory {
        /// Index of the row.
        row: usize,
        /// The contradicted item: an earlier row, signs or infinities, in words.
        other: String,
    },
}

/// The reason for which a constraint refuses a tuple of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Objection {
    /// The directions of change are inconsistent.
    Directions,
    /// The signs of the magnitudes are inconsistent.
    Signs,
    /// The magnitudes contradict this row of corresponding values.
    Corresponding(usize),
    /// Finite and infinite values are inconsistent.
    Infinite,
}

impl fmt::Display for ConstraintKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
