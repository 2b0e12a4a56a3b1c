//! Partial states: what is known of each variable.

use crate::frame::Frame;
use crate::quantity::{Direction, Magnitude, QValue};
use crate::sign::Signs;

/// Values a variable may have in a partial state: a range of magnitudes, some directions.
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

    /// Whether the value is one of them; an ignored direction is any.
    pub fn contains(&self, value: QValue) -> bool {
        (self.low..=self.high).contains(&value.magnitude())
            && self.directions.meets(value.direction().signs())
    }

    /// The same set where intervals may have been split since.
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

/// What is known of a state: a set of values for each variable.
pub type PartialState = Vec<ValueSet>;
