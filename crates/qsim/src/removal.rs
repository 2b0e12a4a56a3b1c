//! Explanations: the values and states that were filtered out.

use crate::model::State;
use crate::quantity::QValue;
use crate::step::Filter;
use crate::successors::RemovedValue;

/// A successor that was filtered out while a state was expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// Number of the state that was expanded.
    pub state: usize,
    /// The value or state that was filtered out.
    pub removed: RemovedSuccessor,
}

/// A value of a variable, or a whole state, that cannot follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemovedSuccessor {
    /// A value without support: no candidates of the constraint's other variables go with it.
    Value {
        /// Index of the variable.
        variable: usize,
        /// The value, in the quantity spaces of the state that was expanded.
        value: QValue,
        /// Index of the constraint.
        constraint: usize,
    },
    /// A state that satisfies the constraints, but not a global filter.
    State {
        /// The state, in the quantity spaces of the state that was expanded.
        values: State,
        /// The filter that refuses it.
        filter: Filter,
    },
}

impl Removal {
    /// The values that the constraints removed while the state was expanded.
    pub(crate) fn of_values(
        state: usize,
        removed: Option<&[RemovedValue]>,
    ) -> impl Iterator<Item = Self> {
        let removed = removed.unwrap_or_default().iter();
        removed.map(move |found| Self {
            state,
            removed: RemovedSuccessor::Value {
                variable: found.variable,
                value: found.value,
                constraint: found.constraint,
            },
        })
    }

    /// A successor of the state that a filter refuses.
    pub(crate) fn of_state(state: usize, values: &[QValue], filter: Filter) -> Self {
        let values = Box::from(values);
        Self {
            state,
            removed: RemovedSuccessor::State { values, filter },
        }
    }
}
