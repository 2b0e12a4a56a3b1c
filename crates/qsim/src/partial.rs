//! Partial states: a set of possible values for each variable.

use crate::frame::Frame;
use crate::quantity::{Direction, Magnitude, QValue};
use crate::sign::Signs;

/// The values that a variable may have in a partial state: a range of magnitudes, in some directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueSet {
    pub(crate) low: Magnitude,
    pub(crate) high: Magnitude,
    pub(crate) directions: Signs,
}

impl ValueSet {
    /// Every value.
    pub const ANY: Self = Self {
        low: Magnitude(0),
        high: Magnitude(u16::MAX),
        directions: Signs::ANY,
    };

    /// One value.
    pub fn one(value: QValue) -> Self {
        Self::between(value.magnitude(), value.magnitude()).moving(value.direction())
    }

    /// These magnitudes and all between them, in any direction.
    pub fn between(low: Magnitude, high: Magnitude) -> Self {
        Self {
            low,
            high,
            ..Self::ANY
        }
    }

    /// The same magnitudes, in one direction only.
    #[must_use]
    pub fn moving(self, direction: Direction) -> Self {
        Self {
            directions: direction.signs(),
            ..self
        }
    }

    /// The value, if there is only one.
    pub fn value(&self) -> Option<QValue> {
        let mut directions = Direction::ALL.into_iter();
        let direction = directions.find(|direction| direction.signs() == self.directions)?;
        (self.low == self.high).then(|| QValue::new(self.low, direction))
    }

    /// The value, if there is only one magnitude, in one direction or in any: that is an ignored one.
    pub fn value_or_ignored(&self) -> Option<QValue> {
        let is_any = self.directions == Signs::ANY && self.low == self.high;
        let ignored = || QValue::new(self.low, Direction::Ignored);
        self.value().or_else(|| is_any.then(ignored))
    }

    /// Whether the value is in the set; an ignored direction is any.
    pub fn contains(&self, value: QValue) -> bool {
        (self.low..=self.high).contains(&value.magnitude())
            && self.directions.meets(value.direction().signs())
    }

    /// The values in both sets.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            directions: self.directions.and(other.directions),
        }
    }

    /// The set in a later frame, in which intervals may have been split.
    pub(crate) fn carried(self, frame: &Frame, first: &Frame, variable: usize) -> Self {
        if self.high == Self::ANY.high {
            return self;
        }
        Self {
            low: Magnitude(frame.carried(first, variable, self.low.0).0),
            high: Magnitude(frame.carried(first, variable, self.high.0).1),
            ..self
        }
    }
}

/// A partial state: a set of values for each variable, in the order of the model.
pub type PartialState = Vec<ValueSet>;
