//! What a simulation does beyond transitions and constraints.

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
    /// Most states that are made; the result says if there would be more.
    pub max_states: usize,
    /// Whether a variable that comes to rest between landmarks gets a new one there.
    pub new_landmarks: bool,
    /// Most new landmarks of a variable on a branch; after them it rests in the interval.
    pub max_new_landmarks: usize,
    /// Refuse a point in time that repeats the interval before it.
    pub no_change: bool,
    /// End a behavior that comes back to a state it was in.
    pub cycles: bool,
    /// End a behavior in which something became infinite: the time is infinite then.
    pub divergence: bool,
    /// Refuse a state that is infinite in one variable while a finite one still moves: at infinite
    /// time what has a finite limit rests.
    pub infinite_time: bool,
    /// Let a system that rests go on: an unstable equilibrium can be left.
    pub departures: bool,
    /// Do not tell directions apart where nothing but continuity bounds them (chatter).
    pub ignore_chatter: bool,
    /// Use the model's argument about energy, if it has one.
    pub energy: bool,
    /// Keep what was refused, and by what.
    pub explain: bool,
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
            ignore_chatter: false,
            energy: true,
            explain: false,
        }
    }
}
