//! Options of the simulation: limits, landmarks, global filters.

use serde::{Deserialize, Serialize};

/// Options of a simulation; as `[simulation]` in a system file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each turns one filter on or off, by itself"
)]
pub struct Options {
    /// Limit on states; the result states whether it was reached.
    pub max_states: usize,
    /// Whether a variable that comes to rest between landmarks gets a new one there.
    pub new_landmarks: bool,
    /// Limit on new landmarks of a variable on a branch; after them it rests in the interval.
    pub max_new_landmarks: usize,
    /// Reject a time point that repeats the interval before it.
    pub no_change: bool,
    /// End a behavior that repeats one of its states: as a cycle, or, if a variable has moved in one
    /// direction since, as a drift.
    pub cycles: bool,
    /// End a behavior in which a variable became infinite: time is infinite then.
    pub divergence: bool,
    /// Reject a state in which a finite variable moves at infinite time: a variable with a finite limit
    /// is steady then. Time is infinite if a variable is infinite and its derivative is not; with an
    /// infinite derivative it may escape in finite time.
    pub infinite_time: bool,
    /// Let a system leave an equilibrium, which may be unstable.
    pub departures: bool,
    /// Abstract chatter: ignore directions of change that only continuity bounds, and those of
    /// infinite values, behind which a behavior has no more states.
    pub ignore_chatter: bool,
    /// Apply the model's energy constraint, if it has one.
    pub energy: bool,
    /// Keep the rejected successors, and the filters that rejected them.
    pub explain: bool,
}

/// What is said where the limit on states was reached.
pub(crate) fn limit_reached(limit: usize, n_open: usize, n_states: usize) -> String {
    let are = if n_open == 1 { "is" } else { "are" };
    format!(
        "the limit on states, {limit}, is reached: {n_open} of {n_states} {are} not followed; raise max-states"
    )
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_states: 10_000,
            new_landmarks: false,
            max_new_landmarks: 8,
            no_change: true,
            cycles: true,
            divergence: true,
            infinite_time: true,
            departures: false,
            ignore_chatter: true,
            energy: true,
            explain: false,
        }
    }
}
