//! The constraints of a qualitative differential equation.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::quantity::Magnitude;

/// What a constraint says of its variables.
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

    /// How many variables it takes.
    pub fn arity(self) -> usize {
        match self {
            Self::Add | Self::Mult => 3,
            Self::Minus | Self::MPlus | Self::MMinus | Self::Deriv => 2,
            Self::Constant => 1,
        }
    }

    /// As in a system file: `m_plus`.
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

    /// What it says of variables of these names.
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

/// A constraint on variables, which are named by their index in the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// What it says.
    pub kind: ConstraintKind,
    /// Of which variables, in the order of [`ConstraintKind`].
    pub variables: Vec<usize>,
    /// Landmarks that its variables have together, one row for each occasion.
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

    /// With one more row of corresponding values.
    #[must_use]
    pub fn at(mut self, landmarks: impl Into<Vec<Magnitude>>) -> Self {
        self.corresponding.push(landmarks.into());
        self
    }
}

/// Why a constraint makes no sense of its variables.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// Too few or too many variables.
    #[error("`{}` takes {} variable{}, not {found}", kind.name(), kind.arity(), if kind.arity() == 1 { "" } else { "s" })]
    Arity {
        /// What was to be said.
        kind: ConstraintKind,
        /// Of how many variables.
        found: usize,
    },
    /// An index that no variable has.
    #[error("there is no variable {index}")]
    NoVariable {
        /// The index.
        index: usize,
    },
    /// The constraint is about signs, and this argument's space has no zero.
    #[error("`{}` needs the landmark `0` here", kind.name())]
    NoZero {
        /// What was to be said.
        kind: ConstraintKind,
        /// Index among the constraint's arguments.
        argument: usize,
    },
    /// This kind has no corresponding values.
    #[error("`{}` has no corresponding values", kind.name())]
    NoCorresponding {
        /// What was to be said.
        kind: ConstraintKind,
    },
    /// A row that is too short or too long.
    #[error("a row of corresponding values has {expected} landmarks, not {found}")]
    RowLength {
        /// Index of the row.
        row: usize,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Corresponding values are landmarks of the variables' spaces.
    #[error("corresponding values are landmarks")]
    NotALandmark {
        /// Index of the row.
        row: usize,
        /// Index in the row.
        argument: usize,
    },
    /// Sums and products at infinity say nothing about the sums and products beside them.
    #[error("corresponding values of `{}` are finite", kind.name())]
    Infinite {
        /// What was to be said.
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
        /// What it contradicts, in words.
        other: String,
    },
}

/// What in a tuple of values a constraint refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Objection {
    /// The directions of change do not go together.
    Directions,
    /// The signs of the magnitudes do not go together.
    Signs,
    /// The magnitudes contradict this row of corresponding values.
    Corresponding(usize),
    /// Finite and infinite values do not go together.
    Infinite,
}

impl fmt::Display for ConstraintKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
