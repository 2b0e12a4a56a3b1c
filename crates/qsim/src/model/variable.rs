//! Variables and their domains.

use crate::quantity::{Direction, QValue, QuantitySpace};

/// A variable of the system.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The magnitudes it can have.
    pub space: QuantitySpace,
    /// Whether its directions of change are ignored, which prevents chatter.
    pub ignore_direction: bool,
}

impl Variable {
    /// A variable that distinguishes its directions of change.
    pub fn new(name: impl Into<String>, space: QuantitySpace) -> Self {
        Self {
            name: name.into(),
            space,
            ignore_direction: false,
        }
    }

    /// Its domain in a quantity space, which may be its own with landmarks discovered since: every
    /// magnitude in every direction.
    pub(crate) fn domain(&self, space: &QuantitySpace) -> impl Iterator<Item = QValue> + use<> {
        let directions: &[Direction] = if self.ignore_direction {
            &[Direction::Ignored]
        } else {
            &Direction::ALL
        };
        let magnitudes = space.magnitudes();
        magnitudes.flat_map(|at| directions.iter().map(move |way| QValue::new(at, *way)))
    }
}
