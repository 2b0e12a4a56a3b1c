//! Operating regions, and the transitions between them.

use crate::partial::{PartialState, ValueSet};

/// An operating region: a part of the state space with its own constraints.
#[derive(Clone, Debug)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Indices of the constraints that hold in it.
    pub constraints: Vec<usize>,
    /// The ways out of it; the first that applies is taken.
    pub transitions: Vec<Transition>,
}

/// A transition from one operating region to another.
#[derive(Clone, Debug)]
pub struct Transition {
    /// Its condition: it is taken at every point in time at which the state agrees with this.
    pub when: PartialState,
    /// Index of the region it leads to; none if the behavior ends here.
    pub to: Option<usize>,
    /// Variables whose magnitudes are reset instead of carried over, and what to.
    pub set: Vec<(usize, ValueSet)>,
    /// Its name in messages.
    pub name: String,
}
